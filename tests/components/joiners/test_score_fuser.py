import pytest
from haystack import Document, Pipeline

from components.joiners.score_fuser import ScoreFuser


def docs(**scores):
    return [Document(id=i, content=f"text {i}", score=s) for i, s in scores.items()]


def ids(result):
    return [d.id for d in result["documents"]]


def test_scores_decide_where_ranks_tie():
    dense, sparse = docs(a=0.80, b=0.79), docs(b=9.0, a=3.0)
    assert ids(ScoreFuser().run(dense, sparse)) == ["b", "a"]
    fused = ScoreFuser().run(dense, sparse)["documents"][0]
    assert fused.meta["ranks"] == {"dense": {"rank": 2, "score": 0.79}, "sparse": {"rank": 1, "score": 9.0}}
    assert fused.score == pytest.approx((0.79 / 0.80 + 1) / 2)


def test_the_floor_of_a_model_gives_bunched_cosines_their_weight():
    dense, sparse = docs(a=0.90, b=0.80), docs(b=5.0, a=4.0)
    assert ids(ScoreFuser().run(dense, sparse)) == ["b", "a"]
    assert ids(ScoreFuser().run(dense, sparse, floor=0.74)) == ["a", "b"]
    assert ids(ScoreFuser(dense_floor=0.0).run(dense, sparse, floor=0.74)) == ["b", "a"]


@pytest.mark.parametrize("method", ["theoretical", "min_max", "z_score"])
def test_top_k_missing_legs_repetitions_and_absent_scores(method):
    fuser = ScoreFuser(normalisation=method, top_k=2)
    assert ids(fuser.run(docs(a=0.9, b=0.8, c=0.7), None)) == ["a", "b"]
    assert ids(fuser.run(docs(a=0.9, b=0.8, c=0.7), None, top_k=3)) == ["a", "b", "c"]
    assert ids(fuser.run(None, docs(b=2.0) + docs(b=1.0))) == ["b"]
    assert ids(fuser.run([Document(id="n", content="n")], docs(b=float("nan")))) == ["b", "n"]
    assert fuser.run()["documents"] == []


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"normalisation": "softmax"}, "accepted are theoretical, min_max, z_score"),
        ({"weights": {"title": 1}}, "accepted are the legs dense, sparse"),
        ({"weights": {"dense": 0, "sparse": 0}}, "above 0"),
        ({"weights": {"dense": -1}}, "accepted is a number >= 0"),
        ({"dense_floor": "low"}, "accepted is null or a number"),
        ({"top_k": 0}, "accepted is a whole number >= 1"),
    ],
)
def test_what_is_not_accepted(parameters, named):
    with pytest.raises(ValueError, match=named):
        ScoreFuser(**parameters)


def test_yaml_round_trip():
    pipeline = Pipeline()
    pipeline.add_component("fuser", ScoreFuser(normalisation="z_score", weights={"dense": 0.3}, top_k=5))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*"]).get_component("fuser")
    assert (again.normalisation, again.weights, again.dense_floor, again.top_k) == ("z_score", {"dense": 0.3}, None, 5)
