import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.converters.mail_reader import read_mail
from components.converters.outcome import UnreadableError

FIELDS = b"From: =?utf-8?q?J=C3=B6rg?= <j@example.org>\nTo: b@example.org\nSubject: Leave\nMIME-Version: 1.0\n"


def texts(data: bytes, attachments: list[str] | None = None) -> list[str]:
    return [text for text, _ in read_mail(data, attachments or []).parts]


def multipart(kind: str, *parts: bytes) -> bytes:
    return FIELDS + f'Content-Type: multipart/{kind}; boundary="b"\n\n'.encode() + b"".join(b"--b\n" + part + b"\n" for part in parts) + b"--b--\n"


PLAIN = b"Content-Type: text/plain; charset=iso-8859-1\n\nGr\xfc\xdfe, twenty days.\n"
RICH = b"Content-Type: text/html; charset=utf-8\n\n<ul><li>twenty days</li><li>gr\xc3\xbc\xc3\x9fe</li></ul>\n"


def test_fields_come_first_and_attachments_are_named():
    assert texts(multipart("mixed", PLAIN), ["rates.pdf"]) == [
        "Subject: Leave\nFrom: Jörg <j@example.org>\nTo: b@example.org\nAttachments: rates.pdf",
        "Grüße, twenty days.",
    ]


def test_the_html_alternative_has_the_structure():
    assert texts(multipart("alternative", PLAIN, RICH))[1:] == ["- twenty days\n- grüße"]


def test_an_html_alternative_that_says_less_is_left():
    long = PLAIN.replace(b"twenty days.", b"twenty days, and many more words that the other one lacks, as some programs do.")
    assert "many more words" in texts(multipart("alternative", long, b"Content-Type: text/html\n\n<p>See the text.</p>"))[1]


@pytest.mark.parametrize("charset", [b'"UTF-8"Content-Transfer-Encoding: 8bit', b"no-such-charset", b"ascii"])
def test_a_wrong_encoding_is_found_out(charset):
    data = FIELDS + b"Content-Type: text/plain; charset=" + charset + b"\n\n" + "Grüße, zwanzig Tage.".encode() + b"\n"
    assert texts(data)[1] == "Grüße, zwanzig Tage."


def test_a_mail_in_utf16():
    data = (FIELDS + b"Content-Type: text/plain\n\nTwenty days.\n").decode().encode("utf-16")
    assert texts(data)[1] == "Twenty days."


@pytest.mark.parametrize(
    "data",
    [
        multipart("encrypted", b"Content-Type: application/pgp-encrypted\n\nVersion: 1\n"),
        FIELDS + b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nMIIB\n",
        FIELDS + b"Content-Type: text/plain\n\n-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----\n",
    ],
)
def test_an_encrypted_mail_is_refused_for_that(data):
    with pytest.raises(UnreadableError, match="encrypted"):
        read_mail(data, [])


def test_a_text_attachment_is_not_the_text_of_the_mail():
    attached = b"Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nNot of the mail.\n"
    assert "Not of the mail." not in str(texts(multipart("mixed", PLAIN, attached)))


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_fail_in_another_way(data):
    with contextlib.suppress(UnreadableError):
        read_mail(FIELDS + data, [])
