"""What a claim says exactly must stand in its passage: numbers, dates, sections, codes, names, quotes, negations, opposites, duties, scope.

Each check is a pure function of a claim and a premise. It gives None where the claim has nothing of its kind, else a `Finding`.
"""

from __future__ import annotations

import regex

from components.embedders.bm25_terms import term
from components.embedders.bm25_tokenizer import document_terms, normalize
from components.preprocessors.sentences import split_sentences
from components.rankers.identifiers import folded, names_of
from components.validators.finding import Check, Finding, finding_of
from components.validators.polarity_checks import negation, obligation, opposites, scope
from components.validators.quantities import all_values, dates, is_period, quantities, without_dates
from components.validators.word_overlap import content_terms, word_set, words

_JOINED_YEAR = regex.compile(r"(?<=\b\p{Ll}{2,5})-(?=\d{4}s?\b)")
"""The hyphen of `mid-1990s`, behind which no number is seen."""
ROUGHLY = 0.05
"""Relative difference that a number given as an approximation may have."""


def numbers(claim: str, premise: str) -> Finding | None:
    """Every number of the claim, with its unit, is in the premise, in figures or in words; its dates and references are left to other checks.

    >>> numbers("The fee is 30 euros.", "The fee is 20 euros.").reason
    '30 euros is not in the cited passage'
    >>> numbers("It takes 1,000 days", "It takes a thousand days").passed
    True
    """
    claim, premise = (_JOINED_YEAR.sub(" ", text) for text in (claim, premise))
    wanted = [q for q in quantities(_SECTION.sub(" ", without_dates(_without_codes(claim)))) if not q.spelt or q.unit or q.value > 12]
    if not wanted:
        return None
    held = quantities(premise)
    values = all_values(premise)
    absent = []
    for number in wanted:
        same = [q for q in held if _equal(q.value, number.value, number.rough or q.rough)]
        known = {q.unit for q in same if q.unit}
        other_unit = number.unit and known and number.unit not in known and len(known) == len(same)
        other_unit = other_unit or (is_period(number.unit) and bool(known) and number.unit not in known)
        if (not same and number.value not in values) or other_unit:
            absent.append(number.text)
    return finding_of("numbers", len(wanted), absent)


def _equal(one: float, other: float, rough: bool) -> bool:
    return abs(one - other) <= (ROUGHLY * max(abs(one), abs(other)) if rough else 1e-9 * max(1.0, abs(one)))


def days(claim: str, premise: str) -> Finding | None:
    """Every date of the claim is in the premise, in whatever form.

    >>> days("In force since 1 July 2024.", "It came into force on 2024-07-01.").passed
    True
    >>> days("In force since 2 July 2024.", "It came into force on 2024-07-01.").reason
    '2 July 2024 is not in the cited passage'
    """
    readings: dict[str, bool] = {}
    held = dates(premise)
    for day in dates(claim):
        readings[day.text] = readings.get(day.text, False) or any(day.is_told_by(other) for other in held)
    return finding_of("dates", len(readings), [text for text, found in readings.items() if not found])


_SECTION = regex.compile(
    r"(?i)(?<![\p{L}\p{N}])(?:sections?|secs?|ss?|clauses?|cl|articles?|arts?|rules?|regulations?|regs?|paragraphs?|paras?|schedules?|chapters?|"
    r"annex(?:es)?|appendix|parts?|items?|steps?|tables?|figures?|धारा|अनुच्छेद|नियम|§§?)[.\s]*(?P<key>\d+(?:[.\-]\d+)*[A-Za-z]{0,2}(?:\(\w{1,5}\))*)(?![\p{N}%])"
    r"(?!\s*(?:days?|weeks?|months?|years?|hours?|minutes?|euros?|percent)\b)"
)


def sections(claim: str, premise: str) -> Finding | None:
    """Every section, clause, article or rule that the claim names is named in the premise.

    >>> sections("Theft is section 303.", "Section 103. Murder").reason
    'Section 303 is not in the cited passage'
    """
    keys = list(dict.fromkeys(match.group("key").casefold() for match in _SECTION.finditer(normalize(claim))))
    held = set(document_terms(premise, None))
    absent = [f"Section {key}" for key in keys if key not in held and not set(document_terms(key, None)[:1]) & held]
    return finding_of("sections", len(keys), absent)


_CODE = regex.compile(r"(?<![\p{L}\p{N}_])(?=[\p{L}\p{N}_/.-]*\p{L})(?=[\p{L}\p{N}_/.-]*\d)[\p{L}\p{N}]+(?:[-_/.]+[\p{L}\p{N}]+)*(?!\()")
_NO_CODE = regex.compile(r"\d+(?:st|nd|rd|th|s)|\d+(?:[.,]\d+)?-?\p{Ll}+(?:-\p{Ll}+)*|\p{Ll}+-\d{4}s?")
"""Ordinals, decades, numbers with their unit, `mid-1990`, `mid-1990s`."""


_FORMULAS = {
    "co2": "carbon dioxide", "ch4": "methane", "n2o": "nitrous oxide", "no2": "nitrogen dioxide", "so2": "sul(?:f|ph)ur dioxide",
    "o3": "ozone", "o2": "oxygen", "h2": "hydrogen", "h2o": "water", "nh3": "ammonia",
}  # fmt: skip
"""Codes that a text may write out."""


