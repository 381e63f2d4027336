"""The command line as a process: exit codes, one line for an error, one JSON object on standard output."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def sakshya(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "app.cli", *arguments],
        cwd=ROOT,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "settings", "code", "words"),
    [
        (("nosuch",), {}, 2, "No such command"),
        (("ask",), {}, 2, "question"),
        (("ask", ""), {}, 2, "the question is empty"),
        (("ask", "q", "--top-k", "0"), {}, 2, "--top-k"),
        (("ask", "q", "--as-of", "yesterday"), {}, 2, "YYYY-MM-DD"),
        (("ask", "q", "--graph", "nosuch"), {}, 2, "Graphs here: index, "),
        (("ask", "q", "--graph", "index"), {}, 2, "a graph for indexing"),
        (("ask", "q", "--filter", "nothing"), {}, 2, "FIELD=VALUE"),
        (("ask", "q", "--tenant", " "), {}, 2, "--tenant"),
        (("ask", "q"), {}, 1, "nothing is indexed yet"),
        (("search", "q"), {}, 1, "nothing is indexed yet"),
        (("index", "/no/such/folder"), {}, 2, "no such file or folder"),
        (("index", "ftp://example.org/a.md"), {}, 2, "http:// and https:// are accepted"),
        (("index", "examples", "--rules", "README.md"), {}, 2, "README.md"),
        (("show", "nosuch.md"), {}, 2, "no source"),
        (("remove", "nosuch.md"), {}, 2, "no source"),
        (("draw", "nosuch"), {}, 2, "Graphs here"),
        (("draw", "query", "-o", "x.gif"), {}, 2, ".svg"),
        (("draw", "query", "-o", "-"), {}, 2, "one of them"),
        (("status",), {"SAKSHYA_EMBEDDING_BATCH_SIZE": "0"}, 2, "SAKSHYA_EMBEDDING_BATCH_SIZE='0'"),
        (("status",), {"SAKSHYA_EMBEDING_MODEL": "x"}, 2, "did you mean SAKSHYA_EMBEDDING_MODEL"),
        (("status",), {"SAKSHYA_DATA_DIR": "README.md"}, 2, "README.md is a file"),
        (("ask", "q"), {"SAKSHYA_DATA_DIR": "README.md/index"}, 2, "README.md is a file"),
        (("index", "examples"), {"SAKSHYA_DATA_DIR": "README.md"}, 2, "README.md is a file"),
        (("check",), {"SAKSHYA_HOME": "/nope"}, 2, "SAKSHYA_HOME"),
        (("evaluate", "answers", "nosuch.jsonl"), {}, 2, "nosuch.jsonl"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_wrong_use_is_one_line_and_one_json_object(arguments, settings, code, words):
    done = sakshya(*arguments, "--json", **settings)
    assert done.returncode == code, done.stderr
    assert words in json.loads(done.stdout)["error"]
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert all(line.startswith("sakshya: ") for line in done.stderr.splitlines())


def test_a_graph_that_does_not_load_is_told_as_check_tells_it(tmp_path):
    graph = tmp_path / "query.yml"
    text = (ROOT / "pipelines" / "query.yml").read_text(encoding="utf-8")
    graph.write_text(text.replace("components.builders.evidence_builder.EvidenceBuilder", "os.system"), encoding="utf-8")
    done = sakshya("ask", "q", "--graph", str(graph))
    assert done.returncode == 1
    assert "evidence.type: unknown type 'os.system'" in done.stderr
    assert "unsafe" not in done.stderr


def test_the_command_line_imports_nothing_heavy_before_it_knows_what_is_asked():
    code = "import sys, app.cli; print(*{'torch', 'haystack', 'qdrant_client', 'sentence_transformers', 'fastapi', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == ""


def test_an_empty_index_and_an_empty_folder_say_so(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    assert "empty: `sakshya index PATH` fills it" in sakshya("status").stdout
    assert json.loads(sakshya("status", "--json").stdout)["index_version"].endswith("@00000000.0")
    done = sakshya("index", str(tmp_path))
    assert done.returncode == 0 and done.stderr.startswith("nothing to index was found")
