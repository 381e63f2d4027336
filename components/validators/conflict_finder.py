"""Shows both sides where two documents in force say different figures or dates, or opposite things, of the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import regex
from haystack import Document, component

from components.answer import Answer, Citation, Status
from components.generators.extraction.units import Shape, Unit, plain, sources_of
from components.generators.extraction.words import FUNCTION_WORDS, LIGHT_WORDS, groups_of, words
from components.validators.opposed_rules import opposed
from components.validators.quantities import dates, quantities, without_dates

SHARED = 0.7
"""Share of the content words of both sentences together that they must share."""
FEWEST = 2
"""Content words that both must share."""
FEWEST_ALONE = 3
"""The same where their headings share none."""
MARK = "The documents disagree:"


@dataclass(frozen=True)
class Figures:
    """What a sentence gives: its quantities by unit, and its dates."""

    quantities: tuple[tuple[str, float], ...]
    dates: tuple[tuple[int, int, int], ...]

    def contradicts(self, other: Figures) -> bool:
        """Whether both give the same kinds of figures, and other values."""
        same_kind = [unit for unit, _ in self.quantities] == [unit for unit, _ in other.quantities] and len(self.dates) == len(other.dates)
        return same_kind and bool(self.quantities or self.dates) and self != other


def figures_of(text: str) -> Figures:
    """The figures of a text.

    >>> figures_of("Refunds take five days.").contradicts(figures_of("Refunds take 7 days.")), figures_of("In 5 days.") == figures_of("In five days.")
    (True, True)
    """
    found = sorted((q.unit, q.value) for q in quantities(without_dates(text)))
    return Figures(tuple(found), tuple(sorted((d.year, d.month, d.day) for d in dates(text))))


def subject_of(text: str) -> frozenset[str]:
    """Stems of the content words of a text that are no figures and no units.

    >>> sorted(subject_of("Refunds take five business days."))
    ['busi', 'refund']
    """
    return frozenset(
        w.stem
        for w in words(text)
        if w.number is None
        and w.text.casefold() not in FUNCTION_WORDS
        and w.text.casefold() not in LIGHT_WORDS
        and not _FIGURE_WORD.fullmatch(w.text)
    )


_FIGURE_WORD = regex.compile(
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|euros?|dollars?|pounds?|rupees?|percent|cent|hundred|thousand|lakhs?|crores?|million|one"
    r"|january|february|march|april|june|july|august|september|october|november|december|\p{Nd}.*)",
    regex.I,
)


def _same(one: frozenset[str], other: frozenset[str]) -> tuple[float, int, bool]:
    """Share and number of shared words, synonyms counting, and whether neither holds a word that the other lacks."""

    def held(stem: str, by: frozenset[str]) -> bool:
        return stem in by or any(groups_of(stem) & groups_of(s) for s in by)

    here, there = [s for s in one if held(s, other)], [s for s in other if held(s, one)]
    total = len(one) + len(other)
    return (len(here) + len(there)) / total if total else 0.0, min(len(here), len(there)), len(here) == len(one) and len(there) == len(other)


def conflicts(one: Unit, other: Unit) -> bool:
    """Whether two sentences give different figures for the same thing, or opposite rules. Rules that look alike but name something else are none."""
    if one.shape != Shape.SENTENCE or other.shape != Shape.SENTENCE or one.is_label or other.is_label:
        return False
    if one.source.source_id == other.source.source_id or not one.source.in_force or not other.source.in_force:
        return False
    if plain(one.text) == plain(other.text):
        return False
    if are_opposed(one, other):
        return True
    if not figures_of(one.text).contradicts(figures_of(other.text)):
        return False
    share, count, same = _same(subject_of(one.text), subject_of(other.text))
    labels = [subject_of(u.source.label) for u in (one, other)]
    _, shared_labels, _ = _same(*labels)
    sides = ((labels[0], labels[1], one), (labels[1], labels[0], other))
    apart = [stem for mine, theirs, text in sides for stem in mine - theirs - subject_of(text.text)]
    each_its_own = all(mine - theirs for mine, theirs, _ in sides)
    if each_its_own or (apart and not shared_labels):  # "Refunds" and "Chargebacks", "Theft" and "Snatching": alike, and not the same
        return same and count >= FEWEST_ALONE
    return share >= SHARED and count >= FEWEST and (same or count >= FEWEST_ALONE)


def are_opposed(one: Unit, other: Unit) -> bool:
    """Whether one sentence allows or gives free what the other forbids or charges for, both whole: none leans on the sentence before it, none
    has an exception behind it, and their headings do not name different things."""
    if any(unit.depends or unit.is_proviso or _has_exception(unit) for unit in (one, other)):
        return False
    labels = [subject_of(unit.source.label) for unit in (one, other)]
    apart = [mine - theirs - subject_of(unit.text) for mine, theirs, unit in ((labels[0], labels[1], one), (labels[1], labels[0], other))]
    if all(apart):
        return False
    return opposed(one.text, other.text, FEWEST_ALONE if any(apart) else 1 if labels[0] & labels[1] else FEWEST)


def _has_exception(unit: Unit) -> bool:
    after = unit.source.unit(unit.index + 1)
    return after is not None and after.is_proviso


def preference(document: Document, authority: Sequence[str]) -> tuple[int, str]:
    """What goes first: the more authoritative, then the newer. Greater is better. A page of the web has no authority, however new it is."""
    meta = document.meta
    if str(meta.get("origin") or "").startswith("web"):
        return -1, ""
    name = f"{meta.get('path') or ''} {meta.get('uri') or ''} {meta.get('title') or ''}".casefold()
    rank = next((len(authority) - i for i, part in enumerate(authority) if part.casefold() in name), 0)
    return rank, str(meta.get("valid_from") or meta.get("modified_at") or meta.get("created_at") or "")


@component
class ConflictFinder:
    """Marks a conflict: where another passage of the evidence, in force too, gives another figure or date for what the answer quotes, or allows
    what it forbids, or charges for what it gives free.

    A generator picks one side, and nobody knows of the other; Haystack has no such check. Both sentences are quoted word for word, each with
    its marker, the more authoritative and then the newer document first. A passage that is no longer in force is no conflict: it has been
    replaced. Two sentences are about the same thing only if their content words agree, headings included, so refunds are never set against
    chargebacks.
    """

    def __init__(self, authority: list[str] | None = None) -> None:
        """:param authority: parts of a path or title, the most authoritative first, for instance `[law/, handbook/, wiki/]`.
        :raises ValueError: an empty part.
        """
        if any(not isinstance(part, str) or not part.strip() for part in authority or []):
            raise ValueError(f"ConflictFinder.authority={authority!r}: accepted are parts of paths or titles")
        self.authority = authority

    @component.output_types(answer=Answer, note=str)
    def run(self, answer: Answer, evidence: list[Document]) -> dict[str, Any]:
        """Look for the other side of each quote.

        :param evidence: the passages that the prompt showed.
        :returns: `answer`, with both sides of the first conflict before the rest of it; `note` says how many there are.
        """
        if answer.status is not Status.ANSWERED:
            return {"answer": answer, "note": ""}
        sources = sources_of(evidence)
        units = [unit for source in sources for unit in source.units]
        quoted = [u for u in units if any(_within(u, citation) for citation in answer.citations)]
        pairs = [(one, other) for one in quoted for other in units if other.source.n != one.source.n and conflicts(one, other)]
        documents = {source.n: document for source, document in zip(sources, evidence, strict=True)}
        sides: list[Unit] = []
        for unit in [u for pair in pairs for u in pair]:
            if not any(plain(unit.text) == plain(known.text) for known in sides):
                sides.append(unit)
        if len(sides) < 2:
            return {"answer": answer, "note": ""}
        sides.sort(key=lambda u: preference(documents[u.source.n], self.authority or []), reverse=True)
        return {"answer": with_sides(answer, sides), "note": f"{len(sides)} passages disagree on the same thing"}


def _within(unit: Unit, citation: Citation) -> bool:
    start = unit.source.char_start + unit.start
    same = unit.source.n == citation.n and unit.source.source_id == citation.source_id
    return same and start < citation.char_end and citation.char_start < start + len(unit.text)


def with_sides(answer: Answer, sides: Sequence[Unit]) -> Answer:
    """The answer with each side quoted first, word for word, and what else it said behind them."""
    shown = {evidence.n: evidence for evidence in answer.evidence}
    citations, parts, rest = list(answer.citations), [], answer.answer
    for unit in sides:
        evidence = shown.get(unit.source.n)
        if evidence is None:
            return answer
        start = unit.source.char_start + unit.start
        place = evidence.model_dump(include={"n", "source_id", "title", "uri", "heading", "page"})
        if not any(c.n == unit.source.n and c.char_start <= start and start + len(unit.text) <= c.char_end for c in citations):
            citations.append(Citation(**place, quote=unit.text, char_start=start, char_end=start + len(unit.text)))
        said = f"{unit.text} [{unit.source.n}]"
        rest = rest.replace(said, "")
        parts.append(said)
    rest = " ".join(rest.split(" ")).strip()
    text = " ".join([MARK, *parts, *([rest] if rest else [])])
    return answer.model_copy(update={"answer": text, "citations": citations})
