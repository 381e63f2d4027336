import copy

import pytest
from haystack import Document, Pipeline
from haystack.dataclasses import SparseEmbedding

from components.access.principal import Principal, acting_as
from components.chunk import embedded_text
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from components.embedders.bm25_document_embedder import BM25DocumentEmbedder
from components.embedders.bm25_text_embedder import BM25TextEmbedder
from components.embedders.embedded_fields import embedded_fields
from components.retrievers.bm25_retriever import BM25Retriever


def test_documents_get_vectors_and_the_given_ones_stay():
    given = [Document(content="Theft of cattle", meta={"context_header": "Chapter 17"}), Document(content="…"), Document(content=None)]
    before = copy.deepcopy(given)
    out = BM25DocumentEmbedder(meta_fields_to_embed=["context_header"]).run(given)
    assert given == before
    assert [one.id for one in out["documents"]] == [one.id for one in given]
    assert len(out["documents"][0].sparse_embedding.indices) == 4
    assert [one.sparse_embedding for one in out["documents"][1:]] == [None, None]


def test_the_dense_vector_is_kept():
    out = BM25DocumentEmbedder().run([Document(content="theft", embedding=[1.0, 0.0])])
    assert out["documents"][0].embedding == [1.0, 0.0]


def test_meta_fields_are_read_as_the_chunk_id_reads_them():
    for header in ("", "Act > Chapter 17"):
        document = Document(content="Theft", meta={"context_header": header, "heading_path": ["Act", "Theft"], "page": None})
        assert embedded_fields(document, ["context_header"], "\n") == embedded_text("Theft", header)
    assert embedded_fields(document, ["heading_path", "page", "absent"], " | ") == "Act > Theft | Theft"


def test_both_fingerprints_are_equal_and_tell_settings_apart():
    documents, text = BM25DocumentEmbedder(), BM25TextEmbedder()
    fingerprint = documents.run([])["fingerprint"]
    assert fingerprint == text.run("")["fingerprint"] == text.run("theft")["fingerprint"]
    assert set(fingerprint) == {"k1", "b", "avg_len", "language", "tokenizer"}
    for other in ({"k1": 1.0}, {"b": 0.5}, {"avg_len": 50}, {"language": "hi"}, {"language": None}):
        assert BM25TextEmbedder(**other).run("theft")["fingerprint"] != fingerprint


def test_a_question_without_terms_gives_an_empty_vector():
    assert BM25TextEmbedder().run("what is the …")["sparse_embedding"] == SparseEmbedding(indices=[], values=[])


@pytest.mark.parametrize("embedder", [BM25DocumentEmbedder, BM25TextEmbedder])
@pytest.mark.parametrize(("name", "value"), [("k1", -1), ("b", 2), ("avg_len", 0), ("language", "xx")])
def test_bad_parameters_are_refused_at_construction(embedder, name, value):
    with pytest.raises(ValueError, match=rf"{name}=.*Accepted"):
        embedder(**{name: value})


def test_wrong_inputs_are_refused():
    with pytest.raises(ValueError, match="meta_fields_to_embed"):
        BM25DocumentEmbedder(meta_fields_to_embed="title")
    with pytest.raises(TypeError, match="list of Documents"):
        BM25DocumentEmbedder().run("theft")
    with pytest.raises(TypeError, match="string"):
        BM25TextEmbedder().run([Document(content="theft")])


def test_yaml_round_trip():
    pipeline = Pipeline()
    pipeline.add_component("documents", BM25DocumentEmbedder(k1=0.9, language=None, meta_fields_to_embed=["title"], embedding_separator=" "))
    pipeline.add_component("text", BM25TextEmbedder(avg_len=80, language="hi"))
    again = Pipeline.loads(pipeline.dumps())
    assert again.to_dict() == pipeline.to_dict()
    assert again.to_dict()["components"]["text"]["type"] == "components.embedders.bm25_text_embedder.BM25TextEmbedder"
    assert again.run({"text": {"text": "धारा"}, "documents": {"documents": []}})["text"]["sparse_embedding"].indices


def test_in_a_graph_with_the_retriever_through_the_real_store(own_index):
    texts = [
        "Section 498 defines theft",
        "Section 498A: cruelty by a husband",
        "धारा ४२०: छल के लिए दण्ड",
        "Error ERR_404 of the XR-17B",
        "…",
        "東京都の条例",
    ]
    meta = {"kind": "chunk", "source_id": "s", "tenant": "default", "access": ["public"]}
    store = SakshyaDocumentStore(path=str(own_index))
    out = BM25DocumentEmbedder().run([Document(content=text, embedding=[1.0, 0.0], meta=meta) for text in texts])
    pipeline = Pipeline()
    pipeline.add_component("embedder", BM25TextEmbedder())
    pipeline.add_component("retriever", BM25Retriever(document_store=store, top_k=5))
    pipeline.connect("embedder.sparse_embedding", "retriever.query_sparse_embedding")
    pipeline.connect("embedder.fingerprint", "retriever.fingerprint")

    def found(question):
        return [one.content for one in pipeline.run({"embedder": {"text": question}})["retriever"]["documents"]]

    try:
        with acting_as(Principal.system()):
            assert store.write_documents(out["documents"]) == len(texts)
            assert found("498") == texts[:2]
            assert found("498A")[0] == texts[1]
            assert found("छल का दंड 420") == [texts[2]]
            assert found("404") == found("xr17b") == [texts[3]]
            assert found("条例") == [texts[5]]
            assert found("the … of") == found("unheard") == []
    finally:
        store.shutdown()
