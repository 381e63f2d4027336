import pytest
from haystack import Document, Pipeline
from haystack.dataclasses import SparseEmbedding

from components.routers.change_router import ChangeRouter
from tests.light_graph import DENSE, DIMENSION, SPARSE


def chunk(name: str, *, dense: bool = False, sparse: bool = False, **meta) -> Document:
    fields = {"kind": "chunk", "source_id": "s", "container_id": "s", "tenant": "default", "access": ["public"], **meta}
    return Document(
        id=f"{ord(name):064x}",
        content=name,
        meta=fields,
        embedding=[1.0] + [0.0] * (DIMENSION - 1) if dense else None,
        sparse_embedding=SparseEmbedding([1], [2.0]) if sparse else None,
    )


def test_known_chunks_keep_their_vectors_and_get_the_fresh_meta(admin, store):
    store.write_documents([chunk("a", dense=True, sparse=True, page=1), chunk("b", dense=True, page=1)])
    store.commit({"dense": DENSE, "sparse": SPARSE})
    out = ChangeRouter(store, batch_size=2).run([chunk("c"), chunk("a", page=7), chunk("b")])
    assert [d.content for d in out["new"]] == ["c", "b"]
    (known,) = out["known"]
    assert known.meta["page"] == 7
    assert known.embedding == pytest.approx([1.0] + [0.0] * (DIMENSION - 1))
    assert known.sparse_embedding == SparseEmbedding([1], [2.0])


def test_an_index_that_does_not_exist_knows_nothing(store):
    assert ChangeRouter(store).run([chunk("a")])["known"] == []
    assert ChangeRouter(store).run([]) == {"new": [], "known": []}


def test_vectors_of_unknown_origin_are_not_taken_over(admin, store):
    store.write_documents([chunk("a", dense=True, sparse=True)])
    assert [d.content for d in ChangeRouter(store).run([chunk("a")])["new"]] == ["a"]


def test_batch_size_is_checked(store):
    with pytest.raises(ValueError, match="batch_size=0"):
        ChangeRouter(store, batch_size=0)


def test_round_trip_in_plain_yaml(store):
    pipeline = Pipeline()
    pipeline.add_component("changes", ChangeRouter(store, batch_size=7))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["components.*"])
    assert again.dumps() == pipeline.dumps()
