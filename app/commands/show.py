"""`sakshya show`: what the index holds of one source."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from app.commands.options import AsJson, Tenant, checked_tenant
from app.console import err, out, print_json, reports_errors
from app.errors import UsageError
from app.sources import all_of, equals, find_source, inside, keeper, source_text, state_of, without_signature
from app.store import default_store
from components.access.principal import DEFAULT_TENANT, acting_as

MOST_NAMED = 50


@reports_errors
def show(
    source: Annotated[str, typer.Argument(help="Source id, the beginning of one, uri, path, or file name.")],
    tenant: Tenant = DEFAULT_TENANT,
    chunks: Annotated[bool, typer.Option("--chunks", help="Its chunks instead of its text.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a source as the index holds it: its meta, and its cleaned text or its chunks."""
    store = default_store()
    with acting_as(keeper(checked_tenant(tenant))):
        meta = find_source(store, source)
        text = source_text(store, meta["source_id"])
        found = store.filter_documents(all_of(equals("kind", "chunk"), equals("source_id", meta["source_id"])))
        is_file = meta["source_id"] == meta["container_id"]
        members = inside(store, meta["container_id"]) if is_file else []
    found.sort(key=lambda document: document.meta["char_start"])
    standing = state_of(meta) if is_file else {}
    failed = standing.get("state") == "failed"
    if not found and not text and not members and not failed:
        raise UsageError(f"{source!r} holds nothing that is indexed")
    if as_json:
        listed = [{"id": document.id, "text": document.content, "meta": document.meta} for document in found]
        print_json({"source": without_signature(meta) | standing, "text": text, "chunks": listed} | ({"members": members} if is_file else {}))
        return
    for key in ("source_id", "uri", "title", "mime_type", "access", "valid_from", "valid_to", "superseded_by", "modified_at", "indexed_at"):
        if meta.get(key):
            err.print(Text(f"{key}: {meta[key]}", style="dim"), soft_wrap=True)
    for key, colour in (("failures", "red"), ("warnings", "yellow")):
        for one in standing.get(key, []):
            err.print(Text(f"{key[:-1]}: {one['source']}: {one['reason']}", style=colour), soft_wrap=True)
    if failed:
        held = "an older version is indexed" if found else "nothing of it is indexed"
        err.print(Text(f"failed since {standing['failed_since']}; {held}", style="red"), soft_wrap=True)
    _print_members(members)
    if not chunks:
        if text:
            out.print(Text(text), soft_wrap=True)
        return
    table = Table()
    for column in ("chars", "page", "header", "text"):
        table.add_column(column, overflow="fold")
    for document in found:
        place = f"{document.meta['char_start']}–{document.meta['char_end']}"
        table.add_row(place, str(document.meta.get("page") or ""), Text(document.meta.get("context_header", "")), Text(document.content or ""))
    out.print(table)


def _print_members(members: list[dict[str, Any]]) -> None:
    for one in members[:MOST_NAMED]:
        err.print(Text(f"holds {one['uri']} ({one['title']}, {one['chunks']} chunk{'s' if one['chunks'] > 1 else ''})", style="dim"), soft_wrap=True)
    if len(members) > MOST_NAMED:
        err.print(Text(f"and {len(members) - MOST_NAMED} more (--json lists them all)", style="dim"))
