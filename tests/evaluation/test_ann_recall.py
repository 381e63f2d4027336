import json
from pathlib import Path

import numpy as np
import pytest
from haystack import Document
from rich.console import Console

from components.access.principal import Principal, acting_as
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from evaluation.ann_recall import index_facts, measure_recall, recall_of, recall_table
from evaluation.bench_hnsw import main, measure, prepare
from evaluation.growth_plot import growth_svg
from evaluation.realistic_vectors import Grower, intrinsic_dimension, nearest, normalised, shape_of
from evaluation.stored_vectors import source_filter, stored_vectors

READER = Principal("reader")


def clusters(count: int, dimension: int = 24, inner: int = 6, seed: int = 0) -> np.ndarray:
    """Vectors of low dimension around some centres, as embeddings are."""
    rng = np.random.default_rng(seed)
    plane = rng.standard_normal((inner, dimension))
    centres = rng.standard_normal((8, dimension))
    return normalised(centres[rng.integers(0, 8, count)] + 0.6 * rng.standard_normal((count, inner)) @ plane)


@pytest.fixture
def store(tmp_path: Path):
    opened = SakshyaDocumentStore(path=str(tmp_path / "index"), index="recall")
    meta = {"kind": "chunk", "tenant": "default", "access": ["public"]}
    documents = [
        Document(id=f"c{i}", content=f"c{i}", embedding=v.tolist(), meta={**meta, "source_id": f"s{i // 5}"}) for i, v in enumerate(clusters(200))
    ]
    documents.append(Document(id="secret", content="x", embedding=documents[0].embedding, meta={**meta, "access": ["hr"], "source_id": "s-hr"}))
    with acting_as(Principal.system()):
        opened.write_documents(documents)
    yield opened
    opened.shutdown()


def test_recall_counts_what_is_as_near_as_the_last():
    assert recall_of({"a": 0.9, "x": 0.5}, {"a": 0.9, "b": 0.8}) == 0.5
    assert recall_of({"a": 0.9, "tie": 0.8}, {"a": 0.9, "b": 0.8}) == 1
    assert recall_of({}, {"a": 0.9}) == 0
    assert recall_of({}, {}) == 1


def test_a_sample_is_what_the_reader_may_see_and_the_seed_decides(store):
    with acting_as(READER):
        every, few, again = stored_vectors(store, 1000), stored_vectors(store, 20, 1), stored_vectors(store, 20, 1)
        assert len(every.ids) == 200
        assert "secret" not in every.ids
        assert few.ids == again.ids != stored_vectors(store, 20, 2).ids
        np.testing.assert_allclose(np.linalg.norm(few.vectors, axis=1), 1, rtol=1e-5)


def test_the_filter_holds_about_the_share(store):
    with acting_as(READER):
        filters, held = source_filter(store, 0.1)
        assert 0.05 <= held <= 0.15
        assert store.count_documents_by_filter(filters) == round(held * 200)
        with pytest.raises(ValueError, match="share 0; accepted"):
            source_filter(store, 0)


def test_exact_search_finds_all_and_a_chunk_does_not_find_itself(store):
    with acting_as(READER):
        sample = stored_vectors(store, 10)
        rows = measure_recall(store, sample.vectors, sample.ids, efs=[None, 16], top_k=5, share=0.1)
    assert [(row.filter == 1, row.ef) for row in rows] == [(True, 0), (True, None), (True, 16), (False, 0), (False, None), (False, 16)]
    assert all(row.recall.value == 1 for row in rows)  # so small an index has no graph
    assert {row.to_json()["ef"] for row in rows} == {"exact", "default", 16}
    facts = index_facts(store)
    assert facts["points"] == 201
    assert facts["bytes"] > 1000
    console = Console(width=120, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(recall_table(rows, "t", 5))
    assert "recall@5" in console.export_text()


def test_intrinsic_dimension_of_vectors_on_a_plane():
    rng = np.random.default_rng(3)
    for inner in (2, 8):
        # points of a small ball of this dimension around one direction
        around = np.zeros((1500, 64), dtype=np.float32)
        around[:, 0] = 1
        ball = rng.standard_normal((1500, inner))
        ball *= 0.05 * rng.random((1500, 1)) ** (1 / inner) / np.linalg.norm(ball, axis=1, keepdims=True)
        around[:, 1 : 1 + inner] = ball
        vectors = normalised(around)
        _, cosines = nearest(vectors.astype(np.float64), vectors.astype(np.float64), 20, same=True)
        assert intrinsic_dimension(cosines) == pytest.approx(inner, rel=0.2)


def test_grown_vectors_are_like_the_real_ones():
    real = clusters(600)
    grower = Grower.of(real)
    grown = grower.vectors(600, np.random.default_rng(1))
    np.testing.assert_allclose(np.linalg.norm(grown, axis=1), 1, rtol=1e-5)
    assert shape_of(grown)["intrinsic_dimension"] == pytest.approx(shape_of(real)["intrinsic_dimension"], rel=0.3)
    noise = normalised(np.random.default_rng(2).standard_normal(real.shape))
    assert shape_of(noise)["intrinsic_dimension"] > 1.5 * shape_of(real)["intrinsic_dimension"]
    parts = list(grower.sources(45, 20, seed=4))
    assert [(number, len(vectors)) for number, vectors in parts] == [(0, 20), (1, 20), (2, 5)]
    np.testing.assert_array_equal(parts[1][1], list(grower.sources(45, 20, seed=4))[1][1])
    with pytest.raises(ValueError, match="99 different vectors; accepted: 100"):
        Grower.of(real[:99])


def test_a_small_bench_and_its_picture(tmp_path):
    grower, asked = prepare(clusters(400), clusters(20, seed=0), queries=5)
    reports = [measure(grower, asked, chunks, m=8, ef_construct=32, efs=[32], top_k=3) for chunks in (60, 120)]
    assert [r["index"]["points"] for r in reports] == [60, 120]
    assert reports[0]["index"]["m"] == 8
    assert all(row["recall"]["value"] == 1 for row in reports[0]["rows"] if row["ef"] == "exact")
    picture = growth_svg(reports)
    assert picture.startswith("<svg") and "recall@10" in picture and "ef 32" in picture
    with pytest.raises(ValueError, match="ef 7 was not measured"):
        growth_svg(reports, 7)
    with pytest.raises(ValueError, match="no report"):
        growth_svg([])
    _, held = prepare(clusters(400), None)
    assert len(held) == 20


def test_wrong_use_of_the_bench(tmp_path, capsys):
    assert main(["--seeds", str(tmp_path / "none.npy")]) == 2
    np.save(tmp_path / "flat.npy", np.zeros(3))
    assert main(["--seeds", str(tmp_path / "flat.npy")]) == 2
    assert "an embedding a row" in " ".join(capsys.readouterr().err.split())


def test_json_of_the_bench(tmp_path, capsys):
    np.save(tmp_path / "seeds.npy", clusters(150))
    assert main(["--seeds", str(tmp_path / "seeds.npy"), "--chunks", "40", "--ef", "16", "--queries", "3", "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)["reports"]
    assert report["chunks"] == 40
