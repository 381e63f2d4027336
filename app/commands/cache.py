"""`sakshya cache`: what is in the answer cache, and clearing it."""

from __future__ import annotations

from typing import Any

import typer
from rich.table import Table
from rich.text import Text

from app.answer_cache import cache_file
from app.commands.options import AsJson
from app.console import out, print_json, reports_errors
from app.errors import SakshyaError
from components.caching.answer_cache import CacheError, CacheState
from components.caching.kept_answer import age
from config.settings import settings

cache = typer.Typer(help="The answers that are kept for whoever asks the same (SAKSHYA_ANSWER_CACHE_ENTRIES).", no_args_is_help=True)


@cache.command("status")
@reports_errors
def status(as_json: AsJson = False) -> None:
    """Say how many answers are kept and how often one was used."""
    data = state()
    if as_json:
        print_json(data)
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for key, value in rows(data):
        table.add_row(key, Text(value, overflow="fold"))
    out.print(table)


@cache.command("clear")
@reports_errors
def clear(as_json: AsJson = False) -> None:
    """Delete every kept answer, and the counts; a file that cannot be read is deleted too."""
    kept = cache_file()
    try:
        entries: int | None = kept.state().entries
    except CacheError:
        entries = None
    try:
        kept.clear()
    except CacheError as error:
        raise SakshyaError(str(error)) from None
    if as_json:
        print_json({"cleared": entries, "path": str(kept.path)})
    else:
        out.print(f"cleared {'a file that could not be read' if entries is None else f'{entries} answers'}", markup=False)


def state() -> dict[str, Any]:
    """The state of the cache of the settings, as JSON data.

    :raises SakshyaError: its file cannot be read.
    """
    try:
        found: CacheState = cache_file().state()
    except CacheError as error:
        raise SakshyaError(f"{error}; `sakshya cache clear` deletes it") from None
    return {
        "path": found.path,
        "on": settings().answer_cache_entries > 0,
        "entries": found.entries,
        "max_entries": settings().answer_cache_entries,
        "bytes": found.bytes,
        "oldest_s": None if found.oldest_s is None else round(found.oldest_s, 1),
        "hits": found.counts.get("hits", 0),
        "misses": found.counts.get("misses", 0),
        "hit_rate": None if found.hit_rate is None else round(found.hit_rate, 4),
    }


def rows(data: dict[str, Any]) -> list[tuple[str, str]]:
    """The state in words, a line each."""
    asked = data["hits"] + data["misses"]
    rate = f"{data['hits']} of {asked} questions ({data['hit_rate']:.0%})" if asked else "not asked yet"
    return [
        ("answer cache", data["path"]),
        ("state", "on" if data["on"] else "off: SAKSHYA_ANSWER_CACHE_ENTRIES=0"),
        ("entries", f"{data['entries']} of at most {data['max_entries']}" if data["on"] else str(data["entries"])),
        ("size", f"{data['bytes'] / 1000:.0f} kB"),
        ("oldest", "none" if data["oldest_s"] is None else f"{age(data['oldest_s'])} ago"),
        ("used for", rate),
    ]
