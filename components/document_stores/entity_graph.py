"""The graph of entities beside a collection: what the current principal may see of it, and how it follows the collection."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from haystack import default_from_dict, default_to_dict

from components.access.principal import current_principal
from components.document_stores.entity_rows import ChunkEntities, EntityRows
from components.document_stores.rows_beside import rows_beside
from components.document_stores.sakshya_document_store import SakshyaDocumentStore

LEFT_OVER_S = 3600.0
"""Rows of chunks that are not in the store are kept so long: another process may be about to write the chunks."""


class EntityGraph:
    """Entities, relations and aliases of a collection's chunks, as the current principal may see them.

    SQLite keeps a row for what each chunk names; access is not kept a second time. Every reader starts from ids of chunks that the store gives
    this principal (`visible`), so a name that stands only in chunks which the store does not give is never read, whatever was true when the
    rows were written. The store deletes the rows of each chunk that it deletes.

    It is a parameter of components, as a document store is:

    ```yaml
    entity_graph:
      type: components.document_stores.entity_graph.EntityGraph
      init_parameters:
        document_store: {type: components.document_stores.sakshya_document_store.SakshyaDocumentStore, init_parameters: {}}
    ```
    """

    def __init__(self, document_store: SakshyaDocumentStore) -> None:
        """Store the settings; the file is opened at the first use.

        :param document_store: the collection.
        """
        self.document_store = document_store

    def to_dict(self) -> dict[str, Any]:
        """Serialise to plain data."""
        return default_to_dict(self, document_store=self.document_store.to_dict())

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> EntityGraph:
        """Create from plain data; the store is created from its own."""
        return default_from_dict(cls, data)

    def __deepcopy__(self, memo: dict[int, Any]) -> EntityGraph:
        return self

    @property
    def rows(self) -> EntityRows | None:
        """The rows; None where nothing was extracted yet. To be read only with ids that `visible` gave."""
        return rows_beside(self.document_store)

    def visible(self, chunks: Iterable[str], filters: dict[str, Any] | None = None) -> list[str]:
        """Those of the chunks that exist, that the current principal may read, and that match, in their order."""
        wanted = list(dict.fromkeys(chunks))
        seen = self.document_store.visible_ids(wanted, filters) if wanted else set()
        return [chunk for chunk in wanted if chunk in seen]

    def holders(self, entities: Sequence[str], limit: int, filters: dict[str, Any] | None = None) -> dict[str, list[str]]:
        """Entity to the visible chunks that name it; entities without one are left out.

        :param limit: chunks looked at, all entities together: those of the rarest first.
        """
        rows = self.rows
        if rows is None:
            return {}
        found: dict[str, list[str]] = {}
        for entity, chunk in rows.holders(current_principal().tenant, entities):
            found.setdefault(entity, []).append(chunk)
        asked: list[str] = []
        for entity in sorted(found, key=lambda e: (len(found[e]), e)):
            if len(asked) + len(found[entity]) <= limit:
                asked += found[entity]
        seen = set(self.visible(asked, filters))
        kept = {entity: [chunk for chunk in chunks if chunk in seen] for entity, chunks in found.items()}
        return {entity: chunks for entity, chunks in kept.items() if chunks}

    def meanings(self, keys: Sequence[str], filters: dict[str, Any] | None = None) -> dict[str, list[str]]:
        """Alias to the entities that it stands for, as visible chunks explain it."""
        rows = self.rows
        if rows is None:
            return {}
        stated = rows.aliases_of(current_principal().tenant, keys)
        seen = set(self.visible([chunk for chunk, *_ in stated], filters))
        meant: dict[str, list[str]] = {}
        for chunk, alias, entity in stated:
            if chunk in seen and entity not in meant.setdefault(alias, []):
                meant[alias].append(entity)
        return {alias: entities for alias, entities in meant.items() if entities}

    def put(self, found: Sequence[ChunkEntities]) -> None:
        """Write chunks of the principal's tenant.

        :raises PermissionError: one is another tenant's.
        """
        principal = current_principal()
        if strangers := [one.tenant for one in found if one.tenant != principal.tenant and not principal.is_system]:
            raise PermissionError(f"entities of tenant {strangers[0]!r} may not be written by {principal.user!r}: accepted is {principal.tenant!r}")
        if found and (rows := rows_beside(self.document_store, create=True)):
            rows.put(found)

    def sweep(self) -> int:
        """Delete rows of the tenant whose chunks are not in the store any more, as a run that was killed, or a source that failed, leaves them.

        :returns: chunks whose rows were deleted.
        """
        rows = self.rows
        if rows is None or not current_principal().is_admin:  # who does not see every chunk cannot tell which are gone
            return 0
        old = rows.chunk_ids(current_principal().tenant, before=time.time() - LEFT_OVER_S)
        left = sorted(set(old) - set(self.visible(old)))
        rows.forget(left)
        return len(left)
