"""Text that was encoded twice: mended where it is certain, told where it is not, and never touched where it is right."""

import pytest
from haystack.dataclasses import ByteStream
from hypothesis import given
from hypothesis import strategies as st

from components.converters.decoding import decode, read_text
from components.converters.mojibake import mended
from components.converters.record_converter import RecordConverter
from components.converters.text_converter import TextConverter

RIGHT = [
    "Die Frist für die Kündigung beträgt zwei Monate – “nicht weniger”. 20 € je Gerät.",
    "Zażółć gęślą jaźń",
    "Ürün fiyatı",
    "À la carte: ½ Œuvre, ¿Qué? §5 Â la SÃO PAULO x² × y³",
    "Отпуск составляет двадцать дней",
    "किराया हर महीने की पाँच तारीख",
    "休暇は年間二十日です",
]


@pytest.mark.parametrize("text", RIGHT)
def test_what_is_right_stays(text):
    assert mended(text) == (text, []) or ("Â la" in text and mended(text)[0] == text)


@pytest.mark.parametrize("text", RIGHT[:3])
@pytest.mark.parametrize("encoding", ["latin-1", "mac_roman"])
def test_what_was_encoded_twice_is_mended_and_told(text, encoding):
    twice = f"First line\n{text.encode().decode(encoding)}\nlast line"
    found, notices = mended(twice)
    assert found == f"First line\n{text}\nlast line"
    assert len(notices) == 1 and notices[0].startswith("UTF-8 that had been read in another encoding and saved again was mended (1 line): ")


def test_what_is_right_and_wrong_in_one_line_is_told_and_stays():
    line = "Aus für wird fÃ¼r, wenn man es falsch liest."
    assert mended(line) == (line, ["the text looks damaged by a wrong encoding (1 line): fÃ¼r,"])


def test_an_example_in_a_notice_is_short():
    assert len(mended("x" * 5000 + "Ã¼" + "y" * 5000 + " für")[1][0]) < 120


@given(st.text(max_size=80))
def test_it_never_fails_and_ascii_stays(text):
    assert isinstance(mended(text)[0], str)
    ascii_only = text.encode("ascii", "ignore").decode()
    assert mended(ascii_only) == (ascii_only, [])


@pytest.mark.parametrize(("converter", "data", "mime"), [
    (TextConverter, "Die GebÃ¼hr betrÃ¤gt 20 â‚¬.", "text/plain"),
    (TextConverter, "<html><body><p>Die GebÃ¼hr betrÃ¤gt 20 â‚¬.</p></body></html>", "text/html"),
    (RecordConverter, "id,text\n1,Die GebÃ¼hr betrÃ¤gt 20 â‚¬.\n", "text/csv"),
])  # fmt: skip
def test_the_readers_of_text_mend_and_tell(converter, data, mime):
    source = ByteStream(
        data.encode(), mime_type=mime, meta={"file_name": "a.x", "uri": "a.x", "tenant": "t", "alias": "a", "path": "a.x", "source_id": "s"}
    )
    (document,) = converter().run([source])["documents"]
    assert "Die Gebühr beträgt 20 €." in (document.content or "")
    assert any("was mended" in notice for notice in document.meta["notices"])


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [*RIGHT[4:6], RIGHT[0]])
def test_utf16_without_a_mark_is_read_in_any_script(text, encoding):
    assert decode((text * 3).encode(encoding)) == (text * 3, encoding)


@pytest.mark.parametrize(("encoding", "name"), [("cp1252", "cp1252"), ("mac_roman", "mac_roman"), ("cp437", "cp850"), ("cp850", "cp850")])
def test_a_western_encoding_is_told_by_where_its_letters_stand(encoding, name):
    text = "Die Frist für die Kündigung beträgt zwei Monate. Größere Beträge müssen geprüft werden."
    assert decode(text.encode(encoding)) == (text, name)
    assert read_text(text.encode(encoding))[1][0].startswith(f"not UTF-8: the encoding was taken for {name.replace('_', '-')} by the bytes")


def test_utf8_is_not_told():
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert read_text(RIGHT[0].encode(encoding)) == (RIGHT[0], [])
