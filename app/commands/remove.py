"""`sakshya remove`: a source out of the index."""

from __future__ import annotations

from typing import Annotated

import typer

from app.commands.options import AsJson, Tenant, checked_tenant
from app.console import out, print_json, reports_errors
from app.sources import remove_source
from app.store import default_store
from components.access.principal import DEFAULT_TENANT


@reports_errors
def remove(
    source: Annotated[str, typer.Argument(help="Source id, the beginning of one, uri, path, or file name.")],
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """Remove a source and everything made from it. The file itself is left alone."""
    store = default_store()
    removed = remove_source(store, source, checked_tenant(tenant))
    if as_json:
        print_json({"removed": removed, "index_version": store.index_version()})
    else:
        out.print("\n".join(f"removed {uri}" for uri in removed), markup=False, soft_wrap=True)
