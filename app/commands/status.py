"""`sakshya status`: what the index is and what is in it."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from app.commands.options import AsJson, Tenant, checked_tenant
from app.console import out, print_json, reports_errors
from app.sources import equals, keeper, list_sources
from app.store import default_store
from components.access.principal import DEFAULT_TENANT, acting_as
from config.settings import settings


@reports_errors
def status(
    tenant: Tenant = DEFAULT_TENANT,
    sources: Annotated[bool, typer.Option("--sources", help="List the sources.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say where the index is, what built it, and how much is in it."""
    store = default_store()
    with acting_as(keeper(checked_tenant(tenant))):
        listed = list_sources(store)
        counts = {kind: store.count_documents_by_filter(equals("kind", kind)) for kind in ("chunk", "section")}
    data: dict[str, Any] = {
        "index": settings().qdrant_url or str(settings().index_dir),
        "collection": settings().collection,
        "index_version": store.index_version(),
        "tenant": tenant,
        "sources": len(listed),
        "chunks": counts["chunk"],
        "sections": counts["section"],
        "models": models_in_use(),
    }
    if sources:
        data["listed"] = [
            {key: meta.get(key) for key in ("source_id", "uri", "title", "mime_type", "access", "chunks", "indexed_at")} for meta in listed
        ]
    if as_json:
        print_json(data)
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for key in ("index", "collection", "index_version", "tenant", "sources", "chunks", "sections"):
        table.add_row(key, Text(str(data[key]) or "empty", overflow="fold"))
    for role, name in data["models"].items():
        table.add_row(f"{role} model", Text(name))
    out.print(table)
    if sources:
        listing = Table()
        for column in ("source", "title", "type", "access", "chunks", "uri"):
            listing.add_column(column, overflow="fold")
        for meta in listed:
            access = ", ".join(meta.get("access") or [])
            cells = (meta["source_id"][:12], meta.get("title"), meta.get("mime_type"), access, meta.get("chunks"), meta.get("uri"))
            listing.add_row(*(Text(str(cell or "")) for cell in cells))
        out.print(listing)


def models_in_use() -> dict[str, str]:
    """The model of each role, in words."""
    here = settings()
    return {
        "embedding": here.embedding_model,
        "ranker": here.ranker_model or "none: candidates pass through",
        "grounding": here.grounding_model or "none",
        "chat": here.chat_model or "none: extractive answers",
    }
