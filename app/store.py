"""The store that a graph reads or writes, for doors that need it beside the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.graphs import Graph
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore


def graph_store(graph: Graph) -> SakshyaDocumentStore | None:
    """The first Sakshya store among the components of a graph."""
    return next(iter(graph_stores(graph)), None)


def graph_stores(graph: Graph) -> list[SakshyaDocumentStore]:
    """The Sakshya stores among the components of a graph, each once."""
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

    found = []
    for _, component in graph.pipeline.walk():
        store = getattr(component, "document_store", None) or getattr(component, "_document_store", None)
        if isinstance(store, SakshyaDocumentStore) and not any(store is other for other in found):
            found.append(store)
    return found


def default_store() -> SakshyaDocumentStore:
    """The store of the settings: the same instance that the default graphs use, or while a server holds the embedded index, that server's.

    :raises SakshyaError: a server holds it, and there is no key for it.
    """
    from app.remote import find_server

    if server := find_server():
        return server.store()
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

    path = f"{SakshyaDocumentStore.__module__}.{SakshyaDocumentStore.__name__}"
    return SakshyaDocumentStore.from_dict({"type": path, "init_parameters": {}})
