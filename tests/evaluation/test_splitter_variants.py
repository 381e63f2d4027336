"""The graphs of the splitters: index.yml but for one node, and each of them indexes."""

from pathlib import Path

import pytest
import yaml

from app.checking.check import check_graph
from app.graphs import graph_path, load_graph
from app.indexing import index_paths
from app.store import graph_store
from config.settings import settings
from evaluation.splitter_variants import VARIANTS, variant, write_variants

PIPELINES = Path(__file__).parents[2] / "pipelines"
INDEX = (PIPELINES / "index.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_is_index_yml_with_another_splitter(name: str):
    path = PIPELINES / "splitters" / f"index_{name}.yml"
    assert path.read_text(encoding="utf-8") == variant(INDEX, name), "run: python -m evaluation.splitter_variants"
    ours, theirs = yaml.safe_load(path.read_text(encoding="utf-8")), yaml.safe_load(INDEX)
    one, other = ours["components"].pop("splitter"), theirs["components"].pop("splitter")
    assert ours == theirs
    assert one["type"] != other["type"]
    assert [str(fault) for fault in check_graph(path) if fault.level.value == "error"] == []
    assert graph_path(f"splitters/index_{name}") == path


def test_there_is_a_variant_for_each_file():
    assert sorted(path.stem for path in (PIPELINES / "splitters").glob("*.yml")) == sorted(f"index_{name}" for name in VARIANTS)


def test_a_graph_without_a_splitter_has_no_variants(tmp_path: Path):
    (tmp_path / "index.yml").write_text("components:\n  other:\n    type: x\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"index\.yml has 0 nodes `  splitter:`; accepted: one"):
        write_variants(tmp_path)


def test_writing_again_changes_nothing(tmp_path: Path):
    (tmp_path / "index.yml").write_text(INDEX, encoding="utf-8")
    assert len(write_variants(tmp_path)) == len(VARIANTS)
    assert write_variants(tmp_path) == []
    (tmp_path / "index.yml").write_text(INDEX.replace("avg_len: 100", "avg_len: 90"), encoding="utf-8")
    assert len(write_variants(tmp_path)) == len(VARIANTS)


@pytest.mark.parametrize("name", VARIANTS)
def test_each_indexes_a_small_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SAKSHYA_DATA_DIR", str(tmp_path / "data"))
    settings.cache_clear()
    file = tmp_path / ("leave.py" if name == "code" else "leave.md")
    file.write_text("def days():\n    return 20\n" if name == "code" else "# Leave\n\nTwenty days a year. Ten days when ill.\n", encoding="utf-8")
    graph = load_graph(f"splitters/index_{name}", phase="indexing")
    store = graph_store(graph)
    report = index_paths(lambda values: graph.run(values)["report"], [file], store=store, graph_version=graph.version)
    assert report["failed"] == []
    assert report["chunks"] == report["embedded"] >= 1
    assert store is not None
    store.shutdown()
