"""`sakshya serve`: the graphs over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from app.console import err, reports_errors
from config.settings import settings


@reports_errors
def serve(
    host: Annotated[str, typer.Option("--host", help="Address to bind. Another than 127.0.0.1 needs SAKSHYA_API_KEYS.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0: a free one.")] = 1416,
) -> None:
    """Serve every graph of pipelines/ over HTTP: questions, uploads, an OpenAI-compatible chat."""
    from app.serving import start
    from app.serving.keys import read_keys

    here = settings()
    keys = read_keys(here.api_keys.get_secret_value() if here.api_keys else None)
    start.check_bind(host, keys)
    bound = start.bind(host, port)

    def said(line: str) -> None:
        err.print(f"sakshya: {line}", markup=False, soft_wrap=True)

    try:
        graphs = start.load_all(said)
        start.run(graphs, bound, here, keys, said=said)
    finally:
        bound.close()
