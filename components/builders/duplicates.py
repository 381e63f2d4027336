"""Which passages say the same twice."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from haystack import Document

from components.builders.passage_ranges import own_range

SHINGLE = 5
"""Words in a shingle."""
NEAR = 0.9
"""Jaccard similarity of the shingle sets from which two passages are near-duplicates."""
NEGATIONS = frozenset({"no", "not", "never", "without", "except", "unless", "nor", "neither", "cannot", "t", "नहीं", "न", "मत"})
"""Words that turn a sentence round ("t" is the end of "don't")."""

_WORD = re.compile(r"\w+")


def normalised(text: str) -> str:
    """The text for comparing: NFKC, lower case, white space as single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def jaccard(one: list[str], other: list[str], size: int = SHINGLE) -> float:
    """Jaccard similarity of the sets of `size`-word shingles (Broder 1997), in [0, 1]; 0 where one is shorter than a shingle.

    >>> jaccard("a b c d e f".split(), "a b c d e g".split())
    0.3333333333333333
    """
    a, b = ({tuple(words[i : i + size]) for i in range(len(words) - size + 1)} for words in (one, other))
    return len(a & b) / len(a | b) if a and b else 0.0


def near_duplicates(one: str, other: str) -> bool:
    """Whether two normalised texts differ in little, and in no number and no negation: "20 days" and "25 days" are not the same rule."""
    a, b = _WORD.findall(one), _WORD.findall(other)
    if jaccard(a, b) < NEAR:
        return False
    different = (Counter(a) - Counter(b)) + (Counter(b) - Counter(a))
    return not any(word in NEGATIONS or any(c.isdigit() for c in word) for word in different)


def contains(outer: Document, inner: Document) -> bool:
    """Whether `inner` is a part of `outer`: the same range of the same source, or its words where a range is not known."""
    source = outer.meta.get("source_id")
    if not source or source != inner.meta.get("source_id"):
        return False
    large, small = own_range(outer), own_range(inner)
    if large and small and outer.meta.get("source_version") == inner.meta.get("source_version"):
        within = large[0] <= small[0] and small[1] <= large[1]
        return within and (outer.content or "")[small[0] - large[0] : small[1] - large[0]] == inner.content
    return _same_place(outer, inner) and f" {normalised(inner.content or '')} " in f" {normalised(outer.content or '')} "


def without_duplicates(
    documents: list[Document],
    in_force: Callable[[Document], bool],
    newer: Callable[[Mapping[str, Any], Mapping[str, Any]], bool],
    beaten_by: dict[str, Document] | None = None,
) -> list[Document]:
    """The passages, best first, each thing said once.

    Equal texts and near-duplicates: the one in force is kept, then the newer, then the better ranked. A passage inside another of the
    same source goes, unless it is in force and the larger is not. What is kept stands where the best of its likes stood. The same words
    under another heading or in another record of a file are no duplicate: there the heading makes the difference.

    :param in_force: of a passage, on the day asked about.
    :param newer: whether the first of two metas is that of the newer passage.
    :param beaten_by: filled with the id of each passage that goes, and the one that stays in its place.
    """
    losers = {} if beaten_by is None else beaten_by
    kept: list[Document] = []
    for document in documents:
        verdicts = [_which_stays(other, document, in_force, newer) for other in kept]
        if winner := next((other for stays, other in zip(verdicts, kept, strict=True) if stays is other), None):
            losers[document.id] = winner
            continue
        beaten = [i for i, stays in enumerate(verdicts) if stays is document]
        losers.update({kept[i].id: document for i in beaten})
        kept = [d for i, d in enumerate(kept) if i not in beaten]
        kept.insert(beaten[0] if beaten else len(kept), document)
    return kept


def _which_stays(
    first: Document, second: Document, in_force: Callable[[Document], bool], newer: Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
) -> Document | None:
    """The one to keep of two that say the same, `first` ranked better; None: they do not."""
    if first.id == second.id:
        return first
    one, two = normalised(first.content or ""), normalised(second.content or "")
    if _same_place(first, second) and (one == two or near_duplicates(one, two)):
        if in_force(first) != in_force(second):
            return first if in_force(first) else second
        return second if newer(second.meta, first.meta) else first
    for outer, inner in ((first, second), (second, first)):
        if contains(outer, inner) and (in_force(outer) or not in_force(inner)):
            return outer
    return None


def _same_place(one: Document, other: Document) -> bool:
    for field in ("heading_path", "record_id"):
        a, b = one.meta.get(field), other.meta.get(field)
        if a and b and a != b:
            return False
    return True
