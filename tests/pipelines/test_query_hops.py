"""The graph of hops over a small corpus: the loop runs, is bounded, and its path is in the trace."""

import asyncio

import pytest

from app.errors import GraphError
from app.graphs import load_graph
from app.query import ask, search
from components.access.principal import Principal, acting_as
from config.settings import settings
from tests.scripted_chat import scripted_chat
from tests.small_corpus import BRIDGE, OFFICES, SmallCorpus

QUESTION = "Who heads the office that gives fishing permits?"
READER = Principal(user="reader")


@pytest.fixture(autouse=True)
def own_settings():
    """Settings read anew: a test here may have set a chat model that is gone."""
    settings.cache_clear()
    yield
    settings.cache_clear()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    corpus = SmallCorpus(tmp_path_factory.mktemp("hops"), OFFICES)
    assert not corpus.report["failed"]
    yield corpus
    corpus.store.shutdown()


def notes(stages, name="planner") -> list[str]:
    return [stage["note"] for stage in stages if stage["name"] == name]


def test_the_second_document_is_found_and_the_path_is_in_the_trace(tmp_path):
    corpus = SmallCorpus(tmp_path, BRIDGE)
    try:
        result = asyncio.run(search(load_graph("query_hops", phase="query", only=["documents"], store=corpus.where), QUESTION, principal=READER))
        plain = asyncio.run(search(load_graph("query", phase="query", only=["documents"], store=corpus.where), QUESTION, principal=READER))
        files, before = ([document["uri"].rsplit("/", 1)[-1] for document in one["documents"]] for one in (result, plain))
        assert "zander.md" not in before[:3]
        assert files[:3] == before[:3]
        assert "zander.md" in files[3:5]
        said = notes(result["trace"])
        assert "asks on: 'Zander Bureau" in said[0]
        assert "path:" in said[-1]
        assert "Zander Bureau" in said[-1]
        assert [stage["name"] for stage in result["trace"]].count("retriever") == len(said) > 1
    finally:
        corpus.store.shutdown()


def test_sync_and_async_give_the_same(corpus):
    graph = load_graph("query_hops", phase="query", only=["documents"], store=corpus.where)
    with acting_as(READER):
        one = graph.run({"question": QUESTION})["documents"]
    other = asyncio.run(search(graph, QUESTION, principal=READER, top_k=100))["documents"]
    assert [d.id for d in one] == [d["id"] for d in other]


def test_a_model_that_always_asks_more_is_stopped(corpus, monkeypatch):
    with scripted_chat(lambda prompt: f"What is thing number {len(prompt)}?", monkeypatch) as chat:
        graph = load_graph("query_hops", phase="query", only=["documents"], store=corpus.where)
        found = asyncio.run(search(graph, QUESTION, principal=READER))
        assert len(chat.prompts) == 2
        assert len(notes(found["trace"])) == 3
        assert "max_hops=3" in notes(found["trace"])[-1]
        with acting_as(READER):
            assert graph.run({"question": QUESTION})["documents"]
        assert len(chat.prompts) == 4


def test_a_chat_model_leads_to_the_second_document(corpus, monkeypatch):
    replies = iter(["Who is the head of the Lake Office in the old mill?", "ANSWERABLE"])
    with scripted_chat(lambda prompt: next(replies), monkeypatch):
        graph = load_graph("query_hops", phase="query", only=["documents"], store=corpus.where)
        found = asyncio.run(search(graph, QUESTION, principal=READER))
    assert "lake.txt" in {document["uri"].rsplit("/", 1)[-1] for document in found["documents"][:5]}
    assert "the chat model finds it answerable" in notes(found["trace"])[-1]


def test_a_model_that_fails_degrades_the_answer_and_no_more(corpus, monkeypatch):
    with scripted_chat([500], monkeypatch, timeout_s=0.5):
        graph = load_graph("query_hops", phase="query", store=corpus.where)
        answer = asyncio.run(ask(graph, "When does the pool open?", principal=READER))
    assert answer.status.value in ("answered", "declined", "failed")
    assert "planner" in {entry.stage for entry in answer.degraded}


def test_an_answer_by_rules(corpus):
    graph = load_graph("query_hops", phase="query", store=corpus.where)
    answer = asyncio.run(ask(graph, "When does the pool open?", principal=READER))
    assert answer.status.value == "answered"
    assert "7" in answer.answer
    assert answer.degraded == []


def test_chat_without_a_chat_model_is_refused_at_load(corpus, tmp_path):
    from app.graphs import graph_path

    text = graph_path("query_hops").read_text(encoding="utf-8").replace("planner: auto", "planner: chat")
    (tmp_path / "strict.yml").write_text(text, encoding="utf-8")
    with pytest.raises(GraphError, match="SAKSHYA_CHAT_MODEL"):
        load_graph(str(tmp_path / "strict.yml"), phase="query")
