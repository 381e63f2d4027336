"""What must hold for any splitter and any document: the source can be rebuilt, nothing is invented, the model reads every chunk whole."""

import importlib
from bisect import bisect_right
from typing import Any

import pytest
import regex
from haystack import Document, Pipeline
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from components.blocks import join_blocks
from components.chunk import embedded_text
from components.embedders.embedding_model import embedding_model
from components.preprocessors.splitter import Splitter

SPLITTERS: dict[str, tuple[str, dict[str, Any]]] = {
    "heading": ("heading_splitter.HeadingSplitter", {"max_tokens": 64}),
    "heading_lapped": ("heading_splitter.HeadingSplitter", {"max_tokens": 64, "overlap_sentences": 3}),
    "token_window": ("token_window_splitter.TokenWindowSplitter", {"size": 40, "overlap": 10}),
    "token_window_close": ("token_window_splitter.TokenWindowSplitter", {"size": 17, "overlap": 14}),
    "sentence": ("sentence_splitter.SentenceSplitter", {"max_tokens": 64, "sentences": 3, "overlap": 1}),
    "recursive": ("recursive_splitter.RecursiveSplitter", {"max_tokens": 64, "overlap": 12}),
    "paragraph": ("paragraph_splitter.ParagraphSplitter", {"max_tokens": 64, "min_tokens": 16}),
    "sentence_window": ("sentence_window_splitter.SentenceWindowSplitter", {"max_tokens": 64, "window": 2}),
    "semantic": ("semantic_splitter.SemanticSplitter", {"max_tokens": 64, "min_tokens": 12}),
    "parent_child": ("parent_child_splitter.ParentChildSplitter", {"max_tokens": 48, "parent_tokens": 128}),
    "record": ("record_splitter.RecordSplitter", {"max_tokens": 64, "rows": 3}),
    "code": ("code_splitter.CodeSplitter", {"max_tokens": 64}),
}
LAPPED = {"heading_lapped", "token_window", "token_window_close", "sentence", "recursive"}
ACROSS = {"token_window", "token_window_close"}
"""Splitters whose chunks run over the end of a section."""
NAMES = sorted(SPLITTERS)
WORDS = (  # noqa: SIM905
    "leave notice section grant twenty days unless e.g. s. 12 2(1)(a) Rao 3.5 per cent. Antidisestablishmentarianism धारा नियम छुट्टी परंतु है। 句子很长，而且没有空格。 "
    "قانون؟ اجازه می\u200cخواهم 👨\u200d👩\u200d👧 e\u0301 นโยบายการลา However, Provided stop. Stop! (a) following: — ; x def return { }"
).split()
SENTENCE = st.lists(st.sampled_from([*WORDS, "x" + "y" * 150]), min_size=1, max_size=25).map(lambda words: " ".join(words) + ".")
LINES = st.lists(SENTENCE, min_size=1, max_size=5)
ROW = st.lists(st.sampled_from(WORDS), min_size=2, max_size=4).map(" | ".join)
PART = st.one_of(
    st.tuples(SENTENCE, st.fixed_dictionaries({"kind": st.just("heading"), "level": st.integers(1, 3)})),
    st.tuples(LINES.map(" ".join), st.fixed_dictionaries({"kind": st.just("paragraph"), "page": st.integers(1, 9)})),
    st.tuples(LINES.map("\n  ".join), st.sampled_from([{"kind": "list"}, {"kind": "code", "page": 4}])),
    st.tuples(st.lists(ROW, min_size=1, max_size=12).map("\n".join), st.just({"kind": "table", "page": 7})),
)
PARTS = st.lists(PART, min_size=1, max_size=7)


def make(name: str, **other: Any) -> Splitter:
    path, parameters = SPLITTERS[name]
    module, _, cls = path.rpartition(".")
    return getattr(importlib.import_module(f"components.preprocessors.{module}"), cls)(model="packaged", **{**parameters, **other})


def document(parts: list[tuple[str, dict[str, Any]]], **meta: Any) -> Document:
    content, blocks = join_blocks(parts)
    return Document(content=content, meta={"blocks": blocks, "source_id": "s", "title": "Leave policy", **meta})


def paragraphs(texts: list[str]) -> Document:
    return document([(text, {"kind": "paragraph"}) for text in texts])


def read_tokens(chunk: Document) -> int:
    """Tokens that the model reads of a chunk, special ones included."""
    tokenizer = embedding_model("packaged").tokenizer
    assert tokenizer is not None
    return len(tokenizer.encode(embedded_text(chunk.content or "", chunk.meta["context_header"])).ids)


def page_of(source: Document, position: int) -> int | None:
    text, blocks = source.content or "", source.meta["blocks"]
    while text[position].isspace():
        position += 1
    block = blocks[bisect_right(blocks, position, key=lambda b: b["start"]) - 1]
    return block.get("page")


