"""Splitting: what must hold for any document, then the examples that a reader of citations cares about."""

import random
from typing import Any

import pytest
import regex
from haystack import Document, Pipeline
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from components.blocks import join_blocks
from components.chunk import embedded_text, point_id
from components.embedders.embedding_model import embedding_model
from components.preprocessors.heading_splitter import HeadingSplitter
from components.preprocessors.provisos import begins_proviso, introduces_list

SAMPLE = (
    "leave notice section employee grant twenty days unless provided approval e.g. s. 12 2(1)(a) A. B. Rao Inc. 3.5 per cent. "
    "Antidisestablishmentarianism धारा नियम छुट्टी परंतु कर्मचारी। है। 句子很长，而且没有空格。 中文 قانون؟ اجازه می\u200cخواهم 👨\u200d👩\u200d👧 e\u0301 "
    "นโยบายการลา However, Provided Except stop. Stop! (a) (ii) following: — ; x"
)
WORDS = [*SAMPLE.split(), "x" + "y" * 150]
STAFF = "staff leave notice grant rule paid month officer claim record office days"
SENTENCE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=40).map(
    lambda words: " ".join(words) + random.Random(len(words)).choice([".", "", ":", ";", "।"])
)
LINES = st.lists(SENTENCE, min_size=1, max_size=8)
PART = st.one_of(
    st.tuples(SENTENCE, st.fixed_dictionaries({"kind": st.just("heading"), "level": st.integers(1, 4)})),
    st.tuples(LINES.map(" ".join), st.just({"kind": "paragraph", "page": 3})),
    st.tuples(LINES.map("\n".join), st.sampled_from([{"kind": "list"}, {"kind": "code"}, {"kind": "paragraph"}])),
    st.tuples(
        st.lists(st.lists(st.sampled_from(WORDS), min_size=2, max_size=5).map(" | ".join), min_size=1, max_size=30).map("\n".join),
        st.just({"kind": "table"}),
    ),
    st.tuples(st.sampled_from(WORDS), st.sampled_from([{"kind": "title"}, {"kind": "header"}])),
)
PARTS = st.lists(PART, min_size=1, max_size=10)


def document(parts: list[tuple[str, dict[str, Any]]], **meta: Any) -> Document:
    content, blocks = join_blocks(parts)
    return Document(content=content, meta={"blocks": blocks, "source_id": "s", "title": "Leave policy", **meta})


def split(parts: list[tuple[str, dict[str, Any]]], *, meta: dict[str, Any] | None = None, **init: Any):
    out = HeadingSplitter(model="packaged", **init).run([document(parts, **(meta or {}))])
    assert out["failed"] == []
    return out


def heading(text: str, level: int = 1) -> tuple[str, dict[str, Any]]:
    return text, {"kind": "heading", "level": level}


def paragraph(text: str) -> tuple[str, dict[str, Any]]:
    return text, {"kind": "paragraph"}


def recounted(chunk: Document) -> int:
    """Tokens that the model reads, counted on the whole, special tokens included."""
    tokenizer = embedding_model("packaged").tokenizer
    assert tokenizer is not None
    return len(tokenizer.encode(embedded_text(chunk.content or "", chunk.meta["context_header"])).ids)


def sentence(number: int, words: int = 12) -> str:
    return " ".join(random.Random(number).choices(STAFF.split(), k=words)).capitalize() + f" {number}."


