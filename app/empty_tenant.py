"""A tenant that nothing is indexed for: "the documents do not say" would be a lie there."""

from __future__ import annotations

from app.graphs import Graph
from app.sources import equals, keeper
from app.store import graph_store
from components.access.principal import Principal, acting_as
from components.answer import Answer, Status


def said_of_empty_tenant(graph: Graph, principal: Principal) -> str:
    """That nothing is indexed for the tenant of who asks; empty where something is, whoever may read it, or where the graph has no index.

    It counts in that tenant alone, so it tells nothing of others.
    """
    store = graph_store(graph)
    if store is None:
        return ""
    with acting_as(keeper(principal.tenant)):
        if store.index_card() is None or store.count_documents_by_filter(equals("kind", "chunk")):
            return ""
    return f"nothing is indexed for the tenant “{principal.tenant}”"


def told_of_empty_tenant(answer: Answer, graph: Graph, principal: Principal) -> Answer:
    """A declined answer says so; a reply that looked for nothing (small talk) stays as it is."""
    if answer.status is not Status.DECLINED or not answer.missing or answer.evidence:
        return answer
    said = said_of_empty_tenant(graph, principal)
    return answer.model_copy(update={"answer": f"{said[0].upper()}{said[1:]}.", "missing": said}) if said else answer
