"""The command line: `sakshya COMMAND`. One module a command under `app/commands`."""

from __future__ import annotations

from app import torch_later  # noqa: F401  first, or haystack would be imported with torch by another

# isort: split
import sys
from typing import Annotated

import typer
from typer.exceptions import TyperException

from app.commands import ask, cache, chat, check, draw, evaluate, index, remove, search, serve, show, status, train
from app.commands.train_grounding import grounding
from app.console import fail, set_verbose
from app.entry import STOPPED
from app.environment import prepare
from config.settings import SettingsError, settings

AS_JSON = "--json"

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
        raise fail(str(error), 2, AS_JSON in sys.argv) from None


for name, command in {
    "index": index.index,
    "search": search.search,
    "ask": ask.ask,
    "chat": chat.chat,
    "show": show.show,
    "remove": remove.remove,
    "status": status.status,
    "check": check.check,
    "draw": draw.draw,
    "serve": serve.serve,
}.items():
    app.command(name)(command)
app.add_typer(evaluate.evaluate, name="evaluate")
train.train.command("grounding")(grounding)
app.add_typer(train.train, name="train")
app.add_typer(cache.cache, name="cache")


def main() -> None:
    """Run the command that was asked for, and exit. Wrong use ends in one line and exit code 2, and as JSON where `--json` is asked for."""
    as_json = AS_JSON in sys.argv
    if len(sys.argv) == 1:
        sys.argv.append("--help")
    try:
        code = app(standalone_mode=False)
    except typer.Exit as error:
        code = error.exit_code
    except typer.Abort:
        code = fail("stopped", STOPPED, as_json).exit_code
    except TyperException as error:
        code = fail(getattr(error, "format_message", error.__str__)(), 2, as_json).exit_code
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
