import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from components.answer import Answer, Citation, Degraded, Status
from evaluation.answers import Outcome, evaluate_answers, judge, main, report_table
from evaluation.data import DataError
from evaluation.questions import Question, make_question, read_questions

SHARED_QUESTIONS = (Path(__file__).parents[2] / "../shared/data/questions/bns_questions.jsonl").resolve()

TIMING = Question("q1", "How long do premium refunds take?", True, kind="multi", gold_sources=("refunds.md", "plans.html"),
                  answer_must_include=("five business days", "priority"), answer_must_not_include=("60 days",))  # fmt: skip
THEFT = Question("q2", "Punishment for theft?", True, lang="hi", kind="direct", gold_sections=("BNS_303",), answer_must_include=("three years",))
NOWHERE = Question("q3", "Who won?", False, kind="other")


def answered(text, *uris):
    citations = [Citation(n=n, source_id="s", title="t", uri=uri, quote="q", char_start=0, char_end=1) for n, uri in enumerate(uris, start=1)]
    return Answer(status=Status.ANSWERED, question="q", answer=text, citations=citations)


DECLINED = Answer(status=Status.DECLINED, question="q", answer="", missing="a winner")
FAILED = Answer(status=Status.FAILED, question="q", answer="", degraded=[Degraded(stage="generator", reason="timed out")])


@pytest.mark.parametrize(
    ("question", "answer", "outcome", "reason"),
    [
        (TIMING, answered("Five business days; priority review.", "a/refunds.md"), Outcome.RIGHT, ""),
        (TIMING, answered("Five business days.", "a/refunds.md"), Outcome.WRONG, "does not say 'priority'"),
        (TIMING, answered("Five business days, priority, or 60 days.", "a/refunds.md"), Outcome.WRONG, "says '60 days'"),
        (TIMING, answered("Five business days; priority review.", "a/leave.md"), Outcome.WRONG, "cites none of refunds.md, plans.html"),
        (TIMING, answered("Five business days; priority review."), Outcome.WRONG, "cites none"),
        (TIMING, DECLINED, Outcome.WRONGLY_DECLINED, "a winner"),
        (THEFT, answered("Up to three years.", "bns.jsonl#BNS_303"), Outcome.RIGHT, ""),
        (NOWHERE, DECLINED, Outcome.RIGHTLY_DECLINED, ""),
        (NOWHERE, answered("Nobody.", "a/refunds.md"), Outcome.ANSWERED_UNANSWERABLE, ""),
        (NOWHERE, FAILED, Outcome.FAILED, "generator: timed out"),
        (THEFT, FAILED, Outcome.FAILED, "generator: timed out"),
    ],
)
def test_outcomes(question, answer, outcome, reason):
    result = judge(question, answer)
    assert result.outcome is outcome
    assert reason in "\n".join(result.reasons)
    assert bool(result.reasons) is bool(reason)


def test_totals_kinds_and_languages():
    answers = {
        TIMING.question: answered("Five business days; priority.", "refunds.md"),
        THEFT.question: answered("Ten years.", "x#BNS_303"),
        NOWHERE.question: DECLINED,
    }
    report = evaluate_answers([TIMING, THEFT, NOWHERE], answers.__getitem__)
    totals = {name: (share.successes, share.trials) for name, share in report.totals.items()}
    assert totals == {
        "good": (2, 3), "right": (1, 2), "wrongly declined": (0, 2), "rightly declined": (1, 1), "right when answered": (1, 2),
        "all sources": (0, 1),
    }  # fmt: skip
    assert {name: share.value for name, share in report.by_kind.items()} == {"multi": 1.0, "direct": 0.0, "other": 1.0}
    assert {name: share.value for name, share in report.by_lang.items()} == {"en": 1.0, "hi": 0.0}
    data = json.loads(json.dumps(report.to_json()))
    assert data["outcomes"] == {"right": 1, "wrong": 1, "wrongly declined": 0, "rightly declined": 1, "answered unanswerable": 0, "failed": 0}
    assert data["totals"]["good"]["low"] == pytest.approx(0.2077, abs=1e-4)
    assert data["results"][1]["reasons"] == ["does not say 'three years'"]


def test_both_sources_cited_is_full_coverage():
    report = evaluate_answers([TIMING], lambda _: answered("Five business days; priority.", "refunds.md", "plans.html"))
    assert report.totals["all sources"].value == 1.0


def test_gold_sources_of_another_kind_are_alternatives():
    either = Question("q", "q", True, kind="direct", gold_sources=("a.md", "b.md"))
    report = evaluate_answers([either], lambda _: answered("yes", "a.md"))
    assert report.results[0].outcome is Outcome.RIGHT
    assert report.totals["all sources"].trials == 0


def test_a_failure_counts_against_every_share():
    report = evaluate_answers([TIMING, NOWHERE], lambda _: FAILED)
    assert report.totals["right"].value == report.totals["rightly declined"].value == report.totals["good"].value == 0.0


def test_the_table_shows_counts_and_intervals():
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(report_table(evaluate_answers([TIMING, NOWHERE], lambda _: DECLINED)))
    text = console.export_text()
    assert "rightly declined" in text and "1/1" in text and "0.207" in text and "kind multi" in text and "language en" in text


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"question": "q", "answerable": False}, "field 'id'"),
        ({"id": "a", "question": "q", "answerable": "yes"}, "field 'answerable': 'yes'; accepted: true or false"),
        ({"id": "a", "question": "q", "answerable": True, "gold_sources": "x.md"}, "field 'gold_sources'"),
        ({"id": "a", "question": "q", "answerable": True}, "without gold_sources or gold_sections"),
        ({"id": "a", "question": "q", "answerable": False, "answer_must_include": ["x"]}, "must be declined"),
    ],
)
def test_a_faulty_question_is_refused(row, message):
    with pytest.raises(ValueError, match=message):
        make_question(row)


def test_questions_are_read_and_faults_named(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text('{"id": "a", "category": "direct", "question": "q", "answerable": true, "gold_sections": ["BNS_1"]}\n{"id": "b"}\n')
    with pytest.raises(DataError, match=r"q.jsonl:2: field 'answerable' is missing; accepted: true or false; a line is \{.id.: "):
        read_questions(path)
    path.write_text(path.read_text().splitlines()[0])
    (question,) = read_questions(path)
    assert (question.kind, question.lang, question.gold) == ("direct", "en", ("BNS_1",))


@pytest.mark.skipif(not SHARED_QUESTIONS.is_file(), reason="the shared question set is not here")
def test_the_shared_set_is_read():
    questions = read_questions(SHARED_QUESTIONS)
    assert len(questions) == 22
    assert all(question.gold_sections for question in questions if question.answerable)


def test_saved_answers_are_measured_from_the_command_line(tmp_path, capsys):
    questions, answers = tmp_path / "q.jsonl", tmp_path / "a.jsonl"
    questions.write_text('{"id": "a", "question": "q", "answerable": false}\n')
    answers.write_text(json.dumps({"id": "a", "answer": DECLINED.to_json()}) + "\n")
    assert main([str(questions), str(answers), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["outcomes"]["rightly declined"] == 1
    answers.write_text('{"id": "b", "answer": {"status": "maybe"}}\n')
    assert main([str(questions), str(answers)]) == 2
    assert "a.jsonl:1: field 'answer': status" in capsys.readouterr().err
