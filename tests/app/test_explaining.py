"""Explaining follows documents through any graph: none of these nodes is one of ours."""

import asyncio
from typing import Any

import pytest
from haystack import Document, Pipeline, component
from rich.console import Console

from app.commands.explained import explain_table
from app.explaining import explain, explained_search, gives_documents, load_explained
from app.graphs import Graph
from app.tracing import ComponentRun, collect_runs, collect_stages
from components.access.principal import Principal
from components.dropped import Dropped


def doc(name: str, score: float | None = None, **meta: Any) -> Document:
    return Document(id=name, content=f"text of {name}", score=score, meta={"title": name.upper(), **meta})


@component
class Finder:
    def __init__(self, names: str, top_k: int = 10):
        self.names, self.top_k = names, top_k

    @component.output_types(documents=list[Document])
    def run(self, question: str):
        return {"documents": [doc(name, 1 / n) for n, name in enumerate(self.names, 1)]}


@component
class Merger:
    def __init__(self, top_k: int):
        self._top_k = top_k

    @component.output_types(documents=list[Document])
    def run(self, left: list[Document], right: list[Document]):
        merged = {d.id: d for d in [*left, *right]}
        return {"documents": [doc(name, 0.5) for name in sorted(merged)][: self._top_k]}


@component
class Chooser:
    """Leaves out one with a reason, another without, and joins a third to the first."""

    def __init__(self, min_score: float = 0.25):
        self.min_score = min_score

    @component.output_types(shown=list[Document], dropped=list[Dropped], skipped=str)
    def run(self, documents: list[Document]):
        whole = doc("a", 0.9, chunk_ids=["a", "b"])
        return {"shown": [whole], "dropped": [{"id": "c", "reason": "told by the stage"}], "skipped": "no model"}


@component
class Reader:
    @component.output_types(answer=str)
    def run(self, documents: list[Document]):
        return {"answer": " ".join(d.content or "" for d in documents)}


@pytest.fixture
def pipeline() -> Pipeline:
    made = Pipeline()
    for name, part in {
        "near": Finder("abd"),
        "words": Finder("cbef"),
        "merge": Merger(4),
        "choose": Chooser(),
        "read": Reader(),
    }.items():
        made.add_component(name, part)
    made.connect("near.documents", "merge.left")
    made.connect("words.documents", "merge.right")
    made.connect("merge.documents", "choose.documents")
    made.connect("choose.shown", "read.documents")
    return made


def graph_of(pipeline: Pipeline, tmp_path) -> Graph:
    return Graph(
        "toy", tmp_path / "toy.yml", "query", pipeline, {"question": ["near.question", "words.question"]}, {"documents": "merge.documents"}, "v"
    )


@pytest.fixture
def found(pipeline, tmp_path) -> dict[str, Any]:
    return asyncio.run(explained_search(graph_of(pipeline, tmp_path), "q", principal=Principal("x")))


def test_every_candidate_has_its_rank_and_score_at_each_stage(found):
    explained = found["explain"]
    assert [stage["name"] for stage in explained["stages"]] == ["near", "words", "merge", "choose"]
    by_id = {c["id"]: c for c in explained["candidates"]}
    assert set(by_id) == set("abcdef")
    assert by_id["b"]["stages"] == {
        "near": {"rank": 2, "score": 0.5},
        "words": {"rank": 2, "score": 0.5},
        "merge": {"rank": 2, "score": 0.5},
        "choose": {"rank": 1, "score": 0.9},  # goes on inside a
    }
    assert [c["id"] for c in explained["candidates"]] == ["a", "b", "c", "d", "e", "f"]


def test_why_each_was_dropped(found):
    fates = {c["id"]: c["dropped"] for c in found["explain"]["candidates"]}
    assert fates == {
        "a": None,
        "b": None,
        "c": {"stage": "choose", "reason": "told by the stage"},
        "d": {"stage": "choose", "reason": "left out (min_score 0.25)"},
        "e": {"stage": "merge", "reason": "not among the best 4 (top_k)"},
        "f": {"stage": "merge", "reason": "not among the best 4 (top_k)"},
    }


