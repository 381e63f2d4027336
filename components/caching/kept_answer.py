"""One question's way past the answer cache: found before it is answered, kept after it."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from components.access.principal import current_principal
from components.answer import Answer, Status
from components.caching.answer_cache import AnswerCache, CacheError, Hit, Scope
from components.document_stores.fingerprint import version_of

logger = logging.getLogger(__name__)

KEPT = {Status.ANSWERED, Status.DECLINED}
NOT_KEPT_FIELDS = {"question", "trace", "usage", "graph", "index_version", "degraded"}
HISTORY = "history"
CHANGED_MEANWHILE = "not kept: the index or the day changed meanwhile"


class NotForCache(Exception):
    """A question whose answer is neither looked up nor kept; the text says why."""


class KeptAnswer:
    """`find` an answer for the current principal, and where there is none, `keep` the one that was given.

    :param cache: where answers are kept.
    :param store: the one index that is read; None: nothing is found or kept.
    :param identity: hash of all by which an answer is made; empty: likewise.
    :param inputs: all inputs but the question: the filters as resolved for the principal, `top_k`, `as_of` and any other.
    """

    def __init__(self, cache: AnswerCache, store: Any, identity: str, question: str, inputs: Mapping[str, Any]) -> None:
        self._cache, self._store, self._identity = cache, store, identity
        self._question, self._inputs = question, inputs
        self._scope: Scope | None = None

    def find(self) -> tuple[Answer | None, str]:
        """The kept answer, if there is one, and what became of the lookup, in words.

        A kept answer is used only while each passage that it rests on is stored as it was, and the current principal may read it.

        :raises NotForCache: this question is none for the cache.
        :raises CacheError: the cache cannot be read.
        """
        scope = self._scope = self._scope_now()
        hit, note = self._cache.get(scope, self._question), "miss"
        if hit is not None and self._sources(list(hit.sources)) != hit.sources:
            self._cache.drop(scope, self._question)
            hit, note = None, "miss: what the kept answer rests on has changed"
        answer = self._answer(hit) if hit else None
        try:
            self._cache.count(scope, self._question, hit=hit is not None)
        except CacheError as error:
            logger.info("a lookup was not counted: %s", error)
        if hit is None:
            return None, note
        return answer, f"hit: an answer of {age(hit.age_s)} ago" + ("" if hit.cosine >= 1 else f", cosine of the questions {hit.cosine:.3f}")

    def _answer(self, hit: Hit) -> Answer:
        try:
            return Answer.model_validate({**hit.answer, "question": self._question})
        except ValueError as error:
            raise CacheError("an entry is no answer") from error

    def keep(self, answer: Answer) -> str:
        """Keep the answer, unless it may not be; what became of it, in words.

        :raises CacheError: the cache cannot be written.
        """
        if self._scope is None:
            return "not kept"
        if answer.status not in KEPT or answer.degraded:
            return f"not kept: {'degraded' if answer.degraded else answer.status.value}"
        if not self._unchanged():
            return CHANGED_MEANWHILE
        ids = [item.id for item in answer.evidence]
        sources = self._sources(ids)
        if set(sources) != set(ids):
            return "not kept: its evidence is not all in the index"
        if not self._unchanged():
            return CHANGED_MEANWHILE
        kept = self._cache.put(self._scope, self._question, answer.model_dump(mode="json", exclude=NOT_KEPT_FIELDS), sources)
        return "kept" if kept else "not kept: it is too large"

    def _unchanged(self) -> bool:
        try:
            return self._scope_now() == self._scope
        except NotForCache:
            return False

    def _scope_now(self) -> Scope:
        from components.access.access_filter import read_filter

        rights = read_filter(current_principal())
        if self._inputs.get(HISTORY):
            raise NotForCache("a question within a conversation")
        if rights is None:
            raise NotForCache("the system asks")
        if self._store is None or not self._identity:
            raise NotForCache("a graph without one index and an identity of its own")
        card = self._store.index_card()
        if card is None or not card.state_id:
            raise NotForCache("an index without a state id; the next `sakshya index` that changes something gives it one")
        try:
            inputs = json.dumps({key: value for key, value in self._inputs.items() if value is not None}, sort_keys=True)
        except (TypeError, ValueError):
            raise NotForCache("an input that has no JSON form") from None
        return Scope(
            place=f"{self._store.where} {self._store.index}",
            version=f"{version_of(self._store.index, card)} {card.state_id}",
            rights=rights.model_dump_json(),
            graph=self._identity,
            inputs=f"{inputs} {date.today()} {datetime.now(UTC).date()}",  # the local day as in the evidence, that of UTC as in filters
        )

    def _sources(self, ids: list[str]) -> dict[str, str]:
        """State of each of these passages that the current principal may read."""
        found = self._store.get_documents_by_id(ids) if ids else []
        return {document.id: state_of(document.content, document.meta) for document in found}


def state_of(content: str | None, meta: Mapping[str, Any]) -> str:
    """Hash of all that is stored of a passage, who may read it included."""
    return hashlib.sha256(json.dumps([content, dict(meta)], sort_keys=True, default=str).encode()).hexdigest()


def age(seconds: float) -> str:
    """A duration in words.

    >>> age(4.2), age(190), age(7300)
    ('4 s', '3 min', '2 h')
    """
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{int(seconds)} s"
