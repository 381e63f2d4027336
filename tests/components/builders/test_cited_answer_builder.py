"""The typed answer: it fails closed, and every citation is exactly the stored text."""

import asyncio
import re

import pytest
from haystack import Document, Pipeline, component
from haystack.dataclasses import ChatMessage
from hypothesis import given, settings
from hypothesis import strategies as st

from components.answer import Answer, Status
from components.builders.citation_numbering import CitationNumbering
from components.builders.cited_answer_builder import CitedAnswerBuilder
from components.failure import Degradation

STORED = "Rules of the pool.\n\nIt opens at 7. Towels are lent for 2 euros. Children swim free, except on Sundays."
PASSAGES = [
    Document(
        id="p1",
        content=STORED[20:51],
        score=0.9,
        meta={"label": 1, "source_id": "s", "title": "Pool", "uri": "pool.md", "heading_path": ["A", "B"], "char_start": 20},
    ),
    Document(id="p2", content=STORED[35:], meta={"label": 2, "source_id": "s", "title": "Pool", "char_start": 35, "page": 2}),
]


def build(text, meta=None, evidence=PASSAGES, **more) -> Answer:
    return CitedAnswerBuilder().run("When?", [ChatMessage.from_assistant(text, meta=meta or {})], evidence, **more)["answer"]


def test_sentences_keep_their_citations_and_lose_false_ones():
    answer = build("The pool opens at 7 [1][9]. Children swim free, except on Sundays [2]. I like it there.")
    assert answer.status == Status.ANSWERED
    assert answer.answer == "The pool opens at 7. [1] Children swim free, except on Sundays. [2]"
    assert [(c.n, c.quote) for c in answer.citations] == [(1, "It opens at 7."), (2, "Children swim free, except on Sundays.")]
    assert all(STORED[c.char_start : c.char_end] == c.quote for c in answer.citations)
    assert answer.citations[0].heading == "A > B" and answer.citations[1].page == 2
    assert [e.n for e in answer.evidence] == [1, 2] and answer.evidence[0].char_end == 51


def test_a_copied_sentence_shares_the_marker_of_the_next():
    answer = build("Towels are lent for 2 euros. Children swim free, except on Sundays [2].")
    assert answer.answer == "Towels are lent for 2 euros. [2] Children swim free, except on Sundays. [2]"


def test_a_list_keeps_its_introduction():
    answer = build("Two things hold:\n- it opens at 7 [1]\n- children swim free [2]")
    assert answer.answer.startswith("Two things hold:\n- it opens at 7 [1]\n- children swim free [2]")


@pytest.mark.parametrize(
    "text",
    [
        "NOT_IN_EVIDENCE",
        "NOT_IN_EVIDENCE. But it opens at 7 [1].",
        "It opens at 8.",
        "It opens at 8 [5].",
        "It does not open at 7 [5].",
        "The passages do not mention a sauna.",
        "[1]",
        "...",
    ],
)
def test_nothing_cited_is_declined(text):
    answer = build(text)
    assert answer.status == Status.DECLINED and answer.citations == [] and answer.missing and answer.answer


def test_what_a_chat_model_says_is_missing_is_kept_apart():
    answer = build("It opens at 7 [1]. The passages do not mention a sauna.")
    assert answer.status == Status.ANSWERED and answer.missing == "The passages do not mention a sauna." and "sauna" not in answer.answer


def test_extractive_spans_are_quoted_and_noted():
    old = Document(
        content="As amended [2], it opens at 8.", meta={"label": 3, "char_start": 7, "in_force": False, "validity_note": "not in force since 2020"}
    )
    span = {"n": 3, "char_start": 7, "char_end": 37, "text": "As amended [2], it opens at 8."}
    answer = build("whatever", {"declined": False, "missing": "", "spans": [span], "model": "extractive"}, [*PASSAGES, old])
    assert answer.answer == "As amended (2), it opens at 8. [3] (not in force since 2020)"
    assert [(c.n, c.quote, c.char_start) for c in answer.citations] == [(3, span["text"], 7)]
    assert not answer.evidence[2].in_force and answer.evidence[2].note == "not in force since 2020"


