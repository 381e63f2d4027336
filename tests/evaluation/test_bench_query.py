import json

import numpy as np
import pytest

from evaluation.bench_corpus import Passages, grow, read_passages
from evaluation.bench_query import main, measure, questions

WORDS = [f"word{n}" for n in range(400)]


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.md").write_text(" ".join(WORDS))
    (folder / "b.html").write_text("<p>" + " ".join(reversed(WORDS)) + "</p>")
    (folder / "c.bin").write_bytes(b"\x00" * 100)
    return folder


def passages(count=20, dimension=16):
    vectors = np.random.default_rng(1).standard_normal((count, dimension)).astype(np.float32)
    return Passages([f"own{n} " * 30 for n in range(count)], vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def test_passages_are_read_from_a_folder_and_from_a_file(texts, tmp_path):
    found = read_passages(texts)
    assert all(15 <= len(p.split()) <= 30 for p in found)
    assert len(found) == 26
    assert not any("<" in p for p in found)
    assert len(read_passages(texts / "a.md")) == 13
    (tmp_path / "short.txt").write_text("too short")
    with pytest.raises(ValueError, match="ten or more"):
        read_passages(tmp_path / "short.txt")


def test_corpus_is_whole_unit_length_and_the_same_each_time():
    batches = list(grow(passages(), 250, seed=5, batch=100))
    documents = [d for batch, _ in batches for d in batch]
    matrix = np.concatenate([vectors for _, vectors in batches])
    assert [d.id for d in documents] == [f"chunk-{n}" for n in range(250)]
    assert np.linalg.norm(matrix, axis=1) == pytest.approx(1, abs=1e-5)
    assert np.asarray([d.embedding for d in documents]) == pytest.approx(matrix)
    assert all(len(d.content.split()) == 30 and d.meta["char_end"] == len(d.content) for d in documents)
    assert len({d.content for d in documents}) > 240
    again = [d for batch, _ in grow(passages(), 250, seed=5, batch=100) for d in batch]
    assert again == documents
    other = [d for batch, _ in grow(passages(), 250, seed=6, batch=100) for d in batch]
    assert other[0].content != documents[0].content


def test_chunks_stay_near_the_passage_they_come_from():
    seeds = passages(dimension=384)
    _, matrix = next(grow(seeds, 200, seed=0))
    nearest = (matrix @ seeds.vectors.T).max(axis=1)
    assert nearest.min() > 0.5
    assert nearest.max() < 0.999


def test_questions_are_words_of_the_passages():
    asked = questions(passages().texts, 30, seed=0)
    assert len(asked) == 30
    assert all(len(q.split()) == 8 and q in text for q in asked for text in passages().texts if q.split()[0] in text.split())


@pytest.mark.parametrize(("chunks", "queries"), [(10, 60), (1000, 1)])
def test_refuses_what_measures_nothing(texts, chunks, queries):
    with pytest.raises(ValueError, match="accepted: 100 or more chunks"):
        measure(texts, chunks, queries)


def test_wrong_use(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert main(["--texts", str(tmp_path / "empty"), "--json"]) == 2
    assert "0 passages" in capsys.readouterr().err


def test_both_sides_are_measured_and_the_index_is_used_again(texts, tmp_path, capsys):
    arguments = ["--texts", str(texts), "--chunks", "150", "--queries", "4", "--folder", str(tmp_path / "kept"), "--json"]
    assert main(arguments) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["chunks"], report["queries"], report["index_reused"]) == (150, 4, False)
    assert report["dense_recall@50"] == 1.0  # so few are compared one by one
    for side in ("ours", "stock"):
        assert 0 < report[f"{side}_ms"]["p50"] <= report[f"{side}_ms"]["p95"]
        assert report["documents_returned"][side] == 4 * 50
    assert report["ratio_p50"]["low"] <= report["ratio_p50"]["value"] <= report["ratio_p50"]["high"]
    assert report["corpus"].startswith("synthetic")
    assert main(arguments) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["index_reused"]
    assert again["build_s"]["ours_write_s"] == 0
    assert again["dense_recall@50"] == 1.0
    (texts / "a.md").write_text(" ".join(WORDS[::-1]) + " other")  # other texts, another index
    assert main(arguments) == 0
    assert not json.loads(capsys.readouterr().out)["index_reused"]
