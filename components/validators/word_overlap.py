"""How many of a claim's words a passage holds: the plain measure that every other one has to beat. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import regex
from rapidfuzz.distance import LCSseq

from components.embedders.bm25_tokenizer import document_terms, normalize
from components.preprocessors.sentences import split_sentences

LANGUAGE = "en"
"""Stemmer and stop words of the Latin script; other scripts are recognised by themselves."""

CELL = " | "
"""What parts the cells of a table's row in a passage."""
_WORD = regex.compile(r"[\p{L}\p{M}]+|\p{N}+(?:[.,]\p{N}+)*")


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set; for lists in code."""
    return frozenset(text.split())


@lru_cache(maxsize=8192)
def content_terms(text: str) -> tuple[str, ...]:
    """The stems of a text's words without function words, with repetitions; of a text of function words alone, all its words.

    >>> content_terms("The fees are due"), content_terms("So it is")
    (('fee', 'due'), ('so', 'it', 'is'))
    """
    return tuple(term for term in document_terms(text, LANGUAGE) if not term.endswith("~")) or words(text)


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[str, ...]:
    """All words and numbers of a text, without case.

    >>> words("Rs. 1,000 are due.")
    ('rs', '1,000', 'are', 'due')
    """
    return tuple(_WORD.findall(normalize(text).casefold()))


@lru_cache(maxsize=4096)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, and each row of a table as one; the text itself where there is none.

    >>> sentences("Who may. See below.\\nRole | print\\nGuest | no")
    ('Who may.', 'See below.', 'Role | print', 'Guest | no')
    """
    found = [text[start:end] for start, end in split_sentences(text)]
    parts = [part for one in found for part in (one.splitlines() if CELL in one else [one]) if part.strip()]
    return tuple(parts) or (text,)


def overlap(claim: str, premise: str) -> float:
    """Share of the claim's content words that the premise holds, in [0, 1]; 0 for a claim without words.

    >>> overlap("The fee is 12 euros", "A fee of 12 euros is due"), overlap("Pets are welcome", "No dogs")
    (1.0, 0.0)
    """
    wanted = content_terms(claim)
    held = set(content_terms(premise))
    return sum(term in held for term in wanted) / len(wanted) if wanted else 0.0


def order_overlap(claim: str, premise: str) -> float:
    """Share of the claim's words that the premise holds in the same order (longest common subsequence), in [0, 1]: ROUGE-L's recall of the
    claim (Lin, "ROUGE: a package for automatic evaluation of summaries", 2004).

    >>> order_overlap("B pays A", "A pays B"), order_overlap("A pays", "A often pays B")
    (0.3333333333333333, 1.0)
    """
    wanted = words(claim)
    return LCSseq.similarity(wanted, words(premise)) / len(wanted) if wanted else 0.0


@lru_cache(maxsize=8192)
def nearest_sentence(claim: str, premise: str) -> str:
    """The sentence of the premise that holds most of the claim's content words; the shortest of several."""
    return max(sentences(premise), key=lambda sentence: (overlap(claim, sentence), -len(sentence)))


def holds_verbatim(claim: str, premise: str) -> bool:
    """Whether the claim's words stand in the premise as they are, one after the other.

    >>> holds_verbatim("it opens at 7.", "On Sundays it opens at 7, else at 6."), holds_verbatim("opens 7", "it opens at 7")
    (True, False)
    """
    wanted = words(claim)
    return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(words(premise))} "


def best_windows(claim: str, windows: Sequence[str], count: int) -> list[int]:
    """Positions of the windows that hold most of the claim, best first, at most `count`."""
    order = sorted(range(len(windows)), key=lambda i: (-overlap(claim, windows[i]), -order_overlap(claim, windows[i]), i))
    return order[:count]
