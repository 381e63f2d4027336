"""Text to BM25 terms in every script, with numbers and codes kept whole and their parts findable.

What is done, in order:

- Compatibility forms, digits of other scripts, case, invisible characters: one spelling (NFKC, case folding).
- Words are runs of letters, marks and digits, so Devanagari is not cut at its vowel signs; `bm25_terms.term` folds and stems them.
- A compound gives itself and its parts: `ERR_404` → err_404, err, 404; `2(1)(a)` → 2(1)(a), 2(1), 2, 1; `e-mail` → email, e, mail.
- A number with letters gives, beside itself, its number as a term of its own kind: `498A` → 498a, `498~`. A query for 498 asks for
  498 and, at a quarter of the weight, for `498~`: it finds 498A below a true 498.
- Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese, which do not separate words (or join particles to them), give bigrams of
  characters; a document also gives the single ones that may be a word: each Han character, the first syllable of a Korean word.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import regex

from components.embedders.bm25_terms import check_language, term

RELATED_WEIGHT = 0.25
"""Weight in a query of a `498~` term. BM25 at k1 = 1.2 gives at most 2.2 for any number of mentions of 498A, times this .55,
and 1 for one mention of 498 in a chunk of average length."""

_LETTER = r"[\p{L}\p{N}]"
_WORD = r"[\p{L}\p{N}][\p{L}\p{M}\p{N}]*"
_BIGRAM_SCRIPTS = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー"

_SEPARATED = regex.compile(r"[\p{No}--[₀-₉]]|[™℠]", regex.V1)
_INVISIBLE = regex.compile(r"\p{Default_Ignorable_Code_Point}+")
_DIGIT = regex.compile(r"[\p{Nd}--[0-9]]", regex.V1)
_HEBREW_QUOTE = regex.compile(r"(?<=\p{Hebrew})[\"'״׳](?=\p{Hebrew})")
_SAME = str.maketrans({"‐": "-", "‑": "-", "’": "'", "‘": "'", "ʼ": "'", "٫": ".", "٬": ",", "⁄": "/"})

_COMPOUND = rf"{_WORD}(?:(?:[-_./&']|(?<=\d):(?=\d)){_WORD})*"
_IN_URL = regex.compile(_COMPOUND)
_SEGMENT = regex.compile(
    rf"""
      (?P<url>(?:https?://|www\.)[^\s<>"'\[\]]+)
    | (?P<email>[\p{{L}}\p{{M}}\p{{N}}._+-]{{1,64}}@{_WORD}(?:[.-]{_WORD})+)
    | (?P<grouped>(?<!{_LETTER}|{_LETTER}[.,])\d{{1,3}}(?:,\d{{2,3}})*,\d{{3}}(?:\.\d+)?(?![\d]|,\d))
    | (?P<clause>(?<!{_LETTER})\d+(?:\.\d+)*\p{{L}}{{0,3}}(?:\([\p{{L}}\p{{N}}]{{1,6}}\)){{1,8}})
    | (?P<sharp>(?<!{_LETTER})[\p{{L}}\p{{N}}]+(?:\+\+|\#)(?!{_LETTER}))
    | (?P<compound>{_COMPOUND})
    | (?P<emoji>\p{{Regional_Indicator}}{{2}}|\p{{Extended_Pictographic}})
    """,
    regex.VERBOSE,
)
_RUN = regex.compile(rf"(?P<bigram>[{_BIGRAM_SCRIPTS}][{_BIGRAM_SCRIPTS}\p{{M}}]*)|[^{_BIGRAM_SCRIPTS}]+")
_OTHER = r"[\p{L}\p{M}\p{N}--[" + _BIGRAM_SCRIPTS + "]]"
_LATE = r"[\p{L}--[\p{Latin}\p{Greek}\p{Cyrillic}]]"
_BOUNDARY = regex.compile(  # where a word of another script begins without a space: 第498A条, NFLमें
    rf"(?<=[{_BIGRAM_SCRIPTS}])(?=[\p{{L}}\p{{N}}--[{_BIGRAM_SCRIPTS}]])|(?<={_OTHER})(?=[{_BIGRAM_SCRIPTS}])"
    rf"|(?<=\p{{Latin}})(?={_LATE})|(?<={_LATE}\p{{M}}{{0,8}})(?=\p{{Latin}})",
    regex.V1,
)
_HANGUL = regex.compile(r"\p{Hangul}")
_HAN = regex.compile(r"\p{Han}")
_CLUSTER = regex.compile(r"\X")
_NUMERIC = regex.compile(r"\p{N}")
_PIECE = regex.compile(r"[-_/&:]")
_BRACKET = regex.compile(r"\([^)]*\)")
_NUMBER_SUFFIX = regex.compile(r"(\d+)([\p{L}\p{M}]+)")
_CODE = regex.compile(r"([\p{L}\p{M}]{1,8})(\d+(?:[\p{L}\p{M}]{1,3})?)")
_DOTTED_VERSION = regex.compile(r"v?(\d+(?:\.\d+)+)")
_ORDINALS = frozenset(("st", "nd", "rd", "th"))
_ELIDING = frozenset(("ca", "fr", "it"))  # l'avion: the article is not a part of the word
_ACRONYMS = frozenset(("IT", "US", "WHO"))  # stop words, unless in capitals among small letters


def normalize(text: str) -> str:
    """One spelling: NFKC, no invisible characters, ASCII digits, plain hyphens and apostrophes. Case is kept.

    A superscript or fraction is set apart first (NFKC alone makes `theft¹` theft1 and `3½` 31/2).

    >>> normalize("ＸＲ‑１７Ｂ"), normalize("धारा ४२०")
    ('XR-17B', 'धारा 420')
    """
    text = _SEPARATED.sub(lambda found: f" {found.group()} " if found.group() not in "™℠" else " ", text)
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).translate(_SAME)
    text = _DIGIT.sub(lambda found: str(unicodedata.decimal(found.group())), text)
    return _HEBREW_QUOTE.sub("", text)


def document_terms(text: str, language: str | None = "en") -> list[str]:
    """The terms of a document, with repetitions; their number is its length in BM25.

    :param language: a key of `bm25_terms.LANGUAGES`; None: no stemming and no stop words.
    :raises ValueError: an unknown language.

    >>> document_terms("Report ERR_404 for the XR-17B.")
    ['report', 'err_404', 'err', '404', 'xr-17b', 'xr', '17b', '17~']
    """
    check_language(language)
    return list(_terms(text, language, query=False))


def query_terms(text: str, language: str | None = "en") -> dict[str, float]:
    """The terms of a question and their weights: how often each occurs, `RELATED_WEIGHT` for a number of the `498~` kind.

    :raises ValueError: an unknown language.

    >>> query_terms("Section 498")
    {'section': 1.0, '498': 1.0, '498~': 0.25}
    """
    check_language(language)
    counts = Counter(_terms(text, language, query=True))
    related = {f"{one}~" for one in counts if one.isascii() and one.isdigit()} | {one for one in counts if one.endswith("~")}
    return {one: float(count) for one, count in counts.items() if one not in related} | dict.fromkeys(sorted(related), RELATED_WEIGHT)


_CANARY = (
    "Punishments under s. 498A and 2(1)(a): 1,000 XR-17B; e-mail café résumé O'Brien isn't v1.2.3 C++ "
    "दण्ड संहिता की धारा ४२० लड़कों ३ 東京都の条例 データ 서울에서 ภาษาไทย ខ្មែរ والكتاب שלום தமிழில் книгами книги βιβλία 🙂"
)


@lru_cache(maxsize=64)
def tokenizer_version(language: str | None) -> str:
    """Name of what this module does to a text, with a digest of a sample: it changes when the code or a library beneath it does."""
    terms = [*document_terms(_CANARY, language), "|", *query_terms(_CANARY, language)]
    return f"words-1.{hashlib.blake2b(' '.join(terms).encode(), digest_size=4).hexdigest()}"


def _terms(text: str, language: str | None, *, query: bool) -> Iterator[str]:
    text = normalize(text)
    if language == "tr":
        text = text.replace("I", "ı").replace("İ", "i")
    text = _BOUNDARY.sub(" ", text)
    shouting = not regex.search(r"\p{Ll}", text)
    for found in _SEGMENT.finditer(text):
        raw = found.group()
        if raw.isascii() and raw.isalpha() and raw not in _ACRONYMS:  # most words of most texts
            if word := term(raw.lower(), language):
                yield word
            continue
        if raw in _ACRONYMS and not shouting:
            yield raw.casefold()
            continue
        yield from _segment(str(found.lastgroup), _fold_case(raw), language, query)


def _fold_case(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold()).replace("i\u0307", "i")  # İ folds to i and a dot


def _segment(kind: str, text: str, language: str | None, query: bool) -> Iterator[str]:
    match kind:
        case "url":
            text = regex.sub(r"^https?://", "", text).rstrip("/.,;:!?)")
            parts = _IN_URL.findall(regex.sub(r"^www\.", "", text))
            if parts != [text]:
                yield text
            for part in parts:
                yield from _compound(part, language, query)
        case "email":
            yield text
            for part in _IN_URL.findall(text):
                yield from _compound(part, language, query)
        case "grouped":
            yield text.replace(",", "")
            if len(text.split(",")[0]) == 3:  # 120,123 may be a list of two
                yield from text.split(".")[0].split(",")
        case "clause":
            yield from _clause(text, language, query)
        case "sharp":
            yield text
            if len(name := text.rstrip("+#")) > 1:
                yield from _compound(name, language, query)
        case "compound":
            yield from _compound(text, language, query)
        case _:
            yield text


def _clause(text: str, language: str | None, query: bool) -> Iterator[str]:
    """`2(1)(a)`: itself, each shorter reference, and what stands in the brackets."""
    brackets = [found.group() for found in _BRACKET.finditer(text)]
    head = text[: text.index("(")]
    for length in range(len(brackets), 0, -1):
        yield head + "".join(brackets[:length])
    yield from _compound(head, language, query)
    for bracket in brackets:
        yield from _compound(bracket[1:-1], language, query)


def _compound(text: str, language: str | None, query: bool) -> Iterator[str]:
    runs = list(_RUN.finditer(text))
    if any(run.group("bigram") for run in runs):
        for run in runs:
            if run.group("bigram"):
                yield from _bigrams(run.group(), query)
            else:
                for part in _SEGMENT.finditer(run.group()):
                    yield from _segment(str(part.lastgroup), part.group(), language, query)
        return
    pieces = _PIECE.split(text)
    if len(pieces) > 1:
        coded = _NUMERIC.search(text)
        hyphens_only = not regex.search(r"[_/&:]", text)
        if coded or not hyphens_only:
            yield text
        else:
            yield from _word("".join(pieces), language)  # e-mail is email
    for piece in pieces:
        yield from _dotted(piece, language)


def _bigrams(run: str, query: bool) -> Iterator[str]:
    clusters = _CLUSTER.findall(run)
    if len(clusters) == 1:
        yield run
        return
    if not query:
        if _HANGUL.match(run):
            yield clusters[0]
        else:
            yield from (cluster for cluster in clusters if _HAN.match(cluster))
    yield from (first + second for first, second in pairwise(clusters))


def _dotted(text: str, language: str | None) -> Iterator[str]:
    parts = text.split(".")
    if len(parts) == 1:
        yield from _word(text, language)
    elif version := _DOTTED_VERSION.fullmatch(text):
        number = version.group(1)
        yield text
        if text != number:
            yield number
        numbers = number.split(".")
        if len(numbers) > 2:  # two are a decimal: 3.14 is neither 3 nor 14
            yield from () if len(numbers) > 8 else (".".join(numbers[:length]) for length in range(len(numbers) - 1, 1, -1))
            yield from (one for one in numbers if len(one) > 2)
    elif all(len(part) == 1 for part in parts):  # U.S.A.
        yield "".join(parts)
    else:
        yield text
        for part in parts:
            yield from _word(part, language)


def _word(text: str, language: str | None) -> Iterator[str]:
    if "'" in text:
        yield from _apostrophe(text, language)
    elif text.isascii() and text.isdigit():
        yield text
    elif _NUMERIC.search(text):
        yield from _code(text, language)
    elif found := term(text, language):
        yield found


def _apostrophe(text: str, language: str | None) -> Iterator[str]:
    if language == "en":
        if text.endswith("n't"):
            yield "not"  # what stands before it is always an auxiliary
            return
        text = regex.sub(r"'(?:s|d|m|ll|re|ve)$", "", text)
    parts = text.split("'")
    if len(parts) == 1:
        yield from _word(text, language)
        return
    if language not in _ELIDING:
        yield from _word("".join(parts), language)
    for part in parts:
        if len(part) > 1:
            yield from _word(part, language)


def _code(text: str, language: str | None) -> Iterator[str]:
    """A word with digits: itself, then what of it may be asked for."""
    yield text
    if found := _NUMBER_SUFFIX.fullmatch(text):
        number, suffix = found.groups()
        yield f"{number}~"
        if len(suffix) > 1 and suffix not in _ORDINALS and (unit := term(suffix, language)):
            yield unit
    elif found := _CODE.fullmatch(text):
        name, rest = found.groups()
        number = regex.match(r"\d+", rest).group()  # pyright: ignore[reportOptionalMemberAccess]
        if len(name) > 1:
            if letters := term(name, language):
                yield letters
            yield rest
        if len(name) == 1 or rest != number:
            yield f"{number}~"
