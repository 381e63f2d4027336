import pytest

from components.query.global_question import is_global
from components.routers.scope_router import ScopeRouter


@pytest.mark.parametrize(
    "question",
    [
        "What are the main themes?",
        "What are the main topics of these documents?",
        "what is this collection about?",
        "Which topics do the documents cover?",
        "Give me an overview of all documents.",
        "Summarise everything.",
        "What are the key points of this knowledge base?",
        "Which topics are covered?",
        "Summarize these files",
        "What do these documents talk about?",
        "इन दस्तावेज़ों के मुख्य विषय क्या हैं?",
    ],
)
def test_asks_for_everything(question):
    assert is_global(question)
    assert ScopeRouter().run(question)["everything"] == question
    assert "local" not in ScopeRouter().run(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who heads the Lake Office?",
        "What is the fine for late books?",
        "What are the main duties of the employer?",
        "Summarise section 12 of the Act.",
        "What are the main themes of the Lake Report?",
        "What is the subject of a permit?",
        "Which topics are in the exam?",
        "What are the main topics of the exam?",
        "What are the key findings about water?",
        "Which documents do I need for a permit?",
        "Is leave an important issue?",
        "",
    ],
)
def test_asks_for_something(question):
    assert not is_global(question)
    assert ScopeRouter().run(question)["local"] == question
