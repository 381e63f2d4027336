"""Bytes to text: byte order marks first, then UTF-8, then UTF-16 by its zero bytes or by its script, then UTF-8 with stray bytes, then the 8-bit
encodings."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter

import regex

from components.converters.mojibake import mended

SAMPLE = 200_000  # bytes that charset-normalizer looks at: enough to tell an encoding, and its time grows with the length
MIXED = "utf-8 with cp1252"  # the name of UTF-8 among which single bytes of an 8-bit encoding stand
_BOMS = [  # the UTF-32 mark begins with the UTF-16 one, so it comes first
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
]
_FINAL_AT_END = re.compile(rb"[\xe0-\xfa][\xea\xed\xef\xf3\xf5](?![\xe0-\xfa])")
_FINAL_INSIDE = re.compile(rb"[\xea\xed\xef\xf3\xf5][\xe0-\xfa]")
_STRAY = re.compile("[\udc80-\udcff]+")  # how the handler surrogateescape marks bytes that are not UTF-8
WESTERN = ("cp1252", "mac_roman", "cp850", "latin-1")
"""8-bit encodings of Western Europe, the likeliest first; all bytes are in the last."""
_ODD = regex.compile(r"[\x80-\x9f]|(?<=\p{Ll})[^\x00-\x7f\p{Ll}\p{Lo}\p{M}\p{P}\p{N}\p{Z}](?!\p{Lu})|(?<=\p{L})[‚ƒ„†‡ˆ‰‹›¡¿](?=\p{L})")
_CONTROL = re.compile(r"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]")


class NotTextError(ValueError):
    """The bytes are not text in any encoding that is tried."""


def decode(data: bytes) -> tuple[str, str]:
    """Decode the bytes of a text file.

    Line ends become `\\n` and NUL characters go (a database text column refuses them).

    :param data: the whole file.
    :returns: the text and the name of the encoding that was used, or `MIXED`.
    :raises NotTextError: the bytes look binary.

    >>> decode("naïve".encode("utf-16"))
    ('naïve', 'utf-16-le')
    """
    text, encoding = _decode(data)
    if text.count("\0") > max(2, len(text) // 8):
        raise NotTextError("the content is binary, not text")
    text = text.replace("\0", "")
    if _is_binary(text):
        raise NotTextError("the content is binary, not text")
    return text.replace("\r\n", "\n").replace("\r", "\n"), encoding


def read_text(data: bytes) -> tuple[str, list[str]]:
    """As `decode`, with text that was encoded twice mended where that is certain.

    :returns: the text, and what a reader should know of how the bytes became text, a line each.
    :raises NotTextError: the bytes look binary.

    >>> read_text("Eine Gebühr für alle".encode().decode("cp1252").encode())[0]
    'Eine Gebühr für alle'
    """
    text, encoding = decode(data)
    text, notices = mended(text)
    return text, [*decoding_notices(data, encoding), *notices]


def decoding_notices(data: bytes, encoding: str) -> list[str]:
    """What a reader should know of how bytes became text, a line each.

    :param data: the whole file.
    :param encoding: the name that `decode` gave.

    >>> decoding_notices(b"a\\0b", "utf-8")
    ['1 NUL character was removed']
    """
    notices = []
    if encoding == MIXED:
        notices.append("the encoding is mixed: bytes that are not UTF-8 were read as Windows-1252")
    elif not encoding.startswith("utf"):
        notices.append(f"not UTF-8: the encoding was taken for {encoding.replace('_', '-')} by the bytes; look whether its letters are right")
    nul = 0 if encoding.startswith(("utf-16", "utf-32")) else data.count(0)
    if nul:
        notices.append(f"{nul} NUL character{' was' if nul == 1 else 's were'} removed")
    return notices


def _decode(data: bytes) -> tuple[str, str]:
    for bom, name in _BOMS:
        if data.startswith(bom):
            if name == "utf-8" and (mixed := _mixed(data[len(bom) :])):
                return mixed
            return data[len(bom) :].decode(name, "replace"), name
    try:
        text = data.decode("utf-8")
        if text.count("\0") <= len(text) // 8 and not _is_binary(text):
            return text, "utf-8"
    except UnicodeDecodeError:
        pass
    wide = _utf16_without_mark(data) or _utf16_of_a_script(data)
    if wide:
        return data.decode(wide, "replace"), wide
    return _mixed(data) or _eight_bit(data)


def _mixed(data: bytes) -> tuple[str, str] | None:
    """UTF-8 with stray bytes: those of Latin text are cp1252, pasted from another file; a few in another script are damage.

    Text in an 8-bit encoding holds valid sequences of UTF-8 by chance only: fewer of them than bytes that are none.
    """
    text = data.decode("utf-8", "surrogateescape")
    valid = text.encode("utf-8", "ignore").decode()
    stray, foreign = len(text) - len(valid), _count_beyond(valid, "ascii")
    if not stray or stray > foreign:
        return None
    if 2 * _count_beyond(valid, "cp1252") <= foreign:
        return _STRAY.sub(lambda run: run[0].encode("utf-8", "surrogateescape").decode("cp1252", "replace"), text), MIXED
    return (data.decode("utf-8", "replace"), "utf-8") if stray * 20 <= foreign else None


def _count_beyond(text: str, encoding: str) -> int:
    """How many characters an encoding lacks."""
    return len(text) - len(text.encode(encoding, "ignore"))


def _utf16_without_mark(data: bytes) -> str | None:
    """UTF-16 without a mark shows in the zero bytes of its ASCII characters: all at odd, or all at even places."""
    sample = data[:SAMPLE]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    few, many = len(sample) // 40, len(sample) // 8
    if odd > many and even <= few:
        return "utf-16-le"
    if even > many and odd <= few:
        return "utf-16-be"
    return None


def _utf16_of_a_script(data: bytes) -> str | None:
    """UTF-16 without a mark, of a text in a script beyond Latin: read so, it is words of one script or two, which other bytes never are."""
    sample = data[: SAMPLE // 20 * 2]
    if len(data) % 2 or len(sample) < 32:
        return None
    for encoding in ("utf-16-le", "utf-16-be"):
        text = sample.decode(encoding, "replace")
        blocks = Counter(ord(c) >> 8 for c in text)
        words = sum(unicodedata.category(c)[0] in "LMNPZ" or c in "\n\r\t" for c in text)
        if words > 0.95 * len(text) and sum(count for _, count in blocks.most_common(3)) > 0.95 * len(text) and blocks[0] > len(text) // 20:
            return encoding
    return None


def _is_binary(text: str) -> bool:
    """Whether there are more control characters than text has."""
    sample = text[:SAMPLE]
    count = len(_CONTROL.findall(sample))
    return count > max(2, len(sample) // 50) or 4 * count > len(sample)


def _is_hebrew(sample: bytes) -> bool:
    """Whether the high bytes are Hebrew letters, of which five have a form that stands at the end of words alone.

    Statistics take a short Hebrew text for Cyrillic, whose small letters have the same bytes; there, those five are common inside words.
    """
    high = [byte for byte in sample if byte > 127]
    if len(high) < 8 or sum(0xE0 <= byte <= 0xFA for byte in high) < len(high):
        return False
    return _FINAL_AT_END.search(sample) is not None and _FINAL_INSIDE.search(sample) is None


def _eight_bit(data: bytes) -> tuple[str, str]:
    from charset_normalizer import from_bytes

    sample = data[:SAMPLE]
    high = sum(1 for b in sample if b > 127)
    if high and _is_hebrew(sample):
        return data.decode("cp1255", "replace"), "cp1255"
    if high * 8 > len(sample):  # a non-Latin script; with fewer high bytes, statistics have too little to go on
        best = from_bytes(sample).best()
        if best is not None:
            return data.decode(best.encoding, "replace"), best.encoding
    western = {encoding: data.decode(encoding) for encoding in WESTERN if _fits(data, encoding)}
    best = min(western, key=lambda encoding: _odd(western[encoding][:SAMPLE]))
    return western[best], best


def _fits(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _odd(text: str) -> int:
    """Letters and signs where no word of a Latin script has them: capitals and signs inside or behind small letters, and control characters."""
    return len(_ODD.findall(text))
