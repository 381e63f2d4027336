"""Where sentences begin and end, as exact character spans.

The stops are found by `sentencex` (rules and abbreviations of some 300 languages). Of six segmenters tried on the cases in the tests it was
among the two best and the fastest by far; it is developed, and gives character offsets. What it lacks is added here: lines of a list,
references of the law ("ss. 13", "Cl. 4.2"), numbers that open a provision ("303. (1) Whoever"), a stop inside a closing bracket, an
ellipsis before a capital, a stop with no space behind it ("Explanation.—").
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import regex
from sentencex import get_sentence_boundaries  # pyright: ignore[reportAttributeAccessIssue]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Written before a number, a bracket or a name: a stop after one of these never ends a sentence when such a thing follows.
_REFERENCES = _words(
    "no nos nr num s ss sec secs sect sects art arts cl cls ch chs chap chaps p pp pg para paras par pt pts fig figs eq eqs tab vol vols rs "
    "reg regs r rr sch app ex ord rule col ll l n nn fn v ver ed edn"
)
_TITLES = _words("dr mr mrs ms prof hon rev fr st sr jr smt sh shri adv capt col gen lt maj sgt gov sen rep pres डॉ प्रो श्री श्रीमती पं सु स्व")
_GOES_ON_SMALL = _words("cent etc al cf viz resp incl excl approx ca vs ex dept est max min")
"""A stop after one of these, a single letter, or letters with stops between them ends no sentence where a small letter follows."""
_LAST_WORD = regex.compile(r"[^\s(\[,;/\"'“‘’-]*+$")
_DOTTED = regex.compile(r"\p{L}(?:[\p{L}.]*\.\p{L}+)?")
_NUMBER_FOLLOWS = regex.compile(r"[\p{Nd}(\[§]|[IVXLCivxlc]+\b")

_ENUMERATOR = r"(?:\p{Nd}{1,4}\p{L}{0,2}(?:[.\-]\p{Nd}{1,4}\p{L}?)*|\p{L}|[ivxlc]{1,6}|[IVXLC]{1,6})"
_ONLY_ENUMERATOR = regex.compile(rf"[\[(\"“]?(?:{_ENUMERATOR}[.)]\)?|§+)(?:\s*\({_ENUMERATOR}\))*\.?$")
_LIST_MARKER = regex.compile(rf"[ \t]*(?:[-–—*•‣◦▪●○■□·+o✓➢]\s|\({_ENUMERATOR}\)|(?:\p{{L}}{{1,2}}|\p{{L}}?\p{{Nd}}{{1,3}})\)|{_ENUMERATOR}[.)]\s)")
_OPENER = regex.compile(r"[ \t]*(?:provided|explanation|exception|illustration|note|proviso|परंतु|परन्तु|स्पष्टीकरण|अपवाद)\b", regex.I)
_STOP_AT_END = regex.compile(r"[.!?…:;।॥。！？；：؟۔—–][\p{Pe}\p{Pf}\"'*_]*[ \t]*$|[.!?।॥。！？؟۔]\[\d+\][ \t]*$")

_LINE = regex.compile(r"[^\n]*\n|[^\n]+$")
# A stop inside a closing bracket or quote, or an ellipsis, with a capital (or a letter of a script without capitals) behind it.
_MISSED = regex.compile(
    r"(?:(?<=\w)[.!?।。！？؟۔]++[\p{Pe}\p{Pf}\"']++|…[\p{Pe}\p{Pf}\"']*+|(?<!\.)\.{3,}+[\p{Pe}\p{Pf}\"']*+)\s++(?=[\p{Ps}\p{Pi}\"'¿¡]*+[\p{Lu}\p{Lo}])"
)
_WINDOW = 8192
_LONGEST_ENUMERATOR = 24
_SCRIPTS = (
    ("hi", regex.compile(r"\p{Devanagari}")),
    ("ar", regex.compile(r"\p{Arabic}")),
    ("ru", regex.compile(r"\p{Cyrillic}")),
    ("ja", regex.compile(r"[\p{Hiragana}\p{Katakana}]")),
    ("zh", regex.compile(r"\p{Han}")),
    ("bn", regex.compile(r"\p{Bengali}")),
    ("ta", regex.compile(r"\p{Tamil}")),
    ("el", regex.compile(r"\p{Greek}")),
)
_ASCII_STOP = ".!?"


def split_sentences(text: str, *, language: str | None = None, lines: bool = False) -> list[tuple[int, int]]:
    """Half-open character spans of the sentences of a text, in order; together they hold every character that is not white space.

    :param language: ISO 639-1 code, for its abbreviations; None: guessed from the script, English for Latin letters.
    :param lines: every line break ends a sentence (lists, tables, code). Otherwise a line break ends one where a blank line, a list item,
        a proviso or a finished sentence stands beside it, and is a mere wrap elsewhere.

    >>> text = "Dr. Rao is paid under s. 12 of the Act. She agreed."
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['Dr. Rao is paid under s. 12 of the Act.', 'She agreed.']
    """
    spans: list[tuple[int, int]] = []
    for start, end in _runs(text, lines):
        spans.extend(_split_run(text, start, end, language))
    return spans


def _runs(text: str, every_line: bool) -> list[tuple[int, int]]:
    """Stretches between line breaks that certainly end a sentence."""
    runs: list[tuple[int, int]] = []
    open_at: int | None = None
    last = ""
    last_end = 0
    for match in _LINE.finditer(text):
        line = match.group()
        if not line.strip():
            if open_at is not None:
                runs.append((open_at, last_end))
                open_at = None
            continue
        breaks = every_line or _STOP_AT_END.search(last) or _LIST_MARKER.match(line) or _OPENER.match(line)
        if open_at is not None and breaks:
            runs.append((open_at, last_end))
            open_at = None
        if open_at is None:
            open_at = match.start()
        last = line.rstrip()
        last_end = match.start() + len(last)
    if open_at is not None:
        runs.append((open_at, last_end))
    return runs


def _guess(text: str) -> str:
    head = text[:400]
    if head.isascii():
        return "en"
    counts = [(len(pattern.findall(head)), code) for code, pattern in _SCRIPTS]
    best, code = max(counts, key=lambda pair: pair[0])
    return code if 2 * best > sum(c.isalpha() for c in head) else "en"


def _split_run(text: str, start: int, end: int, language: str | None) -> list[tuple[int, int]]:
    run = text[start:end].replace("\n", " ").replace("\r", " ")
    if not any(c in run[:-1] for c in _STOPS):
        return [s for s in [_trim(text, start, end)] if s]
    code = (language or _guess(run)).split("-")[0].lower()
    cuts = {0, len(run)}
    cuts.update(_stops(code, run.encode("utf-8", "replace").decode()))
    cuts = {cut for cut in cuts if cut in (0, len(run)) or not _belongs(run, cut)}
    for match in _MISSED.finditer(run):
        if not _belongs(run, match.end()):
            cuts.add(match.end())
    ordered = sorted(cuts)
    pieces: list[tuple[int, int]] = []
    for left, right in pairwise(ordered):
        span = _trim(text, start + left, start + right)
        if span is None:
            continue
        if pieces and (_is_enumerator(text, *pieces[-1]) or not any(c.isalnum() for c in text[span[0] : span[1]])):
            pieces[-1] = (pieces[-1][0], span[1])
        else:
            pieces.append(span)
    return pieces


def _is_enumerator(text: str, start: int, end: int) -> bool:
    return end - start <= _LONGEST_ENUMERATOR and _ONLY_ENUMERATOR.match(text[start:end]) is not None


def _stops(code: str, run: str) -> Iterator[int]:
    """Starts of sentences. A long run is read in windows, because some marks cost `sentencex` the square of their number."""
    position = 0
    while position < len(run):
        end = position + _WINDOW
        starts = [boundary["start_index"] for boundary in get_sentence_boundaries(code, run[position:end]) if boundary["start_index"]]
        yield from (position + start for start in starts)
        position = end if end >= len(run) or not starts else position + starts[-1]


_STOPS = frozenset(".!?…।॥。！？؟۔") | frozenset("՞։܂።፧။៕᠃᱿꓿")


def _belongs(run: str, cut: int) -> bool:
    """Whether the text behind a proposed cut goes on with the sentence before it."""
    before = run[max(0, cut - 40) : cut]
    left = before.rstrip()
    if not left:
        return False
    after = run[cut : cut + 40].lstrip()
    if not after:
        return True
    spaced = len(left) < len(before) or run[cut].isspace()
    if not spaced and left[-1] in _ASCII_STOP and after[0] not in "\"'([“‘«":
        return True
    if not left.endswith("."):
        return False
    word = _LAST_WORD.search(left[:-1])
    name = word.group().lower() if word else ""
    return bool(
        name in _TITLES
        or (name in _REFERENCES and _NUMBER_FOLLOWS.match(after))
        or (after[0].islower() and (name in _GOES_ON_SMALL or _DOTTED.fullmatch(name)))
    )


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None


def begins_item(line: str) -> bool:
    """Whether a line begins as a list item does: with a bullet, a number, or a letter in brackets.

    >>> begins_item("(a) a pen;"), begins_item("A pen.")
    (True, False)
    """
    return _LIST_MARKER.match(line) is not None
