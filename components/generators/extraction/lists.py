"""Lists that a question asks about, each member a part of its own: "the fees for adults, children and seniors", comparisons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import regex

from components.generators.extraction.parts import Part, part_of
from components.generators.extraction.terms import SKIP
from components.generators.extraction.words import words

_COMPARE = regex.compile(r"\b(?:compare|contrast|distinguish|differences?|differs?|comparison|versus|vs|than|as \w+ as)\b", regex.I)
_HEAD = regex.compile(r"^(.*?\b(?:for|of|between|about|on|to|in|under|with)\s+)(.+)$", regex.I | regex.S)
_LIST_BREAK = regex.compile(r"\s*,\s*(?:and|or|with|to)?\s*|\s+(?:and|or|versus|vs\.?|with|from|than|as\s+\w+\s+as)\s+", regex.I)
_JOINS = regex.compile(r"\b(?:and|or|versus|vs|with|than|as \w+ as)\b", regex.I)
_NO_MEMBER = regex.compile(r"(?:by|in|under|at|after|before|since|if|when|while|according|because|so|then|not|just|only)\b", regex.I)
_STANDS_FOR = regex.compile(r"^(?:that|those|the one|the ones)\s+(?:for|of|in|on)\s+", regex.I)
_TAIL = regex.compile(r"\s+(?:differ|compare|different|the same|compared)\b.*$", regex.I)
_FROM_TO = regex.compile(
    r"^(?:how|in\s+what\s+way)\s+(?:did|has|have|does|do|was|were|is|are)\s+(.+?)\s+(?:chang|develop|evolv|increas|decreas|mov|differ|rise|risen|rose|grow|grew|fall|fell|drop"
    r"|go|went|gone)\w*(?:\s+(?:up|down))?\s+(?:from|between)\s+(?:the\s+)?(.+?)\s+(?:to|and)\s+(?:the\s+)?(.+?)[?.!]*$",
    regex.I,
)
"""One thing at two times or in two places."""
_ONE_OF = regex.compile(r"^((?:which|who|what)\b[^,]+),\s*((?:the|an?)?\s*[^,]+?),?\s+or\s+([^,]+?)[?.!]*$", regex.I)
"""Two things to choose from."""


def list_items(text: str) -> tuple[str, list[str]]:
    """The head and the members of a list that a question asks about, or no members.

    >>> list_items("Compare the punishments for theft, snatching and theft in a dwelling house")
    ('the punishments for', ['theft', 'snatching', 'theft in a dwelling house'])
    >>> list_items("How did the entry fee change from the Harbour Rules to the Port Act?")
    ('the entry fee', ['Harbour Rules', 'Port Act'])
    """
    if choice := _ONE_OF.match(" ".join(text.split())):
        return choice.group(1), [choice.group(2), choice.group(3)]
    if change := _FROM_TO.match(" ".join(text.split())):
        return change.group(1), [change.group(2), change.group(3)]
    compares = bool(_COMPARE.search(text))
    body = regex.sub(r"[?.!]+\s*$", "", " ".join(text.split()))
    head = ""
    if compares:
        body = regex.sub(r"^.*?\b(?:compare|contrast|distinguish)\s+(?:between\s+)?", "", body, flags=regex.I)
        body = _TAIL.sub("", body)
    if not _JOINS.search(body):
        return "", []
    pieces = [p for p in _LIST_BREAK.split(body) if p and p.strip()]
    if len(pieces) < 2 or any(_NO_MEMBER.match(p) for p in pieces[1:]):
        return "", []
    pieces = [pieces[0], *(_STANDS_FOR.sub("", p) for p in pieces[1:])]
    if match := _HEAD.match(pieces[0]):
        head, pieces[0] = match.group(1).strip(), match.group(2)
    elif not compares:
        return "", []
    if compares and (opening := regex.match(r"^(?:(?:how|what|in what way)\s+)?(?:do|does|is|are|did)\s+(?:the\s+)?", pieces[0], flags=regex.I)):
        pieces[0] = pieces[0][opening.end() :]
    return head, [p.strip() for p in pieces if any(w.stem not in SKIP for w in words(p))]


def listed_parts(part: Part, rarity: Callable[[str], float]) -> list[Part]:
    """A part for each member of the list that the part asks about; empty where it asks about no list."""
    head, items = list_items(part.text)
    if len(items) < 2:
        return []
    parts = []
    for item in items:
        made = part_of(f"{head} {item}".strip(), rarity, subject=f"{head} {item}".strip())
        parts.append(replace(made, kind=part.kind))
    return parts


def compares(part: Part) -> bool:
    """Whether the part sets things against one another: each has to be told then."""
    return bool(_COMPARE.search(part.text) or _FROM_TO.match(part.text))
