"""The structure of plain text: paragraphs, headings, lists and code, told apart by blank lines, capitals and indentation."""

from __future__ import annotations

import re

from components.converters.outcome import Parts

BULLET = re.compile(r"\s*(?:[-*•‣▪◦–]|\(?\d{1,3}[.)]|\(?[a-z]{1,3}\))\s+\S", re.IGNORECASE)
_UNDERLINE = re.compile(r"(={3,}|-{3,}|~{3,})\s*")
_MAX_HEADING = 80  # characters


def plain_text_parts(text: str) -> Parts:
    """Split plain text into blocks; no character but blank lines and underlines of headings is lost.

    A block is what stands between blank lines. It is a heading if it is one line in capitals, or underlined; code if every line
    is indented by four columns or a tab; a list if every item begins with a bullet or a number; a paragraph otherwise.

    >>> [fields["kind"] for _, fields in plain_text_parts("LEAVE\\n\\nTwenty days.\\n\\n- one\\n- two")]
    ['heading', 'paragraph', 'list']
    """
    parts: Parts = []
    for raw in re.split(r"\n[ \t\f\v\xa0]*\n", text.replace("\f", "\n\n")):
        block = raw.strip("\n").rstrip()
        if not block.strip():
            continue
        lines = block.split("\n")
        if all(line.startswith(("    ", "\t")) or not line.strip() for line in lines):
            if parts and parts[-1][1]["kind"] == "code":
                parts[-1] = (f"{parts[-1][0]}\n\n{block}", parts[-1][1])
            else:
                parts.append((block, {"kind": "code"}))
            continue
        if len(lines) >= 2 and _UNDERLINE.fullmatch(lines[1]) and len(lines[0].strip()) <= _MAX_HEADING:
            parts.append((lines[0].strip(), {"kind": "heading", "level": 1 if lines[1][0] == "=" else 2}))
            lines = lines[2:]
            if not lines:
                continue
            block = "\n".join(lines)
        if len(lines) == 1 and _is_capitals(lines[0]):
            parts.append((block.strip(), {"kind": "heading", "level": 1}))
        elif BULLET.match(lines[0]) and (sum(bool(BULLET.match(line)) for line in lines) > 1 or lines[0].lstrip()[0] in "-*•‣▪◦"):
            parts.append((block, {"kind": "list"}))
        else:
            parts.append((block.strip(), {"kind": "paragraph"}))
    return parts


def _is_capitals(line: str) -> bool:
    """Whether a line is short, has at least three letters, and all of them are capitals of a script that has both cases."""
    letters = [c for c in line if c.isalpha()]
    return len(letters) >= 3 and len(line.strip()) <= _MAX_HEADING and all(c.isupper() for c in letters) and not line.rstrip().endswith((",", ";"))
