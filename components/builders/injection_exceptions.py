# ruff: noqa: E501  a rule is a line
"""Where what reads as an order to a model is ordinary after all: a rule for people, a prohibition, an order of a person, a quoted example."""

from __future__ import annotations

import regex

_OTHERS = regex.compile(
    r"\b(?!you\b|ai\b|assistants?\b|models?\b|bots?\b|agents?\b|chatbots?\b|llms?\b|gpts?\b|readers?\b|please\b)[\p{L}\p{M}’'-]+\s+"
    r"(?:(?:must|should|shall|may|might|can|could|will|would|need|needs|has|have|had|is|are|was|were|tend|tends|used|agree[ds]?|refus\w+|chose|decided"
    r"|try|tries|tried|want\w*|ask\w*|told|instruct\w*|allow\w*|trick\w*|made|make|makes|get|gets)\s+)(?:(?:not|never|also|then|be|been|to|them|it|him|her|the|model|system)\s+)*$"
)
_NEGATED = regex.compile(
    r"\b(?:do\s+not|don['’]t|never|must\s+not|mustn['’]t|should\s+not|cannot|can['’]t|may\s+not|shall\s+not|not\s+to|without)\s+(?:\w+\s+){0,2}$"
)
_OF_PEOPLE = regex.compile(
    r"[^\n.!?]{0,12}\b(?:issued|given\s+by|published|printed|sent|dated|contained\s+in|set\s+out|from\s+(?:the\s+|your\s+)?(?:\w+\s+)?(?:department|office|team|manager"
    r"|manufacturer|supplier|employer|landlord|bank|doctor|authority|police|ministry)|on\s+(?:the\s+)?(?:label|form|box|packag\w+|sign|leaflet|back)"
    r"|for\s+(?:form|use|assembly|the\s+\w+\s+form)|of\s+(?:form|the\s+(?:manufacturer|supplier|court|board|ministry))"
    r"|in\s+(?:section|chapter|the\s+(?:manual|handbook|leaflet|circular|letter)))\b"
)
_ABOUT = regex.compile(
    r"\b(?:attack\w*|inject\w*|jailbreak\w*|phras\w+|such\s+as|for\s+example|e\.\s?g\.|examples?|called|known\s+as|attempt\w*|detect\w*|block\w*|filter\w*|malicious"
    r"|adversar\w+|red[\s-]team\w*|like|typical\w*|classic|someone|people|hackers?|users?\s+(?:type|write|enter|try)\w*|report\w*|beware|warn\w*|never|hypothetical)\b"
)
_QUOTES = "\"“”„«»'‘’`"


def is_of_others(text: str, start: int, end: int) -> bool:
    """Whether a match is a rule for people ("staff must ignore"), a prohibition ("never ignore"), an order with a human source, or words quoted as an example."""
    before = text[max(0, start - 80) : start]
    sentence = regex.split(r"[\n.!?;](?=\s)", before)[-1]
    if _OTHERS.search(sentence) or _NEGATED.search(sentence) or _OF_PEOPLE.match(text, end):
        return True
    return is_quoted_example(text, start, end)


def is_quoted_example(text: str, start: int, end: int) -> bool:
    """Whether the match stands in quotation marks in a sentence that speaks of such texts."""
    line = max(text.rfind("\n", 0, start), text.rfind(". ", 0, start)) + 1
    before = text[line:start]
    opened = any(mark in before[-60:] for mark in _QUOTES)
    return opened and bool(regex.search(rf"[{_QUOTES}]", text[end : end + 120])) and bool(_ABOUT.search(before))
