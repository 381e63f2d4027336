"""Finds what a text refers to by number: "as described in section 3.2", "sections 101 and 103", "the offence under article 7"."""

from __future__ import annotations

from dataclasses import dataclass

import regex

from components.preprocessors.numbering import LABEL, LABELS, VALUE, normal

_JOINS = r",\s*(?:and|or|und|oder|et|ou|y|o|और|या)?|\b(?:and|or|to|und|bis|et|à|y)\b|और|या|से|&|[–—-]"
_NEXT = rf"\s*(?P<join>{_JOINS})\s*(?P<value>{VALUE})"
_SUB = r"(?:\s*\(\s*(?:\d{1,3}|[a-z]{1,4}|[ivx]{1,5})\s*\))*"
_REFERENCE = regex.compile(rf"(?<![\p{{L}}\p{{M}}\p{{N}}])(?i:{LABEL})(?:\s+|(?=\d))(?P<value>{VALUE}){_SUB}")
_MORE = regex.compile(_NEXT + _SUB)
_BEFORE_BARE = r"(?i:\b(?:see|in|under|by|of|per|with|to|described in|defined in|set out in)\s+)"
_UNITS = r"%|(?:percent|per|million|billion|days?|hours?|times|[kmGMT]?[gmsBb]|points?)\b"
_BARE = regex.compile(rf"{_BEFORE_BARE}(?P<value>\d{{1,3}}(?:\.\d{{1,3}}){{1,4}})(?![\d%]|\s*(?:{_UNITS}))")
_OWN = {"Agreement", "Contract", "Policy", "Standard", "Handbook", "Manual", "Guide"}
"""What a text calls itself with "the"; "the Act" is said by the rules made under it."""
_RANGE_JOINS = {"to", "bis", "à", "से", "–", "—", "-"}
_LONGEST_RANGE = 50
_INSIDE = regex.compile(rf"\s*(?:of|in|to)\s+(?:the\s+)?(?i:{LABEL.replace('?P<', '?P<in_')})\s+{VALUE}")
_THIS = regex.compile(r"\s*(?:of|in|to|under)\s+(?:this|the\s+(?:said|present))\b", regex.I)
_NAME_WORD = r"(?:\p{Lu}[\p{L}\p{N}.'’&-]*|\d{4}|of|the|and|for|on|\([\p{L} ]+\)),?\s*"
_OTHER = regex.compile(rf"(?:\s*,?\s*(?:of|in|to|under)\s+(?:(?P<which>the|that|such)\s+)?|\s+(?=[A-Z]{{2,}}\b))(?P<name>(?:{_NAME_WORD}){{1,14}})")
_DOCUMENT = regex.compile(
    r"\b(?:Acts?|Codes?|Sanhita|Adhiniyam|Rules|Regulations?|Constitution|Ordinances?|Statutes?|Directives?|Treaty|Convention|Agreement|Contract|Policy|Standard"
    r"|Handbook|Manual|Guide|Order|Bill|Law|ISO|IEC|EN|RFC|GDPR|Charter)\b"
)


@dataclass(frozen=True)
class Reference:
    """A reference to a numbered part.

    :param label: one of `numbering.LABELS`, or empty for a bare dotted number.
    :param value: as `numbering.normal` writes it.
    :param document: name of the other document it points into; empty: the text's own.
    """

    label: str
    value: str
    document: str = ""


def references(text: str) -> list[Reference]:
    """References in a text, in order, each once. Ranges of whole numbers up to 50 long are spelled out.

    >>> [r.value for r in references("See sections 101 to 103 and clause 4(b), not section 12 of the Penal Code, 1860.") if not r.document]
    ['101', '102', '103', '4']
    """
    found: dict[Reference, None] = {}
    for match in _REFERENCE.finditer(text):
        if _INSIDE.match(text, match.end()):
            continue  # "clause 4 of section 12": what counts is the section
        label = next(name for name in LABELS if match.group(name))
        values, end = _values(text, match)
        document = _document(text, end)
        found.update(dict.fromkeys(Reference(label, value, document) for value in values))
    for match in _BARE.finditer(text):
        found.setdefault(Reference("", normal(match.group("value")), _document(text, match.end())), None)
    return list(found)


def _values(text: str, match: regex.Match[str]) -> tuple[list[str], int]:
    """The numbers after a label, and where they end."""
    values, end = [normal(match.group("value"))], match.end()
    while (more := _MORE.match(text, end)) is not None:
        value, last = normal(more.group("value")), values[-1]
        if not value[:1].isdigit() and last[:1].isdigit():
            break  # "section 12 and I", "article 5, A …": a word, not a number
        join = more.group("join").strip()
        if join in _RANGE_JOINS and last.isdigit() and value.isdigit() and 0 < int(value) - int(last) <= _LONGEST_RANGE:
            values.extend(str(number) for number in range(int(last) + 1, int(value)))
        values.append(value)
        end = more.end()
    return values, end


def _document(text: str, end: int) -> str:
    """The name of another document right after a reference; empty where none is named."""
    after = text[end : end + 200]
    if _THIS.match(after):
        return ""
    match = _OTHER.match(after)
    name = match.group("name").strip(" ,") if match else ""
    if match and match.group("which") == "the" and name in _OWN:
        return ""
    return name if name and _DOCUMENT.search(name) else ""
