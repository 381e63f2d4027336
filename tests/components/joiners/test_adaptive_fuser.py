import asyncio

import pytest
from haystack import Document, Pipeline
from hypothesis import given
from hypothesis import strategies as st

from components.joiners.adaptive_fuser import AdaptiveFuser
from components.joiners.fusion_evidence import Evidence, coverage, leg_weights

THEFT = Document(id="theft", content="Theft is punished with imprisonment.")
LEAVE = Document(id="leave", content="Annual leave is twenty days.")
NOTICE = Document(id="notice", content="Notice periods are one month.")


def leg(*pairs):
    from dataclasses import replace

    return [replace(document, score=score) for document, score in pairs]


def ids(result):
    return [d.id for d in result["documents"]]


def test_words_that_no_passage_holds_leave_the_dense_leg_to_decide():
    dense, sparse = leg((LEAVE, 0.6), (THEFT, 0.3)), leg((THEFT, 4.0), (LEAVE, 1.0))
    covered = AdaptiveFuser().run("theft imprisonment", dense, sparse)
    uncovered = AdaptiveFuser().run("holiday entitlement duration allowance imprisonment", dense, sparse)
    assert covered["weights"]["sparse"] > 0.6
    assert uncovered["weights"]["dense"] > 0.7
    assert (ids(covered)[0], ids(uncovered)[0]) == ("theft", "leave")


def test_a_question_that_the_model_does_not_read_is_left_to_bm25():
    dense, sparse = leg((NOTICE, 0.9), (LEAVE, 0.4)), leg((THEFT, 4.0), (LEAVE, 3.0))
    result = AdaptiveFuser().run("theft", dense, sparse, reading=0.0)
    assert ids(result) == ["theft", "leave"]
    assert result["weights"] == {"dense": 0.0, "sparse": 1.0}
    assert ids(AdaptiveFuser().run("theft", dense, None, reading=0.0)) == ["notice", "leave"]  # rather that than nothing


def test_passages_without_the_questions_words_tell_a_model_that_did_not_understand():
    sparse = leg((THEFT, 4.0), (LEAVE, 3.0))
    understood = AdaptiveFuser().run("theft imprisonment", leg((THEFT, 0.6), (LEAVE, 0.3)), sparse)
    lost = AdaptiveFuser().run("theft imprisonment", leg((NOTICE, 0.6), (LEAVE, 0.59)), sparse)
    assert lost["weights"]["dense"] < understood["weights"]["dense"] / 3
    assert lost["evidence"]["dense_coverage"] == 0


def test_identifiers_weigh_the_dense_leg_down():
    legs = leg((THEFT, 0.6), (LEAVE, 0.5)), leg((LEAVE, 4.0))
    plain, numbered = AdaptiveFuser().run("leave", *legs), AdaptiveFuser().run("leave 303", *legs)
    assert numbered["evidence"]["identifiers"] == 1
    assert AdaptiveFuser(identifier_factor=1).run("leave 303", *legs)["weights"] != numbered["weights"]
    assert plain["evidence"]["identifiers"] == 0


def test_weights_are_those_of_the_formula():
    evidence = Evidence(reading=0.5, identifiers=True, dense_coverage=0.2, sparse_coverage=0.5, agreement=0)
    assert leg_weights(evidence, dense=0.6, identifiers=0.5, power=2) == {"dense": pytest.approx(0.6 * 0.5 * 0.5 * 0.5), "sparse": 0.25}


def test_coverage():
    assert coverage({"303", "bns"}, ["section 303", "303 of the BNS", ""], "en") == 1
    assert coverage({"303", "bns"}, [], "en") == 0
    assert coverage(set(), ["x"], "en") == 1


def test_the_context_header_counts_as_text():
    headed = Document(id="h", content="He is punished.", score=1.0, meta={"context_header": "BNS > 303. Theft"})
    assert AdaptiveFuser().run("theft 303", [], [headed])["evidence"]["sparse_coverage"] == 1


documents = st.lists(
    st.tuples(
        st.sampled_from("abcdefgh"), st.one_of(st.none(), st.floats(-1, 30), st.just(float("nan"))), st.sampled_from(["theft", "leave 303", ""])
    ),
    max_size=8,
).map(lambda rows: [Document(id=i, content=text, score=score) for i, score, text in rows])


@given(st.text(max_size=30) | st.just("theft 303"), documents, documents, st.floats(0, 1), st.floats(-1, 1), st.integers(1, 9))
def test_top_k_no_repetitions_nothing_invented_and_the_same_again(question, dense, sparse, reading, floor, top_k):
    fuser = AdaptiveFuser()
    result = fuser.run(question, dense, sparse, reading, floor, top_k)
    found = ids(result)
    assert len(found) == len(set(found)) <= top_k
    assert set(found) <= {d.id for d in dense + sparse}
    assert found or not (dense or sparse)
    assert ids(fuser.run(question, dense, sparse, reading, floor, top_k)) == found
    assert not result["weights"] or sum(result["weights"].values()) == pytest.approx(1, abs=0.01)


def test_run_and_run_async_give_the_same():
    pipeline = Pipeline()
    pipeline.add_component("fuser", AdaptiveFuser())
    data = {"fuser": {"question": "theft", "dense": leg((LEAVE, 0.6), (THEFT, 0.3)), "sparse": leg((THEFT, 4.0))}}
    one, two = pipeline.run(data), asyncio.run(pipeline.run_async(data))
    assert ids(one["fuser"]) == ids(two["fuser"])


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"dense_weight": 0}, "accepted is a number > 0"),
        ({"identifier_factor": 2}, "accepted is a number from 0 to 1"),
        ({"coverage_power": -1}, "accepted is a number >= 0"),
        ({"language": "xx"}, "Accepted: null"),
        ({"top_k": 0}, "whole number >= 1"),
    ],
)
def test_what_is_not_accepted(parameters, named):
    with pytest.raises(ValueError, match=named):
        AdaptiveFuser(**parameters)


def test_yaml_round_trip():
    pipeline = Pipeline()
    pipeline.add_component("fuser", AdaptiveFuser(dense_weight=0.4, language="hi", top_k=7))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*"]).get_component("fuser")
    assert (again.dense_weight, again.identifier_factor, again.coverage_power, again.language, again.top_k) == (0.4, 0.5, 2.0, "hi", 7)
