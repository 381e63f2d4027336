"""A graph that needs a chat model and has none: one line that names the setting, and the other graphs are served."""

import pytest

from app.checking.check import check_graph
from app.graphs import NotEquippedError, load_graph
from config.settings import settings

GRAPH = """
components:
  expander:
    type: haystack.components.query.query_expander.QueryExpander
    init_parameters:
      chat_generator: {type: components.generators.chat_model.ChatModel, init_parameters: {}}
  retriever:
    type: components.retrievers.hybrid_retriever.HybridRetriever
    init_parameters:
      document_store: {type: components.document_stores.sakshya_document_store.SakshyaDocumentStore, init_parameters: {}}
connections: []
inputs: {question: [expander.query, retriever.query]}
outputs: {documents: retriever.documents}
"""


@pytest.fixture
def graph(tmp_path):
    path = tmp_path / "needs.yml"
    path.write_text(GRAPH)
    return path


def test_it_is_refused_at_load_by_one_line(graph):
    with pytest.raises(NotEquippedError) as refused:
        load_graph(str(graph), phase="query")
    assert str(refused.value) == "needs.yml: expander: SAKSHYA_CHAT_MODEL is not set, and this node needs a chat model"


def test_what_does_not_depend_on_it_loads(graph):
    assert load_graph(str(graph), phase="query", only=["documents"]).outputs == {"documents": "retriever.documents"}


def test_check_warns(graph):
    (found,) = [p for p in check_graph(graph) if "SAKSHYA_CHAT_MODEL" in p.message]
    assert (found.level.value, found.where, found.line) == ("warning", "expander", 3)


def test_with_a_chat_model_it_loads(graph, monkeypatch):
    monkeypatch.setenv("SAKSHYA_CHAT_MODEL", "some")
    monkeypatch.setenv("SAKSHYA_CHAT_URL", "http://127.0.0.1:9/v1")
    settings.cache_clear()
    assert load_graph(str(graph), phase="query").name == "needs"
