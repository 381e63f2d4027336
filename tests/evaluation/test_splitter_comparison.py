"""Comparing splitters: what a passage counts as must not depend on how the text was cut."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import app
from evaluation.beir import BeirDocument, BeirSet
from evaluation.bootstrap import Interval
from evaluation.questions import Question
from evaluation.splitter_comparison import Row, answers_of, comparison_table, counted, question_set, sampled, stretches


def section(source: str, heading: str, start: int, end: int, file_name: str = "BNS_2023.pdf") -> dict:
    return {"source_id": source, "heading_path": ["Chapter 2", heading], "char_start": start, "char_end": end, "file_name": file_name}


def test_numbered_sections_are_named_by_file_and_number():
    found = stretches(
        [
            section("s", "303. Theft", 100, 200),
            section("s", "302. Uttering words", 0, 100),
            section("s", "303. Theft", 200, 250),  # a long section in two parents
            section("s", "304A Snatching", 250, 300),
            section("t", "Section 7: Fees", 0, 50, "rules.md"),
            {"source_id": "t", "heading_path": ["Preface"], "char_start": 50, "char_end": 60, "file_name": "rules.md"},
        ]
    )
    assert [(s.name, s.start, s.end) for s in found["s"]] == [("BNS_302", 0, 100), ("BNS_303", 100, 250), ("BNS_304A", 250, 300)]
    assert [s.name for s in found["t"]] == ["rules_7"]


def test_a_passage_counts_as_the_sections_that_it_is_or_holds():
    places = stretches([section("s", f"{n}. X", 100 * n, 100 * (n + 1)) for n in range(1, 6)])

    def names(start: int, end: int, **meta):
        return answers_of({"source_id": "s", "char_start": start, "char_end": end, "uri": "law/BNS_2023.pdf", **meta}, places)

    assert names(310, 330) == ["BNS_3", "BNS_2023.pdf"]  # part of one
    assert names(290, 400) == ["BNS_3", "BNS_2023.pdf"]  # a little of another
    assert names(240, 360) == ["BNS_2", "BNS_3", "BNS_2023.pdf"]
    assert names(100, 400) == ["BNS_1", "BNS_2", "BNS_3", "BNS_2023.pdf"]
    assert names(310, 330, record_id="r7")[0] == "r7"
    assert answers_of({"source_id": "other", "char_start": 0, "char_end": 9, "uri": "a/b.csv#7"}, places) == ["b.csv"]


def test_a_passage_takes_one_rank_unless_it_holds_several_answers():
    assert counted(["BNS_1", "BNS_2", "f.pdf"], {"BNS_2": 1}) == ["BNS_2"]
    assert counted(["BNS_1", "BNS_2", "f.pdf"], {"BNS_9": 1}) == ["BNS_1"]
    assert counted(["BNS_1", "BNS_2"], {"BNS_1": 1, "BNS_2": 1}) == ["BNS_1", "BNS_2"]
    assert counted([], {"BNS_1": 1}) == []


def test_a_sample_holds_every_relevant_document_of_its_queries():
    corpus = {f"d{n}": BeirDocument(f"d{n}", "", "x") for n in range(100)}
    queries = {f"q{n}": f"question {n}" for n in range(40)}
    qrels = {f"q{n}": {f"d{2 * n}": 1, "d99": 0} for n in range(40)}
    data = BeirSet("set", "train", corpus, queries, qrels)
    small = sampled(data, 20)
    assert len(small.corpus) == 20
    assert list(small.queries) == [f"q{n}" for n in range(10)]
    assert all(name in small.corpus for own in small.qrels.values() for name, degree in own.items() if degree)
    assert small.notes == ["a sample of 20 of 100 documents with 10 of 40 queries"]
    assert sampled(data, 20).corpus.keys() == small.corpus.keys()
    assert sampled(data, None) is data
    assert sampled(data, 100) is data


def test_only_answerable_questions_count():
    asked = [Question("a", "What?", True, gold_sources=("x.md",)), Question("b", "Why?", False)]
    data = question_set("set", asked)
    assert (data.queries, data.qrels) == ({"a": "What?"}, {"a": {"x.md": 1}})
    with pytest.raises(ValueError, match="set: no question is answerable"):
        question_set("set", asked[1:])


def test_the_table():
    from rich.console import Console

    interval = Interval(0.9, 0.8, 1.0)
    row = Row("sentence", "set", {"recall@5": interval, "nDCG@10": interval}, 10, 4, 1200, 54321, 12.4)
    console = Console(width=100, record=True)
    console.print(comparison_table("set", [row]))
    text = console.export_text()
    assert "set: 4 documents, 10 questions" in text
    assert ".900 (.80–1.00)" in text
    assert "54,321" in text
    assert row.to_json()["chunks"] == 1200


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "files").mkdir()
    for name, text in (("leave.md", "# Leave\n\nTwenty days of leave a year."), ("bread.md", "# Bread\n\nBread needs flour and an oven.")):
        (tmp_path / "files" / name).write_text(text, encoding="utf-8")
    question = {"id": "1", "question": "How many days of leave are there?", "answerable": True, "gold_sources": ["leave.md"]}
    (tmp_path / "q.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    argument = f"{tmp_path / 'files'}={tmp_path / 'q.jsonl'}"
    done = CliRunner().invoke(app, ["evaluate", "splitters", argument, "--splitters", "token_window", "--json"])
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)["splitters"]
    assert (row["splitter"], row["documents"], row["chunks"], row["queries"]) == ("token_window", 2, 2, 1)
    assert row["metrics"]["recall@5"]["value"] == row["metrics"]["nDCG@10"]["value"] == 1.0
    assert row["tokens"] > 10
    for wrong, said in (
        ([argument, "--splitters", "words"], "splitter 'words' is not known; accepted: heading, token_window"),
        (["nowhere=q"], "nowhere: no such file"),
    ):
        failed = CliRunner().invoke(app, ["evaluate", "splitters", *wrong])
        assert failed.exit_code == 2
        assert said in failed.output + failed.stderr
