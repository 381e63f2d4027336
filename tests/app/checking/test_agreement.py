"""Query graphs that embed otherwise than the indexing graph of the same store."""

from pathlib import Path

import pytest

from app.checking.check import check_graphs
from config.settings import settings

PIPELINES = Path(__file__).parents[3] / "pipelines"


def test_our_own_graphs_have_no_fault():
    found = check_graphs(sorted(PIPELINES.glob("*.yml")))
    assert [problem for problem in found if "cannot run here" not in problem.message] == []  # some need a chat model or a web search


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("k1: 1.2", "k1: 1.5", "sparse_embedder.k1"),
        ("language: en", "language: de", "sparse_embedder.language"),
        ("null              # null: from settings; must be", "packaged  # must be", "dense_embedder.model"),
    ],
)
def test_a_query_graph_that_embeds_otherwise(tmp_path, old, new, where):
    text = (PIPELINES / "query.yml").read_text(encoding="utf-8")
    assert old in text
    graph = tmp_path / "query.yml"
    graph.write_text(text.replace(old, new, 1), encoding="utf-8")
    (problem,) = check_graphs([PIPELINES / "index.yml", graph])
    assert problem.file == str(graph)
    assert problem.where == where
    assert problem.line == 1 + text[: text.index(old)].count("\n")
    assert "index.yml" in problem.message


def test_a_node_whose_setting_is_missing_names_it(tmp_path, monkeypatch):
    for name in ("SAKSHYA_CHAT_URL", "SAKSHYA_CHAT_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    text = (PIPELINES / "query.yml").read_text(encoding="utf-8")
    generator = "components.generators.answer_generator.AnswerGenerator\n    init_parameters:\n      model: "
    assert f"{generator}null" in text
    graph = tmp_path / "query.yml"
    graph.write_text(text.replace(f"{generator}null", f"{generator}some-model"), encoding="utf-8")
    (problem,) = check_graphs([graph])
    assert problem.where == "generator"
    assert "SAKSHYA_CHAT_API_KEY" in problem.message
    monkeypatch.setenv("SAKSHYA_CHAT_URL", "http://127.0.0.1:1/v1")
    settings.cache_clear()
    assert check_graphs([graph]) == []
