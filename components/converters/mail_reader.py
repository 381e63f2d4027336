"""Mails (eml, mht) and Outlook messages (msg) to blocks: their fields, then their body. Attachments are sources of their own."""

from __future__ import annotations

import contextlib
import email
import email.header
import email.policy
import io
import re
from email.errors import HeaderParseError
from email.message import Message
from typing import Any

from components.converters.decoding import NotTextError, decode
from components.converters.extracted import Extracted
from components.converters.html_reader import read_html
from components.converters.outcome import Parts, UnreadableError, one_line
from components.converters.plain_text import plain_text_parts

_FIELDS = ("Subject", "From", "To", "Cc", "Date")
_ENCRYPTED = {
    "multipart/encrypted": "PGP or MIME",
    "application/pgp-encrypted": "PGP",
    "application/pkcs7-mime": "S/MIME",
    "application/x-pkcs7-mime": "S/MIME",
}
_ADDRESS = re.compile(r"<?https?://\S+")
_ARMOUR = re.compile(r"\A\s*-----BEGIN PGP MESSAGE-----")


def read_mail(data: bytes, attachments: list[str]) -> Extracted:
    """Read an eml file, each part in its own encoding.

    Of alternatives the HTML one is read, for it has the structure, unless it holds much less than the plain one. `unstructured.partition.email`
    fails on a misspelt encoding and takes the text of attachments for that of the mail.

    :param attachments: their names.
    :raises UnreadableError: encrypted, or nothing to read in it.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:200]:  # UTF-16, as mail programs do not write it but people save it
        with contextlib.suppress(NotTextError):  # a stray NUL in what is a mail all the same
            data = decode(data)[0].encode()
    message = email.message_from_bytes(data.lstrip(), policy=email.policy.compat32)
    _refuse_encrypted({part.get_content_type(): part.get_param("smime-type", "") for part in message.walk()})
    parts, notices = _body(message)
    return _with_fields({name: _header(message, name) for name in _FIELDS}, parts, notices, attachments)


def read_outlook(data: bytes, attachments: list[str]) -> Extracted:
    """Read a msg file with `python-oxmsg`; see `read_mail`."""
    import oxmsg

    message = oxmsg.Message.load(io.BytesIO(data))
    headers = {name.lower(): value for name, value in message.message_headers.items()}
    stated = email.message_from_string(f"Content-Type: {headers.get('content-type') or 'text/plain'}\n\n")
    names = [(attachment.file_name or "").lower() for attachment in message.attachments]
    kinds: dict[str, Any] = {stated.get_content_type(): stated.get_param("smime-type", "")}
    if message.message_class.upper().startswith("IPM.NOTE.SMIME") and "MULTIPARTSIGNED" not in message.message_class.upper():
        kinds["application/pkcs7-mime"] = ""
    if any(name.endswith(".pgp-encrypted") for name in names):
        kinds["application/pgp-encrypted"] = ""
    _refuse_encrypted(kinds)
    fields = {name: _decoded(headers.get(name.lower(), "")) for name in _FIELDS}
    fields["Subject"] = one_line(message.subject or "") or fields["Subject"]
    fields["From"] = fields["From"] or one_line(message.sender or "")
    fields["To"] = fields["To"] or ", ".join(one_line(f"{r.name} <{r.email_address}>") for r in message.recipients)
    fields["Date"] = fields["Date"] or (message.sent_date.isoformat(" ", "minutes") if message.sent_date else "")
    return _with_fields(fields, *_best(_html_parts(message.html_body or ""), plain_text_parts(_unified(message.body or ""))), attachments=attachments)


def _unified(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _refuse_encrypted(kinds: dict[str, Any]) -> None:
    for kind, name in _ENCRYPTED.items():
        if kind in kinds and "signed" not in str(kinds[kind] or ""):
            raise UnreadableError(f"the message is encrypted ({name}); save it decrypted")


def _with_fields(fields: dict[str, str], parts: Parts, notices: list[str], attachments: list[str]) -> Extracted:
    """The mail's own fields as a first paragraph: who wrote what to whom, and when, is what questions about mail ask."""
    if any(_ARMOUR.match(text) for text, _ in parts[:1]):
        raise UnreadableError("the message is encrypted (PGP); save it decrypted")
    fields = {**fields, "Attachments": ", ".join(attachments)}
    if not parts and not attachments and not fields["Subject"]:
        raise UnreadableError("no text: the message has neither a subject nor a body")
    head = "\n".join(f"{name}: {value}" for name, value in fields.items() if value)
    return Extracted([(head, {"kind": "paragraph"}), *parts], fields["Subject"], None, notices)


def _header(message: Message, name: str) -> str:
    return _decoded(", ".join(str(value) for value in message.get_all(name) or []))


def _decoded(value: str) -> str:
    """A header with its encoded words read; as it stands where they are damaged."""
    try:
        return one_line(str(email.header.make_header(email.header.decode_header(value))))
    except (ValueError, LookupError, HeaderParseError):
        return one_line(value)


def _body(part: Message) -> tuple[Parts, list[str]]:
    """The blocks of the parts that show text, in order, and notices."""
    kind = part.get_content_type()
    if kind == "message/rfc822" or part.get_content_disposition() == "attachment":
        return [], []
    if part.is_multipart():
        payload = part.get_payload()
        inner = [p for p in payload if isinstance(p, Message)] if isinstance(payload, list) else []
        if kind == "multipart/alternative":
            readings = {p.get_content_type(): _body(p) for p in inner}
            plain = readings.pop("text/plain", ([], []))
            rich = next((reading for reading in readings.values() if reading[0]), ([], []))
            return _best(rich, plain[0])
        found = [_body(p) for p in inner]
        return [block for parts, _ in found for block in parts], [notice for _, notices in found for notice in notices]
    if part.get_content_maintype() != "text" or part.get_filename() or kind in ("text/calendar", "text/css", "text/x-amp-html"):
        return [], []
    text = _text(part)
    return _html_parts(text) if kind == "text/html" else (plain_text_parts(text), [])


def _best(rich: tuple[Parts, list[str]], plain: Parts) -> tuple[Parts, list[str]]:
    """The HTML reading, unless it holds less than half of the words of the plain one, which also spells out addresses."""

    def words(parts: Parts) -> int:
        return sum(len(_ADDRESS.sub("", text).split()) for text, _ in parts)

    return rich if rich[0] and 2 * words(rich[0]) >= words(plain) else (plain, rich[1])


def _html_parts(html: str) -> tuple[Parts, list[str]]:
    """Blocks of an HTML body. Headings are bold words there, not the structure of a document, and stay as they are."""
    if not html.strip():
        return [], []
    try:
        page = read_html(html)
    except UnreadableError:
        return [], []
    return page.parts, page.notices


def _text(part: Message) -> str:
    """The text of a part in the encoding it states, or where that is unknown or wrong, in the one that fits."""
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    charset = re.match(r"[\w.:-]+", (part.get_content_charset() or "").strip("\"' "))
    try:
        if charset:
            return payload.decode(charset.group(0)).replace("\r\n", "\n").replace("\0", "")
    except (LookupError, ValueError):
        pass
    try:
        return decode(payload)[0]
    except NotTextError:
        return ""
