import copy
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from haystack import Document, Pipeline

from components.embedders.dense_document_embedder import DenseDocumentEmbedder
from components.embedders.dense_text_embedder import DenseTextEmbedder
from components.embedders.embedding_encoder import EmbeddingError, unit_rows
from components.embedders.embedding_model import CANARY_TEXTS, EmbeddingModel, embedding_model
from components.embedders.sentence_transformer_encoder import SentenceTransformerEncoder, packaged_folder
from config.settings import settings

TEXTS = ["Leave of twenty days is granted each year.", "Theft", "", "चोरी", "A long text. " * 80, "Twenty days"]


@pytest.fixture
def setting(monkeypatch):
    def change(**values):
        for name, value in values.items():
            monkeypatch.setenv(f"SAKSHYA_{name.upper()}", str(value))
        settings.cache_clear()

    yield change
    settings.cache_clear()


def test_vectors_are_those_of_sentence_transformers_in_the_order_given():
    from sentence_transformers import SentenceTransformer

    expected = SentenceTransformer(str(packaged_folder()), device="cpu").encode(TEXTS, normalize_embeddings=True)
    for batch_size in (1, 2, 32):
        np.testing.assert_allclose(embedding_model().encode_passages(TEXTS, batch_size), expected, atol=1e-5)
    np.testing.assert_allclose(embedding_model().encode_queries(TEXTS), expected, atol=1e-5)


def test_one_instance_for_all_who_mean_the_same(setting):
    model = embedding_model()
    assert model is embedding_model("packaged")
    setting(embedding_passage_prefix="passage: ")
    prefixed = embedding_model()
    assert prefixed is not model
    assert prefixed._passages is model._passages  # the weights are there once
    assert embedding_model(str(packaged_folder())) is embedding_model(str(packaged_folder()))


def test_the_packaged_model_is_described():
    model = embedding_model()
    fingerprint = model.fingerprint()
    canary = fingerprint.pop("canary")
    assert fingerprint == {
        "model": "all-MiniLM-L6-v2",
        "query_model": "all-MiniLM-L6-v2",
        "dimension": 384,
        "pooling": "mean",
        "query_prefix": "",
        "passage_prefix": "",
    }
    np.testing.assert_allclose(canary, model.encode_passages(list(CANARY_TEXTS)), atol=1e-5)
    assert all(value == round(value, 6) for row in canary for value in row)
    assert (model.max_seq_length, model.max_passage_tokens) == (256, 254)


def test_the_fingerprint_is_a_copy():
    embedding_model().fingerprint()["canary"][0][0] = 9.0
    assert embedding_model().fingerprint()["canary"][0][0] != 9.0


def test_tokens_are_counted_without_loading_the_weights():
    encoder = SentenceTransformerEncoder("packaged", "cpu", "torch", "model")
    long = "word " * 1000
    assert (encoder.count_tokens("Twenty days."), encoder.count_tokens(""), encoder.count_tokens(long)) == (3, 0, 1000)
    assert encoder.max_seq_length == 256
    assert encoder._loaded is None
    assert encoder.model.max_seq_length == 256


def test_prefixes_of_the_settings_reach_the_model(setting):
    plain = embedding_model().encode_passages(["passage: theft", "query: theft"])
    setting(embedding_passage_prefix="passage: ", embedding_query_prefix="query: ")
    model = embedding_model()
    np.testing.assert_allclose(model.encode_passages(["theft"])[0], plain[0], atol=1e-5)
    np.testing.assert_allclose(model.encode_queries(["theft"])[0], plain[1], atol=1e-5)
    assert model.fingerprint()["query_prefix"] == "query: "
    assert model.max_passage_tokens == 254 - model.count_tokens("passage: ")
    np.testing.assert_allclose(embedding_model(str(packaged_folder())).encode_queries(["query: theft"])[0], plain[1], atol=1e-5)


