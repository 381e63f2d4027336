import json

import numpy as np
import pytest
from haystack import Document, Pipeline
from hypothesis import given, settings
from hypothesis import strategies as st

from components.rankers.learned_ranker import LearnedRanker, put_forward
from components.rankers.learned_weights import contributions, read_weights
from components.rankers.ranking_features import FEATURES, Candidate, features

COLUMN = {name: i for i, name in enumerate(FEATURES)}


def column(name: str, question: str, *candidates: Candidate) -> list[float]:
    return [round(float(v), 4) for v in features(question, candidates)[:, COLUMN[name]]]


def test_features_of_the_legs():
    one = Candidate("a", fused=0.8, dense=(1, 0.6), sparse=(2, 5.0))
    two = Candidate("b", fused=0.4, dense=(2, 0.2))
    three = Candidate("c", fused=0.2, sparse=(1, 10.0))
    assert column("fused", "q", one, two, three) == [1.0, 0.5, 0.25]
    assert column("dense", "q", one, two, three) == [1.0, 0.0, 0.0]
    assert column("sparse", "q", one, two, three) == [0.5, 0.0, 1.0]
    assert column("dense_rank", "q", one, two, three) == [1.0, 0.5, 0.0]
    assert column("place", "q", one, two, three) == [1.0, 0.6309, 0.5]


def test_features_of_the_words():
    near, far, half = Candidate("sick leave days"), Candidate("days of rest; the notice is long; leave when sick"), Candidate("leave")
    assert column("all_terms", "sick leave days", near, far, half) == [1.0, 1.0, 0.0]
    assert column("near", "sick leave days", near, far, half)[0] == 1.0
    assert column("near", "sick leave days", near, far, half)[1] < 1.0
    window = column("window", "sick leave days", near, far, half)
    assert window[0] == 1.0 > window[1] > window[2] == 0.0
    assert column("title_terms", "sick leave", Candidate("x", "Sick leave"), Candidate("sick leave")) == [1.0, 0.0]
    assert column("title_asked", "sick leave", Candidate("x", "Sick leave policy"), Candidate("x")) == [0.6667, 0.0]
    assert column("numbers", "rule 12", Candidate("rule 12"), Candidate("rule 13")) == [1.0, 0.0]
    assert column("numbers", "the rule", Candidate("rule 12")) == [0.0]


def test_a_passage_named_by_another_counts_only_where_none_answers_alone():
    film = Candidate("The film was made by Ada Stone in 1990.", "The long way")
    person = Candidate("She was born in Leeds.", "Ada Stone")
    other = Candidate("A town in Spain.", "Madrid")
    assert column("named", "Where was the maker of The long way born?", film, other, person) == [0.0, 0.0, 1.0]
    assert column("named", "film made", film, other, person) == [0.0, 0.0, 0.0]


text = st.text("ab c1.", max_size=30)
leg = st.none() | st.tuples(st.integers(1, 50), st.floats(-1, 40))
anything = st.lists(st.builds(Candidate, text, text, st.floats(-1, 1), leg, leg), max_size=6)


@settings(deadline=None)
@given(text, anything)
def test_every_feature_is_from_0_to_1(question, candidates):
    rows = features(question, candidates)
    assert rows.shape == (len(candidates), len(FEATURES))
    assert np.isfinite(rows).all() and (rows >= 0).all() and (rows <= 1 + 1e-9).all()


def document(name: str, content: str, score: float, **ranks) -> Document:
    return Document(id=name, content=content, score=score, meta={"ranks": {k: {"rank": r, "score": s} for k, (r, s) in ranks.items()}})


def test_orders_by_the_sum_keeps_score_and_tells_why():
    documents = [document("a", "Notice.", 0.5, dense=(1, 0.5)), document("b", "Annual leave is twenty days.", 0.49, dense=(2, 0.49), sparse=(1, 9.0))]
    out = LearnedRanker().run("annual leave", documents)
    assert [d.id for d in out["documents"]] == ["b", "a"]
    assert [d.score for d in out["documents"]] == [0.49, 0.5]
    told = out["documents"][0].meta["ranks"]
    weights = read_weights(shipped_file())
    rows = features(
        "annual leave", [Candidate("Notice.", "", 0.5, (1, 0.5)), Candidate("Annual leave is twenty days.", "", 0.49, (2, 0.49), (1, 9.0))]
    )
    assert told["learned"]["score"] == pytest.approx(contributions(rows, weights)[1].sum(), abs=1e-3)
    assert told["learned"]["rank"] == 1 and "sparse" in told["learned"]["why"] and told["dense"] == {"rank": 2, "score": 0.49}
    assert (out["skipped"], out["degraded"]) == ("", [])
    assert "learned" not in documents[1].meta["ranks"]


def shipped_file():
    from components.rankers.learned_ranker import SHIPPED
    from config.settings import home

    return home() / SHIPPED


def test_what_was_put_forward_stays_in_front():
    documents = [document("section", "Section 303", 0.1), document("b", "leave", 0.4), document("a", "annual leave days", 0.39)]
    assert [d.id for d in LearnedRanker().run("annual leave", documents)["documents"]] == ["section", "a", "b"]


@settings(deadline=None)
@given(st.lists(st.floats(0, 1)))
def test_an_order_by_score_has_nothing_put_forward(scores):
    assert put_forward(sorted(scores, reverse=True)) == 0


def test_without_weights_passes_through_and_says_so(tmp_path):
    documents = [document("a", "x", 0.1), document("b", "leave", 0.1)]
    out = LearnedRanker(weights=None).run("leave", documents)
    assert (out["documents"], out["skipped"], out["degraded"]) == (documents, "no model", [])
    out = LearnedRanker(weights=str(tmp_path / "none.json")).run("leave", documents)
    assert out["documents"] == documents and out["skipped"] == ""
    assert out["degraded"][0]["stage"] == "learned" and "no such file" in out["degraded"][0]["reason"]


@pytest.mark.parametrize(
    ("content", "told"),
    [("[", "not readable"), ("[]", "not readable"), ('{"weights": {"words": 1}}', "unknown features words"), ('{"weights": {"terms": "1"}}', "'1'")],
)
def test_weights_that_cannot_be_used_are_named(tmp_path, content, told):
    (tmp_path / "w.json").write_text(content)
    with pytest.raises(ValueError, match=told):
        read_weights(tmp_path / "w.json")


def test_round_trip_and_validation():
    pipeline = Pipeline()
    pipeline.add_component("learned", LearnedRanker(language=None))
    assert Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*"]).get_component("learned").language is None
    with pytest.raises(ValueError, match="weights"):
        LearnedRanker(weights=" ")


def test_the_shipped_weights_are_none_below_0():
    found = json.loads(shipped_file().read_text())
    assert set(found["weights"]) == set(FEATURES) and min(found["weights"].values()) >= 0
    assert "scifact" not in found["fitted_on"]
