"""The store itself: sharing, creation, both sizes alike, order, meta, deletion, fingerprints."""

import copy
import datetime
import math
import random

import pytest
from haystack import Document, Pipeline
from haystack.dataclasses import SparseEmbedding
from haystack.document_stores.types import DuplicatePolicy
from haystack.utils import Secret

from components.access.principal import Principal, acting_as
from components.document_stores.fingerprint import FingerprintError, IndexCard
from components.document_stores.points import PointError
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from config.settings import settings

TYPE = "components.document_stores.sakshya_document_store.SakshyaDocumentStore"
META = {"tenant": "default", "access": ["public"]}


@pytest.fixture(autouse=True)
def asha():
    with acting_as(Principal(user="asha")):
        yield
    SakshyaDocumentStore.shutdown_all()


@pytest.fixture(params=["embedded", "memory"])
def store(request, tmp_path):
    where = {"path": str(tmp_path / "i")} if request.param == "embedded" else {"location": ":memory:"}
    store = SakshyaDocumentStore(index="notes", **where)
    yield store
    store.shutdown()


def load(**parameters) -> SakshyaDocumentStore:
    return SakshyaDocumentStore.from_dict({"type": TYPE, "init_parameters": parameters})


# --- sharing and settings


def test_everything_comes_from_settings_and_nothing_is_opened(own_index, monkeypatch):
    store = SakshyaDocumentStore()
    assert (store.path, store.index, store.embedded) == (str(own_index), "sakshya", True)
    assert store.to_dict() == {"type": TYPE, "init_parameters": {}}
    assert store.count_documents() == 0 and store.filter_documents() == [] and store.facet("kind") == {}
    assert store._query_by_embedding([1.0]) == [] and store._query_by_sparse(SparseEmbedding([1], [1.0])) == []
    assert store.index_card() is None and store.index_version() == "sakshya@00000000.0"
    assert not own_index.exists()
    monkeypatch.setenv("SAKSHYA_QDRANT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("SAKSHYA_QDRANT_API_KEY", "k")
    settings.cache_clear()
    server = SakshyaDocumentStore()
    assert (server.url, server.embedded, server.api_key.resolve_value()) == ("http://127.0.0.1:1", False, "k")
    assert "k" not in server.to_dict()["init_parameters"].values()


@pytest.mark.parametrize("bad", [{"index": "../x"}, {"index": ""}, {"path": "a", "url": "http://b"}, {"location": "x"}, {"embedding_dim": 0}])
def test_bad_parameters_are_refused_at_construction(bad):
    with pytest.raises(ValueError, match="SakshyaDocumentStore"):
        SakshyaDocumentStore(**bad)


def test_one_instance_a_process(tmp_path):
    store = load(path=str(tmp_path / "i"), index="a")
    assert load(path=str(tmp_path / "x" / ".." / "i"), index="a") is store
    assert load(path=str(tmp_path / "i"), index="b") is not store
    assert copy.deepcopy({"store": store})["store"] is store and copy.copy(store) is store
    store.write_documents([Document(id="1", embedding=[1.0, 0.0], meta=META)])
    store.close()
    assert store.count_documents() == 1
    assert store._client is not None
    other = SakshyaDocumentStore(path=str(tmp_path / "i"), index="a")  # built by hand: another object on the same open index
    assert other.count_documents() == 1
    other.close()
    assert other._client is None and store.count_documents() == 1
    store.shutdown()
    assert load(path=str(tmp_path / "i"), index="a") is not store


def test_conflicting_settings_are_refused_with_both_named(tmp_path):
    load(path=str(tmp_path), index="a", embedding_dim=3, hnsw_config={"m": 8})
    assert load(path=str(tmp_path), index="a").embedding_dim == 3
    with pytest.raises(ValueError, match=r"embedding_dim=3; this asks for embedding_dim=4"):
        load(path=str(tmp_path), index="a", embedding_dim=4)


def test_yaml_round_trip(tmp_path):
    yaml = f"""
components:
  dense:
    type: components.retrievers.dense_retriever.DenseRetriever
    init_parameters:
      document_store: &store
        type: {TYPE}
        init_parameters: {{path: {tmp_path}, index: a, hnsw_config: {{m: 8, ef_construct: 64}}}}
      hnsw_ef: 100
  bm25:
    type: components.retrievers.bm25_retriever.BM25Retriever
    init_parameters: {{document_store: *store, top_k: 7}}
connections: []
"""
    first = Pipeline.loads(yaml)
    second = Pipeline.loads(first.dumps())
    assert first.to_dict() == second.to_dict()
    assert first.get_component("dense")._document_store is second.get_component("bm25")._document_store
    secret = SakshyaDocumentStore(url="http://h", api_key=Secret.from_env_var("K", strict=False))
    assert SakshyaDocumentStore.from_dict(secret.to_dict()).api_key == secret.api_key


# --- creation and writes


def test_points_without_vectors_may_come_first(store):
    store.write_documents([Document(id="s", content="section", meta={**META, "kind": "section"})])
    store.write_documents([Document(id="c", content="chunk", embedding=[0.0, 2.0], meta={**META, "kind": "chunk"})])
    assert [(d.id, d.score) for d in store._query_by_embedding([0.0, 1.0])] == [("c", pytest.approx(1.0))]
    assert store.facet("kind") == {"chunk": 1, "section": 1}


def test_the_dimension_is_declared_or_learnt_and_then_kept(store):
    store.declare_fingerprint({"dense": {"model": "m", "dimension": 3}})
    with pytest.raises(PointError, match=r"'a'.*2 numbers, accepted: 3"):
        store.write_documents([Document(id="a", embedding=[1.0, 0.0], meta=META)])
    store.write_documents([Document(id="b", embedding=[1.0, 0.0, 0.0], meta=META)])
    with pytest.raises(PointError, match="3"):
        store._query_by_embedding([1.0, 0.0])
    if store.embedded:
        store.shutdown()
        again = SakshyaDocumentStore(path=store.path, index="notes", embedding_dim=4)
        for _ in range(2):  # Haystack's store raises once and then goes on
            with pytest.raises(ValueError, match="3 dimensions, embedding_dim asks for 4"):
                again.count_documents()
        again.shutdown()


def test_a_point_that_cannot_be_stored_is_refused_and_none_beside_it_is(store):
    good = Document(id="good", embedding=[1.0, 0.0], meta=META)
    for bad in (
        Document(id="bad", embedding=[math.nan, 0.0], meta=META),
        Document(id="bad", embedding=[math.inf, 0.0], meta=META),
        Document(id="bad", sparse_embedding=SparseEmbedding([1], [math.nan]), meta=META),
        Document(id="bad", meta={**META, "x": math.nan}),
        Document(id="bad", meta={**META, "x": {"y": object()}}),
        Document(id="bad", meta={**META, "x": b"bytes"}),
    ):
        with pytest.raises(PointError, match="'bad'") as error:
            store.write_documents([good, bad])
        assert "\n" not in str(error.value)
    assert store.count_documents() == 0


def test_dates_become_text_that_date_filters_find(store):
    day = datetime.date(2024, 7, 1)
    moment = datetime.datetime(2024, 7, 1, 12, tzinfo=datetime.UTC)
    store.write_documents(
        [
            Document(id="a", meta={**META, "valid_from": day, "modified_at": moment, "tags": {"x"}}),
            Document(id="b", meta={**META, "valid_from": "2023-01-01"}),
        ]
    )
    assert store.get_documents_by_id(["a"])[0].meta["valid_from"] == "2024-07-01"
    for value in ("2024-01-01", day, datetime.datetime(2024, 7, 1)):
        assert [d.id for d in store.filter_documents({"field": "meta.valid_from", "operator": ">=", "value": value})] == ["a"]


def test_meta_is_set_and_the_rest_stays(store):
    store.write_documents([Document(id=str(i), content="t", embedding=[1.0, i], meta={**META, "n": i, "flag": True}) for i in range(3)])
    store.set_meta({"field": "n", "operator": ">=", "value": 1}, {"title": "new", "valid_to": datetime.date(2025, 1, 1)})
    metas = {d.id: d.meta for d in store.filter_documents()}
    assert metas["0"] == {**META, "n": 0, "flag": True}
    assert metas["2"] == {**META, "n": 2, "flag": True, "title": "new", "valid_to": "2025-01-01"}
    assert store.get_documents_by_id(["2"], with_embeddings=True)[0].embedding is not None
    assert store.count_documents_by_filter({"field": "flag", "operator": "==", "value": True}) == 3
    with pytest.raises(ValueError, match="filter"):
        store.set_meta({}, {"x": 1})


def test_delete_except(store):
    store.write_documents([Document(id=f"{s}{i}", meta={**META, "source_id": s}) for s in "ab" for i in range(4)])
    a = {"field": "source_id", "operator": "==", "value": "a"}
    assert store.delete_except(a, {"a1", "a2", "b9"}) == 2
    assert {d.id for d in store.filter_documents()} == {"a1", "a2", "b0", "b1", "b2", "b3"}
    with pytest.raises(ValueError, match="filter"):
        store.delete_except({}, set())
    assert store.delete_by_filter(a) == 2 and store.delete_by_filter({}) == 0


def test_documents_come_back_in_the_order_asked_for(store):
    store.write_documents([Document(id=str(i), meta=META) for i in range(5)])
    assert [d.id for d in store.get_documents_by_id(["3", "x", "0", "3"])] == ["3", "0"]
    assert store.get_documents_by_id([]) == []


# --- order, and both sizes alike


def test_equal_scores_are_ordered_by_id_also_at_the_cut(store):
    ids = [f"{i:03d}" for i in range(120)]
    random.Random(1).shuffle(ids)
    store.write_documents([Document(id=i, embedding=[1.0, 0.0], sparse_embedding=SparseEmbedding([1], [1.0]), meta=META) for i in ids])
    assert [d.id for d in store._query_by_embedding([1.0, 0.0], top_k=5)] == sorted(ids)[:5]
    assert [d.id for d in store._query_by_sparse(SparseEmbedding([1], [1.0]), top_k=5)] == sorted(ids)[:5]


def test_both_sizes_give_the_same(tmp_path):
    rng = random.Random(7)
    documents = [
        Document(
            id=f"{i:03d}",
            content=f"text {i}",
            embedding=[rng.gauss(0, 1) for _ in range(8)],
            sparse_embedding=SparseEmbedding(sorted(rng.sample(range(30), 5)), [rng.random() for _ in range(5)]),
            meta={**META, "source_id": "0123456789abcdef0123456789abcdef" if i % 2 else f"s{i % 7}", "n": i},
        )
        for i in range(200)
    ]
    embedded, memory = SakshyaDocumentStore(path=str(tmp_path), index="a"), SakshyaDocumentStore(location=":memory:", index="a")
    for store in (embedded, memory):
        store.write_documents(documents)
        store.write_documents(documents[:3], DuplicatePolicy.OVERWRITE)

    def same(read):
        left, right = read(embedded), read(memory)
        assert [d.id for d in left] == [d.id for d in right]
        assert [d.score for d in left] == pytest.approx([d.score for d in right], rel=1e-4)

    for condition in (None, {"field": "n", "operator": "<", "value": 90}, {"field": "source_id", "operator": "in", "value": ["s1", "s2"]}):
        for _ in range(5):
            vector = [rng.gauss(0, 1) for _ in range(8)]
            sparse = SparseEmbedding(rng.sample(range(30), 4), [1.0] * 4)
            same(lambda s, v=vector, c=condition: s._query_by_embedding(v, filters=c, top_k=20))
            same(lambda s, v=vector, c=condition: s._query_by_embedding(v, filters=c, top_k=20, exact=True, hnsw_ef=64))
            same(lambda s, v=sparse, c=condition: s._query_by_sparse(v, filters=c, top_k=20))
        assert embedded.facet("source_id", condition) == memory.facet("source_id", condition)
        assert embedded.facet("n", condition) == memory.facet("n", condition)
    memory.shutdown()


# --- what built the index

DENSE = {"model": "minilm", "dimension": 2, "canary": [[1.0, 0.0], [0.6, 0.8]]}
SPARSE = {"k1": 1.2, "b": 0.75, "avg_len": 100}


def test_commit_counts_and_refuses_another_fingerprint(store):
    store.write_documents([Document(id="1", embedding=[1.0, 0.0], meta=META)])
    assert store.commit({"dense": DENSE, "sparse": SPARSE}).n == 1
    version = store.index_version()
    assert version.startswith("notes@") and version.endswith(".1")
    assert store.commit({"dense": {}, "sparse": {}}) == IndexCard({"dense": DENSE, "sparse": SPARSE}, 2)
    assert store.index_version() == version[:-1] + "2"
    with pytest.raises(FingerprintError, match=r"notes.*k1 1\.2.*k1 0\.9"):
        store.commit({"sparse": {**SPARSE, "k1": 0.9}})
    assert store.index_card().n == 2


def test_check_fingerprint(store):
    store.check_fingerprint(dense=DENSE)  # nothing is built yet, so nothing differs
    store.write_documents([Document(id="1", embedding=[1.0, 0.0], meta=META)])
    store.commit({"dense": DENSE, "sparse": SPARSE})
    store.check_fingerprint(dense={**DENSE, "canary": [[1.0, 0.001], [0.6, 0.8]]}, sparse=SPARSE)
    with pytest.raises(FingerprintError, match=r"'minilm'.*'mpnet'") as error:
        store.check_fingerprint(dense={**DENSE, "model": "mpnet"})
    assert "\n" not in str(error.value)
    for _ in range(2):
        with pytest.raises(FingerprintError, match="changed under the same name"):
            store.check_fingerprint(dense={**DENSE, "canary": [[1.0, 0.0], [0.8, 0.6]]})


def test_an_emptied_index_takes_another_model(store):
    with acting_as(Principal.system()):
        store.write_documents([Document(id="1", embedding=[1.0, 0.0], meta=META)])
        store.commit({"dense": DENSE})
        store.delete_all_documents(recreate_index=True)
        store.write_documents([Document(id="1", embedding=[1.0, 0.0, 0.0], meta=META)])
        assert store.commit({"dense": {"model": "other", "dimension": 3}}).n == 2  # never a version that was in use before
