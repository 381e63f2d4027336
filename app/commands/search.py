"""`sakshya search`: the passages for a question, without an answer."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from app import query
from app.commands.explained import explain_table, short
from app.commands.options import AsJson, AsOf, Filter, GraphName, Groups, Tenant, reader
from app.console import err, out, print_json, reports_errors
from app.empty_tenant import said_of_empty_tenant
from app.filters import read_filters
from app.graphs import load_graph
from app.remote import find_server
from components.access.principal import DEFAULT_TENANT

LISTED = 10
SCORES = "Scores order the passages of this question; they are no probabilities and do not compare between questions."


@reports_errors
def search(
    question: Annotated[str, typer.Argument(help="The question or words, in quotes.")],
    graph: GraphName = "query",
    tenant: Tenant = DEFAULT_TENANT,
    groups: Groups = "",
    filters: Filter = None,
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, max=1000, help="Passages listed. Default: 10, with --explain all.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Every candidate's rank and score at each stage, and why it was dropped.")] = False,
    as_of: AsOf = None,
    as_json: AsJson = False,
) -> None:
    """List the passages that a question finds, best first. Runs only the part of the graph that finds them.

    The score is what the named stage ordered by (the fusion of both legs, or the cross-encoder where one is set). It is no probability that a
    passage answers, and scores of different questions do not compare. --explain shows rank and score at each stage.
    """
    from app.explaining import explained_search, load_explained

    principal = reader(tenant, groups)
    text = query.checked_question(question)
    narrowed = read_filters(filters)
    values = {"principal": principal, "filters": narrowed, "top_k": top_k or LISTED, "as_of": query.checked_day(as_of)}
    if server := find_server():
        result = server.search(graph, text, **values, explain=explain)
    else:
        loaded = load_explained(graph) if explain else load_graph(graph, phase="query", only=["documents"])
        query.require_index(loaded)
        loaded.warm_up()
        result = asyncio.run((explained_search if explain else query.search)(loaded, text, **values))
        if not result.get("documents") and not (result.get("explain") or {}).get("candidates") and (empty := said_of_empty_tenant(loaded, principal)):
            err.print(f"sakshya: {empty}", markup=False, soft_wrap=True)
    if as_json:
        print_json(result)
    elif explain:
        out.print(explain_table(result["explain"], out.width, top_k) if result["explain"]["candidates"] else "nothing found")
    else:
        notes = [stage["note"] for stage in result["trace"] if stage.get("note") and query.FILTERING in stage["type"].casefold()]
        out.print(passages_table(result["documents"]) if result["documents"] else "nothing found")
        for note in dict.fromkeys(notes):
            out.print(note, style="yellow", markup=False, highlight=False)


def passages_table(documents: list[dict[str, Any]]) -> Table:
    """The passages as a table that a person reads: rank, score and whose, where, and the beginning of the text."""
    stages = list(dict.fromkeys(stage for document in documents if (stage := document.get("score_of"))))
    table = Table(show_lines=False, caption=SCORES, caption_justify="left")
    table.add_column("#", justify="right")
    table.add_column(f"score of\n{stages[0]}" if len(stages) == 1 else "score", justify="right")
    table.add_column("where", overflow="fold", ratio=2)
    table.add_column("passage", overflow="fold", ratio=3)
    files = told_apart([str(document.get("uri") or "") for document in documents])
    for document, file in zip(documents, files, strict=True):
        where = " > ".join([str(document.get("title", "")), *document.get("heading_path", [])]).strip(" >")
        page = f", p. {document['page']}" if document.get("page") else ""
        text = " ".join((document["text"] or "").split())
        score = "" if document["score"] is None else short(document["score"])
        if score and len(stages) > 1:
            score += f"\n{document.get('score_of', '')}"
        place = Text(where + page)
        if file and file != where:
            place.append(("\n" if place.plain else "") + file, style="dim")
        table.add_row(str(document["rank"]), score, place, Text(text if len(text) <= 160 else text[:159] + "…"))
    return table


def told_apart(uris: list[str]) -> list[str]:
    """The end of each uri, as short as tells its file from the other files: its name, with the folders that are needed, and the member in it.

    >>> told_apart(["/a/mail.eml#note.txt", "/a/law.md", "/b/law.md"])
    ['mail.eml#note.txt', 'a/law.md', 'b/law.md']
    """
    paths = {uri.partition("#")[0] for uri in uris}
    ends: dict[str, str] = {}
    for path in paths:
        parts = path.rstrip("/").split("/")
        for count in range(1, len(parts) + 1):
            end = ends[path] = "/".join(parts[-count:])
            if sum(f"/{other.rstrip('/')}".endswith(f"/{end}") for other in paths) == 1 and not end.startswith("?"):
                break
    return [ends[uri.partition("#")[0]] + uri[len(uri.partition("#")[0]) :] for uri in uris]
