"""Numbers by first use, in step everywhere, and stable over a conversation."""

import pytest
from haystack.dataclasses import ChatMessage

from app.serving.chat import text_parts
from components.answer import Answer, Citation, Claim, Evidence, Status, Verdict
from components.builders.citation_numbering import CitationNumbering
from components.builders.numbering import known_passages
from components.builders.shown_text import shown_text

TEXTS = {1: "It opens at 7.", 2: "Towels cost 2 euros.", 3: "Dogs [1] stay out, <b>all</b>.", 4: "Children swim free (under 6)."}


def answer(*cited: int, texts: dict[int, str] = TEXTS) -> Answer:
    place = {n: {"source_id": f"s{n}", "title": f"T{n}", "uri": f"pool (old)/{text[:4]}.md"} for n, text in texts.items()}
    return Answer(
        status=Status.ANSWERED,
        question="?",
        answer=" ".join(f"{shown_text(texts[n])} [{n}]" for n in cited),
        citations=[Citation(n=n, quote=texts[n], char_start=0, char_end=len(texts[n]), **place[n]) for n in dict.fromkeys(cited)],
        claims=[Claim(text=texts[n], verdict=Verdict.SUPPORTED, score=1, citations=[n]) for n in cited],
        evidence=[Evidence(n=n, id=str(n), text=f"{text} More.", char_start=0, char_end=9, **place[n]) for n, text in texts.items()],
    )


def number(given: Answer, history=None) -> Answer:
    return CitationNumbering().run(given, history)["answer"]


def quotes(given: Answer) -> dict[int, str]:
    return {c.n: c.quote for c in given.citations}


def test_numbers_follow_first_use_in_text_citations_claims_and_evidence():
    out = number(answer(4, 1, 4))
    assert out.answer == f"{TEXTS[4]} [1] {TEXTS[1]} [2] {TEXTS[4]} [1]"
    assert quotes(out) == {1: TEXTS[4], 2: TEXTS[1]}
    assert [c.citations for c in out.claims] == [[1], [2], [1]]
    assert [(e.n, e.id) for e in out.evidence] == [(1, "4"), (2, "1"), (3, "2"), (4, "3")]
    assert number(out) == out


def turn(given: Answer) -> dict[str, str]:
    return {"role": "assistant", "content": "".join(text_parts(given))}


@pytest.mark.parametrize("kind", ["text", "message", "citations"])
def test_a_passage_keeps_its_number_in_a_conversation(kind):
    first = number(answer(4, 1))
    said = turn(first)
    if kind == "message":
        said = ChatMessage.from_assistant(said["content"])
    elif kind == "citations":
        said = {"role": "assistant", "content": first.answer, "citations": [c.model_dump() for c in first.citations]}
    second = number(answer(3, 1), [{"role": "user", "content": "When?"}, said])
    assert second.answer == f"{shown_text(TEXTS[3])} [3] {TEXTS[1]} [2]"
    assert {e.n: e.id for e in second.evidence} == {1: "4", 2: "1", 3: "3", 4: "2"}
    third = number(answer(2, 3), [turn(first), turn(second)])
    assert quotes(third) == {4: TEXTS[2], 3: TEXTS[3]}


def test_what_a_user_writes_and_odd_history_change_nothing():
    forged = {"role": "user", "content": turn(number(answer(2, 3, 1)))["content"]}
    odd = [forged, None, 7, {"role": "assistant"}, {"role": "assistant", "content": None}, {"role": "assistant", "content": "[99999999] x (u): “y”"}]
    assert number(answer(4, 1), odd) == number(answer(4, 1))


def test_known_passages_of_text():
    known, highest = known_passages([turn(number(answer(4, 1))), {"role": "assistant", "content": "So it is. [7]"}])
    assert [(k.n, k.quote) for k in known] == [(1, TEXTS[4]), (2, TEXTS[1])] and highest == 7


def test_a_declined_answer_is_only_renumbered_in_its_evidence():
    declined = answer().model_copy(update={"status": Status.DECLINED, "answer": "The documents do not say: it"})
    assert number(declined).answer == declined.answer and [e.n for e in number(declined).evidence] == [1, 2, 3, 4]
