"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from app.errors import UsageError
from components.access.principal import Principal

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
