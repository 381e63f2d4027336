"""Recognises a sentence that limits the one before it, so that a rule is not cited without its exception."""

from __future__ import annotations

import regex

_ENGLISH = (
    r"provided,?\s+(?:that|further|also|always|however|nothing)|provided\b(?=[^.]{0,12},)|except(?:ions?)?|however|unless|explanations?|but|notwithstanding"
    r"|nevertheless|nonetheless|otherwise|save\s+(?:that|as|where|for|in)|with\s+the\s+exception|excluding|nothing\s+in\s+th(?:is|ese|e)"
    r"|subject\s+to|this\s+exception|only\s+(?:if|where|when)|even\s+(?:if|so|then)|in\s+no\s+case|proviso"
)
_NOT_APPLY = (
    r"(?:th(?:is|ese|at|ose)|it|they|the\s+(?:above|foregoing|preceding|said))\b[^.;:]{0,60}?"
    r"\b(?:(?:do(?:es)?|shall|will|may|need)\s+not|cannot|never|no\s+longer)\s+(?:be\s+)?(?:apply|applies|applied|extend|affect|cover|include)"
)
_OTHERS = (
    r"परंतु|परन्तु|बशर्ते|लेकिन|किंतु|किन्तु|तथापि|अपवाद|स्पष्टीकरण|सिवाय|मगर|हालांकि|हालाँकि|जब\s+तक\s+कि|इसके\s+बावजूद|यह\s+लागू\s+नहीं"
    r"|jedoch|allerdings|aber|ausgenommen|ausnahmen?|außer|es\s+sei\s+denn|dies\s+gilt\s+nicht"
    r"|toutefois|cependant|sauf|mais|néanmoins|à\s+moins\s+que|par\s+exception|par\s+dérogation"
    r"|sin\s+embargo|salvo|excepto|pero|no\s+obstante|a\s+menos\s+que"
)
_PROVISO = regex.compile(
    rf"(?:[\W_]*(?:\(?[0-9a-zA-Z]{{1,4}}[.)]\s*)?)(?:(?:{_ENGLISH}|{_OTHERS})(?![\p{{L}}\p{{M}}])|{_NOT_APPLY}(?![\p{{L}}\p{{M}}]))", regex.I
)
_INTRODUCES = regex.compile(r"(?::[-–—]*|[–—]|:-|\b(?:namely|following|as follows|that is to say),?)[\p{Pe}\p{Pf}\"']*$", regex.I)


def begins_proviso(sentence: str) -> bool:
    """Whether a sentence opens with a marker of a proviso, an exception or an explanation (English, Hindi, German, French, Spanish).

    >>> begins_proviso("Provided that the notice is in writing."), begins_proviso("The notice is provided in writing.")
    (True, False)
    """
    return _PROVISO.match(sentence[:200]) is not None


def introduces_list(sentence: str) -> bool:
    """Whether a sentence ends as one does before a list: with a colon, a dash, or "namely".

    >>> introduces_list("Bring the following:"), introduces_list("Bring a pen.")
    (True, False)
    """
    return _INTRODUCES.search(sentence[-40:]) is not None
