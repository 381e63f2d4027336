"""Hostile files, made in memory: small to write, costly to read for a parser that trusts them."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib

from tests.components.routers.containers import mail, zipped

DOCX_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
DOCX_RELS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Target="word/document.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>'
)
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx(body: str, prolog: str = "") -> bytes:
    """A Word file of one part, as raw XML."""
    document = f"{prolog}<w:document {WORD}><w:body>{body}</w:body></w:document>"
    return zipped(("[Content_Types].xml", DOCX_TYPES), ("_rels/.rels", DOCX_RELS), ("word/document.xml", document))


def billion_laughs() -> str:
    """A document type whose one entity grows to a billion words."""
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "laugh ">{entities}]>'


def quadratic_entity() -> str:
    """One long entity, named often: no nesting that a parser could count."""
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "{"a" * 50_000}">]>'


def external_entity(path: str = "/etc/passwd") -> str:
    """A document type that reads a file of the machine."""
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY x SYSTEM "file://{path}"><!ENTITY % p SYSTEM "http://127.0.0.1:9/x.dtd"> %p;]>'


def deep_paragraphs(depth: int) -> bytes:
    """A Word file of tables in tables."""
    return docx("<w:tbl><w:tr><w:tc>" * depth + "<w:p><w:r><w:t>bottom</w:t></w:r></w:p>" + "</w:tc></w:tr></w:tbl>" * depth)


def zip_bomb(megabytes: int) -> bytes:
    """An archive of zeros."""
    return zipped(*((f"{n}.txt", b"\0" * 10_000_000) for n in range(megabytes // 10)))


def overlapping_zip(copies: int, size: int = 10_000_000) -> bytes:
    """An archive whose directory names one packed file many times: it grows without being nested."""
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packed.compress(b"\0" * size) + packed.flush()
    crc = zlib.crc32(b"\0" * size)
    local = struct.pack("<4s5H3I2H", b"PK\x03\x04", 20, 0, 8, 0, 0, crc, len(body), size, 5, 0) + b"a.txt" + body
    entries = b"".join(
        struct.pack("<4s6H3I5H2I", b"PK\x01\x02", 20, 20, 0, 8, 0, 0, crc, len(body), size, len(name), 0, 0, 0, 0, 0, 0) + name
        for name in (f"{n:05}.txt".encode() for n in range(copies))
    )
    return local + entries + struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, copies, copies, len(entries), len(local), 0)


def lying_zip() -> bytes:
    """An archive that states a small size and holds a large file."""
    data = bytearray(zipped(("a.txt", b"\0" * 50_000_000)))
    directory = data.rindex(b"PK\x01\x02")
    data[22:26] = data[directory + 24 : directory + 28] = struct.pack("<I", 100)
    return bytes(data)


def nested_zips(depth: int, width: int = 2) -> bytes:
    """Archives in archives: `width ** depth` files at the bottom."""
    data = b"bottom"
    name = "bottom.txt"
    for level in range(depth):
        data, name = zipped(*((f"{n}-{name}", data) for n in range(width))), f"level{level}.zip"
    return data


def self_like_zip(entries: int) -> bytes:
    """A directory of many empty files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for n in range(entries):
            archive.writestr(f"{n}.txt", "")
    return buffer.getvalue()


def deep_mail(depth: int) -> bytes:
    """Multipart in multipart."""
    head = "From: a@example.org\nTo: b@example.org\nSubject: deep\nMIME-Version: 1.0\n"
    body = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(depth))
    return (head + body + "Content-Type: text/plain\n\nbottom\n").encode()


def mails_in_mails(depth: int) -> bytes:
    """An attached mail in an attached mail."""
    message = mail("bottom")
    for n in range(depth):
        outer = mail(f"level {n}")
        outer.add_attachment(message)
        message = outer
    return bytes(message)


def page_tree_loop() -> bytes:
    """A PDF whose page tree is its own child."""
    return b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 1000000>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"


def pdf_of_bombs() -> bytes:
    """A PDF page whose content unpacks to a gigabyte of spaces, through two filters."""
    packer = zlib.compressobj(9)
    inner = b"".join(packer.compress(b" " * 10_000_000) for _ in range(100)) + packer.flush()
    body = zlib.compress(inner, 9)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>>",
        b"<</Length %d/Filter[/FlateDecode/FlateDecode]>>stream\n%s\nendstream" % (len(body), body),
    ]
    out = b"%PDF-1.4\n"
    places = []
    for number, item in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj%sendobj\n" % (number, item)
    table = b"xref\n0 5\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + table + b"trailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(out)


def deep_json(depth: int) -> bytes:
    """Lists in lists."""
    return b"[" * depth + b"1" + b"]" * depth


def wide_json(keys: int) -> bytes:
    """One object of many names."""
    return json.dumps({f"key{n}": n for n in range(keys)}).encode()


def deep_html(depth: int) -> bytes:
    """Boxes in boxes."""
    return b"<html><body>" + b"<div>" * depth + b"bottom" + b"</div>" * depth + b"</body></html>"


def unclosed_html(count: int) -> bytes:
    """Tags that never end, for parsers that keep them all open."""
    return b"<html><body>" + b"<b><i><a href='x'>" * count + b"text"


def wide_csv(columns: int) -> bytes:
    """A table of many columns."""
    return (",".join(f"c{n}" for n in range(columns)) + "\n" + ",".join("v" for _ in range(columns)) + "\n").encode()


def long_csv(rows: int) -> bytes:
    """A table of many rows."""
    return b"id,text\n" + b"".join(b"%d,row\n" % n for n in range(rows))


def open_quote_csv(size: int) -> bytes:
    """A table whose first cell never ends."""
    return b'id,text\n1,"' + b"never ends, " * (size // 12)


TEXTS: dict[str, str] = {
    "no space": "A",
    "spaces": " ",
    "space and letter": " a",
    "line ends": "\n",
    "dots": ".",
    "dots and spaces": ". ",
    "open brackets": "(",
    "brackets": "()",
    "dashes": "-",
    "pipes": "|",
    "table rows": "| a |\n",
    "hashes": "#",
    "numbers": "1.",
    "numbered lines": "1.1 A\n",
    "abbreviations": "e.g. ",
    "quotes": '"',
    "stars": "*",
    "underscores": "_",
    "back ticks": "`",
    "tabs": "\t",
    "joined marks": "a\u0301\u0301",
    "joiners": "\u200d",
    "directions": "\u202e",
    "emoji": "\U0001f468\u200d",
    "angle brackets": "<",
    "comments": "<!--",
    "declarations": "<!DOCTYPE x [",
    "processing": "<?x ",
    "ampersands": "&amp;",
    "hyphens at line ends": "a-\n",
    "section references": "section 3 of the Act, ",
    "provisos": "Provided that ",
    "headers of mail": "From: a\n",
    "braces": "{",
    "devanagari": "क्",
}
"""Units that, repeated, have sent regular expressions of parsers into the quadratic or worse."""
