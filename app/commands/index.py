"""`sakshya index`: files and folders into the index."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import yaml
from rich.table import Table
from rich.text import Text

from app.batches import Run
from app.commands.options import AsJson, Tenant, checked_tenant, names
from app.console import err, fail, out, print_json, progress_bar, reports_errors
from app.data_folder import require_writable_index
from app.errors import UsageError
from app.finding import Found, collect
from app.graphs import load_graph
from app.indexing import index_paths
from app.remote import find_server, wait_for_index
from app.store import graph_store
from app.unmatched_rules import rule_lines, told, unmatched_rules
from app.urls import rule_path, split_urls
from components.access.principal import DEFAULT_TENANT

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

SHOWN = 12


@reports_errors
def index(
    paths: Annotated[list[str], typer.Argument(help="Files, folders, and http or https URLs.", metavar="PATH...")],
    graph: Annotated[str, typer.Option("--graph", help="A graph of pipelines/ by name, or a path to a YAML file.")] = "index",
    tenant: Tenant = DEFAULT_TENANT,
    access: Annotated[
        str | None, typer.Option("--access", help="Groups that may read them, with commas between. Default: as indexed before, else public.")
    ] = None,
    rules: Annotated[Path | None, typer.Option("--rules", help="YAML list of {match: GLOB, access: [..], valid_to: .., ...} by path.")] = None,
    alias: Annotated[str, typer.Option("--alias", help="Name of the root, for a corpus that moves between machines.")] = "",
    include: Annotated[list[str] | None, typer.Option("--include", help="Only files that match this glob. Repeatable.")] = None,
    exclude: Annotated[list[str] | None, typer.Option("--exclude", help="No file that matches this glob. Repeatable.")] = None,
    prune: Annotated[bool, typer.Option("--prune", help="Remove sources under the given folders whose file is gone.")] = False,
    as_json: AsJson = False,
) -> None:
    """Index files, folders and URLs: what is new is added, what changed is updated, what did not costs nothing."""
    tenant = checked_tenant(tenant)
    groups = None if access is None else list(names(access))
    path_rules = read_rules(rules) if rules else []
    local, urls = split_urls(paths)
    found = collect(local, alias, include or (), exclude or ())[0]
    count = len(found) + len(urls)
    unmatched = _checked_rules(rules, path_rules, found, local, urls, alias, as_json) if rules else []
    wait_for_index(lambda: err.print("another command has the index open; waiting"))
    run, store, version = _indexer(graph)
    with progress_bar("indexing", count, shown=not as_json) as advance:
        meter = Meter(run, advance)
        report = index_paths(
            meter.run,
            paths,
            store=store,
            tenant=tenant,
            access=groups,
            alias=alias,
            rules=path_rules,
            prune=prune,
            include=include or (),
            exclude=exclude or (),
            graph_version=version,
            on_progress=meter.on_progress,
        )
    report["unmatched_rules"] = unmatched
    if as_json:
        print_json(report)
    else:
        show_report(report)
    if groups is not None and report["missing"]:
        err.print(Text(kept_open(len(report["missing"])), style="yellow"), soft_wrap=True)
    if report["failed"]:
        raise typer.Exit(1)


def _checked_rules(
    file: Path, rules: list[dict[str, Any]], found: list[Found], local: list[str | Path], urls: list[str], alias: str, as_json: bool
) -> list[dict[str, Any]]:
    """The rules of a file that match nothing of the run, each told; nothing is indexed where one of them may leave files open."""
    lines = rule_lines(file.read_text(encoding="utf-8"))
    unmatched = unmatched_rules(rules, found, local, [rule_path(url) for url in urls], lines, alias)
    for rule in unmatched:
        if not rule["refused"]:
            err.print(Text(f"warning: {told(rule, file)}", style="yellow"), soft_wrap=True)
    refused = [told(rule, file) for rule in unmatched if rule["refused"]]
    if refused:
        message = "\n".join(
            [*refused, "nothing was indexed: the files that a rule with `access` is for would be open; mend the rule, or leave it out"]
        )
        raise fail(message, 2, as_json, unmatched_rules=unmatched)
    return unmatched


class Meter:
    """Counts what the graph has done, and moves the bar with it: files, and beside the last one's name chunks and their rate."""

    def __init__(self, run: Run, advance: Callable[[int, str], None]) -> None:
        self._run, self._advance = run, advance
        self._done, self._chunks, self._lock, self._started = 0, 0, threading.Lock(), time.monotonic()

    def run(self, values: dict[str, Any]) -> dict[str, Any]:
        """Run a batch; two threads do so at once."""
        report = self._run(values)
        with self._lock:
            self._chunks += report.get("chunks", 0)
        return report

    def on_progress(self, done: int, _total: int, last: str) -> None:
        """A batch is through."""
        rate = self._chunks / max(time.monotonic() - self._started, 1e-9)
        self._advance(done - self._done, f"{self._chunks} chunks, {rate:.0f}/s  {Path(last).name}")
        self._done = done


