"""The grades of passages in a chat model's reply, whatever its shape. Pure functions."""

from __future__ import annotations

from collections import defaultdict

import regex

GRADES = {"yes": 0.9, "partly": 0.5, "no": 0.05}
"""Score of each grade: a chat model gives a word and no probability."""
UNKNOWN = GRADES["partly"]
"""Score of a passage that the reply does not grade, or grades twice and differently."""
_WORDS = {
    **dict.fromkeys(("yes", "relevant", "correct"), "yes"),
    **dict.fromkeys(("partly", "partially", "ambiguous", "maybe"), "partly"),
    **dict.fromkeys(("no", "not relevant", "irrelevant", "incorrect", "none"), "no"),
}
_LONGEST = 20_000
_GRADE = regex.compile(rf"(?i)(?<![\p{{L}}\p{{N}}])(\d{{1,3}})[^\p{{L}}\p{{N}}]{{1,8}}({'|'.join(sorted(_WORDS, key=len, reverse=True))})\b")


def read_grades(text: str, count: int) -> dict[int, float]:
    """Number of a passage (from 1) to its score, of those that the reply grades once, or more often and alike.

    :param count: how many passages were shown; other numbers are passed over.

    >>> read_grades("1: no\\n**2** - Yes!\\n3: perhaps\\n9: yes", 3)
    {1: 0.05, 2: 0.9}
    >>> read_grades('{"1": "partly", "2": "irrelevant"}', 2), read_grades("1: yes\\n1: no", 1), read_grades("All are fine.", 2)
    ({1: 0.5, 2: 0.05}, {}, {})
    """
    found: dict[int, set[str]] = defaultdict(set)
    for number, word in _GRADE.findall(text[:_LONGEST]):
        if 1 <= int(number) <= count:
            found[int(number)].add(_WORDS[word.lower()])
    return {number: GRADES[words.pop()] for number, words in found.items() if len(words) == 1}
