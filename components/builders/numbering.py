"""The numbers of an answer's citations: 1, 2, 3 by first use, and the same number for the same passage over a conversation. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from components.answer import Answer, Evidence
from components.builders.shown_text import shown_text

_MARKER = re.compile(r"\[(\d+(?:\s*,\s*\d+)*)\]")
_SOURCE_LINE = re.compile(r"^\[(\d+)\] .*?\(([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\): “(.*)”[ \t]*$", re.MULTILINE)
"""A line of the list of sources under an earlier answer, as the chat door writes it: number, address, quote."""
MOST_NUMBERS = 10_000
"""A number above it in a conversation is a mistake or an attack; it is not continued from."""


@dataclass(frozen=True)
class Known:
    """A passage that an earlier turn cited."""

    n: int
    uri: str
    quote: str

    def is_in(self, evidence: Evidence) -> bool:
        """Whether a passage is that one: the same address, and the quote stands in it."""
        if self.uri != evidence.uri or not self.quote:
            return False
        text = _flat(evidence.text)
        return self.quote in text or self.quote in shown_text(text)


def _flat(text: str) -> str:
    return " ".join(text.split())


def known_passages(history: Sequence[Any] | None) -> tuple[list[Known], int]:
    """The passages that earlier answers of a conversation cited, and the highest number that these used.

    :param history: messages, oldest first: mappings with `role`, `content` and perhaps `citations` (those of the answer contract), or
        `ChatMessage`s, with citations perhaps in their meta. Only the assistant's are read. Anything else is passed over.
    """
    known: dict[int, Known] = {}
    highest = 0
    for message in history or []:
        if isinstance(message, Mapping):
            role, text, citations = message.get("role"), message.get("content"), message.get("citations")
        else:
            role, text = getattr(getattr(message, "role", None), "value", None), getattr(message, "text", None)
            citations = (getattr(message, "meta", None) or {}).get("citations")
        if role != "assistant":
            continue
        text = text if isinstance(text, str) else ""
        found = [Known(int(n), uri, _flat(quote)) for n, uri, quote in _SOURCE_LINE.findall(text) if len(n) <= len(str(MOST_NUMBERS))]
        for given in citations if isinstance(citations, list) else []:
            c = given if isinstance(given, Mapping) else getattr(given, "__dict__", {})
            if isinstance(c.get("n"), int):
                found.append(Known(c["n"], str(c.get("uri") or ""), _flat(str(c.get("quote") or ""))))
        used = [number for group in _MARKER.findall(text) for number in _numbers(group)]
        highest = max([highest, *(k.n for k in found if k.n <= MOST_NUMBERS), *(n for n in used if n <= MOST_NUMBERS)])
        for k in found:
            if 1 <= k.n <= MOST_NUMBERS:
                known.setdefault(k.n, k)
    return list(known.values()), highest


def _numbers(group: str) -> list[int]:
    return [int(number) for number in group.split(",") if len(number.strip()) <= len(str(MOST_NUMBERS))]


def new_numbers(answer: Answer, known: Sequence[Known] = (), highest: int = 0) -> dict[int, int]:
    """The number for each number of an answer's evidence and citations.

    A known passage keeps its own (the first in order, where two hold the same quote); the others go on after `highest`, in the order in
    which the text cites them, and then as the evidence stands.
    """
    cited = [n for group in _MARKER.findall(answer.answer) for n in _numbers(group)]
    order = list(dict.fromkeys([*cited, *(c.n for c in answer.citations), *(e.n for e in answer.evidence)]))
    existing = {e.n for e in answer.evidence} | {c.n for c in answer.citations}
    passages = {e.n: e for e in answer.evidence}
    numbers: dict[int, int] = {}
    taken: set[int] = set()
    for old in (n for n in order if n in passages):
        kept = next((k.n for k in sorted(known, key=lambda k: k.n) if k.n not in taken and k.is_in(passages[old])), None)
        if kept is not None:
            numbers[old] = kept
            taken.add(kept)
    following = highest
    for old in (n for n in order if n in existing and n not in numbers):
        following += 1
        while following in taken:
            following += 1
        numbers[old] = following
    return numbers


def renumbered(answer: Answer, numbers: Mapping[int, int]) -> Answer:
    """The answer with the numbers of text, citations, claims and evidence changed alike; the evidence in the order of its numbers.

    A marker in the text that has no number in `numbers` is removed.
    """

    def changed(match: re.Match[str]) -> str:
        found = list(dict.fromkeys(numbers[n] for n in _numbers(match.group(1)) if n in numbers))
        return "".join(f"[{n}]" for n in found)

    def text(value: str) -> str:
        return _MARKER.sub(changed, value)

    citations = [c.model_copy(update={"n": numbers.get(c.n, c.n)}) for c in answer.citations]
    claims = [claim.model_copy(update={"citations": [numbers.get(n, n) for n in claim.citations]}) for claim in answer.claims]
    evidence = [e.model_copy(update={"n": numbers.get(e.n, e.n)}) for e in answer.evidence]
    return answer.model_copy(
        update={
            "answer": text(answer.answer),
            "citations": citations,
            "claims": claims,
            "evidence": sorted(evidence, key=lambda e: e.n),
        }
    )
