"""Phrases of a question that say where to look: a file, a document by its name, a kind of file, a time, a day in force."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import Any

from components.document_stores.filter_periods import period
from components.routers.file_types import EXTENSIONS

MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
NOUNS = (
    *("agreement", "announcement", "brief", "bulletin", "circular", "contract", "document", "email", "file", "guide", "guideline", "handbook"),
    *("invoice", "letter", "mail", "manual", "memo", "minutes", "newsletter", "note", "notice", "paper", "policy", "presentation", "protocol"),
    *("record", "release notes", "report", "review", "rulebook", "spreadsheet", "statement", "summary", "transcript", "update"),
)
TYPES = {
    **{"pdf": "pdf", "spreadsheet": "spreadsheet", "excel file": "spreadsheet", "csv": "csv", "csv file": "csv", "word file": "word"},
    **{"word document": "word", "presentation": "presentation", "slide": "presentation", "email": "mail", "mail": "mail", "pdf file": "pdf"},
}
_MONTH = "|".join(f"{m}|{m[:3]}" for m in MONTHS)
_DAY = rf"\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{_MONTH})\.?,?\s+\d{{4}}|(?:{_MONTH})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}"
_NOUN = rf"(?:{'|'.join(re.escape(n) for n in NOUNS)})(?:e?s)?"
_SPAN = (
    r"(?:last|this|previous) (?:week|month|quarter|year)|yesterday|today|(?:the )?(?:last|past) \d{1,3} (?:day|week|month|year)s?"
    rf"|(?:{_MONTH}) \d{{4}}|\d{{4}}-\d{{2}}(?:-\d{{2}})?"
)
_IN = r"\b(?:in|from|according to|as per|per|of|by)\s+"
_FILE = re.compile(rf"{_IN}(?:the\s+)?(?:file\s+)?[\"'“]?([\w][\w.\-]*\.(?:{'|'.join(e.lstrip('.') for e in EXTENSIONS)}))\b[\"'”]?", re.IGNORECASE)
_AS_OF = re.compile(rf"\b(?:as\s+(?:of|at|on)|in\s+force\s+(?:on|as\s+of)|applicable\s+on)\s+({_DAY})\b,?", re.IGNORECASE)
_OF_SPAN = re.compile(rf"{_IN}(?:the\s+)?({_SPAN})(?:['’]s)?\s+({_NOUN})\b", re.IGNORECASE)
_NOUN_FROM = re.compile(
    rf"{_IN}(?:the\s+|any\s+|all\s+)?({_NOUN})\s+(?:that\s+(?:were|was)\s+)?(?:from|(?:written|updated|changed|modified|added|dated)\s+(?:in|on|within)?)\s*"
    rf"(?:the\s+)?({_SPAN})\b",
    re.IGNORECASE,
)
_YEAR_NOUN = re.compile(rf"{_IN}the\s+((?:19|20)\d{{2}})\s+((?:[\w-]+\s+){{0,2}}{_NOUN})\b", re.IGNORECASE)
_NAMED = re.compile(r"\b(?:under|in|according to|as per)\s+the\s+((?:[\w'’.-]+\s+){0,5}[\w'’.-]+)", re.IGNORECASE)
_TYPE = re.compile(rf"{_IN}(?:the|any|all)\s+({'|'.join(TYPES)})(?:e?s)?\b", re.IGNORECASE)
_QUOTED_HEADING = re.compile(r"\b(?:under|in)\s+the\s+(?:heading|section|chapter)\s+[\"“']([^\"”']{2,80})[\"”']", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_FILLER = frozenset({"a", "an", "and", "for", "in", "of", "on", "the", "to", "with"})


@dataclass(frozen=True)
class Phrase:
    """A phrase and what it asks for.

    :param start: and `end`: its place in the question.
    :param condition: a readable condition, or empty where only `as_of` is set.
    :param as_of: day in force, YYYY-MM-DD.
    :param names: words that the name of the source must hold beside the condition.
    :param cut: whether the question is better asked without it.
    """

    start: int
    end: int
    condition: str = ""
    as_of: str = ""
    names: tuple[str, ...] = ()
    cut: bool = False


def phrases(question: str, files: Iterable[dict[str, Any]] = (), now: datetime | None = None) -> list[Phrase]:
    """The phrases of a question, none inside another, in order.

    :param files: the sources that the asker may read: `file_name`, `title`, `container_id`.

    >>> [p.condition for p in phrases("What is in last week's report?")], [p.as_of for p in phrases("Fine for theft as of 1 March 2024?")]
    (['modified_at=last week'], ['2024-03-01'])
    """
    known = list(files)
    found = [Phrase(m.start(), m.end(), f'source="{m[1]}"', cut=True) for m in _FILE.finditer(question)]
    for m in _AS_OF.finditer(question):
        if day := day_in_words(m[1]):
            found.append(Phrase(m.start(), m.end(), as_of=day, cut=True))
    for m in _OF_SPAN.finditer(question):
        found += _dated(m.start(), m.end(), m[1], now)
    for m in _NOUN_FROM.finditer(question):
        found += _dated(m.start(), m.end(), m[2], now)
    found += [Phrase(m.start(), m.end(), f'heading="{m[1]}"', cut=True) for m in _QUOTED_HEADING.finditer(question)]
    for m in _YEAR_NOUN.finditer(question):
        found.append(_year(m.start(), m.end(), m[1], _words(m[2]), known))
    for m in _NAMED.finditer(question):
        found += _named(question, m, known)
    found += [Phrase(m.start(), m.end(), f"type={TYPES[' '.join(m[1].casefold().split())]}") for m in _TYPE.finditer(question)]
    chosen: list[Phrase] = []
    for phrase in found:  # what stands first here is the surer reading
        if not any(phrase.start < other.end and other.start < phrase.end for other in chosen):
            chosen.append(phrase)
    return sorted(chosen, key=lambda p: p.start)


def without(question: str, cut: Iterable[Phrase]) -> str:
    """The question without these phrases; as it was, where fewer than three words would be left."""
    text = question
    for phrase in sorted(cut, key=lambda p: -p.start):
        text = f"{text[: phrase.start].rstrip()} {text[phrase.end :].lstrip()}"
    text = re.sub(r"\s+([?.!,;])", r"\1", " ".join(text.split())).lstrip(",; ")
    return text if len(_WORD.findall(text)) > 2 else question


def day_in_words(text: str) -> str:
    """A day as YYYY-MM-DD; empty where it is none.

    >>> day_in_words("1st March 2024"), day_in_words("Mar 1, 2024"), day_in_words("31 June 2024")
    ('2024-03-01', '2024-03-01', '')
    """
    words = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text.casefold()).replace(",", " ").replace(".", " ").split()
    try:
        if len(words) == 1:
            return date.fromisoformat(words[0]).isoformat()
        month = next(i for i, m in enumerate(MONTHS, start=1) for w in words if w in (m, m[:3]))
        day, year = (int(w) for w in words if w.isdigit())
        return date(year, month, day).isoformat()
    except (ValueError, StopIteration):
        return ""


def _dated(start: int, end: int, span: str, now: datetime | None) -> list[Phrase]:
    words = span.casefold().split()
    if words[0][:3] in {m[:3] for m in MONTHS} and len(words) == 2:
        month = next(i for i, m in enumerate(MONTHS, start=1) if words[0] in (m, m[:3]))
        span = f"{words[1]}-{month:02d}"
    try:
        period(span, now)
    except ValueError:
        return []
    return [Phrase(start, end, f"modified_at={span.casefold()}", cut=True)]


def _year(start: int, end: int, year: str, names: list[str], files: list[dict[str, Any]]) -> Phrase:
    """`the 2023 handbook`: the source with the year and the words in its name; else one with the words, changed in that year."""
    wanted = {_singular(n) for n in names} - _FILLER
    by_name = [f for f in files if {year, *wanted} <= _name_words(f)]
    if by_name:
        return Phrase(start, end, _of(by_name), cut=False)
    return Phrase(start, end, f"modified_at={year}", names=tuple(sorted(wanted)))


def _named(question: str, found: re.Match[str], files: list[dict[str, Any]]) -> list[Phrase]:
    """The longest beginning of what follows `under the` that is the name of a source: its title, its file name or its acronym."""
    spans = [m.span() for m in re.finditer(r"[\w'’.-]+", question[found.start(1) : found.end(1)])]
    for _, end in reversed(spans):
        text = question[found.start(1) : found.start(1) + end].rstrip(".")
        named = [f for f in files if is_name(text, f)]
        if named and len({f.get("container_id") for f in named}) <= 3:
            return [Phrase(found.start(), found.start(1) + len(text), _of(named))]
    return []


def is_name(text: str, file: dict[str, Any]) -> bool:
    """Whether a text names a source: its title or the words of its file name, whole or from the beginning of the latter, or an acronym in capitals.

    >>> is_name("BNS", {"title": "The Bharatiya Nyaya Sanhita, 2023", "file_name": "act.pdf"}), is_name("leave", {"file_name": "leave_policy.md"})
    (True, False)
    """
    words = [w.casefold() for w in _WORD.findall(text)]
    title = str(file.get("title") or "")
    titled = [w for w in _WORD.findall(title) if w.casefold() not in _FILLER]
    stem = [w.casefold() for w in _WORD.findall(PurePosixPath(str(file.get("file_name") or "")).stem)]
    plain = [w for w in words if w not in _FILLER]
    told = len(plain) > 1 or text[:1].isupper()  # "in the leave" is no name, "in the Leave" is
    if plain and told and (plain == [w.casefold() for w in titled] or plain == stem):
        return True
    capitals = text.isupper() and text.isalpha() and len(text) > 1
    initials = "".join(w[0] for w in titled if w[0].isalpha())
    return capitals and (stem[:1] == words or (len(text) > 2 and initials.upper() == text))


def _of(files: list[dict[str, Any]]) -> str:
    return "container_id=" + "|".join(sorted({str(f["container_id"]) for f in files}))


def _name_words(file: dict[str, Any]) -> set[str]:
    names = f"{file.get('title') or ''} {PurePosixPath(str(file.get('file_name') or '')).stem}"
    return {_singular(w) for w in _words(names)}


def _words(text: str) -> list[str]:
    return [w.casefold() for w in _WORD.findall(text)]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
