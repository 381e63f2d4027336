"""A provision that a document does not have is told from its numbering, and nothing is said where that cannot be known."""

import pytest
from haystack import Document

from components.answer import Answer
from components.validators.absent_identifiers import AbsentIdentifiers, asked_provisions, numbering, numbers_of


class Sections:
    """Sections in memory, read as the store reads them."""

    def __init__(self, documents):
        self.documents = documents

    def peek(self, filters, limit, fields=None):
        return [d.meta for d in self.filter_documents(filters)][:limit]

    def filter_documents(self, filters, *, with_embeddings=True):
        conditions = filters.get("conditions", [filters])
        return [d for d in self.documents if all(d.meta.get(c["field"].removeprefix("meta.")) == c["value"] for c in conditions)]


def sections(count, title="Harbour Act, 2020"):
    made = []
    for n in range(1, count + 1):
        meta = {"kind": "section", "container_id": title, "source_id": title, "title": title, "section_number": str(n), "char_start": 100 * n}
        made.append(Document(id=f"{title}{n}", content=f"{n}. Rule\n\nShips shall wait.", meta={**meta, "heading_path": [f"{n}. Rule"]}))
    return made


def check(question, documents, evidence=None):
    evidence = [Document(content=d.content, meta={**d.meta, "kind": "chunk", "label": n}) for n, d in enumerate(evidence or documents[:3], 1)]
    return AbsentIdentifiers(Sections(documents)).run(Answer(status="answered", question=question, answer="Ships wait. [1]"), evidence)["answer"]


def test_a_section_beyond_the_last_is_declined_with_what_there_is_and_cites_the_last():
    answer = check("What does section 59 of the Harbour Act say?", sections(58))
    assert answer.status == "declined" and answer.answer == "Section 59 is not in the Harbour Act: it has 58. [1]"
    assert answer.citations[0].quote == "58. Rule" and answer.citations[0].char_start == 5800


@pytest.mark.parametrize(
    "question",
    [
        "What does section 58 of the Harbour Act say?",
        "What does section 59 of the Fishing Act say?",
        "How many ships are there?",
        "What did ship 59 carry?",
    ],
)
def test_nothing_is_said_of_what_is_there_or_of_another_document(question):
    assert check(question, sections(58)).status == "answered"


def test_nothing_is_said_where_a_document_is_not_numbered_or_another_one_has_it():
    assert check("What is in section 9?", sections(2)).status == "answered"
    both = sections(8) + sections(20, "Canal Act, 2021")
    assert check("What is in section 9?", both, [both[0], both[9]]).status == "answered"


def test_other_words_and_forms():
    assert [(a.label, a.number) for a in asked_provisions("Compare clause 8.2, Article 12a and § 7")] == [
        ("clause", "8.2"),
        ("article", "12A"),
        ("section", "7"),
    ]
    assert numbers_of({"title": "Repeal (section 358)", "record_id": "BNS_358"}) == {"358"}
    assert numbers_of({"section_number": "3.2", "heading_path": ["3.2 Scope"]}) == {"3.2"}
    assert numbering(["303", "318", "351"], "section") == "its sections here are numbered 303 to 351"


def test_a_store_that_fails_leaves_the_answer_and_says_so():
    class Broken:
        def peek(self, *_):
            raise OSError("gone")

    answer = Answer(status="answered", question="What is section 9?", answer="x [1]")
    found = AbsentIdentifiers(Broken()).run(answer, [Document(content="1. Rule", meta={"container_id": "c", "title": "Act"})])
    assert found["answer"].status == "answered" and "gone" in found["answer"].degraded[0].reason


def test_words_that_are_no_name_do_not_tell_which_document_is_meant():
    assert [a.qualifier for a in asked_provisions("What does section 900 of the criminal code say?")] == [""]
    assert "“Harbour Act, 2020”" in check("What does section 900 of the criminal code say?", sections(58)).answer
