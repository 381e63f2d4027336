"""One round of a graph that checks its own answer: what is asked, and what came of the rounds before. It travels with the run, so that a node keeps
nothing between questions."""

from __future__ import annotations

from dataclasses import dataclass, field

from haystack import Document
from haystack.dataclasses import ChatMessage

from components.answer import Answer


@dataclass
class Attempt:
    """A round.

    :param question: as it was asked, self-contained.
    :param query: what is searched for in this round.
    :param round: from 1.
    :param tried: queries of the rounds before.
    :param seen: ids of the passages of the rounds before.
    :param messages: where the answer is written once more: the prompt with the verdicts; empty where this round searches.
    :param evidence: the passages that the prompt shows; empty where this round searches.
    :param best: an answer of an earlier round that could go out.
    """

    question: str
    query: str
    round: int = 1
    tried: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    messages: list[ChatMessage] = field(default_factory=list)
    evidence: list[Document] = field(default_factory=list)
    best: Answer | None = None
