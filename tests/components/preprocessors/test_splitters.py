"""What each splitter is for, by example."""

import numpy as np
import pytest
from haystack import Document

from components.blocks import join_blocks
from components.embedders import embedding_model as models
from components.embedders.embedding_encoder import EmbeddingError
from components.preprocessors.paragraph_splitter import ParagraphSplitter
from components.preprocessors.parent_child_splitter import ParentChildSplitter
from components.preprocessors.record_splitter import RecordSplitter
from components.preprocessors.recursive_splitter import RecursiveSplitter
from components.preprocessors.semantic_breaks import distances, semantic_runs, threshold
from components.preprocessors.semantic_splitter import SemanticSplitter
from components.preprocessors.sentence_splitter import SentenceSplitter
from components.preprocessors.sentence_window_splitter import SentenceWindowSplitter

LEAVE = "Leave is granted for twenty days. Leave must be asked for in writing. A manager signs the leave form."
BREAD = "Bread needs flour and yeast. Water and salt go into the dough. An oven bakes the bread at great heat."


def run(splitter, parts, **meta):
    content, blocks = join_blocks([(part, {"kind": "paragraph"}) if isinstance(part, str) else part for part in parts])
    out = splitter.run([Document(content=content, meta={"blocks": blocks, "title": "T", **meta})])
    assert out["failed"] == []
    return out


def contents(out):
    return [chunk.content for chunk in out["documents"]]


def heading(text: str, level: int = 1):
    return text, {"kind": "heading", "level": level}


def test_sentences_do_not_cross_a_heading_and_a_heading_is_none():
    out = run(SentenceSplitter(sentences=2, overlap=0, model="packaged"), [heading("Leave"), LEAVE, heading("Bread"), BREAD])
    assert [chunk.count(".") for chunk in contents(out)] == [2, 1, 2, 1]
    assert contents(out)[0].startswith("Leave\n\nLeave is granted")
    assert out["documents"][2].meta["context_header"] == "T > Bread"


def test_paragraphs_short_ones_joined():
    out = run(ParagraphSplitter(min_tokens=12, model="packaged"), [LEAVE, "A short one.", BREAD, "The end."])
    assert contents(out) == [LEAVE, f"A short one.\n\n{BREAD}\n\nThe end."]
    assert contents(run(ParagraphSplitter(min_tokens=0, model="packaged"), [LEAVE, "A short one."])) == [LEAVE, "A short one."]


def test_recursive_cuts_a_paragraph_only_where_it_does_not_fit():
    out = run(RecursiveSplitter(max_tokens=40, model="packaged"), ["One short paragraph.", LEAVE, BREAD])
    assert contents(out)[0] == f"One short paragraph.\n\n{LEAVE}"
    assert all(chunk.endswith(".") for chunk in contents(out))
    assert contents(run(RecursiveSplitter(["|"], max_tokens=32, model="packaged"), ["|".join(["some more words here"] * 12)]))[0].endswith("|")


def test_the_window_is_around_the_sentence_and_in_its_section():
    out = run(SentenceWindowSplitter(window=1, model="packaged"), [LEAVE, heading("Bread"), BREAD])
    text = "".join(section.content for section in out["sections"])
    shown = [text[chunk.meta["window_start"] : chunk.meta["window_end"]] for chunk in out["documents"]]
    assert shown[0] == "Leave is granted for twenty days. Leave must be asked for in writing."
    assert shown[1] == LEAVE
    assert shown[3].startswith("Bread\n\nBread needs flour")


def test_the_subject_changes():
    out = run(SemanticSplitter(percentile=80, min_tokens=8, model="packaged"), [f"{LEAVE} {BREAD}"])
    assert contents(out) == [LEAVE, BREAD]
    assert out["degraded"] == []


def test_distances_and_breaks():
    vectors = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    assert distances(vectors) == [1, 1]
    assert distances(vectors[:2]) == []
    assert threshold([0.1, 0.2, 0.9], 50) == pytest.approx(0.2)
    assert threshold([0.1], 50) == float("inf")
    free = [True] * 6
    assert semantic_runs([10] * 6, [0, 0.1, 0.1, 0.8, 0.1, 0.1], free, 0.5, 100, 10) == [(0, 3), (3, 6)]
    assert semantic_runs([10] * 6, [0, 0.1, 0.1, 0.8, 0.1, 0.1], [True, True, True, False, True, True], 0.5, 100, 10) == [(0, 6)]
    assert semantic_runs([10] * 6, [0, 0.1, 0.4, 0.1, 0.1, 0.1], free, 0.5, 40, 10) == [(0, 2), (2, 6)]  # too large: at the largest gap
    assert semantic_runs([10] * 4, [0, 0.9, 0.1, 0.1], free, 0.5, 100, 20) == [(0, 4)]  # too small by itself


def test_a_model_that_fails_gives_paragraphs_and_says_so(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    splitter = SemanticSplitter(min_tokens=0, model="packaged")
    splitter.warm_up()

    def fail(*_, **__):
        raise EmbeddingError("the endpoint is away")

    monkeypatch.setattr(models.EmbeddingModel, "encode_passages", fail)
    out = run(splitter, [LEAVE, BREAD], uri="leave.md")
    assert contents(out) == [LEAVE, BREAD]
    assert out["degraded"] == [
        {"stage": "splitter", "reason": "leave.md was cut into paragraphs, because its sentences could not be embedded: the endpoint is away"}
    ]
    assert "leave.md was cut into paragraphs" in caplog.text


def test_children_stay_in_their_section_and_parents_hold_several():
    parts = [part for n in range(6) for part in (heading(f"Chapter {n}"), f"{LEAVE} {BREAD}")]
    out = run(ParentChildSplitter(max_tokens=48, parent_tokens=128, model="packaged"), parts)
    assert 1 < len(out["sections"]) < 6
    parents = {section.id: section for section in out["sections"]}
    for chunk in out["documents"]:
        assert chunk.content in parents[chunk.meta["parent_id"]].content
        assert chunk.meta["heading_path"][0].startswith("Chapter")
    whole = run(ParentChildSplitter(max_tokens=48, parent_tokens=4096, model="packaged"), parts)
    assert [section.meta["heading_path"] for section in whole["sections"]] == [[]]


@pytest.mark.parametrize("rows", [1, 3, None])
def test_rows_in_groups_with_their_header(rows: int | None):
    table = "| Grade | Days |\n|---|---|\n" + "\n".join(f"| Grade {chr(65 + n)} | {n} days |" for n in range(9))
    out = run(RecordSplitter(rows=rows, model="packaged"), [heading("Pay"), (table, {"kind": "table"}), "Text behind it."])
    assert contents(out)[0].startswith("Pay\n\n| Grade | Days |\n|---|---|\n| Grade A | 0 days |")
    if rows:
        assert [chunk.count("days |") for chunk in contents(out)[:-1]] == [rows] * (9 // rows)
        assert {chunk.meta["context_header"] for chunk in out["documents"][1:-1]} == {"T > Pay | columns: Grade | Days"}
    assert contents(out)[-1] == "Text behind it."


def test_a_record_that_fits_is_whole():
    out = run(RecordSplitter(model="packaged"), [heading("Incident"), "Pump failed.", heading("Action"), "Pump replaced."], record_id="7")
    assert contents(out) == ["Incident\n\nPump failed.\n\nAction\n\nPump replaced."]
