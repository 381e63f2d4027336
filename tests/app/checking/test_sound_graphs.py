"""Graphs in the manner of Haystack's users: `check` has nothing to say about them, and Haystack loads them."""

from pathlib import Path

import pytest
import yaml
from haystack import Pipeline

from app.checking.check import check_graph
from app.checking.parts import build_parts
from app.checking.positions import read_source
from app.checking.wiring import Wiring
from app.environment import ALLOWED_MODULES

GRAPHS = sorted((Path(__file__).parent / "graphs").glob("*.yml"))
KEYS = ("OPENAI_API_KEY", "LOCAL_LLM_KEY", "SECOND_KEY", "UNSET_KEY_FOR_REWRITING", "HF_TOKEN", "HF_API_TOKEN", "QDRANT_API_KEY")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    """A secret that is not set here is set where the graph runs."""
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)


def test_there_are_enough():
    assert len(GRAPHS) >= 10


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_no_false_alarm(path):
    assert check_graph(path) == []


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_haystack_connects_the_same_sockets(path):
    data = {key: value for key, value in yaml.safe_load(path.read_text(encoding="utf-8")).items() if key not in ("inputs", "outputs")}
    pipeline = Pipeline.loads(yaml.safe_dump(data), allowed_modules=ALLOWED_MODULES)
    theirs = {(f"{start}.{d['from_socket'].name}", f"{end}.{d['to_socket'].name}") for start, end, d in pipeline.graph.edges(data=True)}
    source = read_source(path)
    wiring = Wiring(source, build_parts(source)[0])
    assert list(wiring.problems()) == []
    ours = {(sender, ".".join(end)) for end, senders in wiring.fed.items() for sender in senders if not sender.startswith("inputs.")}
    assert ours == theirs


def faults_after(tmp_path: Path, name: str, old: str, new: str) -> str:
    text = next(path for path in GRAPHS if path.stem == name).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "graph.yml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return "\n".join(map(str, check_graph(path)))


def test_a_connection_that_leaves_its_sockets_open_must_be_the_only_one_possible(tmp_path):
    said = faults_after(tmp_path, "hybrid_search", "{sender: joiner, receiver: middle}", "{sender: embedder, receiver: middle}")
    assert "no output of embedder fits an input of middle" in said
    assert "embedding (list[float])" in said
    said = faults_after(tmp_path, "routed_answer", "{sender: router.too_few, receiver: apology.question}", "{sender: router, receiver: apology}")
    assert "more than one connection is possible; name the sockets: router.enough to apology.question" in said


def test_a_parameter_of_a_component_without_a_constructor(tmp_path):
    said = faults_after(
        tmp_path,
        "keyword_search",
        "cited_answer_builder.CitedAnswerBuilder\n    init_parameters: {}",
        "cited_answer_builder.CitedAnswerBuilder\n    init_parameters: {pattern: x}",
    )
    assert "answer_builder.pattern: unknown parameter" in said


@pytest.mark.parametrize(
    ("type_name", "package"),
    [
        ("haystack_integrations.document_stores.elasticsearch.document_store.ElasticsearchDocumentStore", "elasticsearch-haystack"),
        ("haystack_integrations.document_stores.azure_ai_search.document_store.AzureAISearchDocumentStore", "azure-ai-search-haystack"),
    ],
)
def test_the_package_of_a_store_that_is_not_installed(tmp_path, type_name, package):
    said = faults_after(tmp_path, "dense_search", "haystack.document_stores.in_memory.document_store.InMemoryDocumentStore", type_name)
    assert f"pip install {package}" in said
    assert "retriever.document_store.type" in said


@pytest.mark.parametrize(
    ("type_name", "package"),
    [
        ("haystack_integrations.components.generators.anthropic.chat.chat_generator.AnthropicChatGenerator", "anthropic-haystack"),
        ("haystack_integrations.components.converters.unstructured.converter.UnstructuredFileConverter", "unstructured-fileconverter-haystack"),
    ],
)
def test_the_package_of_a_component_that_is_not_installed(tmp_path, type_name, package):
    said = faults_after(tmp_path, "loop_until_valid", "haystack.components.generators.chat.openai.OpenAIChatGenerator", type_name)
    assert f"pip install {package}" in said


def test_an_integration_that_is_installed_is_not_named_as_missing(tmp_path):
    said = faults_after(tmp_path, "dense_search", "SentenceTransformersTextEmbedder", "SentenceTransformersTextEmbeder")
    assert "pip install" not in said
    assert "SentenceTransformersTextEmbedder" in said
