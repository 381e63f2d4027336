"""A whole indexing graph that needs no model: paragraphs are chunks, vectors are made from hashes. The store and the life cycle are real."""

from __future__ import annotations

import hashlib
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from haystack import Document, Pipeline, component
from haystack.dataclasses import ByteStream, SparseEmbedding

from components.access.principal import Principal, acting_as
from components.chunk import embedded_text, point_id, source_id
from components.failure import Failure
from components.routers.change_router import ChangeRouter
from components.routers.source_intake import SourceIntake
from components.writers.index_writer import IndexWriter
from config.settings import settings

DIMENSION = 16
DENSE = {"model": "hashes", "dimension": DIMENSION}
SPARSE = {"k1": 1.2, "avg_len": 100}
OUTLINE = ("heading_path", "context_header", "page", "mime_type")

ADMIN = Principal("tester", is_admin=True)


def open_store() -> Any:
    """The store of the settings, as a graph gets it."""
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

    path = f"{SakshyaDocumentStore.__module__}.{SakshyaDocumentStore.__name__}"
    return SakshyaDocumentStore.from_dict({"type": path, "init_parameters": {}})


MEMORY_DISK = Path("/dev/shm")


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch):
    """A store of this test's own, in memory where the system has a disk there: flushing to a busy disk takes most of the time."""
    with tempfile.TemporaryDirectory(dir=MEMORY_DISK if MEMORY_DISK.is_dir() else None) as folder:
        monkeypatch.setenv("SAKSHYA_DATA_DIR", folder)
        settings.cache_clear()
        opened = open_store()
        yield opened
        opened.shutdown()


@pytest.fixture
def admin():
    """The test acts as an administrator of the default tenant."""
    with acting_as(ADMIN):
        yield ADMIN


@component
class ParagraphSplitter:
    """Paragraphs of a text as chunks under one section. `RECORDS` as the first line: each paragraph is a record, its first word the key.

    `BROKEN` in a file fails the file, in a record the record; `CRASH` raises, as a component with a fault would.
    """

    def __init__(self) -> None:
        self.read: list[str] = []

    @component.output_types(documents=list[Document], sections=list[Document], failed=list[Failure])
    def run(self, sources: list[ByteStream]) -> dict[str, Any]:
        self.read += [stream.meta["uri"] for stream in sources]
        documents: list[Document] = []
        sections: list[Document] = []
        failed: list[Failure] = []
        for stream in sources:
            text = stream.data.decode()
            if "CRASH" in text:
                raise RuntimeError(f"a fault, met in {stream.meta['uri']}")
            units: list[tuple[dict[str, Any], str]] = [({}, text)]
            if text.startswith("RECORDS"):
                units = []
                for record in filter(None, text.split("\n\n")[1:]):
                    key = record.split()[0]
                    own = source_id(stream.meta["tenant"], stream.meta["alias"], f"{stream.meta['path']}#{key}")
                    units.append(({"source_id": own, "record_id": key, "uri": f"{stream.meta['uri']}#{key}"}, record))
            for fields, unit in units:
                meta = {**stream.meta, **dict.fromkeys(OUTLINE[1:], ""), "heading_path": [], "page": None, "title": "T", **fields}
                if "BROKEN" in unit:
                    failed.append({"source": meta["uri"], "reason": "it is broken"})
                    continue
                parent = point_id("section", meta["source_id"], unit, 0)
                at = 0
                seen: dict[str, int] = {}
                for part in unit.split("\n\n"):
                    if part.strip():
                        number = seen[part] = seen.get(part, -1) + 1
                        place = {"kind": "chunk", "char_start": at, "char_end": at + len(part), "parent_id": parent}
                        chunk_id = point_id("chunk", meta["source_id"], embedded_text(part, ""), number)
                        documents.append(Document(id=chunk_id, content=part, meta={**meta, **place}))
                    at += len(part) + 2
                if unit.strip():
                    place = {"kind": "section", "char_start": 0, "char_end": len(unit)}
                    sections.append(Document(id=parent, content=unit, meta={**meta, **place}))
        return {"documents": documents, "sections": sections, "failed": failed}


@component
class HashEmbedder:
    """Both vectors from a hash of the text; counts what it embeds."""

    def __init__(self, model: str = "hashes") -> None:
        self.model = model
        self.embedded: list[str] = []

    @component.output_types(documents=list[Document], dense=dict[str, Any], sparse=dict[str, Any])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        out = []
        for document in documents:
            text = document.content or ""
            self.embedded.append(text)
            source = random.Random(hashlib.sha256(text.encode()).digest())
            dense = [source.gauss(0, 1) for _ in range(DIMENSION)]
            words = sorted({int.from_bytes(hashlib.sha256(w.encode()).digest()[:3], "big") for w in text.split()})
            sparse = SparseEmbedding(indices=words, values=[1.0 + i / 7 for i in range(len(words))])
            out.append(Document(id=document.id, content=text, meta=document.meta, embedding=dense, sparse_embedding=sparse))
        return {"documents": out, "dense": {**DENSE, "model": self.model}, "sparse": SPARSE}


class LightGraph:
    """The pipeline, and `run` as the driver wants it."""

    def __init__(self, store: Any, path_rules: list[dict[str, Any]] | None = None, model: str = "hashes") -> None:
        self.store = store
        self.embedder = HashEmbedder(model)
        self.pipeline = Pipeline()
        self.pipeline.add_component("intake", SourceIntake(store, path_rules))
        self.splitter = ParagraphSplitter()
        self.pipeline.add_component("splitter", self.splitter)
        self.pipeline.add_component("changes", ChangeRouter(store))
        self.pipeline.add_component("embedder", self.embedder)
        self.pipeline.add_component("writer", IndexWriter(store))
        for sender, receiver in (
            ("intake.sources", "splitter.sources"),
            ("splitter.documents", "changes.documents"),
            ("changes.new", "embedder.documents"),
            ("embedder.documents", "writer.documents"),
            ("changes.known", "writer.known"),
            ("splitter.sections", "writer.sections"),
            ("splitter.failed", "writer.failed"),
            ("intake.report", "writer.intake"),
            ("embedder.dense", "writer.dense_fingerprint"),
            ("embedder.sparse", "writer.sparse_fingerprint"),
        ):
            self.pipeline.connect(sender, receiver)

    def run(self, values: dict[str, Any]) -> dict[str, Any]:
        return self.pipeline.run({"intake": values})["writer"]["report"]


def points(store: Any) -> dict[str, dict[str, Any]]:
    """Every point of the index by id, without the times of runs: content, meta and vectors, rounded to six digits."""
    found = {}
    for kind in ("chunk", "section", "source"):
        ids = [d.id for d in store.filter_documents({"field": "meta.kind", "operator": "==", "value": kind})]
        for document in store.get_documents_by_id(ids, with_embeddings=True):
            meta = {key: value for key, value in document.meta.items() if key != "indexed_at"}
            if "manifest" in meta:
                meta["manifest"] = {key: value for key, value in meta["manifest"].items() if key not in ("failed_at", "failed_since")}
            sparse = document.sparse_embedding
            found[document.id] = {
                "content": document.content,
                "meta": meta,
                "dense": [round(x, 6) for x in document.embedding or []],
                "sparse": sorted(zip(sparse.indices, (round(x, 6) for x in sparse.values), strict=True)) if sparse else [],
            }
    return found
