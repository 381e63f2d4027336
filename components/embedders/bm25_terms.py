"""From a word to the term that is indexed: spelling variants folded, function words dropped, endings removed, script by script."""

from __future__ import annotations

import threading
import unicodedata
from functools import lru_cache

import regex

# ISO 639-1 code (st: Sesotho) → Snowball algorithm, and the script it is for
LANGUAGES: dict[str, tuple[str, str]] = {
    "ar": ("arabic", "Arabic"),
    "ca": ("catalan", "Latin"),
    "cs": ("czech", "Latin"),
    "da": ("danish", "Latin"),
    "de": ("german", "Latin"),
    "el": ("greek", "Greek"),
    "en": ("english", "Latin"),
    "eo": ("esperanto", "Latin"),
    "es": ("spanish", "Latin"),
    "et": ("estonian", "Latin"),
    "eu": ("basque", "Latin"),
    "fa": ("persian", "Arabic"),
    "fi": ("finnish", "Latin"),
    "fr": ("french", "Latin"),
    "ga": ("irish", "Latin"),
    "hi": ("hindi", "Devanagari"),
    "hu": ("hungarian", "Latin"),
    "hy": ("armenian", "Armenian"),
    "id": ("indonesian", "Latin"),
    "it": ("italian", "Latin"),
    "lt": ("lithuanian", "Latin"),
    "ne": ("nepali", "Devanagari"),
    "nl": ("dutch", "Latin"),
    "no": ("norwegian", "Latin"),
    "pl": ("polish", "Latin"),
    "pt": ("portuguese", "Latin"),
    "ro": ("romanian", "Latin"),
    "ru": ("russian", "Cyrillic"),
    "sr": ("serbian", "Cyrillic"),
    "st": ("sesotho", "Latin"),
    "sv": ("swedish", "Latin"),
    "ta": ("tamil", "Tamil"),
    "tr": ("turkish", "Latin"),
    "yi": ("yiddish", "Hebrew"),
}

# the language assumed for a script that is not the one of the `language` parameter
_DEFAULT_LANGUAGE = {
    "Latin": "en",
    "Devanagari": "hi",
    "Arabic": "ar",
    "Cyrillic": "ru",
    "Greek": "el",
    "Tamil": "ta",
    "Armenian": "hy",
}

# Function words only. No, not, nor and without stay: they decide what a rule says.
_ENGLISH = """
a an the this that these those there here
i me my mine we our ours you your yours he him his she her hers its it they them their theirs us
myself ourselves yourself himself herself itself themselves
am is are was were be been being do does did doing done have has had having
can could shall should will would may might must
and or but if then than so as because while
of in on at by for with to from into onto upon about
what which who whom whose when where why how
such any some also very just too
"""
_HINDI = """
का के की को ने से में पर तक और या एवं तथा कि जो यह वह ये वे इस उस इन उन इसका इसके इसकी उसका उसके उसकी
है हैं था थे थी थीं हो होता होते होती हुआ हुए हुई हूँ हूं रहा रहे रही गया गए गई कर करता करते करती करने किया किए
क्या कौन किस किसने किसका किसके किसकी कब कहाँ कहां क्यों कैसे कितना कितने कितनी
अपना अपने अपनी ही भी तो एक लिए साथ द्वारा
"""
_STOP_WORDS = {"en": frozenset(_ENGLISH.split()), "hi": frozenset(_HINDI.split())}

_SCRIPT = regex.compile(
    r"(?P<Latin>\p{Latin})|(?P<Devanagari>\p{Devanagari})|(?P<Arabic>\p{Arabic})|(?P<Cyrillic>\p{Cyrillic})"
    r"|(?P<Greek>\p{Greek})|(?P<Hebrew>\p{Hebrew})|(?P<Tamil>\p{Tamil})|(?P<Armenian>\p{Armenian})"
)
_MARKS = regex.compile(r"\p{M}+")
_HINDI_NASAL = regex.compile("(?:ङ\u094d(?=[क-घ])|ञ\u094d(?=[च-झ])|ण\u094d(?=[ट-ढ])|न\u094d(?=[त-ध])|म\u094d(?=[प-भ]))")
_ARABIC_CONJUNCTION = regex.compile("^[وف](?=ال..)")  # "and the", "so the": Snowball takes only the article

_local = threading.local()  # a Snowball stemmer must not be shared by two threads


def accepted_languages() -> str:
    """The language codes that have a stemmer, in a line, for an error message."""
    return ", ".join(sorted(LANGUAGES))


def check_language(language: str | None) -> None:
    """Accept a key of `LANGUAGES` or None.

    :raises ValueError: any other value; the message names the accepted ones.
    """
    if language is not None and language not in LANGUAGES:
        raise ValueError(f"language={language!r} is not known. Accepted: null (no stemming, no stop words), {accepted_languages()}")


def _stem(word: str, algorithm: str) -> str:
    stemmers = _local.__dict__.setdefault("stemmers", {})
    if algorithm not in stemmers:
        import Stemmer

        stemmers[algorithm] = Stemmer.Stemmer(algorithm)
    return stemmers[algorithm].stemWord(word)


def _without_marks(word: str) -> str:
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", word)))


def _fold_devanagari(word: str) -> str:
    """One spelling for what Hindi writes in several: nukta or none, candrabindu or anusvara, nasal before its own class or anusvara.

    Lucene's HindiNormalizer (Larkey et al., 2003) also shortens vowels and takes every न् for a nasal of its class; both join
    words that differ.
    """
    word = unicodedata.normalize("NFC", word).replace("\u093c", "").replace("\u0901", "\u0902")
    return _HINDI_NASAL.sub("\u0902", word)


@lru_cache(maxsize=200_000)
def term(word: str, language: str | None) -> str:
    """The index term of a word without digits: empty for a stop word.

    The stemmer of `language` serves its own script; the other scripts have a default of their own (Latin: English,
    Devanagari: Hindi, Arabic, Cyrillic: Russian, Greek, Tamil, Armenian). Vowel points of Arabic and Hebrew are dropped;
    accents of Latin and Greek are folded after stemming, so `café` and `cafe` are one term.

    :param word: normalised (NFKC) and case-folded.
    :param language: a key of `LANGUAGES`; None: no stemming and no stop words, only the folding.

    >>> term("punishments", "en"), term("the", "en"), term("the", None)
    ('punish', '', 'the')
    """
    found = _SCRIPT.search(word)
    script = found.lastgroup if found else None
    if script is None:
        return word
    if script == "Devanagari":
        word = _fold_devanagari(word)
    elif script in ("Arabic", "Hebrew"):
        word = _without_marks(word.replace("\u0640", ""))  # tatweel only stretches a word
        word = _ARABIC_CONJUNCTION.sub("", word)
    own = language is not None and LANGUAGES[language][1] == script
    stemming = language if own else (_DEFAULT_LANGUAGE.get(script) if language is not None else None)
    if stemming is not None:
        if word in _folded_stop_words(stemming):
            return ""
        word = _stem(word, LANGUAGES[stemming][0]) or word
    return _without_marks(word) or word if script in ("Latin", "Greek") else word


@lru_cache(maxsize=8)
def _folded_stop_words(language: str) -> frozenset[str]:
    words = _STOP_WORDS.get(language, frozenset())
    return frozenset(_fold_devanagari(word) for word in words) if language == "hi" else words