def test_declined_meta():
    answer = build("The documents do not say: the sauna", {"declined": True, "missing": "the sauna", "spans": []})
    assert (answer.status, answer.missing, answer.answer) == (Status.DECLINED, "the sauna", "The documents do not say: the sauna")


def test_no_reply_is_failed_and_says_why():
    entries = [Degradation(stage="generator", reason="no\nconnection")]
    answer = CitedAnswerBuilder().run("When?", [], PASSAGES, entries)["answer"]
    assert answer.status == Status.FAILED and [(d.stage, d.reason) for d in answer.degraded] == [("generator", "no connection")]
    assert CitedAnswerBuilder().run("When?", [], [])["answer"].degraded[0].stage == "generator"


def test_usage():
    usage = build("It opens at 7 [1].", {"usage": {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17}}).usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (12, 5)


def test_a_sentence_without_a_citation_is_repaired_or_dropped():
    out = CitedAnswerBuilder().run("When?", [ChatMessage.from_assistant("It opens at 7. Towels are lent for 3 euros.")], PASSAGES)
    answer = out["answer"]
    assert answer.answer == "It opens at 7. [1]" and [c.quote for c in answer.citations] == ["It opens at 7."]
    assert out["note"] == "repaired citations: 1, left out for want of a passage: 1" and answer.degraded == []


def test_a_citation_of_the_wrong_passage_is_put_right():
    assert build("Children swim free, except on Sundays [1].").answer == "Children swim free, except on Sundays. [2]"


def test_a_number_is_cited_from_where_it_stands():
    answer = build("It opens at 7 and towels are lent for 2 euros [2].")
    assert {c.quote for c in answer.citations} == {"It opens at 7.", "Towels are lent for 2 euros."}


def test_markers_that_name_nothing_are_removed_and_told():
    answer = build("The pool opens at 7 [1][9][policy-4].")
    assert answer.answer == "The pool opens at 7. [1]"
    assert [(d.stage, d.reason) for d in answer.degraded] == [("citations", "removed markers that name no passage: [9], [policy-4]")]


def test_a_source_cited_by_name_is_its_nearest_passage():
    answer = build("Children swim free, except on Sundays [Pool].")
    assert answer.answer == "Children swim free, except on Sundays. [2]"


def test_nothing_remote_is_shown():
    answer = build(
        "It opens at 7 ![p](https://e.example/?q=secret) [1]. Children swim free, except on Sundays, see [us](https://e.example/2) <img src=//e.example> [2]."
    )
    assert "e.example/" not in answer.answer and "<img" not in answer.answer and "](" not in answer.answer
    assert any("addresses" in d.reason for d in answer.degraded)


def test_a_place_is_named_as_a_person_would():
    assert [c.cited_as for c in build("It opens at 7 [1]. Children swim free, except on Sundays [2].").citations] == ["Pool, B", "Pool, p. 2"]


@component
class Worn:
    @component.output_types(degraded=list[Degradation])
    def run(self, reason: str):
        return {"degraded": [Degradation(stage="ranker", reason=reason)]}


@component
class WornPlain:
    @component.output_types(degraded=list)
    def run(self, reason: str):
        return {"degraded": [Degradation(stage="ranker", reason=reason)]}


