"""Graphs side by side: quality as judged, cost as counted, and a run that goes on where it ended."""

import json

import pytest
from typer.testing import CliRunner

from app.cli import app
from app.comparing_graphs import Kept
from app.errors import UsageError
from components.answer import Usage
from evaluation.beir import BeirDocument, BeirSet
from evaluation.comparison_plot import comparison_svg
from evaluation.graph_comparison import GraphRow, Trial, answers_row, comparison_tables, retrieval_row, trial_from_json
from evaluation.questions import Question


def answer(text, status="answered"):
    return {"status": status, "question": "?", "answer": text, "citations": [_citation()] if status == "answered" else []}


def _citation():
    return {"n": 1, "source_id": "s", "title": "pool", "uri": "pool.md", "quote": "It opens at 7.", "char_start": 0, "char_end": 14}


QUESTIONS = [
    Question("q1", "When does it open?", True, gold_sources=("pool.md",), answer_must_include=("7",)),
    Question("q2", "Who swims?", True, gold_sources=("pool.md",), answer_must_include=("Asha",)),
    Question("q3", "What does it cost?", False),
]


def test_answers_are_judged_and_costs_are_means():
    trials = [
        Trial("q1", answer("It opens at 7 [1]."), 1.0, Usage(calls=2, prompt_tokens=100, completion_tokens=10, cost_usd=0.5)),
        Trial("q2", None, 3.0, Usage(), ("deadline: no answer",)),
        Trial("q3", answer("", "declined"), 2.0, Usage(calls=1, prompt_tokens=50, completion_tokens=2, cost_usd=0.25)),
    ]
    row = answers_row("some", QUESTIONS, trials)
    shown = row.to_json()
    assert (shown["quality"]["good"]["value"], shown["quality"]["right"]["value"]) == (2 / 3, 0.5)
    assert shown["quality"]["rightly declined"]["value"] == 1.0 and (row.failed, shown["degraded"]) == (1, 1)
    assert row.costs == {"calls": 1.0, "tokens_in": 50.0, "tokens_out": 4.0, "cost_usd": 0.25, "p50_ms": 2000.0, "p95_ms": 2900.0}


def test_a_cost_that_is_not_known_is_none_and_no_zero():
    row = GraphRow("g", [Trial("a", [], 1.0, Usage(calls=1)), Trial("b", [], 1.0, Usage())])
    assert row.costs["cost_usd"] is None
    assert GraphRow("g", [Trial("b", [], 1.0, Usage())]).costs["cost_usd"] == 0


def collection():
    corpus = {name: BeirDocument(name, "", name) for name in "abcd"}
    return BeirSet("set", "test", corpus, {"1": "x", "2": "y"}, {"1": {"a": 1, "b": 1}, "2": {"c": 1, "d": 0}})


def test_all_gold_counts_documents_and_only_relevant_ones():
    trials = [Trial("1", ["a", "a", "c", "b"], 0.1), Trial("2", ["a", "b", "d"], 0.1)]
    assert retrieval_row("g", collection(), trials, k=3).quality["all gold within 3"].to_json()["successes"] == 1
    assert retrieval_row("g", collection(), trials, k=2).quality["all gold within 2"].to_json()["successes"] == 0
    assert retrieval_row("g", collection(), [Trial("1", None, 0.1), Trial("2", ["c"], 0.1)]).failed == 1


def test_trials_are_kept_and_read_again(tmp_path):
    trial = Trial("q", ["a"], 1.5, Usage(calls=1, prompt_tokens=3), ("x: y",))
    with Kept(tmp_path / "new", "g") as kept:
        kept.add(trial)
    with Kept(tmp_path / "new", "g") as kept:
        assert kept.trials == {"q": trial}
    (tmp_path / "new" / "g.jsonl").write_text(json.dumps(trial.to_json()) + "\n{half a li")
    with pytest.raises(UsageError, match=r"g\.jsonl:2: .*--save"), Kept(tmp_path / "new", "g"):
        pass
    with pytest.raises(ValueError, match="accepted"):
        trial_from_json({"id": "a"})


def test_table_and_picture_show_every_graph():
    row = answers_row("fast & <small>", QUESTIONS[:1], [Trial("q1", answer("It opens at 7 [1]."), 0.02)])
    skipped = GraphRow("hyde", skipped="SAKSHYA_CHAT_MODEL is not set")
    drawn = comparison_svg([row, skipped], "a < b")
    assert "fast &amp; &lt;small&gt;" in drawn and "a &lt; b" in drawn and "hyde" not in drawn
    worth, costs = comparison_tables([row, skipped], "t")
    assert [str(c) for c in worth.columns[0].cells] == ["fast & <small>", "hyde"] and [str(c) for c in costs.columns[0].cells] == ["fast & <small>"]
    with pytest.raises(ValueError, match="nothing to draw"):
        comparison_svg([skipped], "t")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--graphs", "nope"], "'nope' not found"),
        (["--graphs", " , "], "--graphs is empty"),
        (["--plot", "x.png"], "ends in .svg"),
    ],
)
def test_wrong_use_is_one_line(arguments, says, tmp_path):
    (tmp_path / "q.jsonl").write_text("")
    result = CliRunner().invoke(app, ["evaluate", "graphs", str(tmp_path / "q.jsonl"), *arguments])
    assert result.exit_code == 2 and says in result.stderr.replace("\n", " ")
