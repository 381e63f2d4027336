"""Text of a parsed sentence with some words left out or written otherwise, commas and spaces mended."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Span, Token


def rewritten(sentence: Span, drop: Iterable[int] = (), replace: Mapping[int, str] | None = None) -> str:
    """The sentence without the tokens at `drop`, and with other text for those of `replace`; both by their place in the document."""
    gone = set(drop)
    other = replace or {}
    return tidy("".join(("" if token.i in gone else other.get(token.i, token.text)) + token.whitespace_ for token in sentence))


def tidy(text: str) -> str:
    """Spaces and commas as a person would write them, a capital first, a full stop last.

    >>> tidy("the club ,  , opens at 7 , .")
    'The club, opens at 7.'
    """
    text = " ".join(text.split())
    text = re.sub(r"\s+([,.;:!?%)\]])", r"\1", text)
    text = re.sub(r"([(\[])\s+", r"\1", text)
    text = re.sub(r"\(\s*\)|\[\s*\]", "", text)
    text = re.sub(r"([,;:])(?:\s*[,;:])+", r"\1", text)
    text = re.sub(r"[,;:\s]+([.!?])$", r"\1", text)
    text = re.sub(r"^[,;:.\s]+", "", text)
    text = " ".join(text.split()).rstrip(" ,;:")
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def subtree(token: Token) -> list[int]:
    """Places of a token and all that depends on it."""
    return [part.i for part in token.subtree]


def phrase(token: Token) -> str:
    """Text of a token and all that depends on it."""
    return " ".join("".join(part.text_with_ws for part in token.subtree).split()).strip(" ,;:.")


def lower_first(text: str, name: bool) -> str:
    """The text with a small first letter, unless it begins with a name."""
    return text if name or text[:2].isupper() else text[:1].lower() + text[1:]
