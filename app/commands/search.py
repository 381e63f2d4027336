"""`sakshya search`: the passages for a question, without an answer."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from app import query
from app.commands.options import AsJson, Filter, GraphName, Groups, Tenant, haystack_filters, reader
from app.console import out, print_json, reports_errors
from app.graphs import load_graph
from app.remote import find_server
from components.access.principal import DEFAULT_TENANT


@reports_errors
def search(
    question: Annotated[str, typer.Argument(help="The question or words, in quotes.")],
    graph: GraphName = "query",
    tenant: Tenant = DEFAULT_TENANT,
    groups: Groups = "",
    filters: Filter = None,
    top_k: Annotated[int, typer.Option("--top-k", min=1, max=1000, help="Passages listed.")] = 10,
    as_json: AsJson = False,
) -> None:
    """List the passages that a question finds, best first. Runs only the part of the graph that finds them."""
    principal = reader(tenant, groups)
    text = query.checked_question(question)
    narrowed = haystack_filters(filters)
    if server := find_server():
        result = server.search(graph, text, principal=principal, filters=narrowed, top_k=top_k)
    else:
        loaded = load_graph(graph, phase="query", only=["documents"])
        query.require_index(loaded)
        loaded.warm_up()
        result = asyncio.run(query.search(loaded, text, principal=principal, filters=narrowed, top_k=top_k))
    if as_json:
        print_json(result)
    else:
        out.print(passages_table(result["documents"]) if result["documents"] else "nothing found")


def passages_table(documents: list[dict[str, Any]]) -> Table:
    """The passages as a table that a person reads: rank, score, where, and the beginning of the text."""
    table = Table(show_lines=False)
    table.add_column("#", justify="right")
    table.add_column("score", justify="right")
    table.add_column("where", overflow="fold", ratio=2)
    table.add_column("passage", overflow="fold", ratio=3)
    for document in documents:
        where = " > ".join([str(document.get("title", "")), *document.get("heading_path", [])]).strip(" >")
        page = f", p. {document['page']}" if document.get("page") else ""
        text = " ".join((document["text"] or "").split())
        score = "" if document["score"] is None else f"{document['score']:.4f}"
        table.add_row(str(document["rank"]), score, Text(where + page), Text(text if len(text) <= 160 else text[:159] + "…"))
    return table
