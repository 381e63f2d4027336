import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.converters.decoding import MIXED, NotTextError, decode, decoding_notices

TEXT = "Grüße, naïve – “quoted” text with some length to it"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_encodings(encoding):
    assert decode(TEXT.encode(encoding))[0] == TEXT


def test_a_non_latin_eight_bit_encoding():
    text = "Закон устанавливает порядок предоставления отпуска работникам организации. " * 5
    assert decode(text.encode("cp1251"))[0] == text


def test_line_ends_and_nul_characters():
    assert decode(b"a\r\nb\rc\0\n")[0] == "a\nb\nc\n"


def test_one_damaged_byte_keeps_the_rest_as_utf8():
    data = ("Überstunden für Kolleginnen " * 20).encode()
    assert decode(data[:100] + b"\xff" + data[100:])[0].count("Ü") == 20


def test_utf8_with_latin_bytes_keeps_both():
    data = "UTF8 Grüße ".encode() + "und latin Grüße".encode("latin-1")
    text, encoding = decode(data)
    assert (text, encoding) == ("UTF8 Grüße und latin Grüße", MIXED)
    assert "mixed" in decoding_notices(data, encoding)[0]


@pytest.mark.parametrize("encoding", ["cp1252", "gb18030", "shift_jis", "cp866", "koi8-r"])
def test_one_8_bit_encoding_is_not_mixed(encoding):
    text = {"cp1252": "Müller, Straße, é", "gb18030": "员工每年享有二十天带薪年假。", "shift_jis": "社員は毎年二十日の休暇"}.get(
        encoding, "отпуск работникам"
    ) * 5
    assert decode(text.encode(encoding))[1] not in (MIXED, "utf-8")


def test_damage_in_another_script_is_not_taken_for_latin_letters():
    data = ("Закон устанавливает порядок " * 5).encode()
    text, _ = decode(data[:19] + b"\xff" + data[19:])
    assert text.count("\ufffd") == 1 and "ÿ" not in text


def test_removed_nul_characters_are_told():
    assert decoding_notices(b"a\0b\0", "utf-8") == ["2 NUL characters were removed"]
    assert decoding_notices("ab".encode("utf-16"), "utf-16-le") == []


def test_binary_is_refused():
    with pytest.raises(NotTextError):
        decode(bytes(range(256)) * 10)
    with pytest.raises(NotTextError):
        decode(b"\x00\x01\x02\xff")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(lambda t: not t.startswith("\ufeff")))
def test_utf8_is_never_taken_for_something_else(text):
    assert decode(text.encode())[0] == text
