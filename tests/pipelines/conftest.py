"""The default graphs over the example corpus, indexed once for this folder's tests."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from app.commands.index import read_rules
from app.graphs import Graph, load_graph
from app.indexing import index_paths
from app.query import ask
from app.store import graph_store
from components.access.principal import Principal
from components.answer import Answer
from config.settings import settings

ROOT = Path(__file__).parents[2]
DOCUMENTS = ROOT / "examples" / "documents"
READER = Principal(user="test")


@pytest.fixture(autouse=True, scope="package")
def own_index(tmp_path_factory):
    """One index for all tests here; nothing in them writes."""
    folder = tmp_path_factory.mktemp("examples-index")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SAKSHYA_DATA_DIR", str(folder))
        patch.setenv("SAKSHYA_DEADLINE_S", "300")  # a busy machine is not what these tests are about
        settings.cache_clear()
        yield folder
    settings.cache_clear()


@pytest.fixture(autouse=True)
def settings_of_this_test():
    """The settings read anew for each test and after it: what a test sets in the environment ends with the test, and so must what was read of it.

    It is set up before a test's own `monkeypatch`, so it ends after that.
    """
    settings.cache_clear()
    yield
    settings.cache_clear()


@pytest.fixture(scope="package")
def index_graph(own_index) -> Graph:
    return load_graph("index", phase="indexing")


def index_examples(graph: Graph) -> dict:
    return index_paths(
        lambda values: graph.run(values)["report"],
        [DOCUMENTS],
        store=graph_store(graph),
        rules=read_rules(ROOT / "examples" / "rules.yml"),
        graph_version=graph.version,
    )


@pytest.fixture(scope="package")
def first_report(index_graph) -> dict:
    return index_examples(index_graph)


@pytest.fixture(scope="package")
def query_graph(first_report) -> Graph:
    graph = load_graph("query", phase="query")
    graph.warm_up()
    return graph


@pytest.fixture(scope="package")
def answered(query_graph) -> Callable[..., Answer]:
    """Answer a question; the same question is asked once."""
    known: dict[tuple, Answer] = {}

    def answer(question: str, principal: Principal = READER, **options) -> Answer:
        key = (question, principal, tuple(sorted(options.items())))
        if key not in known:
            known[key] = asyncio.run(ask(query_graph, question, principal=principal, **options))
        return known[key]

    return answer
