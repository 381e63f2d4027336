"""`sakshya evaluate recall`: how much the graph search of your own index misses, against exact search."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.options import AsJson, Groups, Tenant, reader
from app.console import out, print_json, progress_bar, reports_errors
from app.errors import SakshyaError, UsageError
from app.remote import find_server
from app.store import default_store
from components.access.principal import DEFAULT_TENANT, Principal, acting_as
from config.settings import settings
from evaluation.ann_recall import EFS, SHARE, TOP_K, index_facts, measure_recall, recall_table
from evaluation.data import DataError, read_text
from evaluation.stored_vectors import stored_vectors

if TYPE_CHECKING:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore


@reports_errors
def recall(
    questions: Annotated[Path | None, typer.Option("--questions", help="Text, a question a line, as queries. Default: chunks of the index.")] = None,
    count: Annotated[int, typer.Option("--queries", min=2, max=10_000, help="Queries drawn at random.")] = 200,
    top_k: Annotated[int, typer.Option("--k", min=1, max=1000, help="k of recall@k.")] = TOP_K,
    efs: Annotated[list[int] | None, typer.Option("--ef", min=1, help="hnsw_ef to try. Repeatable. Default: 64, 128, 256, 512.")] = None,
    share: Annotated[float, typer.Option("--share", min=0.0001, max=1, help="Share of the chunks that the filter lets pass; 1: no filter.")] = SHARE,
    optimize: Annotated[bool, typer.Option("--optimize", help="Build the graph of the embedded index first.")] = False,
    tenant: Tenant = DEFAULT_TENANT,
    groups: Groups = "",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the samples.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Search the index of the settings exactly and by its graph: recall@k with 95 % intervals, times, size, with and without a filter."""
    if find_server():
        raise SakshyaError("a server holds the index; stop it, then measure")
    store = default_store()
    principal = reader(tenant, groups)
    with acting_as(principal):
        if store.index_card() is None:
            raise SakshyaError(f"nothing is indexed yet in {settings().qdrant_url or settings().index_dir}; `sakshya index PATH` does it")
    if optimize:
        with acting_as(Principal.system()):
            store.optimize()
    tried = (None, *efs) if efs else EFS
    with acting_as(principal):
        vectors, own = _queries(store, questions, count, seed)
        rounds = (1 if share == 1 else 2) * (1 + len(tried)) * len(vectors)
        with progress_bar("searching", rounds, shown=not as_json) as advance:
            rows = measure_recall(store, vectors, own, efs=tried, top_k=top_k, share=share, seed=seed, advance=advance)
        facts, version = index_facts(store), store.index_version()
    kind = "questions" if questions else "chunks of the index"
    if as_json:
        report = {"rows": [row.to_json() for row in rows], "queries": len(vectors), "kind": kind, "top_k": top_k, "index": facts}
        print_json({**report, "index_version": version})
        return
    size = f", {facts['bytes'] / 1e6:.0f} MB" if facts["bytes"] else ""
    title = f"{version}: {facts['points']:,} points{size}, m {facts['m']}, ef_construct {facts['ef_construct']}, {len(vectors)} {kind}"
    out.print(recall_table(rows, title, top_k))
    if facts["in_graph"] == 0:
        out.print("No graph is built: every search compares with every vector. --optimize builds one.", style="yellow")


def _queries(store: SakshyaDocumentStore, questions: Path | None, count: int, seed: int) -> tuple[Any, list[str] | None]:
    """Vectors to search with, and the chunk that each is of, if it is one.

    :raises UsageError: a file without questions.
    """
    if questions is None:
        try:
            found = stored_vectors(store, count, seed)
        except ValueError as error:
            raise SakshyaError(str(error)) from None
        return found.vectors, found.ids
    import numpy as np

    from components.embedders.embedding_model import embedding_model

    try:
        texts = [line.strip() for line in read_text(questions).splitlines() if line.strip()]
    except DataError as error:
        raise UsageError(str(error)) from None
    if not texts:
        raise UsageError(f"{questions}: no question; accepted: text, a question a line")
    chosen = sorted(np.random.default_rng(seed).permutation(len(texts))[:count])
    return embedding_model().encode_queries([texts[i] for i in chosen]), None
