"""How near passages come to the words of a claim in meaning: what a paraphrase keeps and an invention does not. Pure functions of a reader."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from components.embedders.bm25_tokenizer import document_terms
from components.generators.extraction.language import Reader
from components.validators.word_overlap import LANGUAGE, content_terms, sentences

WEAKEST = 2
"""Words that the least match is the mean of: one alone may be a chance of the model."""
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:[.,'’]\p{N}+)*")


@dataclass(frozen=True)
class Match:
    """A content word of a claim against passages.

    :param held: whether they hold the word itself, in any form.
    :param cosine: the greatest cosine of the word with a token of any of their sentences, each in its context, -1 to 1.
    """

    word: str
    held: bool
    cosine: float


@lru_cache(maxsize=8192)
def is_content(word: str) -> bool:
    """Whether a word is no function word."""
    return any(not term.endswith("~") for term in document_terms(word, LANGUAGE))


def word_matches(claim: str, passages: Sequence[str], reader: Reader) -> list[Match]:
    """The match of each content word, as in BERTScore's recall (Zhang et al., "BERTScore: evaluating text generation with BERT", ICLR 2020).

    :param reader: the model that reads both.
    :returns: in the order of the claim; of a claim of function words alone, all its words; none where either side has no words.
    """
    places = [(found.start(), found.end(), found.group()) for found in _WORD.finditer(claim)]
    content = [place for place in places if is_content(place[2])] or places
    parts = list(dict.fromkeys(sentence for passage in passages for sentence in sentences(passage) if sentence.strip()))
    if not content or not parts:
        return []
    held = {term for passage in passages for term in content_terms(passage)}
    said, *others = reader.read([claim, *parts])
    return [
        Match(word, all(term in held for term in content_terms(word)), max(said.word_in(start, end, other) for other in others))
        for start, end, word in content
    ]


def weakest_words(matches: Sequence[Match]) -> float:
    """Mean cosine of the two words with the least, -1 to 1; 0 without words. A claim that adds a thing has words without a match, one in other
    words has a match for each.

    >>> weakest_words([Match("lake", True, 0.9), Match("frozen", False, 0.7), Match("sold", False, 0.3)])
    0.5
    """
    least = sorted(match.cosine for match in matches)[:WEAKEST]
    return math.fsum(least) / len(least) if least else 0.0


def overlap_by_likeness(matches: Sequence[Match]) -> float:
    """Share of the words that the passages hold, where one that they do not hold counts as its cosine, -1 to 1; 0 without words.

    >>> overlap_by_likeness([Match("lake", True, 0.9), Match("frozen", False, 0.7), Match("sold", False, 0.3), Match("ice", True, 0.8)])
    0.75
    """
    return math.fsum(1.0 if match.held else match.cosine for match in matches) / len(matches) if matches else 0.0
