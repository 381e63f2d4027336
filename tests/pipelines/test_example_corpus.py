"""The main job: the example corpus in, cited answers out, through the default graphs."""

from pathlib import Path

import pytest

from app.sources import keeper, source_text
from app.store import graph_store
from components.access.principal import Principal, acting_as
from components.answer import Status
from evaluation.answer_checks import numbers_without_quote, quote_faults
from evaluation.answers import Outcome, evaluate_answers
from evaluation.questions import read_questions
from tests.pipelines.conftest import DOCUMENTS, ROOT, index_examples

QUESTIONS = read_questions(ROOT / "examples" / "questions.jsonl")


def sources_cited(answer) -> set[str]:
    return {Path(citation.uri.partition("#")[0]).name for citation in answer.citations}


def test_every_document_is_indexed(first_report):
    assert first_report["failed"] == []
    assert len(first_report["added"]) == sum(path.is_file() for path in DOCUMENTS.rglob("*"))
    assert first_report["embedded"] == first_report["chunks"] > 100


def test_indexing_again_embeds_nothing(first_report, index_graph):
    again = index_examples(index_graph)
    assert again["embedded"] == 0
    assert sorted(again["unchanged"]) == sorted(first_report["added"])
    assert again["index_version"] == first_report["index_version"]


def test_premium_refunds_cites_the_timing_and_the_priority(answered):
    answer = answered("How long do premium refunds take?")
    assert answer.status is Status.ANSWERED
    assert "five business days" in answer.answer
    assert "riority" in answer.answer
    assert sources_cited(answer) >= {"refunds.md", "plans-and-billing.html"}


def test_password_resets_expire_after_thirty_minutes(answered):
    answer = answered("When do password resets expire?")
    assert answer.status is Status.ANSWERED
    assert "30 minutes" in answer.answer
    assert any("30 minutes" in citation.quote for citation in answer.citations)


def test_a_policy_that_is_not_there_is_declined_and_named(answered):
    answer = answered("What is the vacation policy?")
    assert answer.status is Status.DECLINED
    assert answer.citations == []
    assert "vacation" in answer.missing


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.id)
def test_every_quote_is_the_stored_text_and_no_number_is_invented(answered, query_graph, question):
    answer = answered(question.question)
    assert answer.status is not Status.FAILED, answer.degraded
    with acting_as(keeper("default")):
        assert quote_faults(answer, lambda source: source_text(graph_store(query_graph), source)) == []
    told = [question.question, answer.missing, *(item.note for item in answer.evidence)]  # what a refusal and a note of validity may name
    assert numbers_without_quote(answer, allowed=told) == set()


def test_most_answers_are_right_and_most_gaps_are_declined(answered):
    report = evaluate_answers(QUESTIONS, answered)
    answerable = [result for result in report.results if result.question.answerable]
    others = [result for result in report.results if not result.question.answerable]
    right = sum(result.outcome is Outcome.RIGHT for result in answerable)
    declined = sum(result.outcome is Outcome.RIGHTLY_DECLINED for result in others)
    assert right >= 0.8 * len(answerable), [r.question.id for r in answerable if r.outcome is not Outcome.RIGHT]
    assert declined >= 0.85 * len(others), [r.question.id for r in others if r.outcome is not Outcome.RIGHTLY_DECLINED]


def test_another_tenant_is_told_nothing(answered):
    answer = answered("When do password resets expire?", principal=Principal(user="stranger", tenant="elsewhere"))
    assert answer.status is Status.DECLINED
    assert answer.evidence == []


def test_the_trace_names_every_stage(answered):
    stages = {stage.name: stage for stage in answered("When do password resets expire?").trace}
    assert {"dense_embedder", "sparse_embedder", "fuser", "ranker", "evidence", "generator", "answer_builder"} <= stages.keys()
    assert stages["ranker"].skipped == "no model"
    assert stages["fuser"].candidates_out
    assert all(stage.ms >= 0 for stage in stages.values())


def test_run_and_run_async_find_the_same(query_graph):
    import asyncio

    values = {"question": "How long do premium refunds take?"}
    with acting_as(Principal(user="test")):
        one = query_graph.run(values)
        other = asyncio.run(query_graph.run_async(values))
    assert [d.id for d in one["documents"]] == [d.id for d in other["documents"]]
    assert one["answer"] == other["answer"]
