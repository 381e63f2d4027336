"""Answers in the shapes of OpenAI's chat API: text with [n] markers, a list of sources, and citations as annotations."""

from __future__ import annotations

import time
import uuid
from typing import Any

from fastapi_openai_compat.chat_completions import ChatCompletion, Choice, Message

from app.serving.problems import Problem
from app.serving.sentences import parts
from components.answer import Answer, Citation, Status
from components.builders.shown_text import shown_text

PREFIX = "sakshya/"
"""A model may be named with it: `sakshya/query` is the graph `query`."""
ROLES = ("user", "assistant")


def graph_of(model: str) -> str:
    """The graph that a model's name means."""
    return model.removeprefix(PREFIX)


def question_of(messages: list[dict[str, Any]]) -> tuple[str, list[dict[str, str]]]:
    """The question, which is the last message of the user, and the earlier messages of the conversation.

    >>> question_of([{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "Who?"}])
    ('Who?', [{'role': 'user', 'content': 'Hello?'}, {'role': 'assistant', 'content': 'Yes.'}])

    :raises Problem: 422, there is no message of the user.
    """
    turns = [{"role": m["role"], "content": _text(m.get("content"))} for m in messages if m.get("role") in ROLES]
    last = max((at for at, turn in enumerate(turns) if turn["role"] == "user"), default=None)
    if last is None or not turns[last]["content"].strip():
        raise Problem(422, "invalid-request", "There is no message with the role user and a text.")
    return turns[last]["content"], [turn for turn in turns[:last] if turn["content"].strip()]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    found = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in found if isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str))


def text_parts(answer: Answer) -> list[str]:
    """What the assistant says, in parts: the answer's sentences, then its sources. A declined answer says what is missing."""
    said = parts(answer.answer) if answer.answer.strip() else []
    if answer.status is Status.DECLINED and not said:
        said = [answer.missing or "The documents do not hold the answer."]
    if answer.status is Status.ANSWERED and answer.missing:
        said.append(f"\n\nThe documents do not say: {shown_text(answer.missing)}")
    return [*said, sources(answer.citations)] if answer.citations else said


def sources(citations: list[Citation]) -> str:
    """The list of sources for a person, a line for each number, with all that is quoted under it."""
    ordered = sorted(citations, key=lambda citation: (citation.n, citation.char_start))
    quotes: dict[int, list[str]] = {}
    for citation in ordered:
        quotes.setdefault(citation.n, []).append(f"“{shown_text(' '.join(citation.quote.split()))}”")
    places = {citation.n: citation for citation in reversed(ordered)}
    lines = [f"[{n}] {shown_text(places[n].cited_as)} ({places[n].uri}): {' … '.join(quotes[n])}" for n in quotes]
    return "\n\nSources:\n" + "\n".join(lines)


def cited(answer: Answer) -> list[dict[str, Any]]:
    """The citations as annotations: OpenAI's `url_citation` for each marker of the text, with the quote and its place in the source beside it."""
    found = []
    for citation in answer.citations:
        marker = f"[{citation.n}]"
        start = answer.answer.find(marker)
        place = {"start_index": start, "end_index": start + len(marker)} if start >= 0 else {"start_index": 0, "end_index": 0}
        found.append(
            {
                "type": "url_citation",
                "url_citation": {"url": citation.uri, "title": citation.title, **place},
                "sakshya": citation.model_dump(mode="json"),
            }
        )
    return found


def new_id() -> str:
    """An id of a completion."""
    return f"chatcmpl-{uuid.uuid4().hex}"


def completion(model: str, answer: Answer) -> ChatCompletion:
    """The whole answer as a chat completion; the contract stands in `sakshya`."""
    message = Message(role="assistant", content="".join(text_parts(answer)), annotations=cited(answer))  # pyright: ignore[reportCallIssue]
    return ChatCompletion(
        id=new_id(),
        object="chat.completion",
        created=int(time.time()),
        model=model,
        choices=[Choice(index=0, message=message, finish_reason="stop")],
        usage=usage(answer),
        sakshya=answer.to_json(),  # pyright: ignore[reportCallIssue]
    )


def chunk(name: str, model: str, created: int, text: str = "", **more: Any) -> ChatCompletion:
    """A part of a streamed completion."""
    finish = more.pop("finish_reason", None)
    delta = Message(role="assistant", content=text, **more)
    return ChatCompletion(
        id=name,
        object="chat.completion.chunk",
        created=created,
        model=model,
        choices=[Choice(index=0, delta=delta, finish_reason=finish)],
    )


def usage(answer: Answer) -> dict[str, int]:
    """Tokens of the chat model; zero for extractive answers."""
    asked, wrote = answer.usage.prompt_tokens, answer.usage.completion_tokens
    return {"prompt_tokens": asked, "completion_tokens": wrote, "total_tokens": asked + wrote}
