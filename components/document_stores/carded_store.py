"""What built the index, kept in the index: the card, the version, and the refusal of whoever asks with something else."""

from __future__ import annotations

import math
import threading
import time
import uuid
from typing import Any

from haystack_integrations.document_stores.qdrant.converters import convert_id
from qdrant_client.http import models as rest

from components.document_stores.fingerprint import FingerprintError, IndexCard, identity, merged, mismatch, version_of
from components.document_stores.reading_store import ReadingStore

CARD_ID = convert_id("sakshya:index-card")
_CHECK_AGAIN_S = 60.0  # another process may have rebuilt a collection on a server


class CardedStore(ReadingStore):
    """A store that knows what built it. The card is a point without vectors that no read or write reaches, but `index_card` and `commit`."""

    _raw: Any
    _write_lock: threading.RLock
    _declared_dimension: int | None
    _last_n: int
    _checked: dict[Any, float]

    def _ensure_collection(self, dimension: int | None) -> None:
        raise NotImplementedError

    def index_card(self) -> IndexCard | None:
        """What the index was built with and how many batches were committed; None before the first commit."""
        self._initialize_client()
        if not self._raw.collection_exists(self.index):
            return None
        found = self._raw.retrieve(collection_name=self.index, ids=[CARD_ID], with_payload=True)
        payload = found[0].payload if found else None
        return IndexCard(payload["fingerprint"], payload["n"], payload.get("state_id", "")) if payload else None

    def declare_fingerprint(self, fingerprint: dict[str, Any]) -> None:
        """Say, before the first write, what will build the index, so that it has its dimension from the start.

        :raises FingerprintError: the index was built with something else.
        """
        self.check_fingerprint(dense=fingerprint.get("dense"), sparse=fingerprint.get("sparse"))
        self._declared_dimension = (fingerprint.get("dense") or {}).get("dimension")

    def commit(self, fingerprint: dict[str, Any] | None = None) -> IndexCard:
        """Close a batch of writes or deletions: the index version grows by one, and what was written is on disk.

        :param fingerprint: `{"dense": {...}, "sparse": {...}}`; a part that is absent or empty says "as before".
        :raises FingerprintError: the index was built with something else; an empty index takes any.
        :raises PermissionError: the principal may not write.
        """
        self._initialize_client()
        self._client.check_write()
        given = fingerprint or {}
        with self._write_lock:
            self._declared_dimension = self._declared_dimension or (given.get("dense") or {}).get("dimension")
            self._ensure_collection(None)
            card = self.index_card() or IndexCard({}, self._last_n)
            others = rest.Filter(must_not=[rest.HasIdCondition(has_id=[CARD_ID])])
            if self._raw.count(collection_name=self.index, count_filter=others, exact=True).count:
                self._refuse_mismatch(card, given)
            card = IndexCard(merged(card.fingerprint, given), card.n + 1, uuid.uuid4().hex)
            payload = {
                "id": "index-card",
                "meta": {"tenant": "", "access": [], "kind": "card"},
                "fingerprint": card.fingerprint,
                "n": card.n,
                "state_id": card.state_id,
            }
            self._raw.upsert(collection_name=self.index, points=[rest.PointStruct(id=CARD_ID, vector={}, payload=payload)], wait=True)
            self._client.flush()
            self._checked.clear()
        return card

    def _renew_state(self) -> None:
        """Give the index another state id, after a write: whoever compares two readings of the card sees also what is not committed yet."""
        if self._raw.collection_exists(self.index):  # without a card there is nothing that matches
            card = rest.Filter(must=[rest.HasIdCondition(has_id=[CARD_ID])])
            self._raw.set_payload(collection_name=self.index, payload={"state_id": uuid.uuid4().hex}, points=card, wait=True)

    def index_version(self) -> str:
        """`collection@fingerprint8.N`; `collection@00000000.0` before the first commit."""
        return version_of(self.index, self.index_card())

    def check_fingerprint(self, *, dense: dict[str, Any] | None = None, sparse: dict[str, Any] | None = None) -> None:
        """Refuse what was not built as it asks. A pair that agreed is remembered, so asking again costs next to nothing.

        :raises FingerprintError: both are named, in one line.
        """
        if not dense and not sparse:
            return
        key = (identity(dense), identity(sparse))
        if time.monotonic() - self._checked.get(key, -math.inf) < _CHECK_AGAIN_S:
            return
        card = self.index_card()
        if card is None:
            return
        self._refuse_mismatch(card, {"dense": dense, "sparse": sparse})
        self._checked[key] = time.monotonic()

    def _refuse_mismatch(self, card: IndexCard, asks: dict[str, Any]) -> None:
        for part in ("dense", "sparse"):
            if reason := mismatch(part, card.fingerprint.get(part), asks.get(part)):
                raise FingerprintError(f"index {self.index!r} does not fit, {reason}; use what built it, or index again into another collection")
