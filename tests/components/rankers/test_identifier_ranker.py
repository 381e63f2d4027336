"""An invented code of rules in its old and its new numbering, with numbers that collide, and a table between them."""

import pytest
from haystack import Document, Pipeline

from components.rankers.identifier_ranker import IdentifierRanker

TOPICS = ["Lamps", "Bells", "Ropes", "Oars", "Sails", "Anchors", "Flags", "Moorings", "Ballast", "Rudders", "Masts", "Hulls", "Decks", "Holds"]
PAIRS = [(str(10 + n), str(10 + (n * 5 + 3) % 14), topic) for n, topic in enumerate(TOPICS)]  # old, new: each new number is an old one too


def _record(code: str, name: str, number: str, topic: str) -> Document:
    title = f"{topic} (rule {number})"
    text = f"{topic} shall be kept in order, as the harbour master requires.\ncode: {code}\nname: {name}\nrule: {number}"
    meta = {"title": title, "record_id": f"{code}_{number}", "file_name": f"{code.lower()}.jsonl", "context_header": title}
    return Document(id=f"{code}_{number}", content=text, meta=meta)


OLD = [_record("OHC", "Old Harbour Code, 1911", old, topic) for old, _, topic in PAIRS]
NEW = [_record("NPR", "New Port Regulations, 2021", new, topic) for _, new, topic in PAIRS]
TABLE = [
    Document(
        id=f"{old}>{new}",
        content=f"ohc_ref: {old}\nnpr_ref: {new}\nlabel: {topic}",
        meta={"title": f"Npr ohc map row-{n}", "record_id": f"row-{n}", "file_name": "npr_ohc_map.csv", "context_header": f"Npr ohc map row-{n}"},
    )
    for n, (old, new, topic) in enumerate(PAIRS, start=8)
]
ALL = [*TABLE, *OLD, *NEW]


def first(question: str, documents: list[Document] = ALL) -> str:
    return IdentifierRanker().run(question, documents)["documents"][0].id


def passages(*texts: str) -> list[Document]:
    return [Document(id=text, content=text) for text in texts]


def order(question: str, *texts: str) -> list[str]:
    return [d.id for d in IdentifierRanker().run(question, passages(*texts))["documents"]]


@pytest.mark.parametrize(("old", "new", "topic"), PAIRS)
@pytest.mark.parametrize("documents", [ALL, list(reversed(ALL))], ids=["table first", "table last"])
def test_old_and_new_numbers_are_told_apart(old, new, topic, documents):
    assert first(f"What is rule {new} of the NPR about?", documents) == f"NPR_{new}"
    assert first(f"What does OHC {old} say?", documents) == f"OHC_{old}"
    assert first(f"Explain rule {new} of the New Port Regulations", documents) == f"NPR_{new}"
    assert first(f"rule {old} ohc", documents) == f"OHC_{old}"
    assert first(f"Which NPR rule replaced OHC {old}?", documents) == f"{old}>{new}"
    assert first(f"Which rule of the OHC became rule {new} of the NPR?", documents) == f"{old}>{new}"


def test_a_question_about_two_gets_both_first():
    found = [d.id for d in IdentifierRanker().run("How do OHC 12 and NPR 12 differ?", [*OLD, *NEW])["documents"]]
    assert set(found[:2]) == {"OHC_12", "NPR_12"}


def test_a_number_of_another_document_is_not_put_forward():
    documents = [*NEW[:3], *TABLE]
    assert first(f"What does OHC {NEW[2].id[4:]} say?", documents) != NEW[2].id


def test_nothing_is_dropped_or_invented():
    found = IdentifierRanker().run("rule 12 of the NPR", ALL)["documents"]
    assert sorted(d.id for d in found) == sorted(d.id for d in ALL)


def test_a_number_is_not_another():
    assert order("What is section 303?", "section 103", "section 3030", "section 303 theft", "298")[0] == "section 303 theft"


def test_the_section_itself_goes_before_one_that_mentions_it():
    mention = Document(
        id="mention", content="As section 303 says.", meta={"context_header": "Act > 304. Snatching", "heading_path": ["304. Snatching"]}
    )
    itself = Document(id="itself", content="Whoever takes it.", meta={"context_header": "Act > 303. Theft", "heading_path": ["303. Theft"]})
    found = IdentifierRanker().run("section 303", [*passages("section 104"), mention, itself])["documents"]
    assert found[0].id == "itself"


def test_codes_and_quoted_phrases_of_a_short_question():
    assert order("What does ERR-1002 mean?", "ERR-1003 means full", "ERR-1002 means empty")[0] == "ERR-1002 means empty"
    assert order('What is "wilful default"?', "a default that is wilful", "Wilful default is a debt unpaid by choice")[0].startswith("Wilful")
    named = Document(id="named", content="Ten days.", meta={"title": "HR-12", "file_name": "HR-12.pdf"})
    assert first("What is policy HR-12?", [*passages("see HR-12"), named]) == "named"


def test_a_mention_far_below_the_best_stays_there():
    best, far = Document(id="best", content="No code.", score=0.9), Document(id="far", content="see ERR-1002", score=0.2)
    assert first("What does ERR-1002 mean?", [best, far]) == "best"


def test_a_long_question_is_about_more_than_a_code_in_it():
    question = "Does treatment with compound AB-12 reduce swelling in older patients after surgery?"
    assert order(question, "swelling after surgery in older patients", "AB-12 is stored at room temperature")[0].startswith("swelling")


def test_a_count_or_year_moves_nothing():
    result = IdentifierRanker().run("Who got 20 days of leave in 2024?", passages("b", "20 days in 2024"))
    assert [d.id for d in result["documents"]] == ["b", "20 days in 2024"]
    assert result["skipped"] == "no identifier in the question"


def test_without_an_identifier_nothing_moves_and_it_says_so():
    result = IdentifierRanker().run("who pays?", passages("b", "a"))
    assert [d.id for d in result["documents"]] == ["b", "a"]
    assert result["skipped"] == "no identifier in the question"


def test_no_documents():
    assert IdentifierRanker().run("IPC 303", [])["documents"] == []


def test_yaml_round_trip():
    pipeline = Pipeline()
    pipeline.add_component("identifiers", IdentifierRanker())
    assert isinstance(Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*"]).get_component("identifiers"), IdentifierRanker)
