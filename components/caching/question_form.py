"""What of a question must be the same for an answer to be the same. Pure functions, but for a language identifier of 1 MB.

Vectors cannot tell: with all-MiniLM-L6-v2, "When must the tenant pay the landlord?" and the same with both exchanged have a cosine of .998,
"with a majority" and "without a majority" .996, "get" and "receive" .992. So the words decide: all of them, in their order, with their case
and their signs. What may differ is listed here, and only for English.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import regex

from components.embedders.question_language import reading

_SIGNS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "\u00a0": " "})
_POLITE = regex.compile(
    r"^(?:(?:hello|hi|please|kindly)[,!]?\s+|(?:can|could|would|will)\s+you\s+(?:please\s+|kindly\s+)?tell\s+(?:me|us),?\s+|tell\s+(?:me|us),?\s+)+",
    regex.IGNORECASE,
)
_PLEASE = regex.compile(r",?\s+please$", regex.IGNORECASE)
_END = regex.compile(r"[\s?.]+$")
_CONTRACTED = {
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "won't": ("will", "not"),
    "shan't": ("shall", "not"),
    **{f"{word}'s": (word, "is") for word in ("what", "who", "where", "when", "how")},
    **{
        f"{word}n't": (word, "not")
        for word in ("is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "could", "must", "should", "would")
    },
}
_AGREEING = {"are": "is", "were": "was", "do": "does", "have": "has"}
_AUXILIARIES = """
is was does did has had can could may might must shall should will would what which who whom when where why how if whether
"""
_AUXILIARY = frozenset(_AUXILIARIES.split())
_BEING = frozenset(("is", "was"))
_TELLING = """
few little most least best worst same other only good right
"""
_AFTER_ARTICLE = frozenset(_TELLING.split())
_PLURAL = regex.compile(r"[a-z]{2,}(?:[^aious']s|[aou]es|[^aeiou]ies)")
_NO_PLURALS = """
accounts airs arms arts ashes assets bearings belongings bonds bounds brains bowels cards chambers charges clothes colours colors commons
compasses contents costs customs damages dealings directions drawers duties earnings effects economics ethics ends energies facilities
feelings findings forces forms fines funds gains games glasses goods grounds guts headquarters heads hearings heavens holdings honours
honors humanities ills interests irons its jeans lines links lodgings looks losses lots manners mathematics means measles media minds
minutes mines morals news numbers odds offices others pains pants papers parts peoples physics pictures plains politics powers premises
proceedings proceeds provisions quarters rates regards relations remains resources respects returns riches rights sales sands savings scales
securities senses series services settings shares shorts sides species spectacles spirits states statistics stocks stops surroundings talks
terms thanks things ties times tops towards troops troubles turns utilities values waters ways words works writings always sometimes perhaps
besides hers ours yours theirs afterwards upwards downwards plus minus versus unless across thus
"""
_NO_PLURAL = frozenset(_NO_PLURALS.split())
"""Words in -s that mean something else without it, or are no plural."""


@lru_cache(maxsize=1024)
def question_form(question: str) -> tuple[str, ...]:
    """The words of a self-contained question by which it is known; two questions ask the same only if theirs are equal.

    Numbers, codes, names, quoted phrases, negations, comparatives, modal verbs and the order of words are all part of it. Two questions
    in English may differ in the case of the first letter, words of courtesy, contractions, articles after an auxiliary, singular and
    plural, and the verb's agreement with it; two in any language in spaces and the mark at the end.

    >>> question_form("What's the fee in 2024?") == question_form("please tell me what is the fee in 2024")
    True
    >>> question_form("Does Ann owe Bob?") == question_form("Does Bob owe Ann?")
    False
    """
    text = " ".join(unicodedata.normalize("NFC", question).translate(_SIGNS).split())
    text = _END.sub("", text)
    if not _is_english(text):
        return tuple(text.split())
    text = _POLITE.sub("", _PLEASE.sub("", text)) or text
    words = text.split()
    if words and (words[0].istitle() or regex.fullmatch(r"\p{Lu}\p{Ll}*'\p{Ll}+", words[0])):
        words[0] = words[0].casefold()
    words = [part for word in words for part in _CONTRACTED.get(word, (word,))]
    words = [_AGREEING.get(word, word) for word in words]
    kept = [word for at, word in enumerate(words) if not _is_spare_article(words, at)]
    return tuple(singular(word) for word in kept)


def _is_english(text: str) -> bool:
    found = reading(text, {"en"})
    return found.share == 1.0 and text.isascii()


def _is_spare_article(words: list[str], at: int) -> bool:
    """Whether an article may be left out: `do the employees get`, and neither `a few`, `in the charge of` nor `what is the right?`"""
    if words[at] not in ("the", "a", "an") or not 0 < at < len(words) - 1:
        return False
    before, after = words[at - 1], words[at + 1]
    if before not in _AUXILIARY or after in _AFTER_ARTICLE:
        return False
    return before not in _BEING or (words[at] == "the" and at + 2 < len(words))


def singular(word: str) -> str:
    """A word without the ending that marks a plural, or the third person of a verb, in English.

    >>> [singular(word) for word in ("employees", "penalties", "gets", "customs", "Thames", "thesis")]
    ['employee', 'penalty', 'get', 'customs', 'Thames', 'thesis']
    """
    if len(word) < 4 or word in _NO_PLURAL or not _PLURAL.fullmatch(word):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("ches", "shes", "sses", "xes", "zes")) else word[:-1]
