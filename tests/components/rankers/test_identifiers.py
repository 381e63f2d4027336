import pytest

from components.rankers.identifiers import asks_for_correspondence, called, lone_qualifiers, names_of, own_terms, references


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is section 303 of the BNS about?", [("303", "BNS")]),
        ("IPC 303", [("303", "IPC")]),
        ("section 303 of bns", [("303", "bns")]),
        ("BNS section 303", [("303", "BNS")]),
        ("What does clause 6.1 of ISO 27001:2022 require?", [("6.1", "ISO 27001:2022")]),
        ("ISO 27001:2022 clause 6.1", [("6.1", "ISO 27001:2022")]),
        ("Rule 12 of the Travel Code", [("12", "Travel Code")]),
        ("What is policy HR-12?", [("hr-12", "")]),
        ("INV-2024-0031", [("inv-2024-0031", "")]),
        ("What does ERR-1002 mean on the XR-17B?", [("err-1002", ""), ("xr-17b", "")]),
        ("Compare IPC 302 and BNS 103", [("302", "IPC"), ("103", "BNS")]),
        ("302 or 103?", [("302", ""), ("103", "")]),
        ("What is in 2(1)(a)?", [("2(1)(a)", "")]),
        ("धारा ४२० क्या है?", [("420", "")]),
        ('Who wrote "gross negligence" in rule 5?', [("gross negligence", ""), ("5", "")]),
        ("What happened in 1998?", []),
        ("How many of the 50 employees left", []),
        ("What is the vacation policy?", []),
        ("", []),
    ],
)
def test_references_of_a_question(question, expected):
    assert [(r.key, r.qualifier) for r in references(question, question=True)] == expected


def test_fields_of_a_row_are_references_and_its_position_is_none():
    assert [(r.key, r.qualifier) for r in references("row-303\nold_ref: 302\nnew_ref: 103")] == [("302", "old"), ("103", "new")]


def test_a_document_is_called_by_its_words_or_initials():
    names = names_of("THE BHARATIYA NYAYA SANHITA, 2023")
    assert called("BNS", names)
    assert called("Bharatiya Nyaya Sanhita", {"bns"})
    assert called("Travel Code", names_of("travel_code.pdf"))
    assert not called("IPC", names)
    assert not called("", names)


def test_a_heading_owns_its_number_and_not_the_one_it_refers_to():
    assert {"220"} == own_terms("220. Prosecution of offences under section 85") & {"220", "85"}


def test_a_second_document_without_a_number_or_a_word_for_change_asks_for_a_correspondence():
    question = "Which BNS section replaced IPC 302?"
    assert lone_qualifiers(question, references(question, question=True)) == {"BNS"}
    assert asks_for_correspondence("What replaced section 302?")
    assert not asks_for_correspondence("What is section 302?")
