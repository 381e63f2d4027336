"""One node finds what the nodes of the default graph find, and nothing that its reader may not read."""

import asyncio

import pytest
from haystack import Pipeline
from haystack.components.retrievers import MultiQueryTextRetriever

from app.graphs import load_graph
from app.query import retrieve
from app.store import graph_store
from components.access.principal import Principal, acting_as
from components.retrievers.hybrid_retriever import HybridRetriever
from tests.pipelines.conftest import READER

QUESTIONS = ("How long do premium refunds take?", "What does section 7 say?", "Who approves leave of more than ten days?")


@pytest.fixture(scope="module")
def graph(first_report):
    return load_graph("query", phase="query", only=["documents"])


@pytest.fixture(scope="module")
def retriever(graph):
    found = HybridRetriever(graph_store(graph))
    found.warm_up()
    return found


@pytest.mark.parametrize("question", QUESTIONS)
def test_it_finds_what_the_nodes_of_query_find_in_their_order(graph, retriever, question):
    wanted, _ = asyncio.run(retrieve(graph, question, principal=READER))
    with acting_as(READER):
        found = retriever.run(question)
        later = asyncio.run(retriever.run_async(question, top_k=3))
    assert [d.id for d in found["documents"]][: len(wanted)] == [d.id for d in wanted] and wanted
    assert found["degraded"] == [] and len(later["documents"]) == 3


def test_it_reads_as_whoever_asks(retriever):
    with acting_as(Principal(user="s", tenant="elsewhere")):
        assert retriever.run(QUESTIONS[0])["documents"] == []


def test_it_survives_yaml_and_serves_a_multi_query_retriever_of_haystack(graph, retriever):
    pipeline = Pipeline()
    pipeline.add_component("many", MultiQueryTextRetriever(retriever=retriever))
    loaded = Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*", "haystack.*"])
    assert loaded.get_component("many").retriever.to_dict() == retriever.to_dict()
    with acting_as(READER):
        found = asyncio.run(pipeline.run_async({"many": {"queries": list(QUESTIONS[:2])}}))
    assert found["many"]["documents"]
