"""Own passages first, the others marked."""

import pytest
from haystack import Document, Pipeline

from components.builders.citations import passages_of
from components.joiners.trust_joiner import TrustJoiner
from components.validators.conflict_finder import preference

OWN = Document(content="Towels cost 3 euros.", meta={"title": "Pool", "source_id": "a"})
SAME = Document(content=" Towels cost 3 euros. ", meta={"title": "Copy"})
OTHER = Document(content="Lockers cost 1 euro.", meta={"title": "Lockers", "source_id": "b"})
PAGE = Document(content="Saunas are hot.", meta={"title": "Sauna", "origin": "web: example.org", "source_id": "c"})


def test_own_passages_come_first_and_the_others_say_where_they_are_from():
    found = TrustJoiner(origin="collection: town").run(own=[OWN], other=[SAME, OTHER, PAGE])
    assert [d.meta["title"] for d in found["documents"]] == ["Pool", "Lockers (collection: town)", "Sauna (web: example.org)"]
    assert found["note"] == "own: 1, elsewhere: 2 (collection: town, web: example.org)"
    assert OTHER.meta["title"] == "Lockers"


def test_it_shows_in_evidence_and_citation():
    passage = passages_of(TrustJoiner(origin="collection: town").run(other=[OTHER])["documents"])[1]
    assert passage.evidence().note == "collection: town"
    assert passage.citation(0, 7).cited_as == "Lockers (collection: town)"


def test_marking_twice_is_marking_once():
    joiner = TrustJoiner(origin="x")
    once = joiner.run(other=[OTHER])["documents"]
    assert joiner.run(other=once)["documents"] == once


def test_any_branch_may_be_missing():
    pipeline = Pipeline()
    pipeline.add_component("joiner", TrustJoiner())
    assert pipeline.run({"joiner": {"own": [OWN]}})["joiner"]["documents"] == [OWN]
    assert TrustJoiner().run()["documents"] == []
    with pytest.raises(ValueError, match=r"TrustJoiner\.origin"):
        TrustJoiner(origin=" ")


def test_the_web_has_no_authority_however_new():
    old = Document(content="a", meta={"valid_from": "2001-01-01"})
    new = Document(content="b", meta={"origin": "web: example.org", "modified_at": "2026-01-01", "title": "law/"})
    assert preference(new, ["law/"]) < preference(old, ["law/"])