# --- what must hold for any document


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@example([("leave " * 100, {"kind": "paragraph"})], 32, 500, "")  # one sentence longer than a section
@given(PARTS, st.integers(32, 100), st.integers(500, 900), st.text(max_size=30))
def test_any_document(parts: list[tuple[str, dict[str, Any]]], max_tokens: int, section_max_chars: int, title: str):
    source = document(parts, title=title)
    text = source.content or ""
    splitter = HeadingSplitter(max_tokens=max_tokens, section_max_chars=section_max_chars, model="packaged")
    out = splitter.run([source])
    if not text.strip():
        assert len(out["failed"]) == 1
        return
    chunks, sections = out["documents"], out["sections"]

    assert "".join(section.content for section in sections) == text
    position = 0
    for section in sections:
        assert section.meta["kind"] == "section"
        assert section.meta["char_start"] == position
        assert text[section.meta["char_start"] : section.meta["char_end"]] == section.content
        position = section.meta["char_end"]
        assert len(section.content) <= section_max_chars

    parents = {section.id: section for section in sections}
    graphemes = {match.start() for match in regex.finditer(r"\X", text)} | {len(text)}
    covered = bytearray(len(text))
    position = 0
    for chunk in chunks:
        start, end = chunk.meta["char_start"], chunk.meta["char_end"]
        assert position <= start < end
        position = end
        assert chunk.content == text[start:end] == text[start:end].strip()
        assert start in graphemes
        assert end in graphemes
        covered[start:end] = b"\x01" * (end - start)
        parent = parents[chunk.meta["parent_id"]]
        assert parent.meta["char_start"] <= start < end <= parent.meta["char_end"]
        assert recounted(chunk) <= max_tokens
        assert "\n" not in chunk.meta["context_header"]
        assert "blocks" not in chunk.meta

    bare = set()
    for section in sections:
        own = [block for block in source.meta["blocks"] if section.meta["char_start"] <= block["start"] < section.meta["char_end"]]
        if own and all(block["kind"] in ("heading", "title") for block in own) and not any(c.meta["parent_id"] == section.id for c in chunks):
            bare.add(section.id)
            below = [c for c in chunks if c.meta["char_start"] >= section.meta["char_end"]]
            for block in own:  # the heading is not lost: a context header below names it
                name = " ".join(text[block["start"] : block["end"]].split()).casefold()
                assert any(name in chunk.meta["context_header"].casefold() for chunk in below)
    for section in sections:
        if section.id not in bare:
            for position in range(section.meta["char_start"], section.meta["char_end"]):
                assert covered[position] or text[position].isspace()

    assert len({point.id for point in chunks + sections}) == len(chunks) + len(sections)
    again = HeadingSplitter(max_tokens=max_tokens, section_max_chars=section_max_chars, model="packaged").run([source])
    assert again == out


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(PARTS, st.integers(1, 3))
def test_overlap_stays_in_its_section_and_budget(parts: list[tuple[str, dict[str, Any]]], overlap: int):
    out = HeadingSplitter(max_tokens=64, model="packaged", overlap_sentences=overlap).run([document(parts)])
    parents = {section.id: section for section in out["sections"]}
    for chunk in out["documents"]:
        assert chunk.meta["char_start"] >= parents[chunk.meta["parent_id"]].meta["char_start"]
        assert recounted(chunk) <= 64


def test_overlap_repeats_the_sentence_before():
    text = " ".join(sentence(n) for n in range(12))
    plain = split([paragraph(text)], max_tokens=80)["documents"]
    lapped = split([paragraph(text)], max_tokens=80, overlap_sentences=1)["documents"]
    assert len(plain) == len(lapped) > 2
    assert any(a.meta["char_start"] < b.meta["char_start"] and a.meta["char_end"] == b.meta["char_end"] for a, b in zip(lapped, plain, strict=True))


# --- sections and headers


