import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.converters.decoding import NotTextError, decode

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


def test_binary_is_refused():
    with pytest.raises(NotTextError):
        decode(bytes(range(256)) * 10)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(lambda t: not t.startswith("\ufeff")))
def test_utf8_is_never_taken_for_something_else(text):
    assert decode(text.encode())[0] == text
