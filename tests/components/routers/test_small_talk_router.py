"""What is answered without the documents: greetings, thanks and questions about Sakshya, and nothing else."""

import pytest

from components.answer import Status
from components.routers.attempt_router import AttemptRouter
from components.routers.small_talk_router import SmallTalkRouter, small_talk

SMALL = {
    "greeting": ["Hi", "hello!", "Good morning, everyone", "Hello there, how are you?", "Namaste"],
    "thanks": ["Thanks!", "thank you very much", "Ok, thanks", "Great, thank you"],
    "farewell": ["Bye", "good night", "See you later!"],
    "about Sakshya": ["Who are you?", "what can you do?", "What's your name?", "Hi, what is Sakshya?", "How do you work?", "Are you a bot?", "help"],
}
LOOKED_UP = [
    *(
        "What is 2+2?",
        "Who is the director?",
        "What can you tell me about refunds?",
        "Hello, what is the fee?",
        "thanks for the leave policy, and now?",
    ),
    *("Who are you supposed to call in a fire?", "What is the capital of France?", "help with refunds", "How does the pool work?", "good", "?", ""),
    *("What can you do about a late refund?", "hi " * 100),
]


@pytest.mark.parametrize(("name", "question"), [(name, q) for name, questions in SMALL.items() for q in questions])
def test_small_talk_has_a_fixed_reply(name, question):
    found = small_talk(question)
    assert found is not None and found[0] == name
    out = SmallTalkRouter().run(question)
    assert out["answer"].status is Status.DECLINED and out["answer"].citations == [] and "attempt" not in out


@pytest.mark.parametrize("question", LOOKED_UP)
def test_everything_else_is_looked_up(question):
    out = SmallTalkRouter().run(question)
    assert "answer" not in out and out["attempt"].query == out["question"] == question
    assert set(AttemptRouter().run(out["attempt"])) == {"attempt", "asked", "query", "question", "note"}


def test_a_question_that_nobody_can_read_is_asked_back():
    failed = [{"stage": "rewrite", "reason": "chat model m: HTTP 500; rewritten by rules"}]
    out = SmallTalkRouter().run("why?", "“why?” cannot be read with certainty after “Who signs it?”", degraded=failed)
    assert "question" not in out and "attempt" not in out
    answer = out["answer"]
    assert (answer.status, answer.question) == (Status.DECLINED, "why?")
    assert answer.answer == "“why?” cannot be read with certainty after “Who signs it?”. Please ask the whole question."
    assert answer.missing and [(entry.stage, entry.reason) for entry in answer.degraded] == [("rewrite", failed[0]["reason"])]


@pytest.mark.parametrize("unclear", ["", "it is not clear"])
def test_a_search_looks_everything_up(unclear):
    out = SmallTalkRouter().run("help", unclear, look_up=True)
    assert out["question"] == "help" and "answer" not in out