def test_prompts_that_the_model_names_are_used_where_the_settings_are_silent():
    encoder = SentenceTransformerEncoder("packaged", "cpu", "torch", "model")
    encoder.model.prompts = {"query": "query: ", "document": "passage: "}
    model = EmbeddingModel(encoder, encoder)
    assert (model.query_prefix, model.passage_prefix) == ("query: ", "passage: ")
    np.testing.assert_allclose(model.encode_queries(["theft"]), embedding_model().encode_queries(["query: theft"]), atol=1e-5)


def tiny_model(folder, dimension=16):
    """A real sentence-transformers model of random weights with the packaged tokenizer."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from transformers import AutoTokenizer, BertConfig, BertModel

    config = BertConfig(hidden_size=dimension, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, vocab_size=30522)
    BertModel(config).save_pretrained(folder / "plain")
    AutoTokenizer.from_pretrained(str(packaged_folder())).save_pretrained(folder / "plain")
    SentenceTransformer(modules=[module := Transformer(str(folder / "plain")), Pooling(module.get_embedding_dimension())]).save(str(folder / "tiny"))
    return folder / "tiny"


def test_a_folder_and_a_separate_query_model(setting, tmp_path):
    folder = tiny_model(tmp_path)
    assert embedding_model(str(folder)).fingerprint()["model"] == "tiny"  # not its path, which differs between machines
    assert embedding_model(str(folder)).dimension == 16
    setting(embedding_model=folder, embedding_query_model="packaged")
    assert embedding_model().encode_passages(["theft"]).shape == (1, 16)
    with pytest.raises(EmbeddingError, match=r"SAKSHYA_EMBEDDING_QUERY_MODEL.*384.*16.*Accepted") as caught:
        embedding_model().encode_queries(["theft"])
    assert "\n" not in str(caught.value)


def test_a_model_that_cannot_be_loaded_is_one_line(setting):
    setting(embedding_model="no-such/model")
    reason = "there is no such folder here, and no model of that name could be read from a model hub. Accepted: packaged"
    with pytest.raises(EmbeddingError, match=rf"SAKSHYA_EMBEDDING_MODEL='no-such/model'.*: {reason}") as caught:
        DenseDocumentEmbedder().warm_up()
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_model_is_one_line(tmp_path):
    for folder, fault in ((tmp_path, "the folder has no config.json"), (tmp_path / "absent", "no such folder")):
        with pytest.raises(EmbeddingError, match=rf"model=.*cannot be loaded .*: {fault}.*Accepted: packaged"):
            DenseDocumentEmbedder(model=str(folder)).warm_up()


def test_bad_vectors_are_refused():
    for bad in (np.nan, np.inf, 0.0):
        with pytest.raises(EmbeddingError, match=r"m gave 1 of 2 vectors .*text 2"):
            unit_rows(np.array([[1.0, 0.0], [bad, 0.0]]), "m")
    np.testing.assert_allclose(unit_rows(np.array([[3.0, 4.0]]), "m"), [[0.6, 0.8]])


def test_many_threads_embed_and_count_at_once():
    model = embedding_model()
    texts = [f"Section {i} of the Act. " * (1 + i % 7) for i in range(24)]
    expected = model.encode_passages(texts)
    with ThreadPoolExecutor(6) as pool:
        parts = list(pool.map(lambda i: model.encode_queries(texts[i::6], 2), range(6)))
        counts = list(pool.map(model.count_tokens, texts))
    for i, part in enumerate(parts):
        np.testing.assert_allclose(part, expected[i::6], atol=1e-5)
    assert counts == [model.count_tokens(text) for text in texts]


def test_one_load_for_many_threads():
    encoder = SentenceTransformerEncoder("packaged", "cpu", "torch", "model")
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(encoder.model)) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len({id(model) for model in seen}) == 1


def test_documents_get_vectors_of_what_the_chunk_id_is_made_of():
    given = [Document(content="Theft of cattle", meta={"context_header": "Act > Chapter 17"}), Document(content="Leave", meta={"context_header": ""})]
    before = copy.deepcopy(given)
    out = DenseDocumentEmbedder(meta_fields_to_embed=["context_header"]).run(given)
    assert given == before
    expected = embedding_model().encode_passages(["Act > Chapter 17\nTheft of cattle", "Leave"])
    np.testing.assert_allclose([one.embedding for one in out["documents"]], expected, atol=1e-6)
    assert [one.id for one in out["documents"]] == [one.id for one in given]
    assert all(type(value) is float for value in out["documents"][0].embedding)


def test_no_documents_still_give_the_fingerprint():
    assert DenseDocumentEmbedder().run([]) == {"documents": [], "fingerprint": DenseTextEmbedder().run("theft")["fingerprint"]}


def test_nothing_heavy_is_loaded_at_construction():
    code = (  # (Haystack itself imports torch)
        "import sys; from components.embedders.dense_document_embedder import DenseDocumentEmbedder as D; "
        "from components.embedders.dense_text_embedder import DenseTextEmbedder as T; D(), T(); "
        "print([m for m in ('sentence_transformers', 'tokenizers', 'openai') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_wrong_use_is_refused():
    for bad in (
        {"model": ""},
        {"model": 3},
        {"batch_size": 0},
        {"batch_size": True},
        {"meta_fields_to_embed": "title"},
        {"embedding_separator": None},
    ):
        with pytest.raises(ValueError, match=rf"{next(iter(bad))}=.*Accepted"):
            DenseDocumentEmbedder(**bad)
    with pytest.raises(ValueError, match="model="):
        DenseTextEmbedder(model=" ")
    with pytest.raises(TypeError, match="list of Documents"):
        DenseDocumentEmbedder().run("theft")
    with pytest.raises(TypeError, match="string"):
        DenseTextEmbedder().run(["theft"])


def test_yaml_round_trip_and_run():
    pipeline = Pipeline()
    pipeline.add_component("documents", DenseDocumentEmbedder(meta_fields_to_embed=["title"], batch_size=4, progress_bar=True))
    pipeline.add_component("text", DenseTextEmbedder(model="packaged"))
    again = Pipeline.loads(pipeline.dumps())
    assert again.to_dict() == pipeline.to_dict()
    out = again.run({"documents": {"documents": [Document(content="theft")]}, "text": {"text": "theft"}})
    assert np.dot(out["documents"]["documents"][0].embedding, out["text"]["embedding"]) == pytest.approx(1.0, abs=1e-5)


def test_a_model_that_fails_leaves_the_question_to_the_other_legs():
    embedder = DenseTextEmbedder(model="no/such-model")
    embedder.warm_up()
    result = embedder.run("How many days of leave?")
    assert result["embedding"] == []
    assert result["fingerprint"] == {}
    (degraded,) = result["degraded"]
    assert degraded["stage"] == "dense_embedder"
    assert "no/such-model" in degraded["reason"]
    assert "\n" not in degraded["reason"]


def test_a_question_in_a_script_that_the_model_does_not_read_has_no_vector_and_says_why():
    result = DenseTextEmbedder().run("चोरी की सज़ा क्या है?")
    assert (result["embedding"], result["reading"]) == ([], 0)
    (entry,) = result["degraded"]
    assert entry["stage"] == "dense_embedder"
    assert "all-MiniLM-L6-v2 reads en, and the question cannot be read: it is written in Devanagari" in entry["reason"]
    assert "packaged-multilingual" in entry["reason"]
    assert result["fingerprint"]["model"] == "all-MiniLM-L6-v2"  # an index of another model is still refused


def test_a_question_in_another_language_of_its_script_has_a_vector_that_is_hardly_trusted():
    result = DenseTextEmbedder().run("Wie viele Urlaubstage bekommt ein Angestellter?")
    assert len(result["embedding"]) == 384
    assert result["reading"] < 0.2
    assert "counts little" in result["degraded"][0]["reason"]
    english = DenseTextEmbedder().run("How many days of leave does an employee get?")
    assert (english["reading"], english["degraded"]) == (1, [])


def test_the_settings_say_what_a_model_reads(setting):
    setting(embedding_languages="en, hi")
    result = DenseTextEmbedder().run("चोरी की सज़ा क्या है?")
    assert (len(result["embedding"]), result["reading"], result["degraded"]) == (384, 1, [])
