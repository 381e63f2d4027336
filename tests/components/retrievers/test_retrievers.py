"""The two retrievers in a graph."""

import asyncio

import pytest
from haystack import Document, Pipeline
from haystack.dataclasses import SparseEmbedding
from haystack_integrations.components.retrievers.qdrant import QdrantEmbeddingRetriever, QdrantSparseEmbeddingRetriever

from components.access.principal import Principal, acting_as
from components.document_stores.fingerprint import FingerprintError
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from components.retrievers.bm25_retriever import BM25Retriever
from components.retrievers.dense_retriever import DenseRetriever

META = {"tenant": "default", "access": ["hr"], "kind": "chunk"}
DENSE, SPARSE = {"model": "m", "dimension": 2, "canary": [[1.0, 0.0]]}, {"k1": 1.2}
QUERY = SparseEmbedding([1, 3], [1.0, 1.0])


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = SakshyaDocumentStore(path=str(tmp_path_factory.mktemp("r")), index="r")
    with acting_as(Principal(user="asha", groups=("hr",))):
        store.write_documents([Document(id="section", content="parent", meta={**META, "kind": "section"})])
        store.write_documents(
            [
                Document(id=f"c{i}", embedding=[1.0, i / 4], sparse_embedding=SparseEmbedding([1, 2 + i], [1.0, 1.0]), meta={**META, "n": i})
                for i in range(5)
            ]
        )
        store.commit({"dense": DENSE, "sparse": SPARSE})
    yield store
    store.shutdown()


@pytest.fixture(autouse=True)
def asha():
    with acting_as(Principal(user="asha", groups=("hr",))):
        yield


def ids(result: dict) -> list[str]:
    return [d.id for d in result["documents"]]


def test_best_first_with_scores_and_without_vectors(store):
    dense = DenseRetriever(store).run(query_embedding=[1.0, 0.0], fingerprint=DENSE)
    assert ids(dense) == ["c0", "c1", "c2", "c3", "c4"]
    sparse = BM25Retriever(store, top_k=2).run(query_sparse_embedding=QUERY, fingerprint=SPARSE)
    assert ids(sparse) == ["c1", "c0"]
    for document in dense["documents"] + sparse["documents"]:
        assert document.score > 0 and document.embedding is None and document.meta["kind"] == "chunk"
    assert ids(DenseRetriever(store, exact=True, hnsw_ef=8).run([1.0, 0.0], top_k=1)) == ["c0"]


def test_no_question_gives_no_documents(store):
    assert ids(DenseRetriever(store).run(None)) == ids(DenseRetriever(store).run([])) == []
    assert ids(BM25Retriever(store).run(None)) == ids(BM25Retriever(store).run(SparseEmbedding([], []))) == []


def test_another_fingerprint_is_refused(store):
    with pytest.raises(FingerprintError):
        DenseRetriever(store).run([1.0, 0.0], fingerprint={**DENSE, "model": "other"})
    with pytest.raises(FingerprintError):
        asyncio.run(BM25Retriever(store).run_async(QUERY, fingerprint={"k1": 2.0}))


def test_a_given_filter_narrows_and_never_replaces(store):
    own = {"field": "meta.n", "operator": "<", "value": 2}
    wider = {"field": "meta.n", "operator": "<", "value": 4}
    assert ids(DenseRetriever(store, filters=own).run([1.0, 0.0], filters=wider)) == ["c0", "c1"]
    assert ids(BM25Retriever(store, filters=own).run(QUERY, filters={"field": "meta.n", "operator": "==", "value": 1})) == ["c1"]
    assert ids(DenseRetriever(store, filters=own, filter_policy="replace").run([1.0, 0.0], filters=wider)) == ["c0", "c1", "c2", "c3"]
    with acting_as(Principal(user="eve")):
        assert ids(DenseRetriever(store).run([1.0, 0.0])) == ids(BM25Retriever(store).run(QUERY)) == []


def test_in_a_graph_that_runs_its_branches_side_by_side(store):
    graph = Pipeline()
    graph.add_component("dense", DenseRetriever(store))
    graph.add_component("bm25", BM25Retriever(store))
    data = {"dense": {"query_embedding": [1.0, 0.0]}, "bm25": {"query_sparse_embedding": QUERY}}
    together = asyncio.run(graph.run_async(data))
    assert ids(together["dense"]) == ids(graph.run(data)["dense"]) and ids(together["bm25"])[0] == "c1"


def test_haystacks_own_retrievers_work_on_the_store(store):
    assert ids(QdrantEmbeddingRetriever(store, top_k=2).run(query_embedding=[1.0, 0.0])) == ["c0", "c1"]
    assert ids(asyncio.run(QdrantSparseEmbeddingRetriever(store, top_k=1).run_async(query_sparse_embedding=QUERY))) == ["c1"]


@pytest.mark.parametrize("bad", [{"top_k": 0}, {"hnsw_ef": 0}])
def test_bad_parameters_are_refused(store, bad):
    with pytest.raises(ValueError, match="DenseRetriever"):
        DenseRetriever(store, **bad)