def test_sections_headings_and_ids():
    parts = [
        ("Leave policy", {"kind": "title", "page": 1}),
        heading("1. Leave"),
        heading("Annual leave", 2),
        ("Twenty days.", {"kind": "paragraph", "page": 2}),
    ]
    parts += [heading("Sick leave", 2), paragraph("Ten days."), heading("2. Pay"), paragraph("Monthly.")]
    out = split(parts, meta={"language": "en", "access": ["hr"], "colour": "red"})
    assert [(c.content, c.meta["heading_path"], c.meta["context_header"]) for c in out["documents"]] == [
        ("Annual leave\n\nTwenty days.", ["1. Leave", "Annual leave"], "Leave policy > 1. Leave > Annual leave"),
        ("Sick leave\n\nTen days.", ["1. Leave", "Sick leave"], "Leave policy > 1. Leave > Sick leave"),
        ("2. Pay\n\nMonthly.", ["2. Pay"], "Leave policy > 2. Pay"),
    ]
    assert [s.content for s in out["sections"]] == [
        "Leave policy\n\n",
        "1. Leave\n\n",
        "Annual leave\n\nTwenty days.\n\n",
        "Sick leave\n\nTen days.\n\n",
        "2. Pay\n\nMonthly.",
    ]
    first, parent = out["documents"][0], out["sections"][2]
    assert first.id == point_id("chunk", "s", embedded_text(first.content, first.meta["context_header"]), 0)
    assert parent.id == point_id("section", "s", parent.content, 0) == first.meta["parent_id"]
    assert (first.meta["language"], first.meta["access"], first.meta["colour"], first.meta["container_id"]) == ("en", ["hr"], "red", "s")
    assert [c.meta["page"] for c in out["documents"]] == [None, None, None]
    assert out["sections"][0].meta["page"] == 1
    assert "blocks" not in parent.meta


def test_a_first_heading_that_repeats_the_title_is_not_in_the_path():
    out = split([heading("Leave  Policy"), paragraph("Intro."), heading("Annual", 2), paragraph("Twenty days.")])
    assert [c.meta["context_header"] for c in out["documents"]] == ["Leave policy", "Leave policy > Annual"]


def test_a_heading_with_nothing_below_keeps_a_chunk():
    out = split([paragraph("Text."), heading("Repealed")])
    assert [c.content for c in out["documents"]] == ["Text.", "Repealed"]


def test_equal_texts_get_their_own_ids():
    out = split([heading("A"), paragraph("Reserved."), heading("A"), paragraph("Reserved.")])
    assert len({c.id for c in out["documents"]}) == 2


def test_a_long_header_loses_its_middle():
    names = [f"Part {n} on the administration of many long and winding matters of state" for n in range(6)]
    parts = [heading(name, level) for level, name in enumerate(names, 1)] + [paragraph("Twenty days.")]
    chunks = split(parts, max_tokens=100)["documents"]
    assert all(any(name in embedded_text(c.content, c.meta["context_header"]) for c in chunks) for name in names)  # those left out have a chunk
    chunk = chunks[-1]
    header = chunk.meta["context_header"]
    assert header.startswith("Leave policy > ")
    assert header.endswith(names[-1])
    assert " > … > " in header
    assert chunk.meta["heading_path"] == names
    assert recounted(chunk) <= 100
    one = split([heading("word " * 300), paragraph("Twenty days.")], max_tokens=100)["documents"][-1].meta["context_header"]
    assert one.startswith("Leave policy > word")
    assert " … " in one


def test_a_short_record_is_one_chunk_and_one_section():
    parts = [heading("Incident"), paragraph("Pump failed."), heading("Action"), paragraph("Pump replaced.")]
    out = split(parts, meta={"record_id": "7"})
    assert [c.content for c in out["documents"]] == [s.content for s in out["sections"]] == ["Incident\n\nPump failed.\n\nAction\n\nPump replaced."]
    assert len(split(parts)["documents"]) == 2


def test_a_document_without_blocks_or_source_id():
    out = HeadingSplitter(model="packaged").run([Document(id="d", content="\n One.\n\nTwo.\n"), Document(id="e", content="One.\n\nTwo.")])
    one, other = out["documents"]
    assert (one.content, one.meta["char_start"], out["sections"][0].content) == ("One.\n\nTwo.", 2, "\n One.\n\nTwo.\n")
    assert one.meta["source_id"] != other.meta["source_id"]
    assert one.id != other.id


