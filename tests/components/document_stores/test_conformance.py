"""Haystack's own suites for document stores, over both sizes of the index, as the system (their documents know no tenant).

Every test of the suites runs and passes. Those that Haystack's Qdrant store fails or overrides, NOT, `None`, `in` and the recreated
index among them, pass because the store converts filters itself.
"""

import math

import pytest
from haystack import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.testing import document_store as suite
from haystack.testing import document_store_async as suite_async

from components.access.principal import Principal, acting_as
from components.document_stores.sakshya_document_store import SakshyaDocumentStore


def same_document(received: Document, expected: Document) -> bool:
    """Equal but for the score of a stored document and the unit length that cosine gives a vector."""

    def unit(vector):
        norm = math.sqrt(sum(x * x for x in vector)) if vector else 0.0
        return [x / norm for x in vector] if norm else vector

    if (received.embedding is None) != (expected.embedding is None):
        return False
    if received.embedding is not None and unit(received.embedding) != pytest.approx(unit(expected.embedding), abs=1e-5):
        return False
    left, right = received.to_dict(flatten=False), expected.to_dict(flatten=False)
    for fields in (left, right):
        fields.pop("embedding")
        fields.pop("score")
    return left == right


class OverBothSizes:
    @pytest.fixture(scope="class", params=["embedded", "memory"])
    def opened(self, request, tmp_path_factory):
        """One store a class: creating a collection writes many small files."""
        where = {"path": str(tmp_path_factory.mktemp("index"))} if request.param == "embedded" else {"location": ":memory:"}
        store = SakshyaDocumentStore(index="conformance", embedding_dim=768, **where)
        yield store
        store.shutdown()

    @pytest.fixture
    def document_store(self, opened):
        with acting_as(Principal.system()):
            opened.delete_all_documents()
            yield opened

    def assert_documents_are_equal(self, received: list[Document], expected: list[Document]):
        """The engine gives them in the order of ids, which the suite does not ask for."""
        assert len(received) == len(expected)
        by_id = {d.id: d for d in received}
        for document in expected:
            assert same_document(by_id[document.id], document)


class TestStore(
    OverBothSizes,
    suite.DocumentStoreBaseExtendedTests,
    suite.CountDocumentsByFilterTest,
    suite.CountUniqueMetadataByFilterTest,
    suite.GetMetadataFieldsInfoTest,
    suite.GetMetadataFieldMinMaxTest,
    suite.GetMetadataFieldUniqueValuesTest,
):
    def test_write_documents(self, document_store):
        """The default policy, which the suite leaves to the store, is FAIL."""
        assert document_store.write_documents([Document(id="1")]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([Document(id="1", content="other")])


class TestAsyncStore(
    OverBothSizes,
    suite_async.CountDocumentsAsyncTest,
    suite_async.CountDocumentsByFilterAsyncTest,
    suite_async.CountUniqueMetadataByFilterAsyncTest,
    suite_async.WriteDocumentsAsyncTest,
    suite_async.DeleteDocumentsAsyncTest,
    suite_async.DeleteAllAsyncTest,
    suite_async.DeleteByFilterAsyncTest,
    suite_async.UpdateByFilterAsyncTest,
    suite_async.GetMetadataFieldsInfoAsyncTest,
    suite_async.GetMetadataFieldMinMaxAsyncTest,
    suite_async.GetMetadataFieldUniqueValuesAsyncTest,
    suite_async.FilterDocumentsAsyncTest,
):
    @pytest.mark.asyncio
    async def test_write_documents_async(self, document_store):
        assert await document_store.write_documents_async([Document(id="1")]) == 1
        with pytest.raises(DuplicateDocumentError):
            await document_store.write_documents_async([Document(id="1", content="other")])
