"""The prompt for a chat model: numbered, fenced evidence and the question, with the same data in the message's meta."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from haystack import Document, component
from haystack.components.builders import ChatPromptBuilder
from haystack.dataclasses import ChatMessage

from components.builders.neutralising import neutralised, suspicion_note, without_instructions
from components.builders.passage_ranges import narrowed_to
from components.builders.prompt_file import read_prompt
from components.builders.sentence_runs import best_run, has_rows
from components.chat_tokens import chat_tokens
from components.dropped import Dropped
from components.failure import Degradation
from config.settings import settings

NOT_IN_EVIDENCE = "NOT_IN_EVIDENCE"
"""What a chat model is told to write when the evidence does not hold the answer."""
STAGE = "prompt_builder"
VARIABLES = ("question", "passages", "mark")
MARK_BYTES = 4


def new_mark(texts: Sequence[str]) -> str:
    """The mark of one request's fences: eight hex digits from the system's random source, in none of the texts."""
    while True:
        mark = secrets.token_hex(MARK_BYTES)
        if not any(mark in text.lower() for text in texts):
            return mark


def as_data(text: str) -> str:
    """A text of a document or an asker as the prompt shows it: nothing in it can pose as a part of the prompt (`neutralising`)."""
    return neutralised(text.encode("utf-8", "replace").decode())


def _attribute(text: str) -> str:
    return " ".join(as_data(text).replace('"', "'").split())


def passage_view(document: Document, position: int) -> dict[str, Any]:
    """What the template sees of a passage: `n`, `source` (title and headings), `since` and `note` (validity, or empty), `text`.

    :param position: number to use where the passage has no label, from 1.
    """
    meta = document.meta
    path = [str(meta.get("title") or ""), *(str(h) for h in meta.get("heading_path") or [])]
    page = meta.get("page")
    source = without_instructions(" > ".join(part for part in path if part)) + (f", page {page}" if page else "")
    note = "" if meta.get("in_force", True) else str(meta.get("validity_note") or "not in force")
    return {
        "n": meta.get("label", position),
        "source": _attribute(source),
        "since": _attribute(str(meta.get("valid_from") or ""))[:10],
        "note": _attribute(note),
        "text": as_data(without_instructions(document.content or "")),
    }


@component
class EvidencePromptBuilder:
    """Writes the messages for a chat model from the question and the evidence, within the tokens that the model reads.

    Delegates to Haystack's ChatPromptBuilder, which reads no file, counts no tokens, and cannot carry the question and the evidence along:
    here the user message's `meta` holds `question` (str) and `evidence` (list of `Document.to_dict(flatten=False)`), so that the
    extractive generator never parses a prompt, and `prompt` (label of the file), `tokens` and `evidence_tokens`. Values are inserted as data:
    Jinja in a passage stays text, and each request's fences carry a random mark, so that no document can forge one.

    >>> builder = EvidencePromptBuilder()
    >>> out = builder.run("When is it open?", [Document(content="It opens at 7.", meta={"label": 1, "title": "Pool"})])
    >>> [m.role.value for m in out["messages"]]
    ['system', 'user']
    """

    def __init__(self, prompt: str | None = None, max_tokens: int | None = None) -> None:
        """Create the builder.

        :param prompt: name of a file in `pipelines/prompts`, without `.jinja`, or a path that ends so. Its template has the variables `question`,
            `passages` (each with `n`, `source`, `since`, `note`, `text`) and `mark`. None: `answer`.
        :param max_tokens: tokens of the whole prompt, at least 1. None: what the chat model of the settings reads, less what it may write.
        :raises ValueError: no such file, one that does not use the question and the passages, is not valid Jinja, or has no user message.
        """
        if max_tokens is not None and max_tokens < 1:
            raise ValueError(f"EvidencePromptBuilder.max_tokens={max_tokens}: accepted is 1 or more, or null for the settings' chat model")
        self.prompt = prompt
        self.max_tokens = max_tokens
        self._file = read_prompt(prompt)
        for variable in ("question", "passages"):
            if variable not in self._file.text:
                raise ValueError(f"EvidencePromptBuilder.prompt: {self._file.name} does not use `{variable}`. It must use question and passages.")
        try:
            self._builder = ChatPromptBuilder(template=self._file.text, variables=list(VARIABLES), required_variables=list(VARIABLES))
            last = self._render("?", [], "0")[-1]
        except Exception as error:  # jinja2 and the parser of messages raise several unrelated classes
            raise ValueError(f"EvidencePromptBuilder.prompt: {self._file.name} is no template of messages: {error}") from error
        if last.role.value != "user":
            raise ValueError(f"EvidencePromptBuilder.prompt: {self._file.name} ends with the {last.role.value}'s message; accepted is the user's")

    def missing_setting(self) -> str:
        """A setting that cannot be used, in words; empty where there is none. `check` reports it."""
        return chat_tokens().fault

    def _render(self, question: str, evidence: Sequence[Document], mark: str) -> list[ChatMessage]:
        passages = [passage_view(document, i) for i, document in enumerate(evidence, start=1)]
        return self._builder.run(question=as_data(question), passages=passages, mark=mark)["prompt"]

    @component.output_types(
        messages=list[ChatMessage], evidence=list[Document], dropped=list[Dropped], degraded=list[Degradation], model=str, note=str
    )
    def run(self, question: str, evidence: list[Document]) -> dict[str, Any]:
        """Write the messages.

        :param question: the question as asked.
        :param evidence: passages, best first; `meta.label` is the number shown. May be empty: the generator then declines.
        :returns: `messages`: ends with the user's; `evidence`: the passages that they show, the last one perhaps shortened to the sentences
            nearest to the question; `dropped`: those that did not fit; `degraded`: an entry where not even one fitted; `model`: the prompt and its
            version; `note`: tokens, and what was cut.
        """
        limit = self.max_tokens or max(1, settings().chat_context_tokens - settings().chat_max_tokens)
        tokens = chat_tokens()
        mark = new_mark([question, *(document.content or "" for document in evidence)])

        def size(passages: Sequence[Document]) -> int:
            return tokens.of_messages(self._render(question, passages, mark))

        shown, cut = list(evidence), []
        messages = self._render(question, shown, mark)
        if tokens.of_messages(messages) > limit:
            shown, cut = fitted(shown, question, limit, size)
            messages = self._render(question, shown, mark)
        total, of_evidence = tokens.of_messages(messages), sum(tokens.count(document.content or "") for document in shown)
        messages[-1].meta.update(
            {
                "question": question,
                "evidence": [document.to_dict(flatten=False) for document in shown],
                "prompt": self._file.label,
                "tokens": total,
                "evidence_tokens": of_evidence,
            }
        )
        how = "" if tokens.exact else f", estimated from above{': ' + tokens.fault if tokens.fault else ''}"
        note = f"{total:,} tokens ({of_evidence:,} of evidence{how}) of {limit:,}"
        note += f"; cut: {'; '.join(item['reason'] for item in cut)}" if cut else ""
        note += f"; {suspicion_note(question, {d.meta.get('label', i): d.content or '' for i, d in enumerate(shown, start=1)})}"
        lost = evidence and not shown
        degraded = [Degradation(stage=STAGE, reason=f"no passage fits into the {limit:,} tokens that the chat model reads")] if lost else []
        gone = [item for item in cut if item["id"] not in {document.id for document in shown}]
        return {"messages": messages, "evidence": shown, "dropped": gone, "degraded": degraded, "model": self._file.label, "note": note}


def fitted(evidence: list[Document], question: str, limit: int, size: Callable[[Sequence[Document]], int]) -> tuple[list[Document], list[Dropped]]:
    """The passages that fit, best first, and what was cut of the others.

    The first that does not fit is shortened to whole sentences around the one nearest to the question, where it is prose; those behind it are
    shown only if they fit whole.

    :param limit: tokens of the whole prompt.
    :param size: tokens of a prompt that shows the passages given.
    """
    if size(evidence) <= limit:
        return evidence, []
    shown: list[Document] = []
    cut: list[Dropped] = []
    for position, document in enumerate(evidence, start=1):
        if size([*shown, document]) <= limit:
            shown.append(document)
            continue
        label, text = document.meta.get("label", position), document.content or ""
        part = None
        if not cut and not has_rows(text):

            def fits(some: str, document: Document = document) -> bool:
                return size([*shown, replace(document, content=some)]) <= limit

            part = best_run(text, question, fits)
        if part:
            shown.append(narrowed_to(document, *part))
            cut.append({"id": document.id, "reason": f"[{label}] shortened from {len(text):,} to {part[1] - part[0]:,} characters"})
        else:
            over = size([*shown, document]) - limit
            cut.append({"id": document.id, "reason": f"[{label}] left out, {over:,} tokens over {limit:,}"})
    return shown, cut
