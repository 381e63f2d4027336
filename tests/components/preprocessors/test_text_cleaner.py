"""Cleaning: what is invisible goes, what a script or a table needs stays, blocks keep their offsets, and a second pass changes nothing."""

import unicodedata

import pytest
from haystack import Document, Pipeline
from hypothesis import given, settings
from hypothesis import strategies as st

from components.blocks import join_blocks
from components.preprocessors.text_cleaner import TextCleaner
from components.preprocessors.text_cleaning import clean_text


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("paragraph", "cafe\u0301", "café"),
        ("paragraph", "a\u200bb\u2060c\ufeffd", "abcd"),
        ("paragraph", "pay\u202e001\u202c rupees", "pay001 rupees"),
        ("paragraph", "hidden\U000e0041\U000e0042 text", "hidden text"),
        ("paragraph", "in\u00adfor\u00admation", "information"),
        ("paragraph", "bell\x07 and\x00 nul", "bell and nul"),
        ("paragraph", "a\u00a0b\u202fc\u3000d", "a b c d"),
        ("paragraph", "a   b\t\tc  \n  next ", "a b c\nnext"),
        ("paragraph", "a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("paragraph", "the infor-\nmation is", "the information is"),
        ("paragraph", "the infor\u00ad\nmation is", "the information is"),
        ("paragraph", "a well-known rule, a well-\nknown man", "a well-known rule, a well-known man"),
        ("paragraph", "pre-\nand post-war", "pre-\nand post-war"),
        ("paragraph", "Anglo-\nIndian", "Anglo-\nIndian"),
        ("paragraph", "section 12-\n14", "section 12-\n14"),
        ("list", "- one\n  - two  words", "- one\n  - two words"),
        ("list", "infor-\nmation", "infor-\nmation"),
        ("code", "if a:\n    b  = 1   \n\n\n    c", "if a:\n    b  = 1\n\n\n    c"),
        ("table", "a\tb  c\u200b\n1\t\t3", "a\tb  c\n1\t\t3"),
        ("paragraph", "क्\u200dष और र\u200dय", "क्\u200dष और र\u200dय"),  # half letters
        ("paragraph", "र्\u200d है", "र्\u200d है"),
        ("paragraph", "र\u200d है", "र है"),
        ("paragraph", "می\u200cخواهم", "می\u200cخواهم"),  # Persian
        ("paragraph", "ab\u200dcd \u200cef", "abcd ef"),
        ("paragraph", "👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥", "👨\u200d👩\u200d👧 ❤\ufe0f\u200d🔥"),
        ("paragraph", "\ud800 lone", "\ufffd lone"),
        ("paragraph", "one\n\n\n\ntwo", "one\n\ntwo"),
    ],
)
def test_clean_text(kind: str, text: str, expected: str):
    assert clean_text(text, kind) == expected  # pyright: ignore[reportArgumentType]


MESSY = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.sampled_from(
            "\u200b\u200c\u200d\u00ad\u202e\u00a0\u2028\n\n\r\t  --\u0301\u094d\u093cकषरم abcAB👨\ufe0f\u3000\u0344\u0958\u2126\U000e0100漢"
        ),
    ),
    max_size=60,
)


@settings(max_examples=1500, deadline=None)
@given(MESSY, st.sampled_from(["paragraph", "list", "table", "code", "heading", "title"]))
def test_cleaning_twice_changes_nothing_more(text: str, kind):
    once = clean_text(text, kind)
    assert clean_text(once, kind) == once
    assert unicodedata.is_normalized("NFC", once)
    assert "\u202e" not in once and "\r" not in once and "\u00a0" not in once


