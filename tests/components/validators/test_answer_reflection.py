"""The decision on a round, and its bound."""

import asyncio

import pytest
from haystack import Document
from haystack.dataclasses import ChatMessage

from components.answer import Answer, Citation, Claim, Evidence, Status, Usage, Verdict
from components.deadline import within
from components.validators.answer_reflection import AnswerReflection, extended
from components.validators.attempt import Attempt
from tests.scripted_chat import scripted_chat

QUESTION = "What does a towel cost?"
PLACE = {"source_id": "s", "title": "Pool", "char_start": 0, "char_end": 20}
PROMPT = [ChatMessage.from_user("prompt", meta={"question": QUESTION})]


def passage(id_="p", grade=0.9, title="Pool rules"):
    meta = {"label": 1, "title": title, "ranks": {"grader": {"rank": 1, "score": grade}}, "source_id": "s"}
    return Document(id=id_, content="A towel costs 3 euros.", meta=meta)


def answered(verdict=Verdict.SUPPORTED, tokens=0, text="A towel costs 3 euros. [1]"):
    return Answer(
        status=Status.ANSWERED,
        question=QUESTION,
        answer=text,
        citations=[Citation(n=1, quote="A towel costs 3 euros", **PLACE)],
        evidence=[Evidence(n=1, id="p", text="A towel costs 3 euros.", **PLACE)],
        claims=[Claim(text=text, verdict=verdict, score=0.5, citations=[1], reasons=[] if verdict is Verdict.SUPPORTED else ["because"])],
        usage=Usage(completion_tokens=tokens),
    )


NOTHING = Answer(status=Status.DECLINED, question=QUESTION, answer="The documents do not say.")


def decide(node, attempt, answer, evidence=None, verdict="correct"):
    values = (attempt, answer, [passage()] if evidence is None else evidence, PROMPT, verdict)
    found = node.run(*values)
    later = asyncio.run(node.run_async(*values))  # the words of a failed connection may differ
    assert (later.keys(), later["note"].split(" (")[0]) == (found.keys(), found["note"].split(" (")[0])
    return found


def node(**more):
    return AnswerReflection(**{"usefulness": "none", "search": "rules", **more})


def test_a_good_answer_goes_out():
    found = decide(node(), Attempt(QUESTION, QUESTION), answered())
    assert found["answer"].answer == "A towel costs 3 euros. [1]" and "attempt" not in found and found["note"].endswith(": accept")


def test_what_a_chat_model_wrote_and_does_not_hold_is_written_again():
    found = decide(node(), Attempt(QUESTION, QUESTION), answered(Verdict.CONTRADICTED, tokens=9))
    again = found["attempt"]
    assert again.round == 2 and again.evidence == [passage()] and "(contradicted: because)" in again.messages[-1].text
    assert again.messages[-1].meta == PROMPT[0].meta


def test_the_extractive_generator_would_only_write_the_same_so_it_searches():
    found = decide(node(), Attempt(QUESTION, QUESTION), answered(Verdict.UNSUPPORTED))
    assert found["attempt"].query == f"{QUESTION} Pool rules" and found["attempt"].messages == []


def test_irrelevant_passages_are_searched_beyond_but_a_good_answer_from_them_is_kept():
    first = decide(node(), Attempt(QUESTION, QUESTION), answered(), verdict="incorrect")["attempt"]
    assert first.best is not None and first.seen == ["p"]
    second = decide(node(), first, NOTHING, [passage("q")])
    assert second["answer"].status is Status.ANSWERED and second["note"].endswith("take the answer of an earlier round")


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_it_never_opens_a_round_beyond_the_last(most):
    for answer in (NOTHING, answered(Verdict.UNSUPPORTED), answered(Verdict.UNSUPPORTED, tokens=5)):
        attempt, rounds = Attempt(QUESTION, QUESTION), 0
        while attempt is not None:
            rounds += 1
            attempt = node(max_rounds=most).run(attempt, answer, [passage(f"p{rounds}", title=f"Title{rounds}")], PROMPT, "ambiguous").get("attempt")
        assert rounds == most


def test_it_ends_where_nothing_new_was_found_or_can_be_asked():
    seen = Attempt(QUESTION, "other", 2, [QUESTION], ["p"])
    assert decide(node(), seen, NOTHING)["note"].endswith(": decline")
    alone = decide(node(), Attempt(QUESTION, QUESTION), NOTHING, [passage(grade=0.01)])
    assert alone["note"].endswith("nothing else to search for: decline")
    assert decide(node(), Attempt(QUESTION, QUESTION), NOTHING, [], "incorrect")["answer"].status is Status.DECLINED
    assert extended(QUESTION, [passage()], [f"{QUESTION} Pool rules"]) is None


def test_claims_that_do_not_hold_after_the_last_round_are_for_the_grounding_check():
    found = decide(node(max_rounds=1), Attempt(QUESTION, QUESTION), answered(Verdict.UNSUPPORTED))
    assert found["unsettled"].status is Status.ANSWERED and "answer" not in found


@pytest.mark.parametrize(("reply", "way_out"), [("yes", "answer"), ("No.", "attempt"), ('"Yes, it does."', "answer")])
def test_a_chat_model_may_judge_usefulness(reply, way_out, monkeypatch):
    with scripted_chat([reply], monkeypatch) as chat:
        found = decide(node(usefulness="chat"), Attempt(QUESTION, QUESTION), answered())
    assert way_out in found and len(chat.prompts) == 2 and "A towel costs 3 euros" in chat.prompts[0]


@pytest.mark.parametrize("reply", [500, 0.6, "", "It depends.", "x" * 50_000, b"no"])
def test_a_judge_that_fails_leaves_it_to_the_features(reply, monkeypatch):
    with scripted_chat([reply], monkeypatch, timeout_s=0.3), within(20):
        found = decide(node(usefulness="chat", threshold=0.0), Attempt(QUESTION, QUESTION), answered())
    assert "the chat model did not judge usefulness" in found["answer"].degraded[0].reason


@pytest.mark.parametrize("reply", [500, 0.6, "", QUESTION, "word " * 5000])
def test_a_query_that_cannot_be_used_leaves_it_to_the_rules(reply, monkeypatch):
    with scripted_chat([reply], monkeypatch, timeout_s=0.3), within(20):
        found = decide(node(search="chat"), Attempt(QUESTION, QUESTION), NOTHING)
    assert found["attempt"].query == f"{QUESTION} Pool rules"


def test_a_query_of_the_chat_model_is_asked_and_never_twice(monkeypatch):
    with scripted_chat(["1. price of a bath sheet"], monkeypatch):
        first = decide(node(search="auto"), Attempt(QUESTION, QUESTION), NOTHING)["attempt"]
        second = decide(node(search="auto"), first, NOTHING, [passage("q")])["attempt"]
    assert (first.query, second.query) == ("price of a bath sheet", f"{QUESTION} Pool rules")


def test_parameters_that_are_none_are_refused(monkeypatch):
    for wrong in ({"max_rounds": 0}, {"max_rounds": 6}, {"usefulness": "maybe"}, {"search": "web"}):
        with pytest.raises(ValueError, match=r"AnswerReflection.*accepted"):
            AnswerReflection(**wrong)  # pyright: ignore[reportArgumentType]
    monkeypatch.delenv("SAKSHYA_CHAT_MODEL", raising=False)
    assert "SAKSHYA_CHAT_MODEL" in node(search="chat").required_setting() and node().required_setting() == ""
