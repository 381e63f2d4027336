"""Numbers that a word processor writes before paragraphs by itself: "3.2", "(a)", "Article IV". They are not in the text of the file."""

from __future__ import annotations

import re
from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)


def format_number(number: int, style: str) -> str:
    """A counter in a style of ECMA-376 (`ST_NumberFormat`); an unknown style counts as decimal.

    >>> [format_number(4, style) for style in ("decimal", "lowerLetter", "upperRoman", "decimalZero", "ordinal")]
    ['4', 'd', 'IV', '04', '4th']
    """
    if style in ("lowerLetter", "upperLetter") and number > 0:
        letter = chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if style == "upperLetter" else letter
    if style in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        text = ""
        for value, letters in _ROMAN:
            count, number = divmod(number, value)
            text += letters * count
        return text.upper() if style == "upperRoman" else text
    if style == "decimalZero":
        return f"{number:02d}"
    if style == "ordinal":
        suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        return f"{number}{suffix}"
    return "" if style == "none" else str(number)


class Numbering:
    """Counts numbered paragraphs in the order of the document, as ECMA-376 Part 1, 17.9 says.

    :param root: the root of `numbering.xml`; None where the document has none.
    :param styles: style id to its `w:style` element.
    """

    def __init__(self, root: Any | None, styles: dict[str, Any]) -> None:
        self._styles = styles
        self._abstract: dict[str, dict[int, Any]] = {}
        self._links: dict[str, str] = {}
        self._instances: dict[str, tuple[str, dict[int, int], dict[int, Any]]] = {}
        self._counters: dict[str, dict[int, int]] = {}
        self._started: set[tuple[str, int]] = set()
        for element in root.iterchildren(f"{W}abstractNum") if root is not None else ():
            key = element.get(f"{W}abstractNumId")
            self._abstract[key] = {int(level.get(f"{W}ilvl") or 0): level for level in element.iterchildren(f"{W}lvl")}
            link = element.find(f"{W}numStyleLink")
            if link is not None:
                self._links[key] = link.get(f"{W}val")
        for element in root.iterchildren(f"{W}num") if root is not None else ():
            starts: dict[int, int] = {}
            levels: dict[int, Any] = {}
            for override in element.iterchildren(f"{W}lvlOverride"):
                level = int(override.get(f"{W}ilvl") or 0)
                start, changed = override.find(f"{W}startOverride"), override.find(f"{W}lvl")
                if start is not None:
                    starts[level] = _int(start.get(f"{W}val"), 1)
                if changed is not None:
                    levels[level] = changed
            self._instances[element.get(f"{W}numId")] = (_val(element, "abstractNumId"), starts, levels)

    def label(self, paragraph: Any) -> tuple[str, int] | None:
        """Count a paragraph: its number (`-` for a bullet, empty where it shows none) and its level from 0; None: it is not numbered."""
        found = self._reference(paragraph)
        if found is None or found[0] not in self._instances:
            return None
        number_id, level = found
        abstract, starts, changed = self._instances[number_id]
        definition = changed.get(level) if level in changed else self._levels(abstract).get(level)
        if definition is None:
            return None
        style, text = _val(definition, "numFmt", "decimal"), _val(definition, "lvlText")
        if style == "bullet":
            return "-", level
        counters = self._counters.setdefault(abstract, {})
        for deeper in [other for other in counters if other > level]:
            del counters[deeper]
        if level in starts and (number_id, level) not in self._started:
            self._started.add((number_id, level))
            counters[level] = starts[level]
        else:
            counters[level] = counters[level] + 1 if level in counters else _int(_val(definition, "start"), 1)
        legal = definition.find(f"{W}isLgl") is not None

        def shown(match: re.Match[str]) -> str:
            of = int(match.group(1)) - 1
            levels = self._levels(abstract)
            other = changed.get(of, levels.get(of))
            start = _int(_val(other, "start"), 1) if other is not None else 1
            return format_number(counters.get(of, start), "decimal" if legal and of != level else _val(other, "numFmt", "decimal"))

        return re.sub(r"%([1-9])", shown, text).strip(), level

    def _levels(self, abstract: str) -> dict[int, Any]:
        link = self._links.get(abstract)
        if link and not self._abstract.get(abstract):
            style = self._styles.get(link)
            number = style.find(f"{W}pPr/{W}numPr/{W}numId") if style is not None else None
            target = self._instances.get(number.get(f"{W}val")) if number is not None else None
            if target is not None and target[0] != abstract:
                return self._abstract.get(target[0], {})
        return self._abstract.get(abstract, {})

    def _reference(self, paragraph: Any) -> tuple[str, int] | None:
        own = paragraph.find(f"{W}pPr/{W}numPr")
        if own is not None and own.find(f"{W}numId") is not None:
            number = _val(own, "numId")
            return None if number == "0" else (number, _int(_val(own, "ilvl"), 0))
        style_id = _val(paragraph.find(f"{W}pPr"), "pStyle")
        seen: set[str] = set()
        inherited = style_id
        while inherited and inherited not in seen:
            seen.add(inherited)
            style = self._styles.get(inherited)
            if style is None:
                return None
            given = style.find(f"{W}pPr/{W}numPr")
            if given is not None and given.find(f"{W}numId") is not None:
                number = _val(given, "numId")
                if number == "0":
                    return None
                level = own if own is not None and own.find(f"{W}ilvl") is not None else given
                return number, self._level_of_style(number, inherited, _int(_val(level, "ilvl"), 0))
            inherited = _val(style, "basedOn")
        return None

    def _level_of_style(self, number: str, style_id: str, fallback: int) -> int:
        instance = self._instances.get(number)
        for level, definition in (self._levels(instance[0]) if instance else {}).items():
            if _val(definition, "pStyle") == style_id:
                return level
        return fallback


def _val(element: Any, tag: str, default: str = "") -> str:
    child = element.find(f"{W}{tag}") if element is not None else None
    return (child.get(f"{W}val") or default) if child is not None else default


def _int(text: str | None, default: int) -> int:
    return int(text) if text and re.fullmatch(r"-?\d+", text) else default
