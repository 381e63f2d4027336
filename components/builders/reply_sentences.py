"""A reply read as sentences with the passages that each cites. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from components.builders.markers import Keys, Marker, find_markers
from components.preprocessors.sentences import split_sentences

_BIBLIOGRAPHY = re.compile(
    r"^[ \t]*[#*_ ]*(?:references|sources?|citations?|bibliography|works cited|quellen|fuentes|संदर्भ|स्रोत)[*_ ]*:?[*_ ]*$",
    re.IGNORECASE | re.MULTILINE,
)
_LISTED = re.compile(r"\s*(?:[-*•]\s*)?(?:[\[【(^]|\d{1,3}[.):]|https?://)|\s*$")
_INTRODUCED = re.compile(
    r"\b(according to|based on|per|from|in|by|of|see|under|as (?:stated|described|shown|noted|said) (?:in|by))\s+$", re.IGNORECASE
)
_GOES_ON = re.compile(r"\s*[,.;:]|\s+[a-z]|\s*$")
_SAYS = re.compile(
    r"\s+(?:\w+ly\s+)?(?:says?|states?|shows?|notes?|mentions?|lists?|gives?|defines?|requires?|provides?|explains?|and|also|does|do)\b"
)
_NAMED = re.compile(r"(?:\bthe\s+)?\b(?:passages?|sources?|documents?|docs?|references?)\s+$", re.IGNORECASE)
_ASIDE_BEFORE = re.compile(r"[(（]\s*(?:(?:see|cf\.?|from|source|as in)(?:\s+also)?:?\s*)?$", re.IGNORECASE)
_ASIDE_AFTER = re.compile(r"\s*[)）]")
_LIST_SIGN = re.compile(r"^\s*(?:[-*•+]|\(?\d{1,2}[.)])\s+")
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_ABSENCE = re.compile(
    r"\b(?:do|does|did)(?:\s+not|n['’]t)\s+(?:\w+\s+)?(?:say|state|mention|contain|specify|cover|include|provide|hold|give|address|describe|discuss)\b"
    r"|\b(?:is|are)(?:\s+not|n['’]t)\s+(?:stated|mentioned|specified|given|covered|provided|described|addressed)\b"
    r"|\bno\s+(?:information|mention|details?)\b",
    re.IGNORECASE,
)


def marker_numbers(marker: str, known: Iterable[int]) -> list[int]:
    """The known numbers that a marker names, in its order, each once; ranges are inclusive.

    >>> marker_numbers("[3, 1-2, 9]", [1, 2, 3])
    [3, 1, 2]
    """
    known = list(known)
    found = find_markers(marker, Keys(known))
    return list(dict.fromkeys(n for m in found for n in m.numbers(known)))


@dataclass
class CitedSentence:
    """A sentence of a reply without its markers, the white space before it, and the labels that it cites."""

    text: str
    gap: str = ""
    numbers: list[int] = field(default_factory=list)
    named: list[Sequence[int]] = field(default_factory=list)
    """Passages of a source that is cited by name: one of each is meant."""

    @property
    def is_absence(self) -> bool:
        """Whether it says that the documents do not hold something."""
        return bool(_ABSENCE.search(self.text))

    @property
    def claim(self) -> str:
        """What it says, without the sign of a list and without emphasis."""
        return _EMPHASIS.sub("", _LIST_SIGN.sub("", self.text)).strip()


def cited_sentences(reply: str, known: Iterable[int]) -> list[CitedSentence]:
    """Split a reply into sentences and give each its markers.

    A marker belongs to the sentence before it, whether it stands before or after the full stop; at the start of a line, to the sentence
    after it. Numbers that are not known are dropped.

    >>> [(s.text, s.numbers) for s in cited_sentences("It opens at 7 [1]. Bring a towel. [2][9]", [1, 2])]
    [('It opens at 7.', [1]), ('Bring a towel.', [2])]
    """
    return read_reply(reply, Keys(list(known)))[0]


def read_reply(reply: str, keys: Keys) -> tuple[list[CitedSentence], list[str]]:
    """As `cited_sentences`, with sources named in markers, and the markers that name nothing.

    A list of sources at the end is left out. A marker that is a word of its sentence ("According to [1], …") leaves "the source" there.
    """
    reply = without_bibliography(reply)
    plain = ""
    anchors: list[tuple[int, bool, Marker]] = []
    position = 0
    for marker in find_markers(reply, keys):
        start, end = _with_aside(reply, marker)
        plain += reply[position : max(start, position)]
        at_line_start = not plain.strip() or plain.rstrip(" \t").endswith("\n")
        stands_for, word = _stands_for(plain, reply[end:], at_line_start)
        if word:
            plain = plain[: len(plain) - stands_for] + word
            at_line_start = False
        elif not at_line_start:
            plain = plain.rstrip(" \t")
        anchors.append((len(plain), at_line_start, marker))
        position = max(end, position)
    plain += reply[position:]

    spans = [(start, end) for start, end in split_sentences(plain) if plain[start:end].strip()]
    gaps = [plain[before:start] for before, (start, _) in zip([0, *(end for _, end in spans)], spans, strict=False)]
    sentences = [CitedSentence(plain[start:end].strip(), gap) for (start, end), gap in zip(spans, gaps, strict=True)]
    unresolved: list[str] = []
    for at, at_line_start, marker in anchors:
        numbers, named = marker.numbers(keys.numbers), keys.names.get(marker.name, ())
        if not named:
            unresolved += marker.unresolved(keys.numbers) if marker.ranges else [" ".join(marker.text.split())]
        if at_line_start:
            owner = next((i for i, (start, _) in enumerate(spans) if start >= at), None)
        else:
            owner = next((i for i, (start, _) in reversed(list(enumerate(spans))) if start < at), None)
        if owner is not None:
            sentences[owner].numbers += [n for n in numbers if n not in sentences[owner].numbers]
            sentences[owner].named += [named] if named else []
    return [s for s in sentences if any(ch.isalnum() for ch in s.text)], list(dict.fromkeys(unresolved))


def without_bibliography(reply: str) -> str:
    """The reply without a list of sources that the model wrote at its end: citations are ours to render."""
    for heading in _BIBLIOGRAPHY.finditer(reply):
        if all(_LISTED.match(line) for line in reply[heading.end() :].splitlines()):
            return reply[: heading.start()]
    return reply


def _with_aside(text: str, marker: Marker) -> tuple[int, int]:
    """Where a marker stands, with the brackets around it that hold nothing else: `(see [1])`."""
    before, after = _ASIDE_BEFORE.search(text, max(0, marker.start - 20), marker.start), _ASIDE_AFTER.match(text, marker.end)
    return (before.start(), after.end()) if before and after else (marker.start, marker.end)


def _stands_for(before: str, after: str, at_line_start: bool) -> tuple[int, str]:
    """How many characters before a marker go with it, and the words for both where the marker is a word of its sentence; else 0 and nothing."""
    line = before[-40:]
    if named := _NAMED.search(line):
        return len(named.group()), _source(before[: len(before) - len(named.group())])
    if _INTRODUCED.search(line) and _GOES_ON.match(after):
        return 0, "the source"
    return (0, "The source") if at_line_start and _SAYS.match(after) else (0, "")


def _source(before: str) -> str:
    return "the source" if before.strip() and before.rstrip()[-1] not in ".!?:" and not before.endswith("\n") else "The source"


def is_source_line(text: str) -> bool:
    """Whether a sentence without its markers says only that sources follow: "Sources: [1], [2]"."""
    return bool(_BIBLIOGRAPHY.fullmatch(text.strip(" ,;.-–")))
