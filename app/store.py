"""The store that a graph reads or writes, for doors that need it beside the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

    from app.graphs import Graph


def graph_store(graph: Graph) -> SakshyaDocumentStore | None:
    """The first Sakshya store among the components of a graph."""
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

    for _, component in graph.pipeline.walk():
        store = getattr(component, "document_store", None) or getattr(component, "_document_store", None)
        if isinstance(store, SakshyaDocumentStore):
            return store
    return None


def default_store() -> SakshyaDocumentStore:
    """The store of the settings: the same instance that the default graphs use."""
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

    path = f"{SakshyaDocumentStore.__module__}.{SakshyaDocumentStore.__name__}"
    return SakshyaDocumentStore.from_dict({"type": path, "init_parameters": {}})
