import pytest
from haystack import Document

from components.joiners.hop_joiner import HopJoiner


def test_each_hop_is_added_to_the_path():
    joiner = HopJoiner(keep=1, places=1)
    first = [Document(id="a", content="The Lake Office gives permits.", meta={"title": "A"}), Document(id="b", content="b")]
    one = joiner.run("Who heads it?", first)
    assert one["documents"] == first
    found = [Document(id="c", content="Mira Sand heads it.", meta={"title": "Lake Office"}), Document(id="a", content="again")]
    two = joiner.run("Lake Office heads", found, one["path"].asking("Lake Office heads", "Lake Office"))
    assert [d.id for d in two["documents"]] == ["a", "c", "b"]
    assert [hop.query for hop in two["path"].hops] == ["Who heads it?", "Lake Office heads"]
    assert first[1].meta == {}


@pytest.mark.parametrize("wrong", [{"keep": 0}, {"places": -1}, {"places": True}])
def test_what_is_not_accepted_is_refused(wrong):
    with pytest.raises(ValueError, match="HopJoiner"):
        HopJoiner(**wrong)
