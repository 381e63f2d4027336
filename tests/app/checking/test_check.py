"""Planted faults: each is reported in one line, at its line, with its component and what is accepted."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.checking.check import check_graph
from app.checking.problem import Level
from app.cli import app

SOUND = """\
components:
  retriever:
    type: haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever
    init_parameters:
      document_store:
        type: haystack.document_stores.in_memory.document_store.InMemoryDocumentStore
        init_parameters: {bm25_algorithm: BM25L}
      top_k: 10
  fuser:
    type: components.joiners.reciprocal_rank_fuser.ReciprocalRankFuser
    init_parameters:
      k: 60
      top_k: 20
  prompt:
    type: haystack.components.builders.prompt_builder.PromptBuilder
    init_parameters:
      template: "{{ documents }} {{ question }}"
      required_variables: [question]
connections:
  - {sender: retriever.documents, receiver: fuser.dense}
  - {sender: fuser.documents, receiver: prompt.documents}
inputs:
  question: [retriever.query, prompt.question]
outputs:
  documents: fuser.documents
  prompt: prompt.prompt
"""

# name, text to replace, replacement, line of the fault, words that its message must hold
FAULTS = [
    ("unknown top key", "connections:", "connection:", 19, ["connection", "did you mean 'connections'"]),
    ("unknown component key", "      k: 60\n      top_k: 20", "      k: 60\n      top_k: 20\n    init_params: {}", 14, ["fuser.init_params", "init_parameters"]),
    ("unknown connection key", "receiver: fuser.dense}", "receiver: fuser.dense, recever: x}", 20, ["recever", "receiver"]),
    ("duplicate component", "  prompt:\n    type", "  fuser:\n    type", 14, ["fuser", "duplicate key", "line 9"]),
    ("duplicate parameter", "      k: 60\n", "      k: 60\n      k: 61\n", 13, ["k", "duplicate key", "line 12"]),
    ("wrong type of a number", "      k: 60", "      k: sixty", 12, ["fuser.k", "'sixty'", "a number"]),
    ("wrong type of a nested parameter", "{bm25_algorithm: BM25L}", "{bm25_algorithm: BM25L, return_embedding: perhaps}", 7, ["return_embedding", "true or false"]),
    ("bad enum value", "BM25L", "BM26", 7, ["bm25_algorithm", "BM26", "BM25L"]),
    ("value out of range", "      k: 60", "      k: -5", 12, ["fuser", "k"]),
    ("unknown parameter", "      k: 60", "      kk: 60", 12, ["fuser.kk", "k"]),
    ("close parameter", "      top_k: 20", "      topk: 20", 13, ["fuser.topk", "did you mean 'top_k'"]),
    ("unknown nested parameter", "bm25_algorithm: BM25L", "bm25_algoritm: BM25L", 7, ["bm25_algoritm", "did you mean 'bm25_algorithm'"]),
    ("missing parameter", "    init_parameters:\n      document_store:\n        type: haystack.document_stores.in_memory.document_store.InMemoryDocumentStore\n        init_parameters: {bm25_algorithm: BM25L}\n      top_k: 10", "    init_parameters:\n      top_k: 10", 4, ["retriever.document_store", "needs the parameter"]),
    ("missing type", "    type: haystack.components.builders.prompt_builder.PromptBuilder\n", "", 14, ["prompt.type", "is missing"]),
    ("unknown component", "ReciprocalRankFuser", "ReciprocalRankFusor", 10, ["fuser.type", "ReciprocalRankFuser"]),
    ("component without its path", "haystack.components.builders.prompt_builder.PromptBuilder", "PromptBuilder", 15, ["haystack.components.builders.prompt_builder.PromptBuilder"]),
    ("component outside the allowed modules", "haystack.components.builders.prompt_builder.PromptBuilder", "subprocess.Popen", 15, ["subprocess.Popen", "accepted"]),
    ("unknown store", "InMemoryDocumentStore\n", "InMemoryDocumentStorage\n", 6, ["document_store.type", "InMemoryDocumentStorage"]),
    ("duplicate connection", "inputs:", "  - {sender: fuser.documents, receiver: prompt.documents}\ninputs:", 22, ["duplicate connection", "line 21"]),
    ("connection from nowhere", "sender: retriever.documents", "sender: retreiver.documents", 20, ["sender", "did you mean 'retriever'"]),
    ("connection to nowhere", "receiver: prompt.documents", "receiver: prmpt.documents", 21, ["receiver", "did you mean 'prompt'"]),
    ("unknown output socket", "sender: retriever.documents", "sender: retriever.docs", 20, ["retriever has no output 'docs'", "documents"]),
    ("unknown input socket", "receiver: fuser.dense", "receiver: fuser.dens", 20, ["fuser has no input 'dens'", "did you mean 'dense'"]),
    ("incompatible sockets", "{sender: fuser.documents, receiver: prompt.documents}", "{sender: prompt.prompt, receiver: fuser.sparse}", 21, ["str", "Document"]),
    ("two senders on one input", "inputs:", "  - {sender: prompt.prompt, receiver: retriever.query}\ninputs:", 2, ["retriever.query", "takes one value", "prompt.prompt and by inputs.question"]),
    ("missing connection", "question: [retriever.query, prompt.question]", "question: [prompt.question]", 2, ["retriever.query", "required input", "str"]),
    ("missing connection of a template variable", "[retriever.query, prompt.question]", "[retriever.query]", 14, ["prompt.question", "required input"]),
    ("input that points nowhere", "[retriever.query, prompt.question]", "[retriever.query, prompt.question, fuser.query]", 23, ["inputs.question", "fuser has no input 'query'"]),
    ("input without a socket", "[retriever.query, prompt.question]", "[retriever.query, prompt.question, ghost.x]", 23, ["inputs.question", "there is no component 'ghost'"]),
    ("output that points nowhere", "documents: fuser.documents\n  prompt", "documents: fuser.document\n  prompt", 25, ["outputs.documents", "did you mean 'documents'"]),
    ("output of nobody", "prompt: prompt.prompt", "prompt: promt.prompt", 26, ["outputs.prompt", "did you mean 'prompt'"]),
    ("unreachable component", "connections:\n", "  lonely:\n    type: haystack.components.joiners.document_joiner.DocumentJoiner\nconnections:\n", 19, ["lonely", "connected to nothing"]),
    ("no inputs", "inputs:\n  question: [retriever.query, prompt.question]\n", "", 1, ["inputs", "is missing"]),
    ("not YAML", "      k: 60", "      k: [60", 13, ["not YAML"]),
    ("connections of the wrong kind", "connections:\n  - {sender: retriever.documents, receiver: fuser.dense}\n  - {sender: fuser.documents, receiver: prompt.documents}\n", "connections: none\n", 19, ["connections", "must be a list"]),
    ("connection without a receiver", "{sender: fuser.documents, receiver: prompt.documents}", "{sender: fuser.documents}", 21, ["receiver", "is missing"]),
]  # fmt: skip


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "graph.yml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_sound_graph_has_no_fault(tmp_path):
    assert check_graph(written(tmp_path, SOUND)) == []


@pytest.mark.parametrize(("old", "new", "line", "words"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_planted_fault(tmp_path, old, new, line, words):
    assert SOUND.count(old) >= 1, "the fault is not planted"
    problems = check_graph(written(tmp_path, SOUND.replace(old, new, 1)))
    matching = [p for p in problems if p.line == line and all(word in str(p) for word in words)]
    assert len(matching) == 1, "\n".join(map(str, problems))
    assert "\n" not in str(matching[0])


def test_thirty_kinds_are_planted():
    assert len(FAULTS) >= 30


@pytest.mark.parametrize(
    "text", ["", "- a\n- b\n", "components: {}\ninputs: {}\noutputs: {}\n", "a: &x [*x]\n", "\x00", "components: {a: 3}\ninputs: {}\noutputs: {}\n"]
)
def test_files_that_are_no_graph_are_reported_and_never_raise(tmp_path, text):
    problems = check_graph(written(tmp_path, text))
    assert problems
    assert all(p.level is Level.ERROR and "\n" not in str(p) for p in problems)


def test_a_file_that_is_not_there_is_one_line(tmp_path):
    (problem,) = check_graph(tmp_path / "absent.yml")
    assert "cannot be read" in str(problem)


def test_bytes_that_are_no_text_are_one_line(tmp_path):
    path = tmp_path / "graph.yml"
    path.write_bytes(b"\xff\xfe\x00components")
    (problem,) = check_graph(path)
    assert "UTF-8" in str(problem)


@pytest.mark.parametrize(("key", "typo"), [("connections:", "connectons:"), ("inputs:", "imputs:")])
def test_a_misspelt_key_is_told_alone(tmp_path, key, typo):
    (problem,) = check_graph(written(tmp_path, SOUND.replace(key, typo, 1)))
    assert "unknown key" in str(problem)
    assert key.rstrip(":") in str(problem)


def test_a_graph_that_is_not_there_hides_no_fault_of_the_others(tmp_path):
    path = written(tmp_path, SOUND.replace("k: 60", "kk: 60"))
    done = CliRunner().invoke(app, ["check", str(path), str(tmp_path / "nope.yml")])
    assert done.exit_code == 1
    assert "fuser.kk" in done.output
    assert "nope.yml does not exist" in done.output


def test_a_policy_whose_loop_is_missing_is_told(tmp_path):
    query = (Path(__file__).parents[3] / "pipelines" / "query.yml").read_text(encoding="utf-8")
    graph = tmp_path / "query.yml"
    graph.write_text(query.replace("policy: drop", "policy: regenerate"), encoding="utf-8")
    (found,) = [p for p in check_graph(graph) if p.level is Level.ERROR]
    assert found.where == "grounding.messages" and "leads nowhere" in found.message and "query_regenerate.yml" in found.message


RANKER = """  ranker:
    type: components.rankers.cross_encoder_ranker.CrossEncoderRanker
    init_parameters:
      model: MODEL
  prompt:
"""
RANKED = "  - {sender: fuser.documents, receiver: ranker.documents}\n  - {sender: ranker.documents, receiver: prompt.documents}"


@pytest.mark.parametrize(("model", "fault"), [("/no/such/folder", "no such folder"), ("FOLDER", "the folder has no config.json"), ("org/model", "")])
def test_the_folder_of_a_model_is_looked_at(tmp_path, model, fault):
    text = SOUND.replace("  prompt:\n", RANKER.replace("MODEL", str(tmp_path) if model == "FOLDER" else model), 1)
    text = text.replace("  - {sender: fuser.documents, receiver: prompt.documents}", RANKED)
    text = text.replace("[retriever.query, ", "[retriever.query, ranker.query, ")
    path = tmp_path / "graph.yml"
    path.write_text(text)
    found = check_graph(path)
    assert [(problem.where, problem.line, fault in problem.message) for problem in found] == ([("ranker.model", 17, True)] if fault else [])
