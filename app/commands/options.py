"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from app.errors import UsageError
from components.access.principal import Principal

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on standard output, nothing else.")]
GraphName = Annotated[str, typer.Option("--graph", help="A graph of pipelines/ by name, or a path to a YAML file.")]
Tenant = Annotated[str, typer.Option("--tenant", help="Whose documents.")]
Groups = Annotated[str, typer.Option("--groups", help="Access groups of the person who asks, with commas between. Empty: public documents only.")]
Filter = Annotated[
    list[str] | None,
    typer.Option("--filter", help="FIELD=VALUE on the meta of a passage, for instance mime_type=text/csv. Repeatable; all must hold."),
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


def haystack_filters(pairs: list[str] | None) -> dict[str, Any] | None:
    """Haystack filters for FIELD=VALUE pairs, all of which must hold.

    :raises UsageError: a pair without `=`.
    """
    if not pairs:
        return None
    conditions = []
    for pair in pairs:
        field, found, value = pair.partition("=")
        if not found or not field.strip():
            raise UsageError(f"--filter {pair!r}: accepted is FIELD=VALUE, for instance mime_type=text/csv")
        field = field.strip()
        conditions.append({"field": field if field.startswith("meta.") else f"meta.{field}", "operator": "==", "value": value.strip()})
    return {"operator": "AND", "conditions": conditions}
