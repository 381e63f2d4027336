from haystack import Document

from components.query.hops import LOOKED_AT, Hop, HopPath, answered_by_one, bridges, joined, next_query, uncovered

QUESTION = "Who heads the office that gives fishing permits?"


def passage(text: str, title: str = "") -> Document:
    return Document(id=title or text[:20], content=text, meta={"title": title})


PERMITS = passage("Fishing permits are given by the Lake Office. Ask for Form B in Uln.", "Fishing permits")
LAKE = passage("It looks after the waters. It is headed by Mira Sand.", "Lake Office")
FILLERS = [passage(f"A notice about thing {i}.", f"Notice {i}") for i in range(6)]


def test_the_name_nearest_to_what_was_asked_is_followed_first():
    found = bridges(QUESTION, [Hop(QUESTION, "", [PERMITS, *FILLERS])], keep=3)
    assert found[0].name == "Lake Office"
    assert found[0].passage == 1
    assert found[0].score > found[-1].score


def test_a_name_is_not_followed_twice_nor_where_its_passage_is_shown():
    first = Hop(QUESTION, "", [PERMITS, *FILLERS])
    assert "Lake Office" not in [b.name for b in bridges(QUESTION, [first, Hop("Lake Office heads", "Lake Office", [])], keep=3)]
    assert "Lake Office" not in [b.name for b in bridges(QUESTION, [Hop(QUESTION, "", [PERMITS, LAKE])], keep=3)]


def test_a_name_of_the_question_that_no_passage_holds_comes_first():
    question = "Does Mira Sand head the office that gives fishing permits?"
    assert bridges(question, [Hop(question, "", [PERMITS])], keep=3)[0].name == "Mira Sand"
    assert "Mira Sand" not in [b.name for b in bridges(question, [Hop(question, "", [PERMITS, LAKE])], keep=3)]


def test_the_next_query_asks_for_what_is_missing_beside_the_name():
    assert next_query("When does the Lake Office of Uln open?", [Hop("…", "", [PERMITS])], "Lake Office", 3) == "Lake Office open"


def test_what_one_passage_answers_needs_no_hop():
    assert answered_by_one("fishing permits Lake Office", [FILLERS[0], PERMITS])
    assert not answered_by_one(QUESTION, [PERMITS])
    assert uncovered("fishing boats", [PERMITS]) == {"boat"}
    assert uncovered("fishing boats", []) == {"fish", "boat"}


def test_the_first_hops_best_stay_and_what_is_about_the_name_stands_behind_them():
    first = [PERMITS, *FILLERS]
    hops = [Hop(QUESTION, "", first), Hop("Lake Office heads", "Lake Office", [FILLERS[5], LAKE, FILLERS[4]])]
    out = joined(QUESTION, hops, keep=3, places=2)
    assert [d.id for d in out[:4]] == ["Fishing permits", "Notice 0", "Notice 1", "Lake Office"]
    assert out[3].meta["ranks"]["hop"]["rank"] == 2
    assert out[3].meta["hop_query"] == "Lake Office heads"
    assert sorted(d.id for d in out) == sorted({d.id for d in [*first, LAKE]})


def test_a_hop_that_found_nothing_of_its_name_changes_nothing():
    first = [PERMITS, *FILLERS]
    hops = [Hop(QUESTION, "", first), Hop("Lake Office heads", "Lake Office", FILLERS[::-1])]
    assert joined(QUESTION, hops, keep=3, places=2) == first


def test_a_passage_that_names_it_without_being_about_it_must_hold_what_is_missing():
    first = [PERMITS, *FILLERS]
    other = passage("The Lake Office is headed by Mira Sand.", "Minutes")
    idle = passage("The Lake Office was painted.", "Minutes 2")
    hops = [Hop(QUESTION, "", first), Hop("Lake Office heads", "Lake Office", [idle, other])]
    assert [d.id for d in joined(QUESTION, hops, keep=2, places=2)[:4]] == ["Fishing permits", "Notice 0", "Minutes", "Notice 1"]


def test_places_bound_what_later_hops_may_take():
    hops = [Hop("q", "", [PERMITS, *FILLERS]), *(Hop(f"q{i}", "", [passage(f"new {i}", f"New {i}")]) for i in range(4))]
    assert [d.id for d in joined("q", hops, keep=1, places=2)[:4]] == ["Fishing permits", "New 0", "New 1", "Notice 0"]
    assert joined("q", hops, keep=1, places=0) == hops[0].documents
    assert joined("q", [], keep=1, places=1) == []


def test_the_path_keeps_of_later_hops_what_may_be_used():
    path = HopPath().found("q", FILLERS * 3).asking("q2", "Lake Office").found("q2", FILLERS * 3)
    assert [len(hop.documents) for hop in path.hops] == [18, LOOKED_AT]
    assert path.hops[1].entity == "Lake Office"
    assert path.pending is None
