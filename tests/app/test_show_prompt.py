"""`ask --show-prompt` prints what a chat model would read, and asks none."""

import json
from pathlib import Path

import pytest
from haystack import Document
from haystack.document_stores.in_memory import InMemoryDocumentStore
from typer.testing import CliRunner

from app.cli import app

GRAPH = """
components:
  retriever:
    type: haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever
    init_parameters:
      document_store:
        type: haystack.document_stores.in_memory.document_store.InMemoryDocumentStore
        init_parameters: {index: shown-prompt}
      top_k: 5
  prompt_builder:
    type: components.builders.evidence_prompt_builder.EvidencePromptBuilder
    init_parameters: {}
  generator:
    type: components.generators.answer_generator.AnswerGenerator
    init_parameters: {model: nobody-must-ask-it}
  answer_builder:
    type: components.builders.cited_answer_builder.CitedAnswerBuilder
    init_parameters: {}
connections:
  - {sender: retriever.documents, receiver: prompt_builder.evidence}
  - {sender: prompt_builder.messages, receiver: generator.messages}
  - {sender: generator.replies, receiver: answer_builder.replies}
  - {sender: prompt_builder.evidence, receiver: answer_builder.evidence}
inputs:
  question: [retriever.query, prompt_builder.question, answer_builder.question]
outputs:
  answer: answer_builder.answer
  prompt: prompt_builder.messages
"""


@pytest.fixture
def graph(tmp_path: Path):
    store = InMemoryDocumentStore(index="shown-prompt")
    store.write_documents([Document(id="a", content="The pool opens at 7 [bold].", meta={"label": 1, "title": "Pool"})])
    path = tmp_path / "pool.yml"
    path.write_text(GRAPH)
    yield str(path)
    store.delete_documents(["a"])


def test_as_json(graph):
    result = CliRunner().invoke(app, ["ask", "When does the pool open?", "--graph", graph, "--show-prompt", "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [m["role"] for m in found["messages"]] == ["system", "user"]
    assert "The pool opens at 7 [bold]." in found["messages"][1]["content"]
    assert found["messages"][1]["content"].endswith("Question: When does the pool open?")
    assert found["prompt"].startswith("answer v") and found["tokens"] > found["evidence_tokens"] > 0
    assert {stage["name"] for stage in found["trace"]} == {"retriever", "prompt_builder"}


def test_as_text(graph):
    result = CliRunner().invoke(app, ["ask", "When does the pool open?", "--graph", graph, "--show-prompt"])
    assert result.exit_code == 0, result.output
    assert "The pool opens at 7 [bold]." in result.stdout and "prompt answer v" in result.stderr and "tokens" in result.stderr


def test_a_graph_without_that_output_says_so(graph):
    path = Path(graph)
    path.write_text(GRAPH.replace("  prompt: prompt_builder.messages\n", ""))
    result = CliRunner().invoke(app, ["ask", "When?", "--graph", graph, "--show-prompt"])
    assert result.exit_code == 2 and "declares none of the outputs prompt" in result.stderr
