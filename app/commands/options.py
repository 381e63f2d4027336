"""Options that several commands share: single ones, and groups of them (`with_options`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from app.errors import UsageError
from components.access.principal import DEFAULT_TENANT, Principal

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output, nothing else.")]
GraphName = Annotated[str, typer.Option("--graph", help="A graph of pipelines/ by name, or a path to a YAML file.")]
Tenant = Annotated[str, typer.Option("--tenant", help="Whose documents.")]
Groups = Annotated[str, typer.Option("--groups", help="Access groups of the person who asks, with commas between. Empty: public documents only.")]
Filter = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        help="Where to look: type=pdf|docx, source=refunds.md, heading=Leave, "
        "modified_at>=P30D, in_force=2024-03-01, FIELD=VALUE. Repeatable; all must hold.",
    ),
]
TopK = Annotated[int | None, typer.Option("--top-k", min=1, max=100, help="Passages shown as evidence.")]
AsOf = Annotated[str | None, typer.Option("--as-of", help="Day (YYYY-MM-DD) whose rule is asked for. Default: today.")]
Trace = Annotated[bool, typer.Option("--trace", help="Show what each stage took and gave.")]


@dataclass(frozen=True)
class Asking:
    """How a question is asked: of `ask` and `chat`."""

    graph: GraphName = "query"
    tenant: Tenant = DEFAULT_TENANT
    groups: Groups = ""
    filters: Filter = None
    top_k: TopK = None
    as_of: AsOf = None
    trace: Trace = False

    @property
    def principal(self) -> Principal:
        """Who asks."""
        return reader(self.tenant, self.groups)

    def values(self) -> dict[str, Any]:
        """`filters`, `top_k` and `as_of`, checked, as a graph takes them.

        :raises UsageError: one of them cannot be used.
        """
        from app.filters import read_filters
        from app.query import checked_day

        return {"filters": read_filters(self.filters), "top_k": self.top_k, "as_of": checked_day(self.as_of)}


Output = Annotated[Path, typer.Option("--output", "-o", help="Folder for the model, its checkpoints and its report. A stopped run goes on there.")]
Epochs = Annotated[float, typer.Option("--epochs", min=0.0, help="Passes over the data.")]
BatchSize = Annotated[int, typer.Option("--batch-size", min=1, help="Examples a step.")]
LearningRate = Annotated[float, typer.Option("--learning-rate", min=0.0, help="Peak; it warms up over the first tenth and falls to 0.")]
HeldOut = Annotated[
    float, typer.Option("--held-out", min=0.0, max=0.9, help="Share of the sources kept for the report, none of which is trained on.")
]


@dataclass(frozen=True)
class Training:
    """How a model is trained: of every `train` command."""

    output: Output
    epochs: Epochs = 1.0
    steps: Annotated[int | None, typer.Option("--steps", min=1, help="Stop after so many steps, whatever --epochs says.")] = None
    batch_size: BatchSize = 16
    learning_rate: LearningRate = 2e-5
    held_out: HeldOut = 0.2
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the data, the order and the weights: the same seed gives the same model.")] = 0
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew, whatever the output folder holds.")] = False
    as_json: AsJson = False


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of each group that it takes: of a parameter whose type is a dataclass, the fields are options of the command.

    Typer knows no groups of options; it reads the signature that is made here. Names must differ between groups.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if (group := groups.get(parameter.name)) is None:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name]))
            continue
        its = get_type_hints(group, include_extras=True)
        for field in fields(group):
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            parameters.append(inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=its[field.name]))

    @wraps(command)
    def flat(**given: Any) -> None:
        own = dict(given)
        made = {name: group(**{field.name: own.pop(field.name) for field in fields(group)}) for name, group in groups.items()}
        command(**own, **made)

    flat.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return flat


def names(text: str) -> tuple[str, ...]:
    """The names in a list with commas; empty parts are left out.

    >>> names("legal, hr,")
    ('legal', 'hr')
    """
    return tuple(part.strip() for part in text.split(",") if part.strip())


def reader(tenant: str, groups: str) -> Principal:
    """Who asks on the command line."""
    return Principal(user="command-line", groups=names(groups), tenant=checked_tenant(tenant))


def checked_tenant(tenant: str) -> str:
    """The tenant named on the command line.

    :raises UsageError: it is empty.
    """
    if not tenant.strip():
        raise UsageError("--tenant must not be empty")
    return tenant.strip()