def test_a_long_section_becomes_several_parents_at_blocks():
    parts = [paragraph(" ".join(sentence(10 * n + k) for k in range(4))) for n in range(20)]
    out = split(parts, section_max_chars=1000)
    starts = {block["start"] for block in document(parts).meta["blocks"]}
    assert len(out["sections"]) > 4
    assert all(s.meta["char_start"] in starts for s in out["sections"])


# --- where cuts may stand

PROVISO = "Provided that leave of the year before is lost in March."


@pytest.mark.parametrize("joined", ["{rule} {proviso}", "{rule}\n{proviso}", None])
@pytest.mark.parametrize("lead", range(1, 9))
def test_a_proviso_keeps_its_rule(joined: str | None, lead: int):
    rule = "Every member of the staff may carry over five days of leave."
    before = " ".join(sentence(n) for n in range(lead))
    after = " ".join(sentence(n) for n in range(50, 56))
    if joined:
        parts = [paragraph(f"{before} {joined.format(rule=rule, proviso=PROVISO)} {after}")]
    else:
        parts = [paragraph(f"{before} {rule}"), paragraph(PROVISO), paragraph(after)]
    (holder,) = [c for c in split(parts, max_tokens=80)["documents"] if PROVISO in c.content]
    assert rule in holder.content


def test_list_items_keep_their_introduction():
    filler = paragraph(" ".join(sentence(n) for n in range(5)))
    items = "\n".join(f"- item {n} of the application form" for n in range(4))
    chunks = split([filler, paragraph("An application holds the following:"), (items, {"kind": "list"}), filler], max_tokens=100)["documents"]
    assert any(c.content == f"An application holds the following:\n\n{items}" for c in chunks)
    long = "\n".join(f"- item {n} of the application form" for n in range(40))
    chunks = split([paragraph("An application holds the following:"), (long, {"kind": "list"})], max_tokens=100)["documents"]
    assert chunks[0].content.startswith("An application holds the following:\n\n- item 0")
    assert all(c.content.startswith("- item") for c in chunks[1:])


def test_a_long_table_is_cut_between_rows_and_keeps_its_columns():
    rows = ["| Grade | Days of leave |", "|---|---|", *(f"| Grade {n} | {n} days after {n} years |" for n in range(40))]
    chunks = split([paragraph("Leave by grade."), ("\n".join(rows), {"kind": "table"})], max_tokens=120)["documents"]
    assert len(chunks) > 3
    assert all(line in rows or line in ("", "Leave by grade.") for c in chunks for line in c.content.split("\n"))
    assert rows[0] in chunks[0].content or rows[0] in chunks[1].content
    for chunk in chunks:
        begins_inside = chunk.content.startswith("| Grade ") and not chunk.content.startswith(rows[0])
        assert chunk.meta["context_header"] == "Leave policy" + (" | columns: Grade | Days of leave" if begins_inside else "")
        assert recounted(chunk) <= 120


def test_a_table_that_goes_on_keeps_the_columns_and_data_never_name_them():
    def rows(first: int):
        return [f"{n} | Rash driving number {n} | Fine of {n} rupees." for n in range(first, first + 12)]

    table = {"kind": "table"}
    parts = [
        ("\n".join(["Section | Offence | Punishment", *rows(100)]), table),
        ("\n".join(rows(200)), table),
        ("\n".join(["a | b", "c | d"]), table),
    ]
    for chunk in split(parts, max_tokens=100)["documents"]:
        suffix = " | columns: Section | Offence | Punishment" if chunk.content[0].isdigit() else ""
        assert chunk.meta["context_header"] == "Leave policy" + suffix
    for chunk in split(parts[1:2], max_tokens=100)["documents"]:
        assert chunk.meta["context_header"] == "Leave policy"