@pytest.mark.parametrize("senders", [0, 1, 2])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_degraded_takes_any_number_of_senders(senders, asynchronous):
    pipeline = Pipeline()
    pipeline.add_component("answer_builder", CitedAnswerBuilder())
    data = {"answer_builder": {"question": "When?", "replies": [ChatMessage.from_assistant("It opens at 7 [1].")], "evidence": PASSAGES}}
    for i in range(senders):
        pipeline.add_component(f"w{i}", Worn() if i else WornPlain())
        pipeline.connect(f"w{i}.degraded", "answer_builder.degraded")
        data[f"w{i}"] = {"reason": f"slow {i}"}
    pipeline = Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*", __name__])
    result = asyncio.run(pipeline.run_async(data)) if asynchronous else pipeline.run(data)
    answer = result["answer_builder"]["answer"]
    assert isinstance(answer, Answer) and sorted(d.reason for d in answer.degraded) == [f"slow {i}" for i in range(senders)]


PIECES = st.sampled_from(
    [
        "It opens at 7",
        "Children swim free",
        "NOT_IN_EVIDENCE",
        "[1]",
        "[2]",
        "[1,2]",
        "[1-3]",
        "[99]",
        "[2-1]",
        "[ 1 ]",
        "[]",
        ".",
        "!",
        "\n",
        " ",
        "- ",
        "¶",
        "नमस्ते।",
        "[1][2]",
        "[1]-[3]",
        "[0]",
        "[Doc 5]",
        "[policy-1]",
        "[source 2]",
        "【1】",
        "【2†x】",
        "(1)",
        "(2).",
        "^1",
        "¹",
        "[[1]]",
        "[",
        "]",
        "1]",
        "[1",
        "According to [1],",
        "(see [2])",
        "Sources:",
        "![x](http://e.example/1)",
        "[y](http://e.example)",
        "7",
        "\u200b",
        "［2］",
    ]
)
REPLIES = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=12).map(" ".join), st.lists(PIECES, max_size=12).map("".join))
TEXTS = st.one_of(st.text(max_size=120), st.lists(PIECES, min_size=1, max_size=15).map(" ".join))
SPANS = st.lists(
    st.fixed_dictionaries({"n": st.integers(0, 4), "char_start": st.integers(-2, 60), "char_end": st.integers(-2, 60), "text": st.text(max_size=5)}),
    max_size=3,
)


ANY_MARKER = re.compile(r"[\[【［]\s*(?:(?:doc|source)\s*)?(\d+)[^\]】］\n]{0,20}[\]】］]", re.I)


@settings(max_examples=100, deadline=None)
@given(
    texts=st.lists(TEXTS, max_size=4),
    offsets=st.lists(st.integers(0, 1000), min_size=4, max_size=4),
    labels=st.permutations([1, 2, 3, 4]),
    reply=REPLIES,
    spans=SPANS,
    extractive=st.booleans(),
    numbered=st.booleans(),
)
def test_every_citation_resolves_and_is_the_stored_text(texts, offsets, labels, reply, spans, extractive, numbered):
    evidence = [
        Document(id=str(i), content=t, meta={"label": n, "char_start": o, "source_id": str(i), "title": f"policy-{i}"})
        for i, (t, o, n) in enumerate(zip(texts, offsets, labels, strict=False))
    ]
    answer = build(reply, {"spans": spans, "model": "extractive"} if extractive else {}, evidence)
    if numbered:
        answer = CitationNumbering().run(answer)["answer"]
        order = list(dict.fromkeys(int(n) for n in re.findall(r"\[(\d+)\]", answer.answer)))
        assert order == list(range(1, len(order) + 1)) and [e.n for e in answer.evidence] == list(range(1, len(texts) + 1))
    shown_as = {e.n: e for e in answer.evidence}
    for c in answer.citations:
        i = int(c.source_id)
        assert c.quote == texts[i][c.char_start - offsets[i] : c.char_end - offsets[i]]
        assert c.quote and shown_as[c.n].id == c.source_id and c.quote in shown_as[c.n].text
    shown = {int(n) for n in ANY_MARKER.findall(answer.answer)}
    if answer.status == Status.ANSWERED:
        assert answer.citations and shown == {c.n for c in answer.citations}
    else:
        assert not answer.citations and not shown
