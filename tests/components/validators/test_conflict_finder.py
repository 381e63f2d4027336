"""Both sides of a conflict are shown, the newer first; what only looks alike is never set against each other."""

import pytest
from haystack import Document, Pipeline

from components.answer import Answer
from components.builders.cited_answer_builder import CitedAnswerBuilder
from components.validators.conflict_finder import MARK, ConflictFinder


def passage(n, content, title, heading="Refunds", **meta):
    place = {"label": n, "title": title, "heading_path": [heading], "source_id": title, "char_start": 10 * n}
    return Document(id=f"p{n}", content=content, meta={**place, **meta})


OLD = passage(1, "Refunds are paid within five days. Write to the desk.", "Handbook 2023", modified_at="2023-01-01")
NEW = passage(2, "Refunds are paid within nine days.", "Handbook 2025", modified_at="2025-01-01")
CHARGEBACK = passage(3, "Chargebacks are paid within forty days.", "Card rules", "Chargebacks", modified_at="2025-06-01")


def quoting_the_first(evidence):
    from haystack.dataclasses import ChatMessage

    reply = ChatMessage.from_assistant("Refunds are paid within five days. [1]")
    return CitedAnswerBuilder().run("When are refunds paid?", [reply], evidence)["answer"]


def test_both_sides_are_shown_the_newer_first():
    evidence = [OLD, NEW, CHARGEBACK]
    out = ConflictFinder().run(quoting_the_first(evidence), evidence)
    text = out["answer"].answer
    assert text.startswith(MARK) and text.index("nine days. [2]") < text.index("five days. [1]") and "forty" not in text
    assert text.count("five days") == 1
    assert {c.quote for c in out["answer"].citations} == {"Refunds are paid within five days.", "Refunds are paid within nine days."}
    shown = {e.n: e for e in out["answer"].evidence}
    assert all(shown[c.n].text[c.char_start - shown[c.n].char_start : c.char_end - shown[c.n].char_start] == c.quote for c in out["answer"].citations)
    assert "2 passages" in out["note"]


def test_authority_goes_before_age():
    evidence = [OLD, NEW]
    answer = ConflictFinder(authority=["Handbook 2023"]).run(quoting_the_first(evidence), evidence)["answer"]
    assert answer.answer.index("five days") < answer.answer.index("nine days")


@pytest.mark.parametrize(
    "other",
    [
        CHARGEBACK,
        passage(2, "Refunds are paid within nine days.", "Handbook 2021", in_force=False, validity_note="superseded"),
        passage(2, "Refunds are paid within 5 days.", "Notice"),
        passage(2, "Refunds of premium plans are paid within two days.", "Notice"),
        passage(2, "Refunds are paid within nine days.", "Handbook 2023"),
        passage(2, "Refunds are paid in euros.", "Notice"),
        passage(2, "Plan | Days\nRefunds are paid within | nine days", "Table"),
    ],
)
def test_no_conflict(other):
    evidence = [OLD, other]
    answer = quoting_the_first(evidence)
    assert ConflictFinder().run(answer, evidence)["answer"] == answer


def test_a_refusal_passes_and_the_node_is_plain_yaml():
    declined = Answer(status="declined", question="?", answer="no")
    assert ConflictFinder().run(declined, [OLD, NEW])["answer"] is declined
    pipeline = Pipeline()
    pipeline.add_component("conflicts", ConflictFinder(authority=["law/"]))
    assert Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*", "haystack.*"]).get_component("conflicts").authority == ["law/"]
    with pytest.raises(ValueError, match="authority"):
        ConflictFinder(authority=[""])
