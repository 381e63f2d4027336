"""The schema for editors: current, accepts our graphs, and sees the faults that a schema can see."""

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator
from typer.testing import CliRunner

from app.checking.schema import OURS, graph_schema, schema_text
from app.checking.structure import TOP_KEYS
from app.cli import app

ROOT = Path(__file__).parents[3]
FILE = ROOT / "pipelines" / "graph.schema.json"
OUR_GRAPHS = sorted((ROOT / "pipelines").glob("*.yml"))
GRAPHS = [*OUR_GRAPHS, *sorted((Path(__file__).parent / "graphs").glob("*.yml"))]
COMMITTED = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def generated():
    """The schema of what the committed one names: an integration that is installed besides is no difference."""
    types = [name for kind in ("component", "store") for name in COMMITTED["definitions"][kind]["properties"]["type"]["enum"]]
    ours = [
        name for name in graph_schema(docs=False)["definitions"]["component"]["properties"]["type"]["enum"] if name.startswith((OURS, "haystack."))
    ]
    return graph_schema({*types, *ours})


def faults(graph):
    return sorted(error.json_path for error in Draft7Validator(COMMITTED).iter_errors(graph))


def test_the_committed_schema_is_current(generated):
    assert schema_text(generated) == FILE.read_text(encoding="utf-8"), "run: sakshya check --schema pipelines/graph.schema.json"


def test_the_committed_schema_is_a_schema_small_enough_for_an_editor():
    Draft7Validator.check_schema(COMMITTED)
    assert FILE.stat().st_size < 1_000_000


def test_it_holds_no_other_project_s_words():
    for name, definition in COMMITTED["definitions"].items():
        if name.startswith("haystack"):
            assert not any("description" in p for p in definition["properties"].values()), name


def test_it_knows_the_keys_of_a_graph():
    assert set(COMMITTED["properties"]) == set(TOP_KEYS)


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_a_sound_graph_is_valid(path):
    assert faults(yaml.safe_load(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", OUR_GRAPHS, ids=lambda path: path.stem)
def test_our_graphs_name_the_schema(path):
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    assert first == f"# yaml-language-server: $schema={FILE.name}"


# name, text of query.yml, replacement, JSON path of the fault
FAULTS = [
    ("unknown top key", "connections:", "connection:", "$"),
    ("unknown component key", "    init_parameters:\n      dense_weight: 0.6", "    init_params:\n      dense_weight: 0.6", "$.components.fuser"),
    ("missing type", "    type: components.joiners.adaptive_fuser.AdaptiveFuser\n", "", "$.components.fuser"),
    ("unknown type", "components.joiners.adaptive_fuser.AdaptiveFuser", "components.joiners.adaptive_fuser.AdaptiveFusor", "$.components.fuser.type"),
    ("type outside the allowed modules", "components.joiners.adaptive_fuser.AdaptiveFuser", "subprocess.Popen", "$.components.fuser.type"),
    ("unknown parameter", "      dense_weight: 0.6", "      dense_wait: 0.6", "$.components.fuser.init_parameters"),
    ("text for a number", "      dense_weight: 0.6", "      dense_weight: some", "$.components.fuser.init_parameters.dense_weight"),
    ("a fraction for a whole number", "top_k: 40", "top_k: 40.5", "$.components.fuser.init_parameters.top_k"),
    ("text for a switch", "exact: false", "exact: perhaps", "$.components.dense_retriever.init_parameters.exact"),
    ("value not among the accepted", "expand: none", "expand: chapter", "$.components.evidence.init_parameters.expand"),
    ("wrong values in a mapping", "components.joiners.adaptive_fuser.AdaptiveFuser\n    init_parameters:\n", "components.joiners.score_fuser.ScoreFuser\n    init_parameters:\n      weights: {dense: much}\n", "$.components.fuser.init_parameters.weights"),
    ("missing parameter", "      document_store: *store\n      top_k: 50\n", "      top_k: 50\n", "$.components.bm25_retriever.init_parameters"),
    ("parameters left out where one is needed", "    init_parameters:\n      document_store: *store\n      top_k: 50\n", "", "$.components.bm25_retriever"),
    ("unknown store", "SakshyaDocumentStore\n", "SakshyaDocumentStorage\n", "$.components.dense_retriever.init_parameters.document_store.type"),
    ("unknown parameter of a store", "SakshyaDocumentStore\n        init_parameters: {}", "SakshyaDocumentStore\n        init_parameters: {folder: x}", "$.components.dense_retriever.init_parameters.document_store.init_parameters"),
    ("unknown connection key", "sender: fuser.documents", "sendr: fuser.documents", "$.connections[AT]"),
    ("input without a socket", "top_k: [evidence.top_k]", "top_k: [evidence]", "$.inputs.top_k"),
    ("output without a socket", "documents: ranker.documents\n", "documents: ranker\n", "$.outputs.documents"),
    ("no outputs", "outputs:\n  documents: ranker.documents\n  answer: numbering.answer\n  prompt: prompt_builder.messages\n", "", "$"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "where"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_planted_fault(old, new, where):
    text = (ROOT / "pipelines" / "query.yml").read_text(encoding="utf-8")
    assert old in text, "the fault is not planted"
    at = next(i for i, link in enumerate(yaml.safe_load(text)["connections"]) if link["sender"] == "fuser.documents")
    found = faults(yaml.safe_load(text.replace(old, new, 1)))
    assert where.replace("AT", str(at)) in found, found


def test_a_type_completes_with_its_purpose_and_a_parameter_with_its_default():
    kinds = COMMITTED["definitions"]["component"]["properties"]["type"]
    words = dict(zip(kinds["enum"], kinds["enumDescriptions"], strict=True))
    assert all(words[name] for name in words if name.startswith(OURS))
    k = COMMITTED["definitions"]["components.joiners.reciprocal_rank_fuser.ReciprocalRankFuser"]["properties"]["k"]
    assert k["default"] == 60
    assert "constant of the formula" in k["description"]


def test_haystack_s_docstrings_on_request():
    name = "haystack.components.joiners.document_joiner.DocumentJoiner"
    schema = graph_schema([name], docs=True)
    assert schema["definitions"]["component"]["properties"]["type"]["enumDescriptions"][0]
    assert schema["definitions"][name]["properties"]["weights"]["description"]
    assert schema["definitions"]["store"]["properties"]["type"]["enum"] == []


def run(*arguments):
    return CliRunner().invoke(app, ["check", *map(str, arguments)])


def test_the_command_refuses_what_does_not_go_together(tmp_path):
    for arguments in (["--schema", tmp_path / "x.json", "query"], ["--schema-docs"], ["--schema", tmp_path / "absent" / "x.json"]):
        done = run(*arguments)
        assert done.exit_code == 2
        assert len(done.stderr.strip().splitlines()) == 1
        assert done.stdout == ""


def test_the_command_writes_it(tmp_path):
    file = tmp_path / "schema.json"
    done = run("--schema", file, "--json")
    assert done.exit_code == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["schema"] == str(file)
    assert said["bytes"] == file.stat().st_size
    assert said["components"] >= len(COMMITTED["definitions"]["component"]["properties"]["type"]["enum"])
    assert json.loads(run("--schema", "-").stdout) == json.loads(file.read_text(encoding="utf-8"))
