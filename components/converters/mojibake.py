"""Text that was UTF-8, read as an 8-bit encoding and saved again ("fÃ¼r"): mended where that is certain, else told. Over ftfy."""

from __future__ import annotations

import re

_BEYOND_ASCII = re.compile(r"[^\n]*[^\x00-\x7f][^\n]*")
SHOWN = 24
"""Characters of an example in a notice."""


def mended(text: str) -> tuple[str, list[str]]:
    """The text without double encoding, and what was done, a line each.

    A line is mended only where all of it that is beyond ASCII goes back to valid UTF-8 as one; ftfy's guesses of lost bytes and of parts of a line
    are not taken. A line that still looks double encoded stays, and is told.

    >>> mended("20 â‚¬ fÃ¼r alle")[0]
    '20 € für alle'
    >>> mended("aus für wird fÃ¼r")
    ('aus für wird fÃ¼r', ['the text looks damaged by a wrong encoding (1 line): fÃ¼r'])
    """
    if text.isascii():
        return text, []
    from ftfy import TextFixerConfig, fix_encoding_and_explain
    from ftfy.badness import BADNESS_RE, is_bad

    certain = TextFixerConfig(
        restore_byte_a0=False,
        replace_lossy_sequences=False,
        decode_inconsistent_utf8=False,
        fix_c1_controls=False,
    )
    done: list[tuple[str, str]] = []
    left: list[str] = []

    def line_mended(match: re.Match[str]) -> str:
        line = match.group()
        if not is_bad(line):
            return line
        fixed, _ = fix_encoding_and_explain(line, certain)
        if fixed != line:
            done.append((line, fixed))
        if is_bad(fixed):
            left.append(_around(fixed, BADNESS_RE.search(fixed)))
        return fixed

    text = _BEYOND_ASCII.sub(line_mended, text)
    notices = []
    if done:
        example = " → ".join(_around(line, None) for line in done[0])
        notices.append(f"UTF-8 that had been read in another encoding and saved again was mended ({_lines(len(done))}): {example}")
    if left:
        notices.append(f"the text looks damaged by a wrong encoding ({_lines(len(left))}): {left[0]}")
    return text, notices


def _lines(count: int) -> str:
    return f"{count} line{'s' * (count != 1)}"


def _around(line: str, found: re.Match[str] | None) -> str:
    """The word of a line where damage was found, or of its first character beyond ASCII."""
    at = found.start() if found else next((i for i, c in enumerate(line) if ord(c) > 127), 0)
    words = list(re.finditer(r"\S+", line))
    word = next((w for w in words if w.end() > at), words[-1])
    start = max(word.start(), at - SHOWN // 2)
    return line[start : min(word.end(), start + SHOWN)]