def codes(claim: str, premise: str) -> Finding | None:
    """Every code of letters and figures of the claim is in the premise, a chemical formula also by its name.

    >>> codes("Error ERR_404 is fatal", "ERR_405 is fatal").reason
    'err_404 is not in the cited passage'
    >>> codes("CO2 is stored.", "Carbon dioxide is stored.").passed
    True
    """
    keys = _codes(claim)
    text = folded(premise)
    held = _plain_code(text)
    absent = [key for key in keys if _plain_code(key) not in held and not (key in _FORMULAS and regex.search(rf"\b{_FORMULAS[key]}\b", text))]
    return finding_of("codes", len(keys), absent)


def _codes(text: str) -> list[str]:
    found = (match.group() for match in _CODE.finditer(normalize(text)))
    return list(dict.fromkeys(code.casefold() for code in found if not _NO_CODE.fullmatch(code) and not quantities(code)))


def _plain_code(text: str) -> str:
    return regex.sub(r"[\s_/.-]", "", text)


def _without_codes(text: str) -> str:
    for key in _codes(text):
        text = regex.sub(regex.escape(key), " ", text, flags=regex.IGNORECASE)
    return text


_OPENED = regex.compile(r"[:\n•–—(\"“‘']\s*$")
_NAME = regex.compile(r"(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}'’.&]*+(?:-\p{L}+)*+(?!\p{N})")
"""What a figure follows (`CO2`) is a code."""
_MONTHS_AND_DAYS = word_set(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec "
    "monday tuesday wednesday thursday friday saturday sunday"
)
_NOT_NAMES = _MONTHS_AND_DAYS | word_set("i rs no yes section sections article clause rule act eur usd gbp inr")


def names(claim: str, premise: str) -> Finding | None:
    """Every capitalised name and acronym of the claim is in the premise, an acronym also as the initials of a name.

    The first word of a sentence counts only where a capital follows it.

    >>> names("The BNS replaced the Penal Code.", "The Bharatiya Nyaya Sanhita replaced the Penal Code.").passed
    True
    >>> names("It was signed by Rao.", "It was signed by Mehta.").reason
    'Rao is not in the cited passage'
    """
    text = normalize(claim)
    if not regex.search(r"\p{Ll}", text):
        return None
    found: dict[str, str] = {}
    matches = list(_NAME.finditer(text))
    begins = {start for start, _ in split_sentences(text)}
    for i, match in enumerate(matches):
        word = regex.sub(r"['’]s$", "", match.group()).strip(".'’")
        key = word.casefold()
        if len(key) < 2 or key in _NOT_NAMES or not term(key, "en") or regex.search(r"\d", word):
            continue
        starts = match.start() in begins or _OPENED.search(text[: match.start()]) is not None
        followed = i + 1 < len(matches) and matches[i + 1].start() - match.end() == 1 and matches[i + 1].group().casefold() not in _NOT_NAMES
        if starts and not followed and not word.isupper():
            continue
        found[key] = word
    if not found:
        return None
    held = set(words(premise)) | set(content_terms(premise))
    initials = names_of(premise) if any(word.isupper() for word in found.values()) else frozenset()
    own = names_of(claim)
    absent = []
    for key, word in found.items():
        parts = words(word)
        if all(part in held or term(part, "en") in held for part in parts) or key.replace(".", "") in initials:
            continue
        acronyms = {w for w in words(premise) if len(w) > 1 and w in own}
        if any(key[0] in acronym for acronym in acronyms) and _stands_for(text, acronyms, word):
            continue
        absent.append(word)
    return finding_of("names", len(found), absent)


def _stands_for(claim: str, acronyms: set[str], word: str) -> bool:
    """Whether a word belongs to a run of capitalised words whose initials are an acronym of the premise."""
    for run in regex.findall(r"\p{Lu}[\p{L}'’]+(?:\s+(?:(?:of|and|the|for)\s+)?\p{Lu}[\p{L}'’]+)+", claim):
        if word in run.split() and names_of(run) & acronyms:
            return True
    return False


_QUOTED = regex.compile(r"[\"“„«]\s*([^\"“”„«»]{3,300}?)\s*[\"”“»]")


def quotes(claim: str, premise: str) -> Finding | None:
    """Every phrase of two or more words that the claim puts in quotation marks stands in the premise word for word.

    >>> quotes('It says "pets are welcome".', "Pets are not welcome.").reason
    '"pets are welcome" is not in the cited passage'
    """
    found = [phrase for phrase in _QUOTED.findall(normalize(claim)) if len(phrase.split()) > 1]
    held = " ".join(words(premise))
    return finding_of("quotes", len(found), [f'"{phrase}"' for phrase in found if " ".join(words(phrase)) not in held])


CHECKS: dict[str, Check] = {
    "numbers": numbers,
    "dates": days,
    "sections": sections,
    "codes": codes,
    "names": names,
    "quotes": quotes,
    "negation": negation,
    "opposites": opposites,
    "obligation": obligation,
    "scope": scope,
}
"""Every check by its name, in the order in which they are reported."""


def run_checks(claim: str, premise: str) -> list[Finding]:
    """The findings of all checks that the claim gives something to do.

    >>> [(f.check, f.passed) for f in run_checks("Rao paid 30 euros on 1 May 2024.", "On 1 May 2024 Rao paid 20 euros.")]
    [('numbers', False), ('dates', True), ('opposites', True)]
    """
    return [finding for check in CHECKS.values() if (finding := check(claim, premise)) is not None]