def test_the_search_itself_is_the_same(found):
    assert [d["id"] for d in found["documents"]] == ["a", "b", "c", "d"]


def test_the_reader_of_passages_is_no_stage(pipeline, tmp_path):
    assert gives_documents(graph_of(pipeline, tmp_path)) == {"near", "words", "merge", "choose"}


def test_the_same_for_run_and_run_async(pipeline, tmp_path, found):
    with collect_stages(), collect_runs() as runs:
        pipeline.run({"near": {"question": "q"}, "words": {"question": "q"}})
    names = {"near", "words", "merge", "choose"}
    limits = {"merge": {"top_k": 4}, "choose": {"min_score": 0.25}}
    runs.sort(key=lambda run: ["near", "words", "merge", "choose", "read"].index(run.name))
    assert explain(runs, stages=names, limits=limits, final="merge") == found["explain"]


def test_a_part_of_a_larger_passage_goes_on_in_it():
    place = {"source_id": "s", "source_version": "1"}
    chunk = Document(id="chunk", content="cd", meta={**place, "char_start": 2, "char_end": 4})
    parent = Document(id="parent", content="abcdef", score=0.5, meta={**place, "char_start": 0, "char_end": 6})
    runs = [
        ComponentRun("leg", "", {}, {"documents": [chunk]}),
        ComponentRun("widen", "", {"documents": [chunk]}, {"documents": [parent]}),
    ]
    (candidate,) = explain(runs)["candidates"]
    assert (candidate["id"], candidate["kept"]) == ("chunk", True)
    assert candidate["stages"]["widen"] == {"rank": 1, "score": 0.5}


def test_a_stage_that_runs_again_and_one_that_gives_nothing():
    one, two = doc("a", 0.1), doc("b", 0.2)
    runs = [
        ComponentRun("leg", "", {}, {"documents": [one]}),
        ComponentRun("leg", "", {}, {"documents": [two]}),
        ComponentRun("other", "", {}, {"documents": []}),
        ComponentRun("join", "", {"documents": [[one], [two], []]}, {"documents": [two]}),
    ]
    explained = explain(runs, stages={"leg", "other", "join"})
    assert [(s["name"], s["candidates_out"]) for s in explained["stages"]] == [("leg", 1), ("leg#2", 1), ("other", 0), ("join", 1)]
    assert {c["id"]: c["dropped"] for c in explained["candidates"]} == {"b": None, "a": {"stage": "join", "reason": "left out"}}


def test_dropped_on_one_way_and_kept_on_the_other():
    one = doc("a")
    runs = [
        ComponentRun("leg", "", {}, {"documents": [one]}),
        ComponentRun("strict", "", {"documents": [one]}, {"documents": []}),
        ComponentRun("join", "", {"left": [], "right": [one]}, {"documents": [one]}),
    ]
    (candidate,) = explain(runs, stages={"leg", "strict", "join"})["candidates"]
    assert candidate["dropped"] is None
    assert candidate["all_dropped"] == [{"stage": "strict", "reason": "left out"}]


def test_nothing_found():
    assert explain([ComponentRun("leg", "", {}, {"documents": []})], stages={"leg"})["candidates"] == []


@pytest.mark.parametrize("width", [60, 140])
def test_the_table_says_it_on_any_screen(found, width):
    console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(explain_table(found["explain"], width, 5))
    shown = console.export_text()
    assert all(len(line) <= width for line in shown.splitlines())
    assert ("a near" in shown) == (width == 60)
    for words in ("told by the stage", "merge: not among", "6 candidates, 2 kept", "1 more: a larger --top-k", "choose passed all through: no model"):
        assert words in shown


def test_the_default_graph_without_its_generator():
    graph = load_explained("query")
    names = {name for name, _ in graph.pipeline.walk()}
    assert {"evidence", "fuser"} <= names
    assert not {"generator", "answer_builder", "grounding"} & names  # the prompt builder stays: it leaves out what a chat model cannot read
