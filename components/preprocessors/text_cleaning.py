"""Removes from a text what a reader does not see and a retriever must not meet. Pure functions; cleaning twice changes nothing."""

from __future__ import annotations

import unicodedata

import regex

from components.blocks import BlockKind

_LINE_BREAK = regex.compile("\r\n|[\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
_SOFT_BREAK = regex.compile("\u00ad[ \t]*\n[ \t]*")
# Zero-width characters, bidirectional controls, soft hyphens, invisible operators, tag characters, other controls, non-characters.
# Joiners (ZWNJ, ZWJ) are looked at apart.
_INVISIBLE = regex.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef"
    "\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a]"
    "|(?<!\\p{Han})[\U000e0100-\U000e01ef]"
)
_NAMED = {
    "bidirectional control": regex.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"),
    "zero-width character": regex.compile("[\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\u3164\ufeff\uffa0]"),
    "hidden tag or selector": regex.compile("[\U000e0000-\U000e007f]|(?<!\\p{Han})[\U000e0100-\U000e01ef]"),
}
"""What a reader should know was removed: it reorders, splits or hides words. Soft hyphens and other controls are ordinary."""
_SURROGATE = regex.compile("[\ud800-\udfff]")
_JOINERS = regex.compile("[\u200c\u200d]+")
_SPACE = regex.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_RUN = regex.compile(r"[ \t]+")
_TRAILING = regex.compile(r"(?<![ \t])[ \t]++(?=\n|\Z)")  # from the start of a run only: a long one within a line is looked at once
_LEADING = regex.compile(r"^[ \t]+", regex.M)
_BLANK_LINES = regex.compile(r"\n{3,}")
_JOINING = regex.compile(
    r"[\p{Arabic}\p{Syriac}\p{Mongolian}\p{Nko}\p{Mandaic}\p{Adlam}\p{Devanagari}\p{Bengali}\p{Gurmukhi}\p{Gujarati}\p{Oriya}\p{Tamil}\p{Telugu}"
    r"\p{Kannada}\p{Malayalam}\p{Sinhala}\p{Tibetan}\p{Myanmar}\p{Khmer}\p{Javanese}\p{Balinese}\p{Meetei_Mayek}\p{Brahmi}\p{Chakma}\p{Grantha}]"
)
_EMOJI = regex.compile(r"\p{Extended_Pictographic}|[\ufe0f\U0001f3fb-\U0001f3ff]")
_HYPHENATED = regex.compile(r"(?<![\p{L}\p{M}])((?:\p{L}\p{M}*){2,})[-\u2010][ \t]*\n[ \t]*(?=((?:\p{Ll}\p{M}*){2,}))")
_COMPOUND = regex.compile(r"((?:\p{L}\p{M}*)++)-(?=((?:\p{Ll}\p{M}*){2,}+))")
_POINTS_SHOWN = 4
_HANGING = frozenset({"and", "or", "nor", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e"})
"""Words after which a hyphen at a line end is not one of the line: "pre-\nand post-war"."""


def clean_text(text: str, kind: BlockKind = "paragraph") -> str:
    """Clean one block.

    Removed: zero-width characters (joiners stay where Indic and Arabic scripts and emoji need them), bidirectional and other controls, soft
    hyphens, tag characters, trailing spaces. Normalised: Unicode NFC, line breaks to `\\n`, every kind of space to a space. Outside tables and
    code, runs of spaces become one; outside tables, code and lists a line is not indented; in paragraphs a word hyphenated at a line end is
    joined. Line breaks stay otherwise.

    >>> clean_text("The infor-\\nmation\\u200b  is\\u00a0here. ")
    'The information is here.'
    """
    text = _SURROGATE.sub("\ufffd", text)
    text = _LINE_BREAK.sub("\n", text)
    text = _SPACE.sub(" ", text)
    fixed = kind in ("table", "code")
    if not fixed:
        text = _SOFT_BREAK.sub("", text)
    text = _INVISIBLE.sub("", text)
    text = unicodedata.normalize("NFC", _JOINERS.sub(_kept_joiner, text))
    if not fixed:
        text = _RUN.sub(" ", text) if kind != "list" else _collapse_inside(text)
    text = _TRAILING.sub("", text)
    if not fixed and kind != "list":
        text = _LEADING.sub("", text)
    if kind == "paragraph":
        text = _join_hyphenated(text)
    if not fixed:
        text = _BLANK_LINES.sub("\n\n", text)
    return text.strip("\n")


def removed_controls(text: str) -> list[str]:
    """What `clean_text` takes out of a text that may mislead a reader or hide words, counted and named, a line a kind.

    >>> removed_controls("pay\\u202e001\\u202c rupees")
    ['2 bidirectional controls removed (U+202C, U+202E)']
    """
    lines = []
    for name, pattern in _NAMED.items():
        found = pattern.findall(text)
        if name == "zero-width character":
            found += [match.group()[0] for match in _JOINERS.finditer(text) if not _kept_joiner(match)]
        if found:
            points = [f"U+{ord(character):04X}" for character in sorted(set(found))]
            shown = ", ".join(points[:_POINTS_SHOWN]) + (f" and {len(points) - _POINTS_SHOWN} more" if len(points) > _POINTS_SHOWN else "")
            lines.append(f"{len(found)} {name}{'s' if len(found) != 1 else ''} removed ({shown})")
    return lines


def _kept_joiner(match: regex.Match[str]) -> str:
    text, joiner = match.string, match.group()[0]
    before = text[match.start() - 1] if match.start() else ""
    after = text[match.end()] if match.end() < len(text) else ""
    if before and _JOINING.match(before):
        virama = unicodedata.combining(before) == 9  # a half letter at the end of a word: क्‍
        if (after and _JOINING.match(after)) or (virama and joiner == "\u200d"):
            return joiner
    if joiner == "\u200d" and before and after and _EMOJI.match(before) and _EMOJI.match(after):
        return joiner
    return ""


def _collapse_inside(text: str) -> str:
    """One space for a run, except for the indentation of a line."""
    lines = text.split("\n")
    return "\n".join(line[: len(line) - len(line.lstrip(" \t"))] + _RUN.sub(" ", line.lstrip(" \t")) for line in lines)


def _join_hyphenated(text: str) -> str:
    """Join "infor-\\nmation"; keep the hyphen where the same compound is written with it elsewhere in the text."""

    compounds = {match.groups() for match in _COMPOUND.finditer(text)} if _HYPHENATED.search(text) else set()

    def joined(match: regex.Match[str]) -> str:
        left, right = match.group(1), match.group(2)
        if right in _HANGING:
            return match.group()
        return f"{left}-" if (left, right) in compounds else left

    while (shorter := _HYPHENATED.sub(joined, text)) != text:
        text = shorter
    return text
