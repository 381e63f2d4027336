"""Fingerprints compared, without an index."""

import pytest

from components.document_stores.fingerprint import IndexCard, cosine, fingerprint8, identity, merged, mismatch, version_of


def test_the_hash_is_that_of_the_settings_in_any_order():
    a = {"dense": {"model": "m", "dimension": 2, "canary": [[1.0, 0.0]]}, "sparse": {}}
    b = {"dense": {"dimension": 2, "model": "m", "prefix": None}}
    assert fingerprint8(a) == fingerprint8(b)
    assert fingerprint8(a) != fingerprint8({"dense": {"model": "m", "dimension": 3}})
    assert len(fingerprint8(a)) == 8 and int(fingerprint8(a), 16) >= 0
    assert version_of("c", IndexCard(a, 4)) == f"c@{fingerprint8(a)}.4"


def test_cosine():
    assert cosine([3.0, 4.0], [6.0, 8.0]) == pytest.approx(1.0)
    assert cosine([1.0, 0.0], [0.0, 0.0]) == 0.0 and cosine([1.0], [1.0, 0.0]) == 0.0


@pytest.mark.parametrize(
    ("built", "asks", "says"),
    [
        (None, {"model": "a"}, None),
        ({"model": "a"}, {}, None),
        ({"model": "a", "pooling": None}, {"model": "a"}, None),
        ({"model": "a"}, {"model": "b"}, "model 'a', this asks with model 'b'"),
        ({"model": "a"}, {"model": "a", "query_prefix": "q: "}, "query_prefix None"),
        ({"canary": [[1.0, 0.0]]}, {"canary": [[1.0, 0.02]]}, None),
        ({"canary": [[1.0, 0.0]]}, {"canary": [[1.0, 0.06]]}, "other vectors"),
        ({"canary": [[1.0], [1.0]]}, {"canary": [[1.0]]}, "other vectors"),
    ],
)
def test_mismatch(built, asks, says):
    reason = mismatch("dense", built, asks)
    assert reason is None if says is None else says in reason


def test_a_part_once_known_stays():
    assert merged({"dense": {"model": "a"}, "sparse": {}}, {"dense": {"model": "b"}, "sparse": {"k1": 1}}) == {
        "dense": {"model": "a"},
        "sparse": {"k1": 1},
    }


def test_identity_knows_the_canary():
    assert identity({"model": "a", "canary": [[1.0]]}) == identity({"canary": [[1.0]], "model": "a"})
    assert identity({"model": "a", "canary": [[1.0]]}) != identity({"model": "a", "canary": [[2.0]]})
    assert identity(None) == identity({})
