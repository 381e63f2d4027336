"""The part of a passage that a question asks about: a run of whole sentences, with the proviso or the introduction that belongs to them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from components.embedders.bm25_tokenizer import document_terms, query_terms
from components.preprocessors.provisos import begins_proviso, introduces_list
from components.preprocessors.sentences import split_sentences

LANGUAGE = "en"
"""Stemmer and stop words of the Latin script; other scripts are recognised by themselves."""


def best_run(text: str, question: str, fits: Callable[[str], bool]) -> tuple[int, int] | None:
    """The half-open range of the sentences to show; None where the text holds no term of the question, or not even one sentence fits.

    A sentence scores the sum of idf over the question's terms in it, idf counted over the sentences of the text. The run begins with the best
    sentence and grows to the side whose next sentence scores higher, by whole groups: a proviso never parts from the sentence before it, nor
    a list from the sentence that opens it.

    :param fits: whether a part of the text may be shown; a part of what fits must fit.
    """
    groups = sentence_groups(text)
    wanted = {term for term in query_terms(question, LANGUAGE) if not term.endswith("~")}
    terms = [set(document_terms(text[start:end], LANGUAGE)) for start, end in groups]
    counts = Counter(term for found in terms for term in found & wanted)
    idf = {term: math.log(1 + len(groups) / count) for term, count in counts.items()}
    scores = [math.fsum(sorted(idf[term] for term in found & wanted)) for found in terms]
    order = sorted(range(len(groups)), key=lambda i: (-scores[i], i))
    seed = next((i for i in order if scores[i] > 0 and fits(text[groups[i][0] : groups[i][1]])), None)
    if seed is None:
        return None
    first = last = seed
    while True:
        sides = [(scores[i], -step, step) for step, i in ((-1, first - 1), (1, last + 1)) if 0 <= i < len(groups)]
        for _, _, step in sorted(sides, key=lambda side: (-side[0], -side[2])):
            low, high = (first - 1, last) if step < 0 else (first, last + 1)
            if fits(text[groups[low][0] : groups[high][1]]):
                first, last = low, high
                break
        else:
            return groups[first][0], groups[last][1]


def sentence_groups(text: str) -> list[tuple[int, int]]:
    """Sentences as ranges, a proviso with what it limits and a list's opening with its first item as one."""
    groups: list[tuple[int, int]] = []
    opens = False
    for start, end in split_sentences(text):
        sentence = text[start:end]
        if groups and (opens or begins_proviso(sentence)):
            groups[-1] = (groups[-1][0], end)
        else:
            groups.append((start, end))
        opens = introduces_list(sentence)
    return groups


def has_rows(text: str, separators: Sequence[str] = (" | ", "\t")) -> bool:
    """Whether a text holds rows of a table, which mean nothing without their header."""
    return sum(any(s in line for s in separators) for line in text.splitlines()) > 1
