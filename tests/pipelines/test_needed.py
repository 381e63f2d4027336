"""What needs no document is answered without one in every query graph, and looked up all the same by a search."""

import asyncio

import pytest
import yaml

from app import query
from app.graphs import load_graph
from components.answer import Status
from config.settings import settings
from tests.pipelines.conftest import READER, ROOT
from tests.pipelines.town import OWN, asked, index

GRAPHS = sorted(path.stem for path in (ROOT / "pipelines").glob("query*.yml"))
BY_RULES = ["query", "query_fast", "query_self", "query_route"]
SAID = [{"role": "user", "content": "Who runs the town pool?"}, {"role": "assistant", "content": "The documents do not say."}]


@pytest.fixture(autouse=True, scope="module")
def town(tmp_path_factory, own_index):
    folder = tmp_path_factory.mktemp("town")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SAKSHYA_DATA_DIR", str(folder / "index"))
        settings.cache_clear()
        index(folder / "own", OWN)
        yield folder
    settings.cache_clear()


@pytest.mark.parametrize("name", GRAPHS)
def test_every_graph_asks_first_whether_to_look(name):
    graph = yaml.safe_load((ROOT / "pipelines" / f"{name}.yml").read_text())
    ends = {(c["sender"], c["receiver"]) for c in graph["connections"]}
    assert graph["inputs"]["look_up"] == ["needed.look_up"]
    assert {("rewrite.unclear", "needed.unclear"), ("rewrite.degraded", "needed.degraded"), ("needed.answer", "settled.value")} <= ends
    assert [receiver for sender, receiver in ends if sender == "rewrite.question"] == ["needed.question"]


@pytest.mark.parametrize("name", BY_RULES)
def test_thanks_are_not_looked_up(name):
    answer = asked(load_graph(name, phase="query"), "Thanks!")
    assert (answer.status, answer.answer, answer.missing, answer.evidence) == (Status.DECLINED, "You are welcome.", "", [])
    assert [stage.name for stage in answer.trace] == ["rewrite", "needed", "settled", "numbering"]


def test_a_why_that_cannot_be_read_is_asked_back():
    answer = asked(load_graph("query", phase="query"), "why?", inputs={"history": SAID})
    assert answer.status is Status.DECLINED and answer.answer.endswith("Please ask the whole question.")
    assert (answer.question, answer.read_as, answer.evidence) == ("why?", "", [])


@pytest.mark.parametrize("name", ["query", "query_self"])
def test_a_search_looks_for_the_words_of_small_talk(name):
    graph = load_graph(name, phase="query", only=["documents"])
    found = asyncio.run(query.search(graph, "help", principal=READER))
    assert found["documents"]
    shown = asyncio.run(query.prompt(load_graph("query", phase="query", only=["prompt"]), "hello", principal=READER))
    assert shown["messages"][-1]["content"].rstrip().endswith("hello")
