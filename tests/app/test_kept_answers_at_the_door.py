from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from haystack import Document, Pipeline, component
from typer.testing import CliRunner

from app.answer_cache import FILE, answer_cache, forget_answers
from app.cli import app
from app.graph_identity import NOT_ANSWERING, graph_identity
from app.graphs import Graph, load_graph
from app.query import ask
from components.access.principal import Principal, acting_as
from components.answer import Answer, Evidence, Status
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from config.settings import Settings, settings

ANN = Principal("ann")


@component
class Counter:
    """Answers with how often it ran."""

    def __init__(self, document_store: Any) -> None:
        self.document_store, self.runs = document_store, 0

    @component.output_types(answer=Answer)
    def run(self, question: str) -> dict[str, Answer]:
        self.runs += 1
        shown = Evidence(n=1, id="one", source_id="one", title="", text="Twenty.", char_start=0, char_end=7)
        return {"answer": Answer(status=Status.ANSWERED, question=question, answer=f"Run {self.runs}.", evidence=[shown])}


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> Graph:
    monkeypatch.setenv("SAKSHYA_ANSWER_CACHE_ENTRIES", "10")
    monkeypatch.setattr("app.answer_cache.PATIENCE_S", 60.0)  # the first use loads the embedding model
    settings.cache_clear()
    store = SakshyaDocumentStore(location=":memory:", index="door", embedding_dim=2)
    meta = {"tenant": "default", "access": ["public"], "source_id": "one", "kind": "chunk"}
    with acting_as(Principal.system()):
        store.write_documents([Document(id="one", content="Twenty.", embedding=[1.0, 0.0], meta=meta)])
        store.commit()
    pipeline = Pipeline()
    pipeline.add_component("counter", Counter(store))
    return Graph("g", Path("g.yml"), "query", pipeline, {"question": ["counter.question"]}, {"answer": "counter.answer"}, "", "identity")


def asked(graph: Graph, question: str, **given: Any) -> Answer:
    return asyncio.run(ask(graph, question, principal=given.pop("principal", ANN), cache=answer_cache(), inputs=given))


def test_a_hit_is_named_in_the_trace_and_runs_nothing(graph: Graph) -> None:
    first, second = asked(graph, "How many days?"), asked(graph, "How many days?")
    assert [stage.name for stage in first.trace] == ["answer_cache", "counter"]
    assert first.trace[0].note == "miss; kept"
    assert [stage.name for stage in second.trace] == ["answer_cache"]
    assert str(second.trace[0].note).startswith("hit: an answer of ")
    assert second.answer == first.answer == "Run 1."
    assert second.index_version == first.index_version != ""


def test_a_conversation_goes_past_it(graph: Graph) -> None:
    asked(graph, "How many days?")
    answer = asked(graph, "How many days?", history=[{"role": "user", "content": "Hello"}])
    assert (answer.answer, answer.trace[0].skipped) == ("Run 2.", "a question within a conversation")


def test_a_broken_file_fails_no_question(graph: Graph, own_index: Path) -> None:
    own_index.mkdir(parents=True, exist_ok=True)
    (own_index / FILE).write_bytes(b"no database, " * 500)
    answer = asked(graph, "How many days?")
    assert (answer.status, answer.answer) == (Status.ANSWERED, "Run 1.")
    assert "not a database" in str(answer.trace[0].skipped)


def test_a_cache_that_cannot_be_written_fails_no_question(graph: Graph, own_index: Path) -> None:
    own_index.parent.mkdir(parents=True, exist_ok=True)
    own_index.write_text("a file where a folder should be")
    assert asked(graph, "How many days?").answer == "Run 1."


def test_off_is_the_default(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SAKSHYA_ANSWER_CACHE_ENTRIES")
    settings.cache_clear()
    assert answer_cache() is None
    assert [stage.name for stage in asked(graph, "How many days?").trace] == ["counter"]
    assert load_graph("query_fast").identity == ""


def test_the_command_line_shows_and_clears_it(graph: Graph, own_index: Path) -> None:
    asked(graph, "How many days?")
    asked(graph, "How many days?")
    shown = json.loads(CliRunner().invoke(app, ["cache", "status", "--json"]).output)
    assert (shown["entries"], shown["hits"], shown["misses"], shown["hit_rate"]) == (1, 1, 1, 0.5)
    assert "1 of 2 questions (50%)" in CliRunner().invoke(app, ["cache", "status"]).output
    forget_answers()
    assert asked(graph, "How many days?").answer == "Run 2."
    assert json.loads(CliRunner().invoke(app, ["cache", "clear", "--json"]).output)["cleared"] == 1
    assert not (own_index / FILE).exists()


def test_the_identity_follows_graph_prompts_models_and_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "g.yml"
    (tmp_path / "prompts").mkdir()
    prompt, model = tmp_path / "prompts" / "answer.jinja", tmp_path / "model" / "weights"
    model.parent.mkdir()
    prompt.write_text("one")
    model.write_text("one")
    config = {"components": {"a": {"type": "x", "init_parameters": {"model": str(model.parent), "top_k": 3}}}}
    found = [graph_identity(config, path)]
    assert graph_identity(yaml.safe_load(yaml.safe_dump(config)), path) == found[0]
    prompt.write_text("two")
    found.append(graph_identity(config, path))
    model.write_text("two")
    found.append(graph_identity(config, path))
    config["components"]["a"]["init_parameters"]["top_k"] = 4
    found.append(graph_identity(config, path))
    monkeypatch.setenv("SAKSHYA_CHAT_MODEL", "another")
    settings.cache_clear()
    found.append(graph_identity(config, path))
    assert len(set(found)) == 5
    monkeypatch.setenv("SAKSHYA_RATE_PER_MINUTE", "7")
    settings.cache_clear()
    assert graph_identity(config, path) == found[-1]


def test_settings_that_change_no_answer_are_settings() -> None:
    assert set(Settings.model_fields) > NOT_ANSWERING
