"""Whether a claim turns round what its passage says: negations, opposites, duties, scope. Pure functions.

Each compares the claim with the sentence of the premise that holds most of its words, and only where the two are alike.
"""

from __future__ import annotations

from itertools import pairwise

import regex

from components.embedders.bm25_tokenizer import document_terms, normalize
from components.validators.finding import Finding
from components.validators.opposites import OPPOSITES
from components.validators.quantities import without_dates
from components.validators.word_overlap import content_terms, nearest_sentence, overlap, word_set, words

ALIKE = 0.5
"""Share of the claim's content words that a sentence must hold to be compared with it."""

_NEGATOR = regex.compile(
    r"(?i)(?<![\p{L}])(?:not|no|never|nor|neither|none|nobody|nothing|nowhere|without|cannot|unable|fails?\s+to|failed\s+to|refuses?\s+to|refused\s+to|"
    r"except|excepting|excluding|other\s+than|apart\s+from|prohibited\s+from|forbidden\s+to|\w+n['’]t)(?![\p{L}])"
)
_NOT_NEGATING = regex.compile(
    r"(?i)not\s+only|no\s+later\s+than|not\s+later\s+than|no\s+more\s+than|not\s+more\s+than|no\s+less\s+than|not\s+less\s+than|no\.\s*\d"
)
_CLAUSE_END = regex.compile(r"[,;:.!?()]|\b(?:and|but|or|unless|except|if|because|while|although)\b", regex.I)


def _negated(text: str) -> list[str]:
    """The first content word after each negation of a text, inside its clause; empty text for one with nothing behind it."""
    text = _NOT_NEGATING.sub(" ", normalize(text))
    heads = []
    for match in _NEGATOR.finditer(text):
        end = _CLAUSE_END.search(text, match.end())
        after = [t for t in document_terms(text[match.end() : end.start() if end else None], "en") if t not in ("not", "no")]
        heads.append(after[0] if after else "")
    return heads


def negation(claim: str, premise: str) -> Finding | None:
    """What the claim denies, the sentence of the premise that is nearest to it denies too, and the other way round.

    >>> negation("Pets are not allowed.", "Pets are allowed in the garden.").reason
    'the claim denies what the cited passage affirms'
    >>> negation("Pets are allowed.", "Pets are not allowed.").reason
    'the claim affirms what the cited passage denies'
    """
    nearest = nearest_sentence(claim, premise)
    denied, held = _negated(claim), _negated(nearest)
    if not denied and not held:
        return None
    if overlap(claim, nearest) < ALIKE:
        return Finding("negation", 0.0) if denied else None
    mine, theirs = set(content_terms(claim)), set(content_terms(nearest))
    if denied and not held and any(head in theirs for head in denied):
        return Finding("negation", 1.0, "the claim denies what the cited passage affirms")
    if held and not denied and any(head in mine and content_terms(nearest).count(head) <= held.count(head) for head in held):
        return Finding("negation", 1.0, "the claim affirms what the cited passage denies")
    return Finding("negation", 0.0)


def opposites(claim: str, premise: str) -> Finding | None:
    """Where the claim says before, more or allowed, the sentence nearest to it does not say after, less or forbidden.

    >>> opposites("Apply before the hearing.", "Apply after the hearing.").reason
    'the claim says before where the cited passage says after'
    """
    mine = _lowered(claim)
    own = [pair for pair in OPPOSITES if bool(pair[0] & mine) != bool(pair[1] & mine)]
    if not own:
        return None
    nearest = nearest_sentence(claim, premise)
    if overlap(claim, nearest) < ALIKE:
        return Finding("opposites", 0.0)
    theirs = _lowered(nearest)
    for one, other in own:
        said, opposed = (one, other) if one & mine else (other, one)
        if opposed & theirs and not said & theirs:
            return Finding("opposites", 1.0, f"the claim says {min(said & mine)} where the cited passage says {min(opposed & theirs)}")
    return Finding("opposites", 0.0)


def _lowered(text: str) -> frozenset[str]:
    found = words(without_dates(text))
    return frozenset(found) | frozenset(" ".join(pair) for pair in pairwise(found))


_DUTY = word_set("must shall required requires obliged obligatory mandatory compulsory") | {"has to", "have to", "needs to", "need to"}
_LEAVE = word_set("may can could might optional optionally voluntary") | {"is allowed", "are allowed", "is permitted", "are permitted"}
_ALL = word_set("all every always any anyone everyone everybody only never entirely completely solely whenever")
_SOME = word_set("some most usually often sometimes generally typically many several partly mainly mostly rarely certain")


def obligation(claim: str, premise: str) -> Finding | None:
    """A duty in the claim is a duty in the nearest sentence of the premise, and a permission a permission.

    >>> obligation("Tenants must give notice.", "Tenants may give notice.").reason
    'the claim says must where the cited passage says may'
    """
    return _exchanged("obligation", claim, premise, _DUTY, _LEAVE, both_ways=True)


def scope(claim: str, premise: str) -> Finding | None:
    """The claim does not say all, always or only where the nearest sentence of the premise says some, often or mostly.

    >>> scope("All tenants may keep a cat.", "Some tenants may keep a cat.").reason
    'the claim says all where the cited passage says some'
    """
    return _exchanged("scope", claim, premise, _ALL, _SOME, both_ways=False)


def _exchanged(check: str, claim: str, premise: str, one: frozenset[str], other: frozenset[str], both_ways: bool) -> Finding | None:
    mine = _lowered(claim)
    if bool(one & mine) == bool(other & mine) or (other & mine and not both_ways):
        return None
    nearest = nearest_sentence(claim, premise)
    theirs = _lowered(nearest)
    said, opposed = (one, other) if one & mine else (other, one)
    if overlap(claim, nearest) >= ALIKE and opposed & theirs and not said & theirs:
        return Finding(check, 1.0, f"the claim says {min(said & mine)} where the cited passage says {min(opposed & theirs)}")
    return Finding(check, 0.0)
