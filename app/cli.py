"""The command line: `sakshya COMMAND`. One module a command under `app/commands`."""

from __future__ import annotations

from typing import Annotated

import typer

from app.commands import ask, check, draw, evaluate, index, remove, search, serve, show, status
from app.console import fail, set_verbose
from app.environment import prepare
from config.settings import SettingsError, settings

app = typer.Typer(
    name="sakshya",
    help="Answers from your own documents, with the passage behind every sentence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def start(verbose: Annotated[bool, typer.Option("--verbose", help="Log to standard error, and show tracebacks.")] = False) -> None:
    """Read the settings and quiet the libraries before any of them is imported."""
    set_verbose(verbose)
    try:
        prepare(settings(), verbose=verbose)
    except SettingsError as error:
        raise fail(str(error), 2, as_json=False) from None


for name, command in {
    "index": index.index,
    "search": search.search,
    "ask": ask.ask,
    "show": show.show,
    "remove": remove.remove,
    "status": status.status,
    "check": check.check,
    "draw": draw.draw,
    "serve": serve.serve,
}.items():
    app.command(name)(command)
app.add_typer(evaluate.evaluate, name="evaluate")


def main() -> None:
    """Entry point of the `sakshya` command."""
    app()


if __name__ == "__main__":
    main()
