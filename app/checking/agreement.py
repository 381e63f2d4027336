"""Whether the graphs that ask an index embed as the graphs that build it do."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.checking.check import is_indexing
from app.checking.parts import Part
from app.checking.positions import Source
from app.checking.problem import Problem

COMPARED = ("model", "k1", "b", "avg_len", "language")
"""Init parameters of embedders that make a fingerprint, beside the settings that all graphs share."""


def check_agreement(graphs: Sequence[tuple[Source, Mapping[str, Part]]]) -> Iterator[Problem]:
    """Faults of each query graph whose embedders differ from those of every indexing graph over the same store."""
    indexing = [(source, parts) for source, parts in graphs if is_indexing(source)]
    for source, parts in graphs:
        others = [(built, its) for built, its in indexing if _stores(its) & _stores(parts)]
        if is_indexing(source) or not others:
            continue
        for name, part in parts.items():
            found = [difference for built, its in others if (difference := _differences(part, built, its)) is not None]
            if found and all(found):
                key, message = found[0][0]
                yield Problem(source.file, source.line("components", name, "init_parameters", key), f"{name}.{key}", message)


def _stores(parts: Mapping[str, Part]) -> set[str]:
    """The collections that the parts read or write, as their stores name them."""
    stores = [getattr(part.instance, name, None) for part in parts.values() for name in ("document_store", "_document_store")]
    return {f"{getattr(store, 'url', '') or getattr(store, 'path', '')}/{getattr(store, 'index', '')}" for store in stores if store is not None}


def fingerprint_parameters(part: Part) -> dict[str, Any]:
    """What of a part's parameters goes into its fingerprint; empty for a part that gives none."""
    if "fingerprint" not in part.outputs:
        return {}
    names = inspect.signature(type(part.instance).__init__).parameters
    return {name: getattr(part.instance, name, None) for name in COMPARED if name in names}


def _differences(part: Part, built: Source, its: Mapping[str, Part]) -> list[tuple[str, str]] | None:
    """Differences to the embedder of the same kind in an indexing graph; None where there is none of that kind."""
    asks = fingerprint_parameters(part)
    for name, other in its.items():
        builds = fingerprint_parameters(other)
        if asks and asks.keys() == builds.keys():
            return [
                (key, f"{asks[key]!r} differs from {builds[key]!r} in {built.file} ({name}.{key}), which builds the index that this graph asks")
                for key in asks
                if asks[key] != builds[key]
            ]
    return None
