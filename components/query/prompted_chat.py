"""A prompt file and the chat model that is asked with it: what every node here that rewrites a question needs."""

from __future__ import annotations

from typing import Any

from haystack.components.builders import ChatPromptBuilder
from haystack.dataclasses import ChatMessage

from components.builders.evidence_prompt_builder import as_data, new_mark
from components.builders.neutralising import without_instructions
from components.builders.prompt_file import read_prompt
from components.generators.chat_model import ChatModel, ChatText, text_of
from components.generators.reply_reading import reply_lines

SHARE = 0.25
"""Of what is left of the deadline, for a call before retrieval: the answer still has to be written."""


class PromptedChat:
    """Asks the chat model of the settings with a versioned prompt.

    :param owner: class of the node, for messages.
    :param prompt: name of a file in `pipelines/prompts`, or a path ending in `.jinja`.
    :param variables: what the template may use; `question` is one of them. Their values are shown as data: what could pose as a part of the
        prompt, and sentences that are instructions to a model, are made harmless. `mark` is added: eight hex digits for fences, drawn for each call.
    :param max_tokens: tokens of a reply.
    :raises ValueError: no such prompt, one that does not use the question, or no template of messages.
    """

    def __init__(self, owner: str, prompt: str, variables: tuple[str, ...], model: str | None, timeout_s: float | None, max_tokens: int) -> None:
        self.file = read_prompt(prompt)
        if "question" not in self.file.text:
            raise ValueError(f"{owner}.prompt: {self.file.name} does not use `question`")
        names = [*variables, "mark"]
        try:
            self._builder = ChatPromptBuilder(template=self.file.text, variables=names, required_variables=names)
        except Exception as error:  # jinja2 and the parser of messages raise several unrelated classes
            raise ValueError(f"{owner}.prompt: {self.file.name} is no template of messages: {error}") from error
        self.chat = ChatModel(model, timeout_s=timeout_s, max_tokens=max_tokens, share=SHARE)

    @property
    def is_set(self) -> bool:
        """Whether there is a chat model to ask."""
        return self.chat.is_set

    def missing_setting(self) -> str:
        """A setting of the chat model that cannot be used, in words; `check` reports it."""
        return self.chat.missing_setting()

    def messages(self, **values: Any) -> list[ChatMessage]:
        """The prompt for these values: texts, numbers, or lists of texts."""
        shown = {name: [_shown(item) for item in value] if isinstance(value, list) else _shown(value) for name, value in values.items()}
        shown["mark"] = new_mark([str(value) for value in shown.values()])
        return self._builder.run(template_variables=shown)["prompt"]

    def ask(self, **values: Any) -> ChatText:
        """The reply; its `text` is None where there is none, and `reason` says why."""
        return text_of(self.chat.run(self.messages(**values)))

    async def ask_async(self, **values: Any) -> ChatText:
        """As `ask`, with the endpoint awaited."""
        return text_of(await self.chat.run_async(self.messages(**values)))


def _shown(value: Any) -> Any:
    return as_data(without_instructions(value)) if isinstance(value, str) else value


def lines_of(reply: ChatText, question: str, at_most: int, longest: int) -> tuple[list[str], str]:
    """The questions of a reply, without the one that was asked, and why there are none, where there are none.

    >>> lines_of(ChatText("1. Who pays?\\n2. What is the fee?", model="m"), "What is the fee?", 3, 200)
    (['Who pays?'], '')
    >>> lines_of(ChatText("", model="m"), "What is the fee?", 3, 200)
    ([], 'chat model m: its reply holds no question that can be used')
    """
    if reply.text is None:
        return [], reply.reason
    found = [line for line in reply_lines(reply.text, at_most + 1, longest) if line.casefold().strip(" ?.") != question.casefold().strip(" ?.")]
    return found[:at_most], "" if found else f"chat model {reply.model}: its reply holds no question that can be used"
