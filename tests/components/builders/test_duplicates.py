import pytest
from haystack import Document

from components.builders.duplicates import contains, jaccard, near_duplicates, without_duplicates
from components.builders.validity import newer

LONG = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(100))


def doc(id_, content, **meta):
    return Document(id=id_, content=content, meta={"source_id": f"source of {id_}", **meta})


def kept(*documents, out_of_force=()):
    return [d.id for d in without_duplicates(list(documents), lambda d: d.id not in out_of_force, newer)]


def test_jaccard_by_hand():
    # shingles of 5 of 7 words: 3 each; two are shared: 2 / 4
    assert jaccard(list("abcdefg"), list("abcdefx")) == pytest.approx(2 / 4)
    assert jaccard(["a", "b"], ["a", "b"]) == 0


def test_same_text_but_for_case_and_space():
    assert kept(doc("a", "Twenty days\nof leave"), doc("b", "twenty  DAYS of leave"), doc("c", "thirty days of leave")) == ["a", "c"]


def test_near_duplicate():
    assert kept(doc("a", LONG), doc("b", LONG + " more")) == ["a"]
    assert kept(doc("a", LONG), doc("b", " ".join(LONG.split()[:50]) + " quite other words " + LONG[::-1])) == ["a", "b"]


@pytest.mark.parametrize(("one", "other"), [("20 days", "25 days"), ("it may", "it may not"), ("leave", "no leave")])
def test_another_number_or_a_negation_is_another_rule(one, other):
    assert jaccard(f"{LONG} {one}".split(), f"{LONG} {other}".split()) >= 0.9
    assert not near_duplicates(f"{LONG} {one}", f"{LONG} {other}")
    assert kept(doc("a", f"{LONG} {one}"), doc("b", f"{LONG} {other}")) == ["a", "b"]


def test_the_one_in_force_stays_where_the_better_stood():
    assert kept(doc("old", LONG), doc("x", "other"), doc("new", LONG), out_of_force={"old"}) == ["new", "x"]
    assert kept(doc("new", LONG), doc("x", "other"), doc("old", LONG), out_of_force={"old"}) == ["new", "x"]


def test_the_newer_stays():
    assert kept(doc("a", LONG, modified_at="2023-01-01"), doc("b", LONG, modified_at="2024-01-01")) == ["b"]
    assert kept(doc("a", LONG), doc("b", LONG, modified_at="2024-01-01")) == ["a"]


def test_same_words_under_another_heading_or_in_another_record_are_no_duplicate():
    assert kept(doc("a", "Three years.", heading_path=["303"]), doc("b", "Three years.", heading_path=["304"])) == ["a", "b"]
    assert kept(doc("a", "Three years.", record_id="303"), doc("b", "Three years.", record_id="304")) == ["a", "b"]
    assert kept(doc("a", "Three years.", heading_path=["303"]), doc("b", "Three years.")) == ["a"]


def test_contained_by_words_within_one_source_alone():
    large, small = Document(content="He has 25 days of leave.", meta={"source_id": "s"}), Document(content="25 days of", meta={"source_id": "s"})
    assert contains(large, small)
    assert not contains(large, Document(content="5 days of", meta={"source_id": "s"}))  # not at a word
    assert not contains(large, Document(content="25 days of", meta={"source_id": "t"}))
    assert not contains(Document(content="x 25 days of y"), Document(content="25 days of"))


def test_contained_by_range():
    def chunk(id_, text, start, version="v"):
        return Document(id=id_, content=text, meta={"source_id": "s", "source_version": version, "char_start": start, "char_end": start + len(text)})

    assert kept(chunk("small", "of leave", 10), chunk("large", "days of leave in", 5), chunk("far", "elsewhere", 100)) == ["large", "far"]
    assert kept(chunk("small", "of leave", 10), chunk("elsewhere", "days of leave in", 500)) == ["small", "elsewhere"]


def test_what_is_in_force_never_goes_for_a_larger_that_is_not():
    small, large = doc("small", "days of", source_id="s"), doc("large", "ten days of leave", source_id="s")
    assert kept(small, large, out_of_force={"large"}) == ["small", "large"]


def test_same_id_once():
    assert kept(doc("a", "x"), doc("a", "x")) == ["a"]


def test_one_that_beats_several_stands_at_the_best_place():
    parts = [doc("p1", "one two", source_id="s"), doc("x", "other"), doc("p2", "three four", source_id="s")]
    assert kept(*parts, doc("whole", "one two three four", source_id="s")) == ["whole", "x"]
