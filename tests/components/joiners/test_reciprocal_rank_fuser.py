import asyncio
import time

import pytest
from haystack import Document, Pipeline, component

from components.joiners.reciprocal_rank_fuser import ReciprocalRankFuser


def docs(*ids, start=0.9):
    return [Document(id=i, content=f"text {i}", score=start - n / 10, meta={"source_id": i}) for n, i in enumerate(ids)]


def test_known_lists():
    out = ReciprocalRankFuser().run(dense=docs("C4", "C1", "C3", "C2"), sparse=docs("C1", "C3", "C4", "C2", start=7.0))["documents"]
    assert [(d.id, round(d.score, 6)) for d in out] == [("C1", 0.032522), ("C4", 0.032266), ("C3", 0.032002), ("C2", 0.031250)]
    assert out[0].meta["ranks"] == {"dense": {"rank": 2, "score": 0.8}, "sparse": {"rank": 1, "score": 7.0}}


def test_input_is_not_changed_and_meta_is_kept():
    given = docs("a")
    out = ReciprocalRankFuser().run(dense=given)["documents"]
    assert given[0].score == 0.9
    assert given[0].meta == {"source_id": "a"}
    assert out[0].meta["source_id"] == "a"


def test_ranks_of_earlier_stages_are_kept():
    given = Document(id="a", content="x", score=1.0, meta={"ranks": {"title": {"rank": 3, "score": 0.5}}})
    assert set(ReciprocalRankFuser().run(sparse=[given])["documents"][0].meta["ranks"]) == {"title", "sparse"}


@pytest.mark.parametrize("legs", [{}, {"dense": None}, {"dense": [], "sparse": []}])
def test_nothing_in_nothing_out(legs):
    assert ReciprocalRankFuser().run(**legs) == {"documents": []}


def test_top_k_of_the_call_wins():
    fuser = ReciprocalRankFuser(top_k=2)
    assert len(fuser.run(dense=docs(*"abcd"))["documents"]) == 2
    assert len(fuser.run(dense=docs(*"abcd"), top_k=3)["documents"]) == 3
    with pytest.raises(ValueError, match="top_k"):
        fuser.run(dense=docs("a"), top_k=0)


def test_third_leg():
    fuser = ReciprocalRankFuser(legs=["dense", "sparse", "title"], weights={"title": 5.0})
    assert [d.id for d in fuser.run(dense=docs("a", "b"), sparse=docs("a", "b"), title=docs("b"))["documents"]] == ["b", "a"]
    with pytest.raises(ValueError, match="no leg images; accepted are dense, sparse, title"):
        fuser.run(images=docs("a"))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": -1}, "k=-1"),
        ({"k": float("nan")}, "k=nan"),
        ({"top_k": 0}, "top_k=0"),
        ({"weights": {"bm25": 1.0}}, "accepted are the legs dense, sparse"),
        ({"weights": {"dense": -1.0}}, "accepted is a number >= 0"),
        ({"weights": {"dense": 0, "sparse": 0}}, "above 0"),
        ({"legs": []}, "one or more"),
        ({"legs": ["a", "a"]}, "different"),
        ({"legs": ["top_k"]}, "cannot be an input"),
        ({"legs": ["two words"]}, "cannot be an input"),
    ],
)
def test_refused_at_construction(parameters, message):
    with pytest.raises(ValueError, match=message):
        ReciprocalRankFuser(**parameters)


@component
class Leg:
    """Gives its documents after a while."""

    def __init__(self, ids: str, seconds: float):
        self.ids, self.seconds = ids, seconds

    @component.output_types(documents=list[Document])
    def run(self, question: str):
        time.sleep(self.seconds)
        return {"documents": docs(*self.ids)}


def graph(dense_seconds: float, sparse_seconds: float) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("zz_first", Leg("ab", dense_seconds))  # names in the wrong alphabetical order on purpose
    pipeline.add_component("aa_second", Leg("ba", sparse_seconds))
    pipeline.add_component("fuser", ReciprocalRankFuser(weights={"dense": 2.0, "sparse": 1.0}))
    pipeline.connect("zz_first.documents", "fuser.dense")
    pipeline.connect("aa_second.documents", "fuser.sparse")
    return pipeline


@pytest.mark.parametrize("seconds", [(0.0, 0.1), (0.1, 0.0)])
def test_weights_stay_with_their_leg_whichever_is_late(seconds):
    data = {"zz_first": {"question": "q"}, "aa_second": {"question": "q"}}
    one = graph(*seconds).run(data)["fuser"]["documents"]
    two = asyncio.run(graph(*seconds).run_async(data))["fuser"]["documents"]
    assert [d.id for d in one] == ["a", "b"]
    assert [(d.id, d.score) for d in one] == [(d.id, d.score) for d in two]


def test_one_leg_alone_in_a_graph():
    pipeline = Pipeline()
    pipeline.add_component("dense", Leg("ab", 0))
    pipeline.add_component("fuser", ReciprocalRankFuser())
    pipeline.connect("dense.documents", "fuser.dense")
    assert [d.id for d in pipeline.run({"dense": {"question": "q"}})["fuser"]["documents"]] == ["a", "b"]


def test_yaml_round_trip():
    pipeline = Pipeline()
    pipeline.add_component("fuser", ReciprocalRankFuser(k=10, weights={"title": 0.5}, top_k=7, legs=["dense", "title"]))
    text = pipeline.dumps()
    assert "components.joiners.reciprocal_rank_fuser.ReciprocalRankFuser" in text
    again = Pipeline.loads(text)
    assert again.dumps() == text
    assert [d.id for d in again.run({"fuser": {"title": docs("t")}})["fuser"]["documents"]] == ["t"]
