"""Sources that hold the same or nearly the same text. They are only told: both stay in the index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.sources import list_sources

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore


def add_duplicates(store: SakshyaDocumentStore, report: dict[str, Any]) -> None:
    """Put into a report which of the sources that it wrote are duplicates of others that the current principal may see.

    `duplicates`: same bytes (`source`, `of`). `near_duplicates`: nearly the same text (`source`, `of`, `similarity`, from 0 to 1), of each
    source the nearest.
    """
    written = {*report["added"], *report["updated"], *(pair["to"] for pair in report["renamed"])}
    if written:
        same, near = duplicates(list_sources(store), written)
        report["duplicates"], report["near_duplicates"] = same, near


def duplicates(manifest: Sequence[Mapping[str, Any]], written: Iterable[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Exact and near-duplicates of the written sources.

    :param manifest: meta of all entries.
    :param written: uris.
    """
    from components.writers.near_duplicates import near_pairs

    wanted = set(written)
    told = [meta.get("manifest") or {} for meta in manifest]
    changed = [position for position, meta in enumerate(manifest) if meta["uri"] in wanted]
    digests: dict[str, list[int]] = {}
    for position, one in enumerate(told):
        if digest := one.get("digest"):
            digests.setdefault(digest, []).append(position)
    same: dict[frozenset[int], dict[str, Any]] = {}
    for position in changed:
        others = [other for other in digests.get(told[position].get("digest", ""), []) if other != position]
        if others:
            other = next((o for o in others if manifest[o]["uri"] not in wanted), others[0])
            same.setdefault(frozenset((position, other)), {"source": manifest[position]["uri"], "of": manifest[other]["uri"]})
    exact = {position for pair in same for position in pair}
    signatures = [one.get("signature", "") for one in told]
    near = [
        {"source": manifest[position]["uri"], "of": manifest[other]["uri"], "similarity": similarity}
        for position, other, similarity in near_pairs(signatures, [p for p in changed if p not in exact])
    ]
    return list(same.values()), near
