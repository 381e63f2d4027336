"""Files made to break a reader: each ends in time, in bounded memory, as text or with its reason."""

import time

import pytest

from components.preprocessors.text_cleaner import TextCleaner
from components.preprocessors.text_cleaning import clean_text
from tests.growth import growth
from tests.hostile import generators as make
from tests.hostile.reading import Reader

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def reader() -> Reader:
    reader = Reader()
    reader.read("warm.txt", b"Nothing hostile.")
    return reader


def laughing(entity: str, prolog: str) -> dict[str, bytes]:
    return {
        "a.xml": f"{prolog}<x>word {entity}</x>".encode(),
        "a.docx": make.docx(f"<w:p><w:r><w:t>word {entity}</w:t></w:r></w:p>", prolog),
    }


@pytest.mark.parametrize("name", ["a.xml", "a.docx"])
@pytest.mark.parametrize(
    ("entity", "prolog"), [("&l9;", make.billion_laughs()), ("&a;" * 20_000, make.quadratic_entity()), ("&x;", make.external_entity())]
)
def test_entities_are_neither_grown_nor_fetched(reader, name, entity, prolog):
    reading = reader.read(name, laughing(entity, prolog)[name])
    assert len(reading.text) < 1000 and "root:" not in reading.text and "laugh laugh" not in reading.text
    assert reading.peak < 600 * MEGABYTE


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.docx", make.deep_paragraphs(20_000), "depth"),
        ("a.zip", make.zip_bomb(300), "max_ratio"),
        ("a.zip", make.overlapping_zip(1000), "max_ratio"),
        ("a.zip", make.lying_zip(), "damaged in the archive"),
        ("a.zip", make.nested_zips(6), "max_depth=3"),
        ("a.zip", make.self_like_zip(5_000), "max_members"),
        ("a.eml", make.deep_mail(2_000), "nested too deeply"),
        ("a.eml", make.mails_in_mails(20), "max_depth=3"),
        ("a.pdf", make.page_tree_loop(), "pages"),
        ("a.json", make.deep_json(100_000), "nested too deeply"),
        ("a.html", make.deep_html(50_000), "nested too deeply"),
        ("a.html", make.unclosed_html(10_000), "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(reader, name, data, reason):
    reading = reader.read(name, data)
    assert reason in reading.reason
    assert reading.peak < 600 * MEGABYTE


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("a.html", make.deep_html(200), "bottom"),
        ("a.json", make.wide_json(10_000), "key9999"),
        ("a.csv", make.wide_csv(10_000), "c9999"),
        ("a.csv", make.open_quote_csv(MEGABYTE), "never ends"),
        ("a.eml", make.deep_mail(50), "bottom"),
    ],
)
def test_what_is_only_large_is_read(reader, name, data, text):
    reading = reader.read(name, data)
    assert text in reading.text and not reading.failed
    assert reading.peak < 600 * MEGABYTE


def test_a_table_of_a_million_rows_ends_in_time(reader, monkeypatch):
    monkeypatch.setattr(reader.nodes["record_converter"], "timeout_s", 2.0)
    reading = reader.read("a.csv", make.long_csv(1_000_000))
    assert "longer than 2 s" in reading.reason or "MB of memory" in reading.reason
    assert reading.peak < 1500 * MEGABYTE


@pytest.mark.long
def test_a_pdf_that_unpacks_to_a_gigabyte(reader):
    reading = reader.read("a.pdf", make.pdf_of_bombs())
    assert reading.failed
    limit = reader.nodes["pdf_converter"].max_memory_mb
    assert reading.peak < (limit + 400) * MEGABYTE


@pytest.mark.parametrize("unit", make.TEXTS.values(), ids=make.TEXTS.keys())
def test_a_text_of_one_unit_is_read_and_cleaned_in_time(reader, unit):
    data = (unit * (100_000 // len(unit)) + " the end").encode()
    for name in ("a.txt", "a.md"):
        reading = reader.read(name, data)
        assert "longer than" not in reading.reason
        started = time.process_time()
        TextCleaner().run(reading.documents)
        assert time.process_time() - started < 3


@pytest.mark.parametrize("kind", ["paragraph", "list", "code", "table"])
@pytest.mark.parametrize("unit", [" ", "\t", "ab-\ncd ", "ab-cd ", "\u00ad ", "\u200d", "\n"])
def test_cleaning_takes_linear_time(kind, unit):
    assert growth(lambda text: clean_text(text + "x", kind), unit, 20_000) < 10
