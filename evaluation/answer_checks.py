"""Checks of one answer: does it hold a fact, does a citation come from a source, are its quotes and numbers true to the text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import PurePosixPath
from urllib.parse import unquote

from components.answer import Answer, Citation

MARKER = re.compile(r"\[\d+(?:\s*,\s*\d+)*\]")
"""A citation marker, [2] or [2, 3]."""
_COUNTED = re.compile(r"(?m)^\s*(?:\(\d{1,3}\)|\d{1,3}[.)])(?=\s)")
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_TO_NINETEEN = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
WORDS = tuple(f"{_TO_NINETEEN} {_TENS}".split(" "))
NUMBER_WORDS = {word: str(value) for word, value in zip(WORDS, (*range(2, 20), *range(20, 100, 10)), strict=True)}
"""Without `one`, which is more often a pronoun."""
WORD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)
_SAME = str.maketrans("‘’‛“”„‐‑‒–—−", "'''\"\"\"------")


def normalised(text: str) -> str:
    """Lower case, NFKC, one form of quotation mark and dash, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_SAME).casefold().split())


def holds(text: str, fact: str) -> bool:
    """Whether the text holds the fact, literally but for case, spaces and typographic marks. A number is never found inside a longer one.

    >>> holds("It takes five [1]\\nbusiness days.", "five business days"), holds("section 1303", "303"), holds("2,400 rupees", "400")
    (True, False, False)
    """
    wanted = normalised(fact)
    before = r"(?<!\d)(?<!\d[.,])" if wanted[:1].isdigit() else ""
    after = r"(?!\d)(?![.,]\d)" if wanted[-1:].isdigit() else ""
    return re.search(before + re.escape(wanted) + after, normalised(MARKER.sub("", text))) is not None


def cites(citation: Citation, gold: str) -> bool:
    """Whether the citation comes from the gold source.

    :param gold: a file name or the end of a path (`refunds.md`, `law/theft.md`), or a record id (`BNS_303`). A record is known by the
        end of the uri, else by the number at the beginning of the title or of a heading, with or without `Section` before it.
    """
    path, _, record = unquote(citation.uri).partition("#")
    file, wanted = PurePosixPath(path.replace("\\", "/")).parts, PurePosixPath(gold).parts
    if file[-len(wanted) :] == wanted or record == gold:
        return True
    act, _, number = gold.rpartition("_")
    if not act or not number[:1].isdigit() or re.fullmatch(r"[A-Z]+_\d+[A-Z]*", record):
        return False  # a record of another act may have the same number at the beginning of its title
    begins = re.compile(rf"(?:sections?|s\.|§)?\s*{re.escape(number)}(?!\w)", re.IGNORECASE)
    return any(begins.match(line.strip()) for line in [citation.title, *citation.heading.split(" > ")])


def quote_faults(answer: Answer, text_of: Callable[[str], str]) -> list[str]:
    """What is wrong with the quotes: each must equal the stored text of its source at its offsets, and each marker must have a citation.

    :param text_of: the cleaned text of a source id.
    :returns: one line a fault; empty where all is well.
    """
    faults = []
    for citation in answer.citations:
        stored = text_of(citation.source_id)[citation.char_start : citation.char_end]
        if not citation.quote.strip():
            faults.append(f"[{citation.n}] {citation.uri or citation.source_id}: the quote is empty")
        elif stored != citation.quote:
            faults.append(f"[{citation.n}] {citation.uri or citation.source_id}: quote {citation.quote[:60]!r}, stored text {stored[:60]!r}")
    known = {citation.n for citation in answer.citations}
    for marker in MARKER.findall(answer.answer):
        faults += [f"[{n}] stands in the answer without a citation" for n in re.findall(r"\d+", marker) if int(n) not in known]
    return faults


def numbers_in(text: str) -> set[str]:
    """The numbers of a text, in digits or in words from two to ninety, without thousands separators.

    >>> sorted(numbers_in("Section 303: three years, 5,000 rupees [2]"))
    ['3', '303', '5000']
    """
    text = MARKER.sub(" ", unicodedata.normalize("NFKC", text))
    digits = {re.sub(r"(?<=\d),(?=\d{2,3}(?:\D|$))", "", number) for number in NUMBER.findall(text)}
    return digits | {NUMBER_WORDS[word.lower()] for word in WORD.findall(text)}


def numbers_without_quote(answer: Answer, allowed: Iterable[str] = ()) -> set[str]:
    """Numbers of the answer that none of its quotes holds; those that only count the items of a list are none.

    :param allowed: further texts from which the answer may take a number, for instance the notes of the evidence.
    """
    quoted: set[str] = set()
    for text in [*(citation.quote for citation in answer.citations), *allowed]:
        quoted |= numbers_in(text)
    return numbers_in(_COUNTED.sub("", answer.answer)) - quoted