def test_blocks_keep_their_offsets_and_page_furniture_goes():
    content, blocks = join_blocks(
        [
            ("Annual  report", {"kind": "header", "page": 1}),
            ("1.  Leave", {"kind": "heading", "level": 2, "page": 1}),
            ("Twenty  days\u200b of leave. ", {"kind": "paragraph", "page": 1}),
            ("a  |  b", {"kind": "table", "page": 2}),
            ("2", {"kind": "footer", "page": 2}),
            ("\u200b", {"kind": "paragraph", "page": 2}),
        ]
    )
    (cleaned,) = TextCleaner().run([Document(id="x", content=content, meta={"blocks": blocks, "title": "Leave\u202e  policy", "n": 1})])["documents"]
    assert cleaned.content == "1. Leave\n\nTwenty days of leave.\n\na  |  b"
    assert [(cleaned.content[b["start"] : b["end"]], b["kind"], b["page"]) for b in cleaned.meta["blocks"]] == [
        ("1. Leave", "heading", 1),
        ("Twenty days of leave.", "paragraph", 1),
        ("a  |  b", "table", 2),
    ]
    assert cleaned.meta["blocks"][0]["level"] == 2
    assert (cleaned.id, cleaned.meta["title"], cleaned.meta["n"]) == ("x", "Leave policy", 1)
    assert TextCleaner().run([cleaned])["documents"][0] == cleaned


def test_a_document_of_headers_alone_keeps_them():
    content, blocks = join_blocks([("Title page", {"kind": "header"})])
    document = Document(content=content, meta={"blocks": blocks})
    assert TextCleaner().run([document])["documents"][0].content == "Title page"


def test_page_furniture_stays_on_request():
    content, blocks = join_blocks([("Head", {"kind": "header"}), ("Text.", {"kind": "paragraph"})])
    document = Document(content=content, meta={"blocks": blocks})
    assert TextCleaner(drop_page_furniture=False).run([document])["documents"][0].content == "Head\n\nText."


def test_without_blocks_the_text_is_cleaned_whole():
    (cleaned,) = TextCleaner().run([Document(content="One  a.\n\n\n\nTwo\u200b.")])["documents"]
    assert cleaned.content == "One a.\n\nTwo."
    assert "blocks" not in cleaned.meta


def test_broken_blocks_pass_for_the_splitter_to_name_and_input_is_left_alone():
    broken = Document(content="Some text", meta={"blocks": [{"kind": "paragraph", "start": 5, "end": 50}]})
    good = Document(content="a  b")
    out = TextCleaner().run([broken, good, Document(content=None)])["documents"]
    assert out[0] == broken
    assert (out[1].content, good.content) == ("a b", "a  b")
    assert out[2].content is None


def test_notices_leave_the_meta_and_name_what_was_removed():
    meta = {"uri": "a.txt", "content_mismatch": "named .md, but …", "notices": ["2 pages left out"]}
    hidden = Document(content="pay\u202e001\u202c, ze\u200bro, क्\u200dष, a\u200db, tag\U000e0041", meta=meta)
    record = {"uri": "r.csv#k1", "record_id": "k1", "content_mismatch": "named .txt"}
    out = TextCleaner().run([hidden, Document(content="One.", meta=record), Document(content="Two.", meta={**record, "uri": "r.csv#k1"})])
    assert [(n["source"], n["reason"]) for n in out["notices"]] == [
        ("a.txt", "named .md, but …"),
        ("a.txt", "2 pages left out"),
        ("a.txt", "2 bidirectional controls removed (U+202C, U+202E)"),
        ("a.txt", "2 zero-width characters removed (U+200B, U+200D)"),
        ("a.txt", "1 hidden tag or selector removed (U+E0041)"),
        ("r.csv", "named .txt"),
    ]
    assert out["documents"][0].meta == {"uri": "a.txt"}
    assert hidden.meta == meta
    assert TextCleaner().run([Document(content="soft\u00adhyphen, द\u094d\u200dय, 👨\u200d👩")])["notices"] == []


def test_round_trip_in_yaml():
    pipeline = Pipeline()
    pipeline.add_component("cleaner", TextCleaner(drop_page_furniture=False))
    text = pipeline.dumps()
    assert "components.preprocessors.text_cleaner.TextCleaner" in text
    assert "drop_page_furniture: false" in text
    assert Pipeline.loads(text).dumps() == text
