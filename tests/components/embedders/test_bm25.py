import math
from collections import Counter

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.embedders import bm25
from components.embedders.bm25_tokenizer import document_terms, query_terms

TEXTS = [
    "Whoever commits theft shall be punished with imprisonment of three years.",
    "Theft in a dwelling house is punished with imprisonment of seven years, and with fine.",
    "A dwelling house is a building, tent or vessel used as a human dwelling.",
    "Leave of twenty days is granted in each calendar year; leave not taken is lost, unless the head of office allows it.",
    "चोरी के लिए तीन वर्ष का कारावास है।",
    "घर में चोरी के लिए सात वर्ष का कारावास है।",
    "ERR_404 is written where the page of the XR-17B is not found.",
    "fine fine fine fine",
]
QUERIES = ["punishment for theft", "dwelling house theft theft", "leave not taken", "चोरी का कारावास", "XR-17B", "a fine", "nothing of it"]


def scores(k1: float, b: float, avg_len: float, texts: list[str], query) -> np.ndarray:
    """What the engine computes: Σ query value · idf · document value, from the stored vectors alone."""
    stored = [bm25.embed_document(text, k1, b, avg_len, "en") for text in texts]
    rows = [dict(zip(one.indices, one.values, strict=True)) if one else {} for one in stored]
    result = np.zeros(len(texts))
    for index, weight in zip(query.indices, query.values, strict=True):
        df = sum(index in row for row in rows)
        idf = math.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
        result += [weight * idf * row.get(index, 0.0) for row in rows]
    return result


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.9, 0.4), (2.0, 1.0), (1.2, 0.0)])
def test_scores_are_those_of_bm25s_times_k1_plus_1(k1, b):
    tokens = [document_terms(text) for text in TEXTS]
    reference = bm25s.BM25(method="lucene", k1=k1, b=b)
    reference.index(tokens, show_progress=False)
    average = float(np.mean([len(one) for one in tokens]))
    for query in QUERIES:
        counts = {term: weight for term, weight in query_terms(query).items() if not term.endswith("~")}
        asked = [term for term, count in counts.items() for _ in range(int(count))]
        ours = scores(k1, b, average, TEXTS, bm25.sparse_embedding(counts))
        np.testing.assert_allclose(ours, reference.get_scores(asked) * (k1 + 1), rtol=1e-5, atol=1e-6)
        assert ours.max() > 0 or query == "nothing of it"


def test_weight_by_hand():
    # Robertson & Zaragoza 2009, eq. 3.15: tf 3, twice the average length, k1 1.2, b .75: 3·2.2 / (3 + 1.2·(.25 + 1.5))
    assert bm25.document_weight(3, 200, 1.2, 0.75, 100) == pytest.approx(6.6 / 5.1)
    assert bm25.document_weight(5, 700, 0.0, 0.75, 100) == 1.0


def test_a_true_498_ranks_above_498a_whatever_is_repeated():
    texts = ["Section 498 of the Code", "Section 498A, 498A, 498A: 498A of the Code", "Section 12 of the Code", "Section 13 of the Code"]
    found = scores(1.2, 0.75, 100, texts, bm25.embed_query("498", "en"))
    assert found[0] > found[1] > 0 == found[2]


def test_indices_are_sorted_unique_uint32_and_collisions_are_added(monkeypatch):
    vector = bm25.embed_document(" ".join(TEXTS), 1.2, 0.75, 100, "en")
    assert vector.indices == sorted(set(vector.indices))
    assert all(0 <= index < 2**32 for index in vector.indices)
    monkeypatch.setattr(bm25, "term_id", lambda term: 7)
    assert bm25.sparse_embedding({"a": 1.0, "b": 2.5}).to_dict() == {"indices": [7], "values": [3.5]}


def test_ids_never_change():
    assert [bm25.term_id(term) for term in ("theft", "498a", "धार")] == IDS


IDS = [1766174400, 1228309863, 17937825]


def test_collisions_are_as_rare_as_a_uniform_hash_makes_them():
    n = 200_000
    pairs = n - len({bm25.term_id(f"term{i}") for i in range(n)})
    assert pairs < 5 * n * n / 2**33 + 5


@given(st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=60))
def test_weights_lie_between_0_and_k1_plus_1(terms):
    vector = bm25.embed_terms(terms, 1.2, 0.75, 100)
    assert all(0 < value < 2.2 for value in vector.values)
    assert len(vector.values) == len(Counter(terms))


@pytest.mark.parametrize("text", ["", " ", "the of and", "…—()", "\u200b\u0301"])
def test_no_term_no_vector(text):
    assert bm25.embed_document(text, 1.2, 0.75, 100, "en") is None
    assert bm25.embed_query(text, "en").indices == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("k1", -0.1),
        ("k1", math.nan),
        ("k1", "1.2"),
        ("b", 1.1),
        ("b", -1),
        ("avg_len", 0),
        ("avg_len", math.inf),
        ("avg_len", True),
        ("language", "xx"),
    ],
)
def test_refused_parameters_are_named_with_what_is_accepted(name, value):
    given_ = {"k1": 1.2, "b": 0.75, "avg_len": 100, "language": "en", name: value}
    with pytest.raises(ValueError, match=rf"{name}=.*Accepted"):
        bm25.check_bm25(**given_)
