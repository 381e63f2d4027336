"""`sakshya chat`: questions one after the other, each with those before it."""

import json
from pathlib import Path

import pytest
from haystack import Document
from haystack.document_stores.in_memory import InMemoryDocumentStore
from typer.testing import CliRunner

from app.cli import app
from app.commands.ask import show_answer
from app.conversation import MOST_MESSAGES, Conversation
from components.access.principal import Principal
from components.answer import Answer, Status

GRAPH = """
components:
  rewrite:
    type: components.query.question_rewriter.QuestionRewriter
    init_parameters: {}
  retriever:
    type: haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever
    init_parameters:
      document_store:
        type: haystack.document_stores.in_memory.document_store.InMemoryDocumentStore
        init_parameters: {index: chat}
      top_k: 1
  prompt_builder:
    type: components.builders.evidence_prompt_builder.EvidencePromptBuilder
    init_parameters: {}
  generator:
    type: components.generators.answer_generator.AnswerGenerator
    init_parameters: {model: extractive}
  answer_builder:
    type: components.builders.cited_answer_builder.CitedAnswerBuilder
    init_parameters: {}
  numbering:
    type: components.builders.citation_numbering.CitationNumbering
    init_parameters: {}
connections:
  - {sender: rewrite.question, receiver: retriever.query}
  - {sender: rewrite.question, receiver: prompt_builder.question}
  - {sender: rewrite.question, receiver: answer_builder.question}
  - {sender: retriever.documents, receiver: prompt_builder.evidence}
  - {sender: prompt_builder.messages, receiver: generator.messages}
  - {sender: generator.replies, receiver: answer_builder.replies}
  - {sender: prompt_builder.evidence, receiver: answer_builder.evidence}
  - {sender: answer_builder.answer, receiver: numbering.answer}
inputs:
  question: [rewrite.question, numbering.question]
  history: [rewrite.history, numbering.history]
outputs:
  answer: numbering.answer
"""
QUESTIONS = "What does a towel cost?\n\nand a locker?\n"


@pytest.fixture
def graph(tmp_path: Path):
    store = InMemoryDocumentStore(index="chat")
    texts = {"towel": "A towel costs 3 euros.", "locker": "A locker costs 12 euros."}
    meta = {"source_id": "s", "title": "Pool", "uri": "pool.txt", "label": 1, "char_start": 0}
    store.write_documents([Document(id=key, content=text, meta={**meta, "uri": f"{key}.txt", "char_end": len(text)}) for key, text in texts.items()])
    path = tmp_path / "pool.yml"
    path.write_text(GRAPH)
    yield str(path)
    store.delete_documents(list(texts))


def chat(graph, questions, *more):
    return CliRunner().invoke(app, ["chat", "--graph", graph, *more], input=questions)


def test_as_json_one_object_a_line(graph):
    result = chat(graph, QUESTIONS, "--json")
    assert result.exit_code == 0, result.output
    first, second = [json.loads(line) for line in result.stdout.splitlines()]
    assert (first["question"], first["read_as"], first["answer"]) == ("What does a towel cost?", "", "A towel costs 3 euros. [1]")
    assert (second["question"], second["read_as"]) == ("and a locker?", "What does a locker cost?")
    assert second["answer"] == "A locker costs 12 euros. [2]"


def test_as_text(graph):
    result = chat(graph, QUESTIONS)
    assert result.exit_code == 0, result.output
    assert "read as: What does a locker cost?" in result.stdout and "A locker costs 12 euros. [2]" in result.stdout
    assert result.stdout.count("read as") == 1


def test_a_passage_keeps_its_number(graph):
    result = chat(graph, "What does a towel cost?\nand a locker?\nand a towel?\n", "--json")
    assert [json.loads(line)["citations"][0]["n"] for line in result.stdout.splitlines()] == [1, 2, 1]


def test_a_question_that_cannot_be_asked_ends_nothing(graph):
    result = chat(graph, f"{'x' * 100_000}\nWhat does a towel cost?\n", "--json")
    refused, answered = [json.loads(line) for line in result.stdout.splitlines()]
    assert "SAKSHYA_MAX_QUESTION_CHARS" in refused["error"] and answered["status"] == "answered"
    assert result.exit_code == 1


def test_no_question_is_no_failure(graph):
    result = chat(graph, "", "--json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert chat("no-such-graph", "").exit_code == 2


def test_a_graph_without_history_says_so(graph):
    path = Path(graph)
    path.write_text(GRAPH.replace("  history: [rewrite.history, numbering.history]\n", ""))
    result = chat(graph, QUESTIONS, "--json")
    assert "no input `history`" in result.stderr
    assert json.loads(result.stdout.splitlines()[1])["read_as"] == ""


def test_a_conversation_is_not_kept_for_ever(graph):
    talk = Conversation(graph, Principal(user="t"))
    for _ in range(MOST_MESSAGES):
        talk.ask("What does a towel cost?")
    talk.close()
    assert len(talk.history) == MOST_MESSAGES and talk.history[-1]["role"] == "assistant"


def test_a_reply_without_a_search_is_not_shown_as_a_refusal(capsys):
    for missing, title in (("", "reply"), ("the fee", "declined")):
        show_answer(Answer(status=Status.DECLINED, question="?", answer="You are welcome.", missing=missing))
        assert capsys.readouterr().out.startswith(f"╭─ {title} ")
