"""Where nothing is indexed for the reader's tenant, that is said, and nothing of other tenants or of what the reader may not read."""

import asyncio
from pathlib import Path

import pytest
from haystack import Document, Pipeline, component

from app import query
from app.empty_tenant import said_of_empty_tenant
from app.graphs import Graph
from app.indexing import index_paths
from components.access.principal import Principal
from components.answer import Answer, Status
from tests.light_graph import LightGraph


@component
class Declining:
    """Declines, with what was looked for where the question says so."""

    def __init__(self, document_store):
        self.document_store = document_store

    @component.output_types(answer=Answer)
    def run(self, question: str):
        documents: list[Document] = self.document_store.filter_documents()
        missing = "" if question == "hello" else question
        return {"answer": Answer(status=Status.DECLINED, question=question, answer=f"{len(documents)}: not said", missing=missing)}


@pytest.fixture
def graph(store, tmp_path):
    (tmp_path / "pay.md").write_text("Pay day is the last day.")
    index_paths(LightGraph(store).run, [tmp_path / "pay.md"], store=store, tenant="acme", access=["hr"])
    pipeline = Pipeline()
    pipeline.add_component("declining", Declining(store))
    return Graph("query", Path("query.yml"), "query", pipeline, {"question": ["declining.question"]}, {"answer": "declining.answer"}, "1")


def asked(graph, question, **principal):
    return asyncio.run(query.ask(graph, question, principal=Principal(user="asha", **principal)))


def test_an_empty_tenant_is_told(graph):
    answer = asked(graph, "When is pay day?", tenant="other")
    assert answer.status is Status.DECLINED
    assert (answer.answer, answer.missing) == ("Nothing is indexed for the tenant “other”.", "nothing is indexed for the tenant “other”")
    assert "acme" not in answer.model_dump_json() and "pay.md" not in answer.model_dump_json()


def test_a_reader_without_rights_is_not_told_so(graph):
    assert asked(graph, "When is pay day?", tenant="acme").answer == "0: not said"
    assert said_of_empty_tenant(graph, Principal(user="asha", tenant="acme")) == ""


def test_small_talk_stays(graph):
    assert asked(graph, "hello", tenant="other").answer == "0: not said"
