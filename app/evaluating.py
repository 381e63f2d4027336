"""Measuring retrieval through the graphs: a test collection into an index of its own, then every query through what `documents` depends on."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haystack.dataclasses import ByteStream

from app import query
from app.batches import Item
from app.errors import GraphError, SakshyaError
from app.explaining import documents_of
from app.graphs import STORE_TYPE, Graph, graph_digest, load_graph
from app.indexing import index_items
from app.sources import keeper
from app.store import graph_store
from app.tracing import collect_runs
from components.access.principal import DEFAULT_TENANT, Principal
from components.chunk import source_id
from config.settings import settings
from evaluation.beir import BeirSet
from evaluation.ranking_measures import DEFAULT_CUTOFFS
from evaluation.retrieval import TOTAL, RetrievalReport, Retrieved, evaluate_retrieval

if TYPE_CHECKING:
    from haystack import Document

    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

MARKER = "prepared.json"
COLLECTION = "evaluation"
ASKER = Principal(user="evaluation", tenant=DEFAULT_TENANT)
Advance = Callable[[int, str], None]
QUIET: Advance = lambda steps, what: None  # noqa: E731


@dataclass(frozen=True)
class PreparedIndex:
    """A test collection in an index.

    :param where: parameters of the store that say where it is, for `load_graph(store=…)`.
    :param notes: what a reader of the measures should know of it, a line each.
    :param embedded: chunks embedded by this run; 0 where the index was there already.
    """

    where: dict[str, Any]
    notes: tuple[str, ...] = ()
    embedded: int = 0


def index_key(data: BeirSet, index_graph: str) -> str:
    """Names an index by what it is made of: corpus, indexing graph, embedding model."""
    here = settings()
    model = [here.embedding_model, here.embedding_url, here.embedding_passage_prefix, here.embedding_backend]
    text = json.dumps([data.digest, graph_digest(index_graph), model], default=str)
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", data.name)[:32] or "set"
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


@contextmanager
def prepared_index(
    data: BeirSet, index_graph: str = "index", *, folder: Path | None = None, fresh: bool = False, advance: Advance = QUIET
) -> Iterator[PreparedIndex]:
    """Index a collection with an indexing graph, or take the index of an earlier run with the same corpus, graph and embedding model.

    Each document is a source of its own: its title is the title, its text a plain text. The index is none that people ask: with an embedded
    engine it lies in a folder of its own, on a server it is a collection of its own. One that another process reads is copied first.

    :param folder: where indexes are kept; None: `evaluation` below the data folder.
    :param fresh: index anew.
    :param advance: called with documents done and the name of the last one.
    :raises SakshyaError: nothing could be indexed.
    """
    from components.document_stores.index_lock import IndexLockedError

    home = (folder or settings().index_dir / "evaluation").expanduser().resolve() / index_key(data, index_graph)
    if fresh:
        shutil.rmtree(home, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="sakshya-evaluation-") as temporary:
        try:
            prepared = _prepare(data, index_graph, home, advance, fresh)
        except IndexLockedError:
            if not (home / MARKER).is_file():
                raise
            copy = Path(temporary) / home.name
            shutil.copytree(home, copy, ignore=shutil.ignore_patterns("*.lock"))
            prepared = _prepare(data, index_graph, copy, advance, False)
        try:
            yield prepared
        finally:
            _store(prepared.where).shutdown()


def _store(where: dict[str, Any]) -> SakshyaDocumentStore:
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

    return SakshyaDocumentStore.from_dict({"type": STORE_TYPE, "init_parameters": where})


def _where(home: Path) -> dict[str, Any]:
    if settings().qdrant_url:
        return {"index": home.name[:64]}
    return {"path": str(home), "index": COLLECTION}


def _prepare(data: BeirSet, index_graph: str, home: Path, advance: Advance, fresh: bool) -> PreparedIndex:
    where, marker = _where(home), home / MARKER
    if fresh and settings().qdrant_url:
        _empty(_store(where))
    if marker.is_file():
        _store(where).index_card()  # opens it: whoever cannot must know now
        kept = json.loads(marker.read_text(encoding="utf-8"))
        advance(len(data.corpus), "")
        return PreparedIndex(where, tuple(kept["notes"]))
    graph = load_graph(index_graph, phase="indexing", store=where)
    store = graph_store(graph)
    if store is None:
        raise GraphError(f"{graph.path.name}: it has no Sakshya store, so what it indexes cannot be found again")
    graph.warm_up()
    documents = [document for document in data.corpus.values() if document.text.strip() or document.title.strip()]
    items = [Item(_source(document.text or document.title), _meta(document.id, document.title), len(document.text)) for document in documents]
    done = 0

    def on_progress(count: int, _total: int, last: str) -> None:
        nonlocal done
        advance(count - done, last)
        done = count

    report = index_items(
        lambda values: graph.run(values).get("report", {}),
        items,
        principal=keeper(DEFAULT_TENANT),
        graph_version=graph.version,
        on_progress=on_progress,
    )
    failed = report["failed"]
    if len(failed) == len(items):
        raise SakshyaError(f"{data.name}: nothing could be indexed; {failed[0]['source']}: {failed[0]['reason']}")
    notes = []
    if failed:
        some = "; ".join(f"{item['source']}: {item['reason']}" for item in failed[:3])
        notes.append(f"{len(failed)} of {len(items)} documents could not be indexed and count as not found: {some}")
    store.flush()
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.write_text(json.dumps({"set": data.name, "documents": len(items), "chunks": report["chunks"], "notes": notes}), encoding="utf-8")
    return PreparedIndex(where, tuple(notes), report["embedded"])


def _empty(store: Any) -> None:
    from components.access.principal import acting_as

    with acting_as(Principal.system()):
        if store.index_card() is not None:
            store.delete_all_documents(recreate_index=True)


def _source(text: str) -> ByteStream:
    return ByteStream(data=text.encode("utf-8", "replace"), mime_type="text/plain")


def _meta(name: str, title: str) -> dict[str, Any]:
    meta = {"tenant": DEFAULT_TENANT, "alias": "", "path": name, "uri": name, "file_name": "document.txt"}
    return {**meta, "title": title} if title.strip() else meta


def searcher(graph: Graph, data: BeirSet) -> Callable[[str], Retrieved]:
    """What `evaluate_retrieval` asks: a question through the graph, as a person without groups asks it.

    :param graph: loaded with `only=["documents"]` over an index of this collection.
    """
    ids = {source_id(DEFAULT_TENANT, "", name): name for name in data.corpus}

    def named(documents: list[Document]) -> list[str]:
        return [ids.get(document.meta.get("source_id", ""), document.id) for document in documents]

    def search(text: str) -> Retrieved:
        started = time.perf_counter()
        with collect_runs() as runs:
            try:
                documents, stages = asyncio.run(query.retrieve(graph, text, principal=ASKER))
            except GraphError as error:
                return Retrieved((), failed=str(error))
        total = (time.perf_counter() - started) * 1000
        degraded = [f"{item['stage']}: {item['reason']}" for run in runs for item in run.outputs.get("degraded") or []]
        times = {**{stage.name: stage.ms for stage in stages}, TOTAL: round(total, 3)}
        given = {run.name: named(found) for run in runs for value in run.outputs.values() if (found := documents_of(value))}
        return Retrieved(named(documents), times, degraded, stages=given)

    return search


def measure_graph(
    graph: str,
    data: BeirSet,
    index: PreparedIndex,
    *,
    cutoffs: Sequence[int] = DEFAULT_CUTOFFS,
    seed: int = 0,
    advance: Advance = QUIET,
) -> RetrievalReport:
    """Measure a query graph on a collection that is indexed.

    ```python
    data = read_beir("sets/scifact")
    with prepared_index(data) as index:
        report = measure_graph("query", data, index)
    report.metrics["nDCG@10"].value
    ```

    :param graph: name or path.
    :raises GraphError: the graph cannot be loaded, or the first query fails.
    """
    loaded = load_graph(graph, phase="query", only=["documents"], store=index.where)
    loaded.warm_up()
    search = searcher(loaded, data)
    first = search(next(iter(data.queries.values())))  # also the warm-up of what loads lazily
    if first.failed:
        raise GraphError(first.failed)
    report = evaluate_retrieval(
        data,
        search,
        cutoffs=cutoffs,
        seed=seed,
        graph=loaded.name,
        index_version=query.index_version(loaded),
        on_query=lambda name: advance(1, name),
    )
    return report.noted(index.notes)
