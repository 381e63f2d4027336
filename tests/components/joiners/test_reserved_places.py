import pytest
from haystack import Document

from components.joiners.reserved_places import ReservedPlaces

A, B, C, D, E = (Document(id=x, content=x, score=n / 10) for n, x in enumerate("abcde", start=1))


def ids(documents) -> list[str]:
    return [document.id for document in documents]


def test_what_only_the_other_list_holds_stands_behind_the_first():
    out = ReservedPlaces(keep=2, places=1).run(first=[A, B, C], other=[A, D, E])["documents"]
    assert ids(out) == ["a", "b", "d", "c"]
    assert out[2].meta["ranks"] == {"other": {"rank": 2, "score": 0.4}}
    assert out[0].meta["ranks"]["first"]["rank"] == 1
    assert [d.score for d in out] == [0.1, 0.2, 0.4, 0.3]
    assert A.meta == {}


def test_one_list_alone_passes():
    assert ids(ReservedPlaces().run(first=[A, B])["documents"]) == ["a", "b"]
    assert ids(ReservedPlaces(places=1).run(first=[], other=[C, D, E])["documents"]) == ["c", "d", "e"]
    assert ReservedPlaces().run(first=[])["documents"] == []
    assert ids(ReservedPlaces(keep=1, places=0).run(first=[A, B], other=[C])["documents"]) == ["a", "b"]
    assert ids(ReservedPlaces(keep=1, places=2, top_k=2).run(first=[A, B], other=[C, D])["documents"]) == ["a", "c"]


@pytest.mark.parametrize("wrong", [{"keep": 0}, {"places": -1}, {"places": True}, {"top_k": 0}])
def test_what_is_not_accepted_is_refused(wrong):
    with pytest.raises(ValueError, match="ReservedPlaces"):
        ReservedPlaces(**wrong)
