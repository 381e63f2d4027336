"""What an index was built with, and whether a question may be asked of it. Pure functions.

A fingerprint is `{"dense": {...}, "sparse": {...}}`: the settings of the two embedders. The dense part may hold `canary`, the
vectors of a few fixed texts, so that a model that changed under the same name is caught.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

CANARY = "canary"
CANARY_MIN_COSINE = 0.999
"""Numerical noise between machines and batch sizes stays above; another model, pooling or quantisation falls below."""


class FingerprintError(ValueError):
    """The index was built with something else than what asks. The message names both, in one line."""


@dataclass(frozen=True)
class IndexCard:
    """The state of an index: what built it, and how many batches were committed (`n`, from 1)."""

    fingerprint: dict[str, Any] = field(default_factory=dict)
    n: int = 0
    state_id: str = field(default="", compare=False)
    """Drawn at random after each write, committed or not: an index that was made anew, or put back from a copy, has the same `n` again, and
    after its next write never the same id."""


def settings_of(part: Mapping[str, Any] | None) -> dict[str, Any]:
    """A part of a fingerprint without its canary vectors and without empty values."""
    return {k: v for k, v in sorted((part or {}).items()) if k != CANARY and v is not None}


def fingerprint8(fingerprint: Mapping[str, Any]) -> str:
    """First 8 hex digits of the SHA-256 over the canonical JSON of the settings.

    >>> fingerprint8({"dense": {"model": "m"}}) == fingerprint8({"dense": {"model": "m", "canary": [[1.0]]}})
    True
    """
    plain = {name: settings_of(part) for name, part in sorted(fingerprint.items()) if part}
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def identity(part: Mapping[str, Any] | None) -> Hashable:
    """A part, canary vectors included, as a key; cheap enough to be made for every question."""
    part = part or {}
    return repr(settings_of(part)), tuple(tuple(vector) for vector in part.get(CANARY) or ())


def version_of(collection: str, card: IndexCard | None) -> str:
    """`collection@fingerprint8.N`; an index without a card is `collection@00000000.0`."""
    return f"{collection}@{fingerprint8(card.fingerprint)}.{card.n}" if card else f"{collection}@00000000.0"


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Cosine of two vectors; 0 where their lengths differ or one of them is zero."""
    if len(a) != len(b):
        return 0.0
    norm = math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / norm if norm else 0.0


def merged(built: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of `built`, and those of `given` that it lacks. An empty part says nothing."""
    return {**{k: v for k, v in given.items() if v}, **{k: v for k, v in built.items() if v}}


def mismatch(name: str, built: Mapping[str, Any] | None, asks: Mapping[str, Any] | None) -> str | None:
    """How one part of a fingerprint differs from the one that asks, or None. An absent part matches everything.

    :param name: "dense" or "sparse", for the message.
    """
    if not built or not asks:
        return None
    was, now = settings_of(built), settings_of(asks)
    keys = [k for k in sorted({*was, *now}) if was.get(k) != now.get(k)]
    if keys:
        return f"{name}: the index was built with {_named(was, keys)}, this asks with {_named(now, keys)}"
    old, new = built.get(CANARY) or [], asks.get(CANARY) or []
    if not old or not new:
        return None
    worst = min((cosine(a, b) for a, b in zip(old, new, strict=False)), default=1.0) if len(old) == len(new) else 0.0
    if worst < CANARY_MIN_COSINE:
        model = was.get("model", "the model")
        return (
            f"{name}: {model!r} built the index and asks, but gives other vectors now (cosine of the test texts {worst:.4f}, "
            f"accepted from {CANARY_MIN_COSINE}): the model changed under the same name"
        )
    return None


def _named(part: Mapping[str, Any], keys: Sequence[str]) -> str:
    return ", ".join(f"{k} {part.get(k)!r}" for k in keys)
