"""Sets that are judged once: read again from what was saved, asked else; and how a collection's questions are asked."""

import json

import pytest

from app.errors import UsageError
from app.judging import Kept, asked_twice, judged_sets
from evaluation.beir import read_beir
from evaluation.data import read_set

KEPT = Kept("mark", lambda path: read_set(path, lambda row: row["id"]), lambda one: {"id": one, "mark": 1})


def collection(folder):
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text("".join(json.dumps({"_id": f"d{i}", "title": "", "text": f"text {i}"}) + "\n" for i in range(3)))
    (folder / "queries.jsonl").write_text("".join(json.dumps({"_id": f"q{i}", "text": f"question {i}?"}) + "\n" for i in range(3)))
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(f"q{i}\td{i}\t1\n" for i in range(3)))
    return read_beir(folder)


def test_each_question_is_asked_with_and_without_what_answers_it(tmp_path):
    asked = list(asked_twice(collection(tmp_path / "set"), 2))
    assert len(asked) == 4 and [one.with_gold for one in asked] == [True, False, True, False]
    assert asked[0].id == f"{asked[0].query_id}:with" and asked[1].id == f"{asked[0].query_id}:without"
    assert asked[0].filters is None
    assert asked[1].filters == {"field": "meta.source_id", "operator": "not in", "value": sorted(asked[0].gold)} and len(asked[1].gold) == 1
    assert [one.id for one in asked_twice(collection(tmp_path / "again"), 2)] == [one.id for one in asked]


def test_what_was_saved_is_read_and_not_asked_again(tmp_path):
    asked = []

    def ask(path, stack):
        asked.append(path.name)
        stack.callback(asked.append, "closed")
        return 2, iter(["a", "b"])

    questions = tmp_path / "questions.jsonl"
    questions.write_text('{"id": "x", "question": "?"}\n')
    first = judged_sets([questions], KEPT, ask, save=tmp_path / "saved", shown=False)
    assert first == {"questions": ["a", "b"]} and asked == ["questions.jsonl", "closed"]
    assert judged_sets([tmp_path / "saved" / "questions.jsonl"], KEPT, ask, shown=False) == first and len(asked) == 2


def test_two_sets_of_one_name_and_a_missing_one_are_named(tmp_path):
    with pytest.raises(UsageError, match="second set named a"):
        judged_sets([tmp_path / "a", tmp_path / "x" / "a"], KEPT, lambda path, stack: (0, iter([])), shown=False)
    broken = tmp_path / "b.jsonl"
    broken.write_text("no json\n")
    with pytest.raises(UsageError, match=r"b\.jsonl:1: not JSON"):
        judged_sets([broken], KEPT, lambda path, stack: (0, iter([])), shown=False)
