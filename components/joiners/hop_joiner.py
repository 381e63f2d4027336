"""Joins the hops of a question that is asked in several steps."""

from __future__ import annotations

from typing import Any

from haystack import Document, component

from components.joiners.fused_documents import checked_top_k
from components.query.hops import HopPath, joined

OWNER = "HopJoiner"


@component
class HopJoiner:
    """Add a hop's passages to those of the hops before: the first hop's best stay, what later hops reached gets places behind them.

    Haystack's DocumentJoiner has no notion of which list came first, and in a loop sees one list at a time; fused by rank, the many passages that
    a second hop finds near its own query push out the first passage, without which the second means nothing. What is put in carries
    `ranks["hop"]` (`rank`: the number of the hop) and `hop_query` in its meta.

    >>> from haystack import Document
    >>> out = HopJoiner().run("Who?", "Who?", [Document(content="a")])
    >>> len(out["documents"]), len(out["path"].hops)
    (1, 1)
    """

    def __init__(self, keep: int = 3, places: int = 2, language: str = "en") -> None:
        """Create the joiner.

        :param keep: passages of the first hop that stay at the top, 1 or more; as in `HopPlanner`.
        :param places: passages of later hops put behind them, 0 or more.
        :param language: of the BM25 terms.
        :raises ValueError: a value out of range.
        """
        if not isinstance(places, int) or isinstance(places, bool) or places < 0:
            raise ValueError(f"{OWNER}.places={places!r}: accepted is a whole number >= 0")
        self.keep = checked_top_k(OWNER, keep)
        self.places = places
        self.language = language

    @component.output_types(documents=list[Document], path=HopPath)
    def run(self, query: str, documents: list[Document], path: HopPath | None = None, question: str | None = None) -> dict[str, Any]:
        """Add a hop.

        :param query: what this hop asked; in the first hop the question.
        :param documents: what this hop found, best first.
        :param path: the hops before, from `HopPlanner`; absent in the first.
        :param question: as it was asked; None: the query of the first hop.
        :returns: `documents` of all hops, each once, best first; `path` with this hop.
        """
        walked = (path or HopPath()).found(query, documents)
        return {"documents": joined(question or walked.hops[0].query, walked.hops, self.keep, self.places, self.language), "path": walked}