def check(name: str, source: Document, most: int) -> dict[str, list[Document]]:
    out = make(name).run([source])
    text = source.content or ""
    assert out["failed"] == []
    sections, chunks = out["sections"], out["documents"]
    assert "".join(section.content for section in sections) == text
    for section in sections:
        assert section.content == text[section.meta["char_start"] : section.meta["char_end"]]
    assert len({point.id for point in sections + chunks}) == len(sections) + len(chunks)
    parents = {section.id: section.meta for section in sections}
    graphemes = {match.start() for match in regex.finditer(r"\X", text)} | {len(text)}
    seen = bytearray(len(text))
    last = None
    for chunk in chunks:
        start, end = chunk.meta["char_start"], chunk.meta["char_end"]
        assert chunk.content == text[start:end]
        assert chunk.content.strip()
        assert {start, end} <= graphemes
        seen[start:end] = b"\1" * (end - start)
        assert read_tokens(chunk) <= most
        own = start
        if last is not None:  # neither holds the other, and only a lapped chunk repeats
            assert last.meta["char_start"] < start
            assert last.meta["char_end"] < end
            assert name in LAPPED or last.meta["char_end"] <= start
            own = max(start, last.meta["char_end"])
        assert chunk.meta["page"] == page_of(source, own)
        parent = parents[chunk.meta["parent_id"]]
        while text[own].isspace():
            own += 1
        assert parent["char_start"] <= own < parent["char_end"]
        if name not in ACROSS:
            assert parent["char_start"] <= start < end <= parent["char_end"]
        if name == "sentence_window":
            assert parent["char_start"] <= chunk.meta["window_start"] <= start < end <= chunk.meta["window_end"] <= parent["char_end"]
        last = chunk
    headers = " ".join(chunk.meta["context_header"].casefold() for chunk in chunks)
    for block in source.meta["blocks"]:
        content = text[block["start"] : block["end"]]
        named = block["kind"] == "heading" and " ".join(content.split()).casefold() in headers
        assert named or all(seen[i] or text[i].isspace() for i in range(block["start"], block["end"])), content
    return out


def any_document(name: str, parts: list[tuple[str, dict[str, Any]]], title: str):
    source = document(parts, title=title, file_name="leave.py" if name == "code" else "leave.md")
    most = 256 if name in ACROSS else SPLITTERS[name][1]["max_tokens"]
    assert check(name, source, most) == make(name).run([source])


CALM = {"deadline": None, "derandomize": True, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "semantic"])
@settings(max_examples=5, **CALM)
@given(PARTS, st.text(max_size=30))
def test_any_document(name: str, parts: list[tuple[str, dict[str, Any]]], title: str):
    any_document(name, parts, title)


@settings(max_examples=2, **CALM)
@given(PARTS, st.text(max_size=30))
def test_any_document_by_its_subjects(parts: list[tuple[str, dict[str, Any]]], title: str):
    any_document("semantic", parts, title)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=100, **CALM)
@given(PARTS, st.text(max_size=30))
def test_very_many_documents(name: str, parts: list[tuple[str, dict[str, Any]]], title: str):
    any_document(name, parts, title)


@pytest.mark.parametrize("name", NAMES)
def test_a_header_of_any_length_leaves_room(name: str):
    heading = ("word " * 300, {"kind": "heading", "level": 1})
    out = make(name).run([document([heading, ("Twenty days of leave. " * 20, {"kind": "paragraph"})], title="policy " * 200)])
    most = 256 if name in ACROSS else SPLITTERS[name][1]["max_tokens"]
    assert out["documents"]
    assert all(read_tokens(chunk) <= most for chunk in out["documents"])


@pytest.mark.parametrize("name", NAMES)
def test_a_text_without_a_space(name: str):
    for text in ("x" * 2000, "धारा" * 400, "句子很长" * 400):
        out = make(name).run([Document(content=text)])
        assert out["failed"] == []
        assert "".join(chunk.content for chunk in out["documents"]) == text or name in LAPPED
        assert out["documents"][-1].meta["char_end"] == len(text)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_megabyte_without_a_space(name: str):
    out = make(name).run([Document(content="x" * 1_000_000)])
    assert out["failed"] == []
    assert out["documents"][-1].meta["char_end"] == 1_000_000


@pytest.mark.parametrize("name", NAMES)
def test_what_has_no_text_fails_by_name_and_the_rest_goes_on(name: str):
    blank = [Document(content=content, meta={"uri": f"{number}.txt"}) for number, content in enumerate(["", " \n\t\n ", None])]
    out = make(name).run([*blank, Document(content="Twenty days.")])
    assert [failure["source"] for failure in out["failed"]] == ["0.txt", "1.txt", "2.txt"]
    assert all(failure["reason"] == "not split: no text was found in it" for failure in out["failed"])
    assert [chunk.content for chunk in out["documents"]] == ["Twenty days."]
    assert make(name).run([])["documents"] == []


