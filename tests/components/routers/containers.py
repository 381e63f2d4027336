"""Archives and mails for tests, made in memory."""

from __future__ import annotations

import io
import warnings
import zipfile
from email.message import EmailMessage

from haystack.dataclasses import ByteStream

from components.chunk import source_id


def zipped(*members: tuple[str, bytes | str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of names and contents; a name may stand there twice."""
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", compression) as archive:
        warnings.simplefilter("ignore")
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def locked_zip(password: str, *members: tuple[str, bytes | str]) -> bytes:
    """An archive encrypted with AES."""
    import pyzipper

    buffer = io.BytesIO()
    with pyzipper.AESZipFile(buffer, "w", compression=pyzipper.ZIP_DEFLATED, encryption=pyzipper.WZ_AES) as archive:
        archive.setpassword(password.encode())
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def mail(body: str = "Dear all, the files are attached.", *attachments: tuple[str, bytes], subject: str = "The budget") -> EmailMessage:
    """A mail with files of any kind."""
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = subject, "ana@example.org", "ben@example.org"
    message["Date"] = "Mon, 02 Mar 2026 10:00:00 +0000"
    if body:
        message.set_content(body)
    for name, data in attachments:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message


def source(name: str, data: bytes, **meta: object) -> ByteStream:
    """A source as the intake stamps it."""
    own = source_id("default", "", name)
    stamped = {"path": name, "uri": name, "file_name": name.rpartition("/")[2], "tenant": "default", "alias": "", "access": ["public"]}
    return ByteStream(data, meta={**stamped, "source_id": own, "container_id": own, **meta})
