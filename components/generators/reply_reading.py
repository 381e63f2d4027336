"""Reads lists and objects out of a chat model's reply, whatever its shape."""

from __future__ import annotations

import json
from typing import Any

import regex

_MARK = regex.compile(r"^\s*(?:[-*•–]+|\(?\d{1,2}[.):]|[A-Za-z][.)])\s+")
_FENCE = regex.compile(r"^\s*```")
_QUOTED = {'"': '"', "'": "'", "“": "”", "`": "`"}
LONGEST_REPLY = 20_000
"""Characters of a reply that are looked at."""


def reply_lines(text: str, at_most: int, longest: int = 400) -> list[str]:
    """The items of a reply: a JSON list, the first list of a JSON object, or its lines, without numbers, bullets and quotation marks.

    :param at_most: items returned, 1 or more.
    :param longest: characters of an item; a longer one is no item but a model that talks, and is left out.
    :returns: the items in order, each once (case and space aside); empty where there are none.

    >>> reply_lines('1. "What is a fee?"\\n2) Who pays it?\\n- who  pays it?', 5)
    ['What is a fee?', 'Who pays it?']
    >>> reply_lines('```json\\n{"queries": ["a fee", "who pays"]}\\n```', 1)
    ['a fee']
    """
    text = text[:LONGEST_REPLY]
    found = _json_items(text)
    lines = found if found is not None else [line for line in text.splitlines() if not _FENCE.match(line)]
    items: dict[str, str] = {}
    for line in lines:
        item = _bare(line)
        if not item or len(item) > longest or (found is None and item.endswith(":")):  # "Here are the queries:"
            continue
        items.setdefault(item.casefold(), item)
    return list(items.values())[:at_most]


def reply_object(text: str) -> dict[str, Any] | None:
    """The first JSON object of a reply; None where it holds none.

    >>> reply_object('Sure! {"verdict": "correct"} Anything else?')
    {'verdict': 'correct'}
    """
    found = _first(text[:LONGEST_REPLY], "{")
    return found if isinstance(found, dict) else None


def _json_items(text: str) -> list[str] | None:
    at = min((i for i in (text.find("["), text.find("{")) if i >= 0), default=-1)
    if at < 0 or text[:at].count("\n") > 3:
        return None
    found = _first(text[at:], text[at])
    if isinstance(found, dict):
        found = next((value for value in found.values() if isinstance(value, list)), None)
    if not isinstance(found, list) or not found or not all(isinstance(item, str) for item in found):
        return None
    return found


def _first(text: str, opening: str) -> Any:
    decoder = json.JSONDecoder()
    at = text.find(opening)
    for _ in range(20):  # a text full of braces is not searched to its end
        if at < 0:
            return None
        try:
            return decoder.raw_decode(text[at:])[0]
        except (ValueError, RecursionError):
            at = text.find(opening, at + 1)
    return None


def _bare(line: str) -> str:
    item = " ".join(_MARK.sub("", line).split())
    while len(item) > 1 and _QUOTED.get(item[0]) == item[-1]:
        item = item[1:-1].strip()
    return item