@pytest.mark.parametrize("name", NAMES)
def test_plain_yaml(name: str):
    pipeline = Pipeline()
    pipeline.add_component("splitter", make(name))
    again = Pipeline.loads(pipeline.dumps())
    assert again.dumps() == pipeline.dumps()
    assert again.run({"splitter": {"documents": [Document(content="Twenty days.")]}})["splitter"]["failed"] == []


SENTENCES = [
    f"The {word} of the office keeps the records of every member number {n}." for n, word in enumerate(["clerk", "head", "guard", "cook"] * 10)
]


@pytest.mark.parametrize("name", ["heading", "paragraph", "sentence", "parent_child"])
def test_a_paragraph_inserted_above_changes_few_ids_below(name: str):
    texts = [" ".join(SENTENCES[n : n + 1 + n % 3]) for n in range(36)]
    before = {chunk.id for chunk in make(name).run([paragraphs(texts)])["documents"]}
    after = {chunk.id for chunk in make(name).run([paragraphs(["A new rule stands above all others.", *texts])])["documents"]}
    assert len(before) > 15
    assert len(before - after) <= len(before) // 3


def test_sentences_overlap_as_asked():
    out = make("sentence", max_tokens=240).run([paragraphs([" ".join(SENTENCES[:11])])])
    numbers = [[int(n) for n in regex.findall(r"number (\d+)", chunk.content)] for chunk in out["documents"]]
    assert numbers == [[0, 1, 2], [2, 3, 4], [4, 5, 6], [6, 7, 8], [8, 9, 10]]


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        (
            "token_window",
            {"size": 40, "overlap": 40},
            "TokenWindowSplitter: overlap=40 is not accepted; accepted: a whole number from 0, less than size=40",
        ),
        (
            "sentence",
            {"sentences": 3, "overlap": 3},
            "SentenceSplitter: overlap=3 is not accepted; accepted: a whole number from 0, less than sentences=3",
        ),
        (
            "recursive",
            {"max_tokens": 64, "overlap": 64},
            "RecursiveSplitter: overlap=64 is not accepted; accepted: a whole number from 0, less than max_tokens=64",
        ),
        ("paragraph", {"min_tokens": 65}, "ParagraphSplitter: min_tokens=65 is not accepted; accepted: a whole number from 0 to 64"),
        (
            "parent_child",
            {"parent_tokens": 20},
            "ParentChildSplitter: parent_tokens=20 is not accepted; accepted: a whole number from max_tokens=48 to 32768",
        ),
        ("sentence_window", {"window": 0}, "SentenceWindowSplitter: window=0 is not accepted; accepted: a whole number from 1 to 20"),
        ("record", {"rows": 0}, "RecordSplitter: rows=0 is not accepted; accepted: a whole number from 1 to 1000"),
        (
            "recursive",
            {"separators": [""]},
            "RecursiveSplitter: separators=[''] is not accepted; accepted: a list of texts, none empty, one at least",
        ),
        ("semantic", {"percentile": 100}, "SemanticSplitter: percentile=100 is not accepted; accepted: a whole number from 1 to 99"),
        ("code", {"max_tokens": 31}, "CodeSplitter: max_tokens=31 is not accepted; accepted: a whole number from 32 to 8192"),
    ],
)
def test_wrong_parameters_are_refused_at_load_in_one_line(name: str, parameters: dict[str, Any], said: str):
    with pytest.raises(ValueError, match="^" + regex.escape(said) + "$"):
        make(name, **parameters)


@pytest.mark.parametrize("name", ["heading", "sentence", "paragraph", "parent_child", "semantic"])
def test_a_proviso_keeps_its_rule(name: str):
    rule, proviso = "Every member of the staff may carry over five days of leave.", "Provided that leave of the year before is lost in March."
    for lead in range(1, 7):
        text = " ".join([*SENTENCES[:lead], rule, proviso, *SENTENCES[20:24]])
        holding = [chunk.content for chunk in make(name).run([paragraphs([text])])["documents"] if proviso in chunk.content]
        assert holding
        assert all(rule in content for content in holding)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ACROSS])
def test_rows_are_whole_and_carry_their_header(name: str):
    rows = "\n".join(f"| Grade {chr(65 + n)} | {n} days of leave |" for n in range(24))
    out = make(name).run([document([("| Grade | Days |\n|---|---|\n" + rows, {"kind": "table"})])])
    assert len(out["documents"]) > 2
    for chunk in out["documents"]:
        assert all(line.startswith("|") and line.endswith("|") for line in chunk.content.split("\n"))
        assert "Grade | Days" in embedded_text(chunk.content, chunk.meta["context_header"])