def test_a_long_sentence_is_cut_at_clauses_and_words():
    text = ", ".join(f"the {n}th officer of the branch shall keep a record of it" for n in range(30)) + "."
    chunks = split([paragraph(text)], max_tokens=64)["documents"]
    assert len(chunks) > 5
    assert all(c.content.endswith((",", ".")) for c in chunks)
    words = split([paragraph("officer " * 300)], max_tokens=64)["documents"]
    assert all(set(c.content.split()) == {"officer"} for c in words)


def test_a_word_that_the_tokenizer_does_not_know_is_not_one_token():
    chunks = split([paragraph("A" * 5000)], max_tokens=64)["documents"]
    assert max(len(c.content) for c in chunks) <= 8 * 64
    assert "".join(c.content for c in chunks) == "A" * 5000


def test_short_siblings_stay_apart_and_headings_stay_with_text():
    parts = [part for n in range(5) for part in (heading(f"Rule {n}"), paragraph(f"Text {n}."))]
    assert [c.content for c in split(parts)["documents"]] == [f"Rule {n}\n\nText {n}." for n in range(5)]


@pytest.mark.parametrize("words", range(20, 60, 3))
def test_a_heading_stays_with_its_text(words: int):
    text = " ".join(sentence(n, words // 4) for n in range(4))
    chunks = split([heading("Rule of carry over"), paragraph(text), paragraph(text.upper())], max_tokens=64)["documents"]
    assert chunks[0].content.startswith("Rule of carry over\n\n")


@pytest.mark.parametrize("lead", range(1, 9))
def test_an_introduction_inside_a_paragraph_stays_with_its_first_item(lead: int):
    before = " ".join(sentence(n) for n in range(lead))
    items = "\n".join(f"({letter}) {sentence(ord(letter))}" for letter in "abcdefgh")
    (holder,) = [c for c in split([paragraph(f"{before} The form holds:\n{items}")], max_tokens=80)["documents"] if "The form holds:" in c.content]
    assert "The form holds:\n(a)" in holder.content


def test_a_long_word_is_cut_between_graphemes():
    word = "क्षि" * 300
    chunks = split([paragraph(word)], max_tokens=64)["documents"]
    whole = regex.findall(r"\X", word)
    assert [g for c in chunks for g in regex.findall(r"\X", c.content)] == whole
    assert len(chunks) > 10


PROVISOS = (
    "Provided further that x|Provided, however, that x|Except on Sunday|However, x|Unless x|Exception 2.—x|Explanation.—x|But x|Notwithstanding x"
    "|This section does not apply to x|(2) Notwithstanding x|“Except x|- unless x|The above shall not apply|Nothing in this section"
    "|परंतु यह|बशर्ते कि|Es sei denn, x|Sauf x"
)


@pytest.mark.parametrize("text", PROVISOS.split("|"))
def test_proviso_markers(text: str):
    assert begins_proviso(text)


@pytest.mark.parametrize(
    "text", ["Butter is sold", "Exceptional staff", "Leave is provided that day", "The rule applies", "Explanations"[:7], "", "Provided meals"]
)
def test_no_proviso(text: str):
    assert not begins_proviso(text)


@pytest.mark.parametrize(
    ("text", "expected"), [("the following:", True), ("offence by—", True), ("namely", True), ("(that is:)", True), ("done.", False), ("", False)]
)
def test_introduces_list(text: str, expected: bool):
    assert introduces_list(text) is expected


# --- edits


def test_a_paragraph_inserted_above_leaves_the_ids_below():
    def parts(first: str) -> list[tuple[str, dict[str, Any]]]:
        return [heading("One"), paragraph(first), heading("Two"), *(paragraph(" ".join(sentence(7 * n + k) for k in range(3))) for n in range(10))]

    before, after = (split(parts(text)) for text in ("Short.", " ".join(sentence(n) for n in range(900, 930))))
    below = [c.id for c in before["documents"] if c.meta["heading_path"] == ["Two"]]
    assert below == [c.id for c in after["documents"] if c.meta["heading_path"] == ["Two"]]
    assert before["sections"][-1].id == after["sections"][-1].id
    assert before["documents"][-1].meta["char_start"] < after["documents"][-1].meta["char_start"]


def test_one_edited_paragraph_of_thirty_changes_about_three_chunks():
    rng = random.Random(5)
    splitter = HeadingSplitter(model="packaged")
    changed = []
    for trial in range(40):
        texts = [" ".join(sentence(rng.getrandbits(40), rng.randint(6, 20)) for _ in range(rng.randint(1, 5))) for _ in range(30)]
        edited = list(texts)
        edited[rng.randrange(30)] = " ".join(sentence(rng.getrandbits(40)) for _ in range(rng.randint(1, 5)))
        old, new = ({c.id for c in splitter.run([document([paragraph(t) for t in version])])["documents"]} for version in (texts, edited))
        changed.append(len(new - old))
        assert new & old, f"trial {trial}: nothing was kept"
    assert sum(changed) / len(changed) <= 2.5
    assert sorted(changed)[int(0.9 * len(changed))] <= 4


# --- failures, bounds, serialisation, speed


def test_one_bad_document_does_not_stop_the_rest():
    bad = Document(content="Some text", meta={"uri": "a.txt", "blocks": [{"kind": "poem", "start": 0, "end": 9}]})
    gap = Document(content="Some text", meta={"file_name": "b.txt", "blocks": [{"kind": "paragraph", "start": 0, "end": 4}]})
    empty = Document(id="c", content=" \n ", meta={})
    out = HeadingSplitter(model="packaged").run([bad, gap, empty, document([paragraph("Good.")])])
    assert [f["source"] for f in out["failed"]] == ["a.txt", "b.txt", "c"]
    assert "poem" in out["failed"][0]["reason"]
    assert "4-9" in out["failed"][1]["reason"]
    assert "no text" in out["failed"][2]["reason"]
    assert [c.content for c in out["documents"]] == ["Good."]
    assert HeadingSplitter(model="packaged").run([]) == {"documents": [], "sections": [], "failed": []}


@pytest.mark.parametrize(
    "bad",
    [{"max_tokens": 31}, {"max_tokens": 9000}, {"section_max_chars": 10}, {"overlap_sentences": -1}, {"max_tokens": True}, {"max_tokens": 64.0}],
)
def test_bounds(bad: dict[str, Any]):
    with pytest.raises(ValueError, match=f"HeadingSplitter: {next(iter(bad))}=.*accepted: a whole number from"):
        HeadingSplitter(**bad)


def test_more_tokens_than_the_model_reads_are_refused():
    with pytest.raises(ValueError, match=r"max_tokens=257, but the embedding model 'all-MiniLM-L6-v2' reads 256 tokens"):
        HeadingSplitter(max_tokens=257, model="packaged").warm_up()


def test_the_passage_prefix_counts(monkeypatch: pytest.MonkeyPatch):
    from config.settings import settings as current

    monkeypatch.setenv("SAKSHYA_EMBEDDING_PASSAGE_PREFIX", "passage of an organisation: ")
    current.cache_clear()
    text = " ".join(sentence(n) for n in range(30))
    chunks = HeadingSplitter(max_tokens=64).run([document([paragraph(text)])])["documents"]
    prefix = embedding_model().count_tokens("passage of an organisation: ")
    assert prefix > 3
    assert max(recounted(c) for c in chunks) <= 64 - prefix


def test_round_trip_in_yaml():
    pipeline = Pipeline()
    pipeline.add_component("splitter", HeadingSplitter(max_tokens=100, section_max_chars=900, overlap_sentences=1))
    text = pipeline.dumps()
    assert "components.preprocessors.heading_splitter.HeadingSplitter" in text
    assert "section_max_chars: 900" in text
    assert Pipeline.loads(text).dumps() == text


def test_input_is_left_alone():
    source = document([heading("A"), paragraph("Text.")])
    before = source.to_dict()
    HeadingSplitter(model="packaged").run([source])
    assert source.to_dict() == before
