import pytest
from haystack import Document, Pipeline

from components.rankers.identifier_ranker import IdentifierRanker, identifiers


def passages(*texts: str) -> list[Document]:
    return [Document(id=text, content=text) for text in texts]


def order(question: str, *texts: str) -> list[str]:
    return [d.id for d in IdentifierRanker().run(question, passages(*texts))["documents"]]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is section 303 of the BNS?", {"303"}),
        ("What does ERR-1002 mean on the XR-17B?", {"err-1002", "xr-17b"}),
        ("What replaced 498A?", {"498a"}),
        ("What is in 2(1)(a)?", {"2(1)(a)"}),
        ("धारा ४२० क्या है?", {"420"}),
        ("What is the vacation policy?", set()),
        ("", set()),
    ],
)
def test_identifiers(question, expected):
    assert identifiers(question) == expected


def test_a_number_is_not_another():
    assert order("What is section 303?", "section 103", "section 3030", "section 303 theft", "298") == [
        "section 303 theft",
        "section 103",
        "section 3030",
        "298",
    ]


def test_a_number_is_found_in_a_longer_reference_and_in_the_header():
    header = Document(id="header", content="Whoever commits it.", meta={"context_header": "Act > 303. Theft"})
    found = IdentifierRanker().run("section 303", [*passages("section 104"), header, *passages("see 303(2)")])["documents"]
    assert [d.id for d in found] == ["header", "see 303(2)", "section 104"]


def test_more_identifiers_go_first_and_ties_keep_their_order():
    assert order("302 or 103?", "a 302", "b 103", "c 302 and 103", "d") == ["c 302 and 103", "a 302", "b 103", "d"]


def test_without_an_identifier_nothing_moves_and_it_says_so():
    result = IdentifierRanker().run("who pays?", passages("b", "a"))
    assert [d.id for d in result["documents"]] == ["b", "a"]
    assert result["skipped"] == "no identifier in the question"


def test_yaml_round_trip():
    pipeline = Pipeline()
    pipeline.add_component("identifiers", IdentifierRanker())
    assert isinstance(Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*"]).get_component("identifiers"), IdentifierRanker)
