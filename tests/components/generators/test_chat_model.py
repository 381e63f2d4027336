"""The chat model for everything but the answer: it replies or says why not, in bounded time, and every call is counted."""

import asyncio
import re

import pytest
from haystack import Document
from haystack.dataclasses import ChatMessage

from components.builders.evidence_prompt_builder import EvidencePromptBuilder
from components.deadline import within
from components.generators.answer_generator import AnswerGenerator
from components.generators.chat_model import ChatModel, text_of
from components.generators.costs import Spent
from components.generators.metering import count_call, metered
from components.generators.reply_reading import reply_lines, reply_object
from components.generators.silence import no_chat_models
from tests.scripted_chat import MODEL, scripted_chat

ASKED = [ChatMessage.from_user("Which?")]


async def ask(chat, max_tokens=None):
    messages = [ChatMessage.from_system("Answer."), *ASKED]
    return text_of(await chat.run_async(messages, {"max_tokens": max_tokens} if max_tokens else None))


def test_it_replies_in_both_ways_and_is_counted(monkeypatch):
    with scripted_chat(["one", "two"], monkeypatch) as chat, metered() as meter:
        assert ChatModel().run(ASKED)["replies"][0].text == "one"
        found = asyncio.run(ask(ChatModel(), max_tokens=7))
    assert (found.text, found.model, found.reason) == ("two", MODEL, "")
    assert chat.requests[1]["max_tokens"] == 7 and chat.prompts[1] == "Answer.\nWhich?"
    assert (meter.calls, meter.spent.prompt_tokens, meter.spent.completion_tokens, meter.spent.cost_usd) == (2, 20, 10, None)


@pytest.mark.parametrize(("reply", "says"), [(500, "HTTP 500"), ("  ", "empty reply"), (b"<html>", "unusable reply")])
def test_where_no_reply_comes_there_is_none_and_a_reason(reply, says, monkeypatch):
    with scripted_chat([reply], monkeypatch), metered() as meter:
        found = asyncio.run(ask(ChatModel(timeout_s=2)))
        result = ChatModel(timeout_s=2).run(ASKED)
    assert found.text is None and says in found.reason and "\n" not in found.reason
    assert result["replies"] == [] and says in result["degraded"][0]["reason"]
    assert meter.calls == (2 if reply == "  " else 0)


def test_it_takes_its_share_of_the_deadline_and_no_more(monkeypatch):
    with scripted_chat([20.0], monkeypatch), within(20):
        found = asyncio.run(ask(ChatModel(share=0.01)))
    assert found.text is None and re.search(r"no reply within 0\.[12] s", found.reason)


def test_without_a_chat_model_it_names_the_setting(monkeypatch):
    assert "SAKSHYA_CHAT_MODEL" in ChatModel().required_setting() and ChatModel("some").required_setting() == ""
    assert ChatModel().run(ASKED)["replies"] == []


def test_a_used_up_budget_is_no_reply(monkeypatch):
    with scripted_chat(["one"], monkeypatch, daily_budget_usd=0.0, prices='{"scripted": [1, 1]}') as chat:
        found = asyncio.run(ask(ChatModel()))
    assert found.text is None and "budget" in found.reason and chat.prompts == []


@pytest.mark.parametrize("value", [{"share": 0}, {"share": 1.5}, {"model": "extractive"}, {"timeout_s": 0}, {"max_tokens": 0}])
def test_values_out_of_range_are_refused(value):
    with pytest.raises(ValueError, match=next(iter(value))):
        ChatModel(**value)


def test_a_meter_counts_in_tasks_and_threads_and_only_its_own_block():
    async def both():
        await asyncio.gather(*(asyncio.to_thread(count_call, Spent(1, 2, 0.5)) for _ in range(3)))

    with metered() as outer:
        with metered() as inner:
            asyncio.run(both())
        count_call(Spent(5, 0, 0.1))
    count_call(Spent(100, 100, 1.0))
    assert (inner.calls, inner.spent.prompt_tokens, inner.spent.cost_usd) == (3, 3, 1.5)
    assert (outer.calls, outer.spent.prompt_tokens) == (1, 5)


@pytest.mark.parametrize(
    ("reply", "items"),
    [
        ('["a b", "c"]', ["a b", "c"]),
        ('Sure:\n{"queries": ["a b", "A  B", "c"]}', ["a b", "c"]),
        ("Here are some:\n* a b\n* c\n\n", ["a b", "c"]),
        ("1. a [see 2]\n2. c", ["a [see 2]", "c"]),
        ("```\na b\nc\n```", ["a b", "c"]),
        ('{"queries": "a"}', ['{"queries": "a"}']),
        ("[" * 5000, []),
        ("x" * 3000, []),
        ("", []),
        ("\n".join(f"q{n}" for n in range(100)), ["q0", "q1", "q2"]),
    ],
)
def test_lists_are_read_from_replies_of_any_shape(reply, items):
    assert reply_lines(reply, 3) == items


def test_objects_are_read_from_replies():
    assert reply_object('x {bad} {"a": [1, {"b": 2}]} {"c": 3}') == {"a": [1, {"b": 2}]}
    assert reply_object("{" * 30_000) is None and reply_object("[1]") is None


def test_where_chat_models_are_not_asked_none_is(monkeypatch):
    with scripted_chat(["one"], monkeypatch) as chat, no_chat_models():
        assert ChatModel().run(ASKED)["degraded"][0]["reason"] == "chat models are not asked here"
        messages = EvidencePromptBuilder().run("How long?", [Document(content="It takes a day.", meta={"label": 1})])["messages"]
        assert AnswerGenerator().run(messages)["model"] == "extractive"
    assert chat.prompts == []
