"""The attachments of a mail, of an eml or an Outlook file."""

from __future__ import annotations

import email
import email.policy
import io
import mimetypes
from collections.abc import Iterator
from email.message import EmailMessage, Message
from typing import Any

from components.converters.outcome import one_line
from components.routers.container_members import Budget, Unpacked

_SIGNATURES = {"application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature", "application/pgp-encrypted"}


def mail_members(data: bytes, prefix: str, budget: Budget, found: Unpacked) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of the attachments of an eml file.

    An attached message is a member with its own attachments. What shows the text only (small inline images, style sheets of a saved page) and
    signatures are left out.

    :param prefix: stands before each name.
    :param found: takes failures and notices.
    :raises UnreadableError: more than the limits accept.
    """
    message = email.message_from_bytes(data, policy=email.policy.default)
    left_out = 0
    for number, (part, related) in enumerate(_attached(message), start=1):
        kind = part.get_content_type()
        wanted = _file_name(part) or f"attachment-{number}{mimetypes.guess_extension(kind) or ''}"
        try:
            content = _content(part)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            found.failed.append((budget.name(prefix, wanted, found.notices), f"the attachment is damaged: {error}"))
            continue
        if related and (not kind.startswith("image/") or len(content) < budget.limits.inline_image_bytes):
            left_out += kind.startswith("image/")
            continue
        budget.claim(1, len(content))
        name = budget.name(prefix, wanted, found.notices)
        if content.strip():
            yield name, content
        else:
            found.failed.append((name, "the attachment is empty"))
    _tell_left_out(left_out, prefix, found)


def _attached(message: Message) -> Iterator[tuple[Message, bool]]:
    """Parts that are files, each with whether the text shows it. What an attached message holds is its own."""
    stack: list[tuple[Message, bool]] = [(message, False)]
    while stack:
        part, related = stack.pop()
        kind = part.get_content_type()
        if kind == "message/rfc822":
            yield part, False
        elif part.is_multipart():
            payload = part.get_payload()
            inner = [p for p in payload if isinstance(p, Message)] if isinstance(payload, list) else []
            shown = kind == "multipart/related"
            stack.extend((p, shown and number > 0) for number, p in reversed(list(enumerate(inner))))
        elif kind in _SIGNATURES:
            continue
        elif related or part.get_content_disposition() == "attachment" or _file_name(part) or part.get_content_maintype() != "text":
            inline_image = part.get_content_maintype() == "image" and part.get_content_disposition() != "attachment" and bool(part.get("Content-ID"))
            yield part, related or inline_image


def _file_name(part: Message) -> str:
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload()
        first = inner[0] if isinstance(inner, list) and inner else None
        subject = one_line(str(first.get("Subject") or "")) if isinstance(first, Message) else ""
        return f"{subject.replace('/', '-')[:100] or 'message'}.eml"
    try:
        return one_line(part.get_filename() or "")
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""  # a header that cannot be parsed


def _content(part: Message) -> bytes:
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload()
        first = inner[0] if isinstance(inner, list) and inner else None
        if not isinstance(first, Message):
            raise ValueError("no message is in it")
        return first.as_bytes(policy=email.policy.default.clone(refold_source="none")) if isinstance(first, EmailMessage) else first.as_bytes()
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        raise ValueError("it cannot be decoded")
    return payload


def outlook_members(data: bytes, prefix: str, budget: Budget, found: Unpacked) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of the attachments of an Outlook message; see `mail_members`."""
    import oxmsg

    left_out = 0
    try:
        message = oxmsg.Message.load(io.BytesIO(data))
        attachments = list(message.attachments)
        html = message.html_body or ""
    except Exception:  # noqa: BLE001  the converter meets the same and says what it is
        return
    for number, attachment in enumerate(attachments, start=1):
        wanted, content, content_id = _outlook_parts(attachment)
        wanted = wanted or f"attachment-{number}"
        image = wanted.lower().endswith((".png", ".jpg", ".jpeg", ".gif", ".bmp"))
        if content and image and content_id and content_id in html and len(content) < budget.limits.inline_image_bytes:
            left_out += 1
            continue
        name = budget.name(prefix, wanted, found.notices)
        if not content:
            found.failed.append((name, "an item of Outlook, a link, or empty: only attached files are read"))
            continue
        budget.claim(1, len(content))
        yield name, content
    _tell_left_out(left_out, prefix, found)


def _outlook_parts(attachment: Any) -> tuple[str, bytes, str]:
    from oxmsg.domain import constants

    try:
        content_id = attachment.properties.str_prop_value(constants.PID_ATTACH_CONTENT_ID)
        return one_line(attachment.file_name or ""), attachment.file_bytes or b"", str(content_id or "")
    except Exception:  # noqa: BLE001  oxmsg checks little; what is missing or damaged becomes a failure by its name
        return "", b"", ""


def _tell_left_out(count: int, prefix: str, found: Unpacked) -> None:
    if count:
        where = f" of {prefix.rstrip('#')}" if prefix else ""
        found.notices.append(f"{count} small image{'s' if count > 1 else ''} shown in the text{where}, such as a logo, left out")
