"""The presets beside the default graph: each loads, answers, keeps to its bounds, and fits one screen."""

import asyncio
from collections.abc import Callable

import pytest
from haystack import Pipeline

from app.checking.check import check_graph
from app.errors import UsageError
from app.graphs import Graph, load_graph
from app.query import ask, search
from components.access.principal import Principal
from components.answer import Status
from evaluation.evidence_recall import cases, load_evidence, shown
from tests.pipelines.conftest import READER, ROOT

PRESETS = ("query_fast", "query_strong")
LINES = 176


@pytest.fixture(scope="module")
def presets(first_report) -> dict[str, Graph]:
    graphs = {name: load_graph(name, phase="query") for name in PRESETS}
    for graph in graphs.values():
        graph.warm_up()
    return graphs


@pytest.fixture(scope="module")
def asked(presets) -> Callable:
    return lambda name, question, **more: asyncio.run(ask(presets[name], question, **{"principal": READER, **more}))


@pytest.mark.parametrize("name", PRESETS)
def test_it_is_sound_and_fits_a_screen(name):
    path = ROOT / "pipelines" / f"{name}.yml"
    assert [str(p) for p in check_graph(path) if p.level.value == "error"] == []
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LINES
    assert (ROOT / "docs" / "graphs" / f"{name}.svg").is_file()


@pytest.mark.parametrize(("name", "most"), [("query_fast", 4), ("query_strong", 8)])
def test_it_answers_and_declines(asked, name, most):
    answer = asked(name, "When do password resets expire?")
    assert answer.status is Status.ANSWERED
    assert "30 minutes" in answer.answer
    assert 0 < len(answer.evidence) <= most
    assert asked(name, "What is the vacation policy?").status is Status.DECLINED
    stranger = asked(name, "When do password resets expire?", principal=Principal(user="s", tenant="elsewhere"))
    assert (stranger.status, stranger.evidence) == (Status.DECLINED, [])


def test_strong_reads_where_to_look(asked):
    answer = asked("query_strong", "How long does a refund take, according to refunds.md?")
    assert answer.question == "How long does a refund take, according to refunds.md?"
    assert {e.uri.rpartition("/")[2] for e in answer.evidence} == {"refunds.md"}
    stage = next(s for s in answer.trace if s.name == "where")
    assert stage.note == "from the question: 'according to refunds.md'; the filter leaves 1 of 16 sources (5 of 165 chunks)"
    declined = asked("query_strong", "Who won the chess tournament, according to refunds.md?")
    assert declined.status is Status.DECLINED
    assert "the filter leaves 1 of 16 sources" in declined.missing


def test_filters_of_the_door(presets, query_graph):
    def found(filters):
        return asyncio.run(search(query_graph, "refund", principal=READER, filters=filters))

    result = found(["type=md", "modified_at>=P100Y"])
    assert {d["uri"].rpartition(".")[2] for d in result["documents"]} == {"md"}
    assert result["trace"][0]["note"].startswith("the filter leaves 4 of 16 sources")
    assert found("source=nothing.md")["documents"] == []
    with pytest.raises(UsageError, match="did you mean type"):
        found("tpye=md")
    for name in PRESETS:
        answer = asyncio.run(ask(presets[name], "How long do premium refunds take?", principal=READER, filters="type=pdf & docx"))
        assert "the filter leaves 0 of 16 sources" in answer.missing


def test_what_the_evidence_holds_is_measured(first_report):
    pipeline, inputs = load_evidence(ROOT / "pipelines" / "query_fast.yml", ["evidence.top_k=6"])
    good = 0
    found = cases(ROOT / "examples" / "questions.jsonl", None, 6)
    for question, is_good in found:
        evidence = shown(pipeline, inputs, question)
        assert len(evidence) <= 6
        good += is_good(evidence)
    assert good >= 5
    with pytest.raises(ValueError, match="accepted is COMPONENT"):
        load_evidence(ROOT / "pipelines" / "query_fast.yml", ["evidnce.top_k=6"])


def test_haystacks_own_prior_stands_in_a_graph():
    text = """
components:
  recency:
    type: haystack.components.rankers.meta_field.MetaFieldRanker
    init_parameters: {meta_field: modified_at, meta_value_type: date, weight: 0.3, missing_meta: bottom}
connections: []
"""
    assert Pipeline.loads(text).get_component("recency").weight == 0.3