def _indexer(graph: str) -> tuple[Run, SakshyaDocumentStore | None, str]:
    """What indexes a batch, the store that it writes, and the graph's version: the graph here, or that of the server that holds the index."""
    if server := find_server():
        return server.indexer(graph), server.store(), ""
    require_writable_index()
    loaded = load_graph(graph, phase="indexing")
    return lambda values: loaded.run(values).get("report", {}), graph_store(loaded), loaded.version


def read_rules(path: Path) -> list[dict[str, Any]]:
    """Path rules from a YAML file; their content is checked where they are applied.

    :raises UsageError: the file cannot be read, or holds no list.
    """
    try:
        rules = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        raise UsageError(f"{path}{f':{mark.line + 1}' if mark else ''}: not readable as YAML: {getattr(error, 'problem', None) or error}") from error
    if not isinstance(rules, list):
        raise UsageError(f"{path}: accepted is a list of {{match: GLOB, access: [group], valid_to: YYYY-MM-DD, ...}}")
    return rules


def kept_open(count: int) -> str:
    """What becomes of sources that are missing when others under the same folder are given other readers.

    >>> kept_open(1)
    'warning: 1 source whose file is gone keeps its passages with the readers it had, whatever --access says; --prune removes it'
    """
    if count == 1:
        return "warning: 1 source whose file is gone keeps its passages with the readers it had, whatever --access says; --prune removes it"
    return f"warning: {count} sources whose files are gone keep their passages and readers, whatever --access says; --prune removes them"


def show_report(report: dict[str, Any]) -> None:
    """Print what became of each source."""
    table = Table(show_header=False, box=None, pad_edge=False)
    for key, colour in (("added", "green"), ("updated", "cyan"), ("unchanged", "dim"), ("removed", "magenta"), ("missing", "yellow")):
        uris = report[key]
        if uris:
            listed = ", ".join(Path(uri).name for uri in uris[:SHOWN]) + (f" and {len(uris) - SHOWN} more" if len(uris) > SHOWN else "")
            table.add_row(Text(key, style=colour), Text(str(len(uris))), Text(listed, style="dim"))
    if table.row_count:
        out.print(table)
    elif not report["failed"] and not report["renamed"]:
        err.print(Text("nothing to index was found: no file that is not hidden or excluded", style="yellow"), soft_wrap=True)
    for pair in report["renamed"][:SHOWN]:
        out.print(Text(f"renamed: {pair['from']} → {pair['to']}", style="cyan"), soft_wrap=True)
    for pair in report["duplicates"][:SHOWN]:
        out.print(Text(f"same bytes: {pair['source']} and {pair['of']}", style="yellow"), soft_wrap=True)
    for pair in report["near_duplicates"][:SHOWN]:
        out.print(Text(f"{pair['similarity']:.0%} alike: {pair['source']} and {pair['of']}", style="yellow"), soft_wrap=True)
    for warning in report["warnings"][:SHOWN]:
        err.print(Text(f"warning: {warning['source']}: {warning['reason']}", style="yellow"), soft_wrap=True)
    if (more := len(report["warnings"]) - SHOWN) > 0:
        err.print(Text(f"and {more} more warnings: sakshya status --sources", style="yellow"))
    for failure in report["failed"]:
        err.print(Text(f"failed: {failure['source']}: {failure['reason']}", style="red"), soft_wrap=True)
    out.print(f"{report['chunks']} chunks read, {report['embedded']} embedded, {report['seconds']:.1f} s, index {report['index_version'] or 'empty'}")
