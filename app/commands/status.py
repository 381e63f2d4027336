"""`sakshya status`: what the index is and what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from app.commands.options import AsJson, Tenant, checked_tenant
from app.console import out, print_json, reports_errors
from app.sources import equals, keeper, list_sources, state_of
from app.store import default_store
from components.access.principal import DEFAULT_TENANT, acting_as
from config.settings import settings

LISTED = ("source_id", "uri", "title", "mime_type", "access", "chunks", "indexed_at")
INDENT = " " * 9
NOTHING = "@00000000.0"
"""End of the version of an index in which nothing was ever written."""
COLOURS = {"failed": "red", "partial": "yellow", "ok": "green"}


@reports_errors
def status(
    tenant: Tenant = DEFAULT_TENANT,
    sources: Annotated[bool, typer.Option("--sources", help="List the sources, and what failed or is to be known of each.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say where the index is, what built it, and how much is in it."""
    store = default_store()
    with acting_as(keeper(checked_tenant(tenant))):
        listed = list_sources(store)
        states = {meta["source_id"]: state_of(meta) for meta in listed}
        counts = {kind: store.count_documents_by_filter(equals("kind", kind)) for kind in ("chunk", "section")}
    data: dict[str, Any] = {
        "index": settings().qdrant_url or str(settings().index_dir),
        "collection": settings().collection,
        "index_version": store.index_version(),
        "tenant": tenant,
        "sources": len(listed),
        "failed": sum(state["state"] == "failed" for state in states.values()),
        "partial": sum(state["state"] == "partial" for state in states.values()),
        "chunks": counts["chunk"],
        "sections": counts["section"],
        "models": models_in_use(),
    }
    if sources:
        data["listed"] = [{key: meta.get(key) for key in LISTED} | states[meta["source_id"]] for meta in listed]
    if as_json:
        print_json(data)
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for key in ("index", "collection", "index_version", "tenant", "sources", "chunks", "sections"):
        troubled = [f"{data[state]} {state}" for state in ("failed", "partial") if key == "sources" and data[state]]
        said = "empty: `sakshya index PATH` fills it" if key == "index_version" and data[key].endswith(NOTHING) else str(data[key])
        table.add_row(key, Text(said or "empty", overflow="fold").append(f"  ({', '.join(troubled)})" if troubled else "", style="red"))
    for role, name in data["models"].items():
        table.add_row(f"{role} model", Text(name))
    out.print(table)
    if sources:
        out.print()
        for line in listing(data["listed"]):
            out.print(line, soft_wrap=True)


def listing(sources: list[dict[str, Any]]) -> Iterator[Text]:
    """A line a source; below it its uri, what failed and what is to be known of it, so that neither is squeezed into a column."""
    yield Text(f"{'state':<8} {'source':<12} {'chunks':>6}  {'time':<16}  title, access", style="bold")
    for meta in sources:
        when = (meta["failed_at"] or meta["indexed_at"] or "")[:16].replace("T", " ")
        line = Text(f"{meta['state']:<8}", style=COLOURS.get(meta["state"], ""))
        line.append(f" {meta['source_id'][:12]} {meta['chunks'] or 0:>6}  {when:<16}  {meta['title'] or ''}", style="default")
        yield line.append(f"  {', '.join(meta['access'] or [])}", style="cyan")
        yield Text(f"{INDENT}{meta['uri'] or ''}", style="dim")
        for key, colour in (("failures", "red"), ("warnings", "yellow")):
            for one in meta[key]:
                part = one["source"].removeprefix(meta["uri"] or "")
                yield Text(f"{INDENT}{part + ': ' if part else ''}{one['reason']}", style=colour)


def chat_in_use() -> str:
    """The chat model, its fallbacks, and what they cost today."""
    from components.generators.spending import Spending

    here = settings()
    if not here.chat_model:
        return "none: extractive answers"
    said = " → ".join([*(endpoint.model for endpoint in here.chat_endpoints), "extractive"])
    if not here.prices and here.chat_daily_budget_usd is None:
        return said
    budget = "" if here.chat_daily_budget_usd is None else f" of ${here.chat_daily_budget_usd:,.2f}"
    try:
        return f"{said}; ${Spending(here.index_dir).spent_usd():,.4f}{budget} today (UTC)"
    except OSError as error:
        return f"{said}; what was spent today cannot be read: {error}"


def models_in_use() -> dict[str, str]:
    """The model of each role, in words."""
    from components.validators.grounding_models import NONE, model_name

    here = settings()
    grounding = model_name()
    return {
        "embedding": here.embedding_model,
        "ranker": here.ranker_model or "none: candidates pass through",
        "grounding": f"{NONE}: words and exact checks alone" if grounding == NONE else grounding,
        "chat": chat_in_use(),
    }
