"""The citation markers of a reply, in every form that chat models write. Pure functions.

Always a marker: a square, lenticular or other special bracket around numbers (`[1]`, `[1, 2]`, `[2-4]`, `[Doc 5]`, `[1, p. 3]`, `[^1]`,
`【1†source】`), around the name of a source or what looks like one (`[policy-1]`, `[Smith 2020]`), and a round one that says so (`(source 2)`).
A marker only where it is clearly meant: `(1)` at the end of a sentence, `^1` and `¹` behind a word or a stop.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import regex

_NOUN = (
    r"(?:doc(?:ument)?|source|src|passage|ref(?:erence)?|citation|cite|evidence|context|chunk|excerpt|snippet|footnote|note|result"
    r"|quelle|fuente|स्रोत)s?"
)
_LEAD = rf"(?:(?:see|cf\.?|from|also)\s++)*+(?:(?:{_NOUN}|id|nos?|nr|n)\s*+[.:#№_-]?+\s*+)?+"
_COUNT = r"\d{1,100}"
_DASH = r"(?:[-–—−‐‑~]|\.{2,3}|…|\bto\b|\bthrough\b|\bthru\b|\bbis\b)"
_ITEM = rf"{_LEAD}[\^#]?{_COUNT}(?:\s*+{_DASH}\s*+{_LEAD}{_COUNT})?"
_PLACE = r"(?:pp?|pages?|seite|s|sec(?:tion)?s?|§+|para(?:graph)?s?|lines?|l)\.?\s*+\d[\d.]*(?:\s*+[-–]\s*+\d[\d.]*)?"
_AND = r"(?:\s*+[,;/&|،、]\s*+|\s*+\b(?:and|und|y|et|or)\b\s*+|\s++)"
_NUMBERS = regex.compile(rf"{_ITEM}(?:(?:{_AND})++(?:{_PLACE}|{_ITEM}))*", regex.IGNORECASE)
_RANGE = regex.compile(rf"({_COUNT})(?:\s*{_DASH}\s*{_LEAD}({_COUNT}))?", regex.IGNORECASE)
_PLACES = regex.compile(rf"(?:{_AND})++{_PLACE}", regex.IGNORECASE)
_IDENTIFIER = regex.compile(r"[^\W\d][\w.]*(?:[-_#:/.][\w.]+)*[-_#:/.]?\d[\w.-]*", regex.ASCII)
_AUTHOR_YEAR = regex.compile(r"[^\W\d_][\w.'’ &-]{0,60}?(?:\s+et\s+al\.?)?,?\s+(?:19|20)\d\d[a-z]?(?:,\s*pp?\.\s*\d+)?")

_OPEN, _CLOSE = "[【［〔〖〚⟦❲⦋", "]】］〕〗〛⟧❳⦌"
_BRACKETS = regex.compile(rf"[{regex.escape(_OPEN)}]{{1,2}}([^{regex.escape(_OPEN + _CLOSE)}\n]{{1,120}})[{regex.escape(_CLOSE)}]{{1,2}}")
_UNCLOSED = regex.compile(rf"[{regex.escape(_OPEN)}](?=\s*+(?:{_NOUN}\s*+)?\d[^{regex.escape(_OPEN + _CLOSE)}\n]{{0,30}}(?:$|\n))")
_TARGET = regex.compile(r"\((?:[a-z][\w+.-]*:|www\.|#|/)[^()\s]*\)", regex.IGNORECASE)
_SAID_ROUND = regex.compile(rf"[(（]\s*+((?:(?:see|cf\.?|from)\s++)?{_NOUN}\s*+[.:#№]?+\s*+{_NUMBERS.pattern})\s*+[)）]", regex.IGNORECASE)
_ROUND = regex.compile(r"(?<=[^\W\d_]{2}|\d\s|\d[.!?]\s?)[.!?]?\s*[(（](\d{1,3}(?:\s*[,;]\s*\d{1,3})*)[)）](?=\s*(?:[.!?।。](?:\s|$)|$|\n))")
_PROVISION = regex.compile(r"(?:s|ss|sec|sections?|art|articles?|cl|clauses?|rules?|paras?|paragraphs?|§+)\.?\s*\d", regex.IGNORECASE)
_WORD = regex.compile(r"(?:[^\W\d_]{3}|\w[.!?)\"”])$")
_CARET = regex.compile(r"(?<=\w[.!?)\"”]?)\s?\^[\[({]?(\d{1,3}(?:\s*,\s*\d{1,3})*)[\])}]?\^?(?![\w^])")
_RAISED = regex.compile(r"(?<=[^\W\d_]{3}|\w[.!?)\"”])([⁰¹²³⁴-⁹]{1,3}(?:[⁻⁽,˒ ][⁰¹²³⁴-⁹]{1,3})*)")
_BETWEEN_RANGE = regex.compile(rf"\s*{_DASH}\s*")
_BETWEEN = regex.compile(r"[ \t]*(?:[,;&/]|and|und|or)?[ \t]*")


@dataclass(frozen=True)
class Marker:
    """A marker in a text: what it names, by number or by name."""

    start: int
    end: int
    text: str
    ranges: tuple[tuple[int, int], ...] = ()
    name: str = ""

    def numbers(self, known: Iterable[int]) -> list[int]:
        """The known numbers that it names, in its order, each once; ranges are inclusive."""
        known = sorted(known)
        found: list[int] = []
        for first, last in self.ranges:
            inside = [n for n in known if min(first, last) <= n <= max(first, last)]
            found += [n for n in inside if n not in found]
        return found

    def unresolved(self, known: Container[int]) -> list[str]:
        """The ranges that name an unknown number, as markers; a range that reaches over the end is one of them."""
        pairs = [pair for pair in self.ranges if not all(n in known for n in pair)]
        return [f"[{first}]" if first == last else f"[{first}-{last}]" for first, last in pairs]

    def resolves(self, known: Container[int]) -> bool:
        """Whether every number that it writes out is known."""
        return bool(self.ranges) and all(first in known and last in known for first, last in self.ranges)


@dataclass(frozen=True)
class Keys:
    """What markers may name: numbers, and names of sources with the passages of each."""

    numbers: Sequence[int] = ()
    names: Mapping[str, Sequence[int]] = field(default_factory=dict)
    texts: Sequence[str] = ()
    """The passages: a bracket or a raised figure that stands so in one of them is copied text."""

    def holds(self, text: str) -> bool:
        """Whether a passage has the text so."""
        return any(text in passage for passage in self.texts)


def slug(name: str) -> str:
    """A name for comparing: letters and digits without case, anything else a hyphen.

    >>> slug("Refund Policy_v2")
    'refund-policy-v2'
    """
    return "-".join(regex.findall(r"[^\W_]+", unicodedata.normalize("NFKC", name).casefold()))


def find_markers(text: str, keys: Keys) -> list[Marker]:
    """The markers of a text, in order, not overlapping; neighbours that make a range (`[1]-[3]`) or a list (`[1] and [2]`) are one.

    >>> [(m.text, m.ranges, m.name) for m in find_markers("So [1, 3-4]. And [policy-1] and [sic].", Keys([1], {}))]
    [('[1, 3-4]', ((1, 1), (3, 4)), ''), ('[policy-1]', (), 'policy-1')]
    """
    found = [*_bracketed(text, keys), *_round(text, keys)]
    found += _raised(text, keys)
    found.sort(key=lambda m: (m.start, -m.end))
    kept: list[Marker] = []
    for marker in found:
        if kept and marker.start < kept[-1].end:
            continue
        kept.append(marker)
    return _joined(text, kept)


def _bracketed(text: str, keys: Keys) -> list[Marker]:
    found: list[Marker] = []
    for match in _BRACKETS.finditer(text):
        content = unicodedata.normalize("NFKC", match.group(1)).strip().lstrip("^")
        target = _TARGET.match(text, match.end())
        end = target.end() if target else match.end()
        marker = read_marker(content, keys.names, match.start(), end, text[match.start() : end])
        if marker is not None and not (marker.name and marker.name not in keys.names and keys.holds(match.group())):
            found.append(marker)
    return found


def read_marker(content: str, names: Mapping[str, Sequence[int]] = {}, start: int = 0, end: int = 0, text: str = "") -> Marker | None:
    """What stands in a bracket as a marker; None where it is none ("sic")."""
    before, dagger, _ = content.partition("†")
    content = before.strip()
    if dagger and regex.fullmatch(rf"{_COUNT}:{_COUNT}", content):
        content = content.partition(":")[0]
    name = slug(content)
    if name in names and not regex.fullmatch(_COUNT, content):
        return Marker(start, end, text, name=name)
    if _NUMBERS.fullmatch(content):
        ranges = [(int(low), int(high or low)) for low, high in _RANGE.findall(_PLACES.sub("", content))]
        return Marker(start, end, text, ranges=tuple(ranges))
    if _IDENTIFIER.fullmatch(content) or _AUTHOR_YEAR.fullmatch(content):
        return Marker(start, end, text, name=name)
    return None


def _round(text: str, keys: Keys) -> list[Marker]:
    found = [m for m in (read_marker(r.group(1), {}, r.start(), r.end(), r.group()) for r in _SAID_ROUND.finditer(text)) if m]
    for match in _ROUND.finditer(text):
        at = max(text.rfind("(", 0, match.end()), text.rfind("（", 0, match.end()))
        marker = read_marker(match.group(1), {}, at, match.end(), text[at : match.end()])
        before = text[:at].split()[-2:]
        copied = bool(before) and (keys.holds(f"{before[-1]} {text[at : match.end()]}") or bool(_PROVISION.match(" ".join(before))))
        if marker is not None and marker.resolves(keys.numbers) and not copied:
            found.append(marker)
    return found


def _raised(text: str, keys: Keys) -> list[Marker]:
    found: list[Marker] = []
    for pattern in (_CARET, _RAISED):
        for match in pattern.finditer(text):
            content = regex.sub(r"[⁽˒ ]", ",", match.group(1)).replace("⁻", "-")
            content = unicodedata.normalize("NFKC", content)
            if content.isdigit() and int(content) not in keys.numbers and all(int(digit) in keys.numbers for digit in content):
                content = ",".join(content)  # ¹² behind one word: two notes
            marker = read_marker(content, {}, match.start(), match.end(), match.group())
            word = text[: match.start()].split()[-1:]
            copied = bool(word) and keys.holds(word[0] + match.group())
            plain_word = bool(word) and bool(_WORD.search(word[0]))
            if marker is not None and not copied and (plain_word if pattern is _CARET else marker.resolves(keys.numbers)):
                found.append(marker)
    return found


def _joined(text: str, markers: list[Marker]) -> list[Marker]:
    joined: list[Marker] = []
    for marker in markers:
        last = joined[-1] if joined else None
        between = text[last.end : marker.start] if last else ""
        if last and last.ranges and marker.ranges and _BETWEEN_RANGE.fullmatch(between):
            ends = (last.ranges[-1][0], marker.ranges[0][1])
            ranges = (*last.ranges[:-1], ends, *marker.ranges[1:])
            joined[-1] = Marker(last.start, marker.end, text[last.start : marker.end], ranges)
        elif last and last.ranges and marker.ranges and _BETWEEN.fullmatch(between):
            joined[-1] = Marker(last.start, marker.end, text[last.start : marker.end], (*last.ranges, *marker.ranges))
        else:
            joined.append(marker)
    return joined


def without_markers(text: str) -> str:
    """The text with the brackets of anything that reads as a marker made round, so that a quoted footnote sign is no citation.

    >>> without_markers("as amended [4] in 2001【2】")
    'as amended (4) in 2001(2)'
    """
    while True:
        changed = _BRACKETS.sub(lambda m: f"({m.group(1)})" if read_marker(m.group(1).strip().lstrip("^")) else m.group(), text)
        changed = _UNCLOSED.sub("(", changed)
        if changed == text:
            return text
        text = changed
