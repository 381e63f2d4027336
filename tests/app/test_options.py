"""Groups of options: a command that takes a group has each of its options, with its help and its default."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from app.cli import app as sakshya
from app.commands.options import Asking, with_options
from app.errors import UsageError


@dataclass(frozen=True)
class Size:
    width: Annotated[int, typer.Option("--width", min=1, help="Of the thing.")]
    height: Annotated[int, typer.Option("--height")] = 2


@dataclass(frozen=True)
class Tall(Size):
    height: Annotated[int, typer.Option("--height")] = 9


@pytest.fixture
def thing():
    app = typer.Typer()

    @app.command("small")
    @with_options
    def small(name: Annotated[str, typer.Argument()], size: Size, loud: Annotated[bool, typer.Option("--loud")] = False) -> None:
        typer.echo(f"{name} {size} {loud}")

    @app.command("tall")
    @with_options
    def tall(size: Tall) -> None:
        typer.echo(str(size))

    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def test_a_group_is_options_of_the_command(thing):
    assert thing("small", "box", "--width", "3").stdout == "box Size(width=3, height=2) False\n"
    assert thing("small", "box", "--loud", "--height", "4", "--width", "1").stdout == "box Size(width=1, height=4) True\n"
    assert thing("tall", "--width", "1").stdout == "Tall(width=1, height=9)\n"


def test_what_a_group_asks_for_is_asked_for(thing):
    assert thing("small", "box").exit_code == 2 and "--width" in thing("small", "box").output
    assert thing("small", "box", "--width", "0").exit_code == 2
    assert "Of the thing." in thing("small", "--help").output


def test_values_of_asking_are_checked():
    assert Asking(top_k=3, as_of="2024-02-01", groups="hr, legal").values() == {"filters": None, "top_k": 3, "as_of": "2024-02-01"}
    assert Asking(groups="hr, legal").principal.groups == ("hr", "legal")
    with pytest.raises(UsageError, match="YYYY-MM-DD"):
        Asking(as_of="yesterday").values()
    with pytest.raises(UsageError, match="--tenant"):
        _ = Asking(tenant=" ").principal


@pytest.mark.parametrize(
    ("command", "default"),
    [(("train", "ranker"), "[default: 16]"), (("train", "embedder"), "[default: 16]"), (("train", "grounding"), "[default: 32]")],
)
def test_every_training_has_the_same_options_and_its_own_defaults(command, default):
    said = CliRunner().invoke(sakshya, [*command, "--help"], env={"COLUMNS": "200"}).output
    for name in ("output", "epochs", "steps", "batch-size", "learning-rate", "held-out", "seed", "fresh", "json"):
        assert f"--{name}" in said
    assert default in next(line for line in said.splitlines() if "--batch-size" in line)


@pytest.mark.parametrize("command", ["ask", "chat"])
def test_a_question_is_asked_with_the_same_options_everywhere(command):
    said = CliRunner().invoke(sakshya, [command, "--help"], env={"COLUMNS": "200"}).output
    assert all(f"--{name} " in said for name in ("graph", "tenant", "groups", "filter", "top-k", "as-of", "trace", "json"))
