"""Numbers that open a section, in headings and paragraphs: "303. Theft", "3.2 Scope", "Article 12", "Annex B"."""

from __future__ import annotations

from dataclasses import dataclass

import regex

LABELS = {
    "section": r"sections?|secs?\.|ss?\.(?=\s*\d)|§§?|धारा(?:ओं|एं|एँ)?|abschnitt|sección|secciones",
    "article": r"articles?|arts?\.|artikel|artículos?|अनुच्छेद",
    "clause": r"clauses?|cl\.|खंड|खण्ड",
    "rule": r"rules?|नियम",
    "regulation": r"regulations?|विनियम",
    "chapter": r"chapters?|ch\.|kapitel|chapitres?|capítulos?|अध्याय",
    "part": r"parts?(?=\s+(?:\d|[IVXLC]+\b|[A-Z]\b))|teil(?=\s+\d)|भाग",
    "schedule": r"schedules?|अनुसूची",
    "annex": r"annex(?:es|ure|ures)?|appendix|appendices|anhang|annexes?|anexos?",
}
"""What a numbered part of a text is called, in English, German, French, Spanish and Hindi."""
VALUE = r"(?:\d{1,4}(?:\.\d{1,3}){0,4}(?:\s?-?[A-Z]{1,2}(?![\p{L}\p{M}\d]))?|[IVXLC]{1,7}(?![\p{L}\p{M}\d])|[A-Z](?![\p{L}\p{M}\d]))"
"""A number, a dotted number, a number with letters (4A), a Roman number or a single capital."""
LABEL = "|".join(f"(?P<{name}>{words})" for name, words in LABELS.items())
_LABELLED = regex.compile(rf"\s*(?i:{LABEL})(?:\s+|(?=\d))(?P<value>{VALUE})")
_BARE = regex.compile(r"\s*(?P<value>\d{1,4}(?:\.\d{1,3}){1,4}|\d{1,4}[A-Z]{0,2}(?=\s*[.):]))(?=[\s.):—–-]|$)")


@dataclass(frozen=True)
class Number:
    """What a line begins with.

    :param value: as `303`, `4A`, `3.2`, `XVII`, `B`.
    :param label: one of `LABELS`, or empty for a bare number.
    :param end: characters of the line that it takes, with the point or bracket behind it.
    """

    value: str
    label: str
    end: int

    @property
    def depth(self) -> int:
        """1 for `3`, 2 for `3.2`."""
        return 1 + self.value.count(".")

    @property
    def parts(self) -> tuple[int, ...]:
        """The whole numbers in it, to tell what follows what; empty for Roman numbers and letters."""
        return tuple(int(part) for part in regex.findall(r"\d+", self.value))


def opening_number(line: str) -> Number | None:
    """The number that opens a line; None where there is none.

    >>> opening_number("3.2 Scope"), opening_number("Section 12: Fees").value, opening_number("1999 was a good year")
    (Number(value='3.2', label='', end=3), '12', None)
    """
    match = _LABELLED.match(line)
    if match is not None and _closes(line, match.end()):
        label = next(name for name in LABELS if match.group(name))
    else:
        match, label = _BARE.match(line), ""
    if match is None:
        return None
    end = regex.compile(r"\s*[.):]").match(line, match.end())
    return Number(normal(match.group("value")), label, end.end() if end else match.end())


def _closes(line: str, end: int) -> bool:
    """Whether a labelled number ends there as in a heading: "Section 12 applies" is a sentence, "Section 12 Fees" and "Section 12." are not."""
    rest = line[end:]
    return regex.match(r"\s*(?:$|[.:)—–-]|\s[\p{Lu}\p{Lo}\"“‘(])", rest) is not None


def normal(value: str) -> str:
    """A number as it is compared: without spaces and hyphens, letters large.

    >>> normal("4 a"), normal("376-D")
    ('4A', '376D')
    """
    return regex.sub(r"[\s-]", "", value).upper()
