"""`sakshya ask`: a cited answer."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from app import query
from app.answer_cache import answer_cache
from app.commands.options import AsJson, Asking, with_options
from app.console import err, out, print_json, reports_errors
from app.graphs import load_graph
from app.remote import find_server
from components.answer import Answer, Status


@reports_errors
@with_options
def ask(
    question: Annotated[str, typer.Argument(help="The question, in quotes.")],
    asking: Asking,
    show_prompt: Annotated[bool, typer.Option("--show-prompt", help="Print what a chat model would be asked, and ask none.")] = False,
    as_json: AsJson = False,
) -> None:
    """Answer a question from the indexed documents, with the passage behind every sentence."""
    principal, text, values = asking.principal, query.checked_question(question), asking.values()
    if show_prompt:
        print_prompt(asking.graph, text, as_json=as_json, principal=principal, **values)
        return
    if server := find_server():
        answer = server.ask(asking.graph, text, principal=principal, **values)
    else:
        loaded = load_graph(asking.graph, phase="query")
        query.require_index(loaded)
        loaded.warm_up()
        answer = asyncio.run(query.ask(loaded, text, principal=principal, cache=answer_cache(), **values))
    if as_json:
        print_json(answer.to_json())
    else:
        show_answer(answer, trace=asking.trace)
    if answer.status == Status.FAILED:
        for item in answer.degraded:
            err.print(f"sakshya: {item.stage}: {item.reason}", markup=False, soft_wrap=True)
        raise typer.Exit(1)


def print_prompt(graph: str, question: str, *, as_json: bool, **values: Any) -> None:
    """Print the messages for a chat model: all of standard output is what it would read, but for a line before each message."""
    if server := find_server():
        found = server.prompt(graph, question, **values)
    else:
        loaded = load_graph(graph, phase="query", only=["prompt"])
        query.require_index(loaded)
        loaded.warm_up()
        found = asyncio.run(query.prompt(loaded, question, **values))
    if as_json:
        print_json(found)
        return
    for message in found["messages"]:
        out.rule(message["role"], align="left")
        out.print(Text(message["content"]), soft_wrap=True)
    note = next((stage["note"] for stage in found["trace"] if stage["model"] == found["prompt"] and stage["note"]), "")
    err.print(f"prompt {found['prompt']}: {note}", markup=False, highlight=False, soft_wrap=True)


def show_answer(answer: Answer, *, trace: bool = False) -> None:
    """Print an answer for a person."""
    if answer.read_as:
        out.print(Text(f"read as: {answer.read_as}", style="dim"))
    if answer.status == Status.FAILED:
        return
    replied = answer.status == Status.DECLINED and not answer.missing and not answer.evidence  # small talk: nothing was looked for
    colour = "yellow" if answer.status == Status.DECLINED and not replied else "green"
    title = "reply" if replied else answer.status.value
    out.print(Panel(Text(answer.answer or answer.missing), title=title, border_style=colour, title_align="left"))
    if answer.missing and answer.status == Status.ANSWERED:
        out.print(Text(f"The documents do not say: {answer.missing}", style="yellow"))
    last = 0
    for citation in sorted(answer.citations, key=lambda c: (c.n, c.char_start)):
        if citation.n != last:
            path = f"{citation.heading} " if citation.heading and not citation.cited_as.endswith(f", {citation.heading}") else ""
            out.print(Text(f"[{citation.n}] {citation.cited_as}", style="bold"), Text(f"{path}({citation.uri})", style="dim"))
        out.print(Text(f"    “{' '.join(citation.quote.split())}”"))
        last = citation.n
    for note in sorted({(item.n, item.note) for item in answer.evidence if item.note and item.n in {c.n for c in answer.citations}}):
        out.print(Text(f"[{note[0]}] {note[1]}", style="yellow"))
    for item in answer.degraded:
        out.print(Text(f"degraded: {item.stage}: {item.reason}", style="yellow"))
    if trace:
        table = Table(title="trace", title_justify="left")
        for column, justify in (("stage", "left"), ("ms", "right"), ("in", "right"), ("out", "right"), ("note", "left")):
            table.add_column(column, justify=justify)  # pyright: ignore[reportArgumentType]
        for stage in answer.trace:
            counts = ["" if count is None else str(count) for count in (stage.candidates_in, stage.candidates_out)]
            note = f"skipped: {stage.skipped}" if stage.skipped else "; ".join(filter(None, (stage.model, stage.note)))
            table.add_row(stage.name, f"{stage.ms:.1f}", *counts, note)
        out.print(table)
