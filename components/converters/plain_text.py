"""The structure of plain text: paragraphs, headings, lists and code, told apart by blank lines, capitals and indentation."""

from __future__ import annotations

import base64
import binascii
import re
import textwrap

from components.converters.decoding import NotTextError, decode
from components.converters.extracted import Extracted
from components.converters.outcome import Parts, first_heading

BULLET = re.compile(r"\s*(?:[-*•‣▪◦–]|\(?\d{1,3}[.)]|\(?[a-z]{1,3}\))\s+\S", re.IGNORECASE)
_UNDERLINE = re.compile(r"(={3,}|-{3,}|~{3,})\s*")
_CODE = re.compile(
    r"[{};=<>\\|$#~]|\w\(|^\s*(?:def|class|if|for|while|return|import|from|function|var|let|const|sudo|git|pip|npm|cd)\b", re.MULTILINE
)
_MAX_HEADING = 80  # characters


_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_LEAST_BASE64 = 40  # characters


def read_plain(text: str) -> Extracted:
    """Read plain text. One that is nothing but base64, as the body of a mail cut from its headers is, is decoded first."""
    decoded = decode_base64(text)
    notices = ["the whole text was base64 and was decoded"] if decoded else []
    parts = plain_text_parts(decoded or text)
    return Extracted(parts, first_heading(parts[:1]), None, notices)  # a heading further down is a chapter, not the title


def read_yaml(text: str) -> Extracted:
    """Read YAML as the text it is: its indentation carries the meaning, so it is one block of code for each document in the file."""
    documents = re.split(r"(?m)^---[ \t]*(?:#.*)?$|^\.\.\.[ \t]*$", text)
    return Extracted([(document.strip("\n").rstrip(), {"kind": "code"}) for document in documents if document.strip()])


def read_code(text: str) -> Extracted:
    """Read a source file as the text it is: one block of code."""
    return Extracted([(text.strip("\n").rstrip(), {"kind": "code"})])


def decode_base64(text: str) -> str:
    """What a text in base64 says; empty where it is none, or holds no text.

    A code in hexadecimal or one long word is none: it lacks capitals, small letters, or digits.

    >>> decode_base64("VHdlbnR5IGRheXMgb2YgYW5udWFsIGxlYXZlIGEgeWVhci4="), decode_base64("Twenty days")
    ('Twenty days of annual leave a year.', '')
    """
    compact = re.sub(r"\s+", "", text)
    lines = text.split()
    if len(compact) < _LEAST_BASE64 or not _BASE64.fullmatch(compact) or any(len(line) != len(lines[0]) for line in lines[:-1]):
        return ""
    if not all(any(test(c) for c in compact) for test in (str.isupper, str.islower, str.isdigit)):
        return ""
    try:
        decoded, _ = decode(base64.b64decode(compact, validate=True))
    except (binascii.Error, NotTextError):
        return ""
    return decoded if decoded.strip() and sum(c.isprintable() or c.isspace() for c in decoded) >= 0.98 * len(decoded) else ""


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
        if all(line.startswith(("    ", "\t")) or not line.strip() for line in lines) and _CODE.search(block):
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
            parts.append((textwrap.dedent(block), {"kind": "list"}))
        else:
            parts.append((block.strip(), {"kind": "paragraph"}))
    return parts


def _is_capitals(line: str) -> bool:
    """Whether a line is short, has at least three letters, and all of them are capitals of a script that has both cases."""
    letters = [c for c in line if c.isalpha()]
    return len(letters) >= 3 and len(line.strip()) <= _MAX_HEADING and all(c.isupper() for c in letters) and not line.rstrip().endswith((",", ";"))
