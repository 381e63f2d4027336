"""Words of a question that may be misspelt, what they may have been meant to be, and which of it is plain. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from string import ascii_lowercase

import regex
from rapidfuzz.distance import OSA

from components.embedders.bm25_tokenizer import document_terms
from components.query.question_words import AUX, CONJUNCTIONS, DETERMINERS, PREPOSITIONS, PRONOUNS, WH

SHORTEST = 5
"""Letters of a word that any one edit may mend: nearly every shorter one has another word beside it, but seldom by an exchange of neighbours."""
LEAST = 3
"""Letters of a word that is looked at."""
FUNCTION_WORDS = frozenset(
    word for word in WH | AUX | PRONOUNS | DETERMINERS | PREPOSITIONS | CONJUNCTIONS if len(word) >= LEAST and word.isascii() and word.isalpha()
)
"""The closed class: no index has them, since they are no terms."""
_WORD = regex.compile(r"(?<![\p{L}\p{M}\p{N}'’_./@#&+-])\p{Ll}+(?:['’]s)?(?![\p{L}\p{M}\p{N}'’_/@#&+-]|\.\p{L})")
"""A word in small letters, Latin or not; none that is a part of a code, a compound, an address or a path."""
_FIRST = regex.compile(r"^\s*\K\p{Lu}\p{Ll}+(?=[\s,])")
_LATIN = regex.compile(r"[a-z]+")
_QUOTED = regex.compile(r"[\"“„«`].*?[\"”“»`]|(?<!\p{L})['‘].*?['’](?!\p{L})", regex.S)
_ENDINGS = ("s", "es", "d", "ed", "r", "er", "ers", "ly", "y", "ing")


def suspects(question: str, is_english: Callable[[str], bool]) -> list[tuple[int, int]]:
    """Half-open ranges of words that may be misspelt: in small letters, of `LEAST` letters or more, and of no ordinary English.

    Digits, codes, compounds and quoted phrases are never among them, nor are words with a capital, but for the first of the question.

    >>> text = "What does the waranty of the XR-17b say about 'restd' and restd-mode?"
    >>> [text[a:b] for a, b in suspects(text, lambda word: not word.startswith("waran"))]
    ['waranty']
    """
    quoted = [match.span() for match in _QUOTED.finditer(question)]
    found = []
    for match in (*_FIRST.finditer(question), *_WORD.finditer(question)):
        word = match.group().lower()
        if len(word) < LEAST or not _LATIN.fullmatch(word) or any(a <= match.start() < b for a, b in quoted):
            continue
        if not any(is_english(form) for form in base_forms(word)):
            found.append(match.span())
    return found


def base_forms(word: str) -> list[str]:
    """A word and what may be its base.

    >>> base_forms("reimbursed")
    ['reimbursed', 'reimburse', 'reimburs']
    """
    forms = [word, *(word[: -len(ending)] for ending in _ENDINGS if word.endswith(ending) and len(word) - len(ending) >= 4)]
    return list(dict.fromkeys(forms))


def one_edit_away(word: str) -> set[str]:
    """Every string of small letters that begins alike and is one letter more, less or other, or has two neighbours exchanged.

    Damerau, "A technique for computer detection and correction of spelling errors", 1964: four in five misspellings are one of these.

    >>> {"period", "periods"} & one_edit_away("periode") == {"period", "periods"}, "eriod" in one_edit_away("period")
    (True, False)
    """
    splits = [(word[:i], word[i:]) for i in range(1, len(word) + 1)]
    deleted = {a + b[1:] for a, b in splits if b}
    exchanged = {a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1}
    replaced = {a + letter + b[1:] for a, b in splits if b for letter in ascii_lowercase}
    inserted = {a + letter + b for a, b in splits for letter in ascii_lowercase}
    return (deleted | exchanged | replaced | inserted) - {word}


def exchanged(word: str) -> set[str]:
    """Every string that has two neighbours of a word exchanged; the first two only of a word of four letters or more.

    >>> sorted(exchanged("teh")), "year" in exchanged("eyar")
    (['the'], True)
    """
    first = 0 if len(word) > LEAST else 1
    return {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(first, len(word) - 1)} - {word}


def near(word: str) -> set[str]:
    """What a word may be a misspelling of: strings with two neighbours exchanged, and of `SHORTEST` letters or more those one edit away."""
    return exchanged(word) | (one_edit_away(word) if len(word) >= SHORTEST else set())


def function_word(word: str) -> str:
    """The one function word of English that a word is a misspelling of; empty where it may be two, or is a form of one ("whats").

    >>> function_word("teh"), function_word("mcuh"), function_word("whcih"), function_word("hwo"), function_word("whats")
    ('the', 'much', 'which', 'how', '')
    """
    found = {one for one in near(word) & FUNCTION_WORDS if not is_form_of(word, one)}
    return found.pop() if len(found) == 1 else ""


def terms_of(words: Iterable[str], language: str | None) -> list[str]:
    """The terms that the index has for words."""
    return sorted({term for word in words for term in document_terms(word, language)})


def forms_in(text: str) -> set[str]:
    """The words of a text, in small letters."""
    return {match.group().casefold() for match in regex.finditer(r"[\p{L}\p{M}]+", text)}


def meant(word: str, texts: Iterable[str], language: str | None) -> str:
    """The word of some texts that another word is a misspelling of: one edit away; empty where none is, or where two different ones may be meant.

    Where the texts have the word itself, or another form of it, it is no misspelling.

    >>> meant("waranty", ["The warranty lasts two years.", "Warranty claims"], "en"), meant("trail", ["a train", "a trial"], "en")
    ('warranty', '')
    """
    counts: Counter[str] = Counter()
    swapped, long = exchanged(word), len(word) >= SHORTEST
    for text in texts:
        forms = forms_in(text)
        if word in forms:
            return ""
        counts.update(f for f in forms if f in swapped or (long and f[0] == word[0] and OSA.distance(word, f, score_cutoff=1) == 1))
    families = {tuple(document_terms(form, language)) for form in counts}
    if tuple(document_terms(word, language)) in families and any(is_form_of(word, form) for form in counts):
        return ""
    return max(counts, key=lambda form: (counts[form], form)) if len(families) == 1 else ""


def is_form_of(word: str, other: str) -> bool:
    """Whether two words differ by an ending of English only.

    >>> is_form_of("gateways", "gateway"), is_form_of("periode", "period")
    (True, False)
    """
    short, long = sorted((word, other), key=len)
    return long.startswith(short) and long[len(short) :] in _ENDINGS
