"""`sakshya chat`: a conversation, each question read in the light of those before it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from app.commands.ask import show_answer
from app.commands.options import Asking, with_options
from app.console import err, out, reports_errors
from app.conversation import Conversation
from app.errors import UsageError
from components.answer import Answer, Status

PROMPT = "› "


@reports_errors
@with_options
def chat(
    asking: Asking,
    as_json: Annotated[bool, typer.Option("--json", help="Questions on standard input, a line each; one JSON object a line for each.")] = False,
) -> None:
    """Ask one question after the other; "and for dental?" is understood from those before. Ctrl-D ends.

    With --json standard output is JSON Lines, an answer as soon as there is one: a program that drives a conversation needs each answer before
    it asks on.
    """
    talk = Conversation(asking.graph, asking.principal, **asking.values())
    if talk.forgets:
        err.print(f"sakshya: {talk.forgets}", markup=False, soft_wrap=True)
    failed = False
    try:
        for question in _questions(quiet=as_json):
            try:
                answer = talk.ask(question)
            except UsageError as error:  # of this question; the conversation goes on
                failed = True
                _say(str(error), as_json)
                continue
            failed = failed or answer.status is Status.FAILED
            _show(answer, trace=asking.trace, as_json=as_json)
    finally:
        talk.close()
    if failed and (as_json or not sys.stdin.isatty()):  # a person has read it
        raise typer.Exit(1)


def _questions(*, quiet: bool) -> Iterator[str]:
    """The lines of standard input that are not empty; behind a prompt on a terminal."""
    typed = sys.stdin.isatty() and not quiet
    if typed:
        import readline  # noqa: F401  arrow keys and what was typed before, in `input`
    while True:
        try:
            line = input(PROMPT) if typed else sys.stdin.readline()
        except EOFError:
            out.print()
            return
        if not typed and not line:
            return
        if line.strip():
            yield line.strip()


def _show(answer: Answer, *, trace: bool, as_json: bool) -> None:
    if as_json:
        _line(answer.to_json())
        return
    show_answer(answer, trace=trace)
    if answer.status is Status.FAILED:
        for item in answer.degraded:
            _say(f"{item.stage}: {item.reason}", as_json)


def _say(message: str, as_json: bool) -> None:
    err.print(f"sakshya: {message}", markup=False, soft_wrap=True)
    if as_json:
        _line({"error": message})


def _line(data: dict) -> None:
    sys.stdout.write(json.dumps(data, ensure_ascii=False) + "\n")
    sys.stdout.flush()
