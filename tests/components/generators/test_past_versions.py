"""Questions about what was in force at a past time are answered from the version of that time."""

from dataclasses import replace
from datetime import date

import pytest
from haystack import Document

from components.builders.evidence_builder import EvidenceBuilder
from components.builders.evidence_prompt_builder import EvidencePromptBuilder
from components.generators.extraction.units import sources_of
from components.generators.extraction.versions import past_of, versions_of
from components.generators.extractive_generator import ExtractiveGenerator

OLD = Document(
    content="The parking permit costs 30 francs a month. Visitors can park in the yard without a badge.",
    meta={"title": "Parking at the mill", "source_id": "old", "valid_to": "2023-05-01", "superseded_by": "Rules of the car park"},
)
NEW = Document(
    content="Replaces the rules of 2019. The parking permit costs 45 francs a month. Visitors may park in the yard only with a badge.",
    meta={"title": "Rules of the car park", "source_id": "new"},
)


def ask(question, *passages):
    evidence = EvidenceBuilder().run(list(passages or (NEW, OLD)))["evidence"]
    [reply] = ExtractiveGenerator().run(EvidencePromptBuilder().run(question, evidence)["messages"])["replies"]
    return reply.text or "", bool(reply.meta["declined"])


@pytest.mark.parametrize(
    "question",
    [
        "What was the price of a parking permit in 2019?",
        "What did a parking permit cost in March 2022?",
        "How much was the parking permit before 2023?",
        "What did a parking permit cost until May 2023?",
        "What was the price of a parking permit on 3 June 2021?",
    ],
)
def test_a_past_time_is_answered_from_its_version_with_its_note(question):
    reply, _ = ask(question)
    assert "30 francs" in reply and "45 francs" not in reply
    assert "not in force since 2023-05-01; superseded by Rules of the car park" in reply


@pytest.mark.parametrize("question", ["How did the parking permit price change between 2020 and 2024?", "What did a parking permit cost in 2023?"])
def test_both_versions_are_quoted_where_both_held(question):
    reply, _ = ask(question)
    assert reply.index("30 francs") < reply.index("45 francs")


@pytest.mark.parametrize("question", ["What does a parking permit cost?", "What did a parking permit cost in 2024?"])
def test_what_holds_now_or_held_later_is_answered_from_the_version_in_force(question):
    reply, _ = ask(question)
    assert "45 francs" in reply and "30 francs" not in reply


def test_a_sentence_that_tells_of_the_time_itself_is_quoted():
    told = Document(content="In 2019 the parking permit cost 12 francs a month.", meta={"title": "Chronicle", "source_id": "c"})
    reply, _ = ask("What did the parking permit cost in 2019?", told, NEW, OLD)
    assert "12 francs" in reply and "30 francs" not in reply


def test_what_no_version_of_the_time_says_is_declined():
    assert ask("What did a garage cost in 2020?")[1]
    assert ask("What did a parking permit cost in 2020?", replace(NEW, content="The parking permit costs 45 francs a month."))[1]


def test_the_version_in_force_answers_whether_one_may_do_without():
    reply, _ = ask("Can visitors park in the yard without a badge?")
    assert reply.startswith("Visitors may park in the yard only with a badge.")


@pytest.mark.parametrize(
    ("question", "begin", "end", "is_change"),
    [
        ("How did the rent change between March 2020 and 2022?", date(2020, 3, 1), date(2023, 1, 1), True),
        ("What was due on 31 December 2021?", date(2021, 12, 31), date(2022, 1, 1), False),
        ("Who was the chair in December 2021?", date(2021, 12, 1), date(2022, 1, 1), False),
    ],
)
def test_the_period_asked_about(question, begin, end, is_change):
    past = past_of(question)
    assert past is not None
    assert (past.begin, past.end, past.is_change) == (begin, end, is_change)


@pytest.mark.parametrize("question", ["What is due on 31 February 2021?", "What happens in room 2022b?", "What does section 2019 say?"])
def test_what_is_no_time(question):
    assert past_of(question) is None


def test_nothing_is_a_version_where_nothing_was_replaced():
    past = past_of("What was the fee in 2019?")
    assert past is not None
    assert versions_of(past, sources_of(EvidenceBuilder().run([NEW])["evidence"])) == []


def test_an_old_document_on_something_near_it_is_no_version():
    rule = Document(
        content="Theft is punished under rule 30 with up to three years in prison, a fine, or both.", meta={"title": "Theft", "source_id": "new"}
    )
    old = replace(OLD, content="What the old code did not have\n\n- Snatching was punished as ordinary theft.")
    assert ask("What was the punishment for theft in 2020?", rule, old)[1]
