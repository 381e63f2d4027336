"""What one run brought of one source: its plan, its points, what failed in it and what is to be said of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from haystack import Document

from components.failure import Failure


@dataclass
class RunSource:
    """What one run brought of one source.

    :param plan: its part of the intake's report.
    :param entry: its manifest entry before this run.
    :param failures: what failed in it, whole or a record or member of it.
    :param notices: what a reader should know of it.
    """

    container_id: str
    plan: dict[str, Any]
    entry: Document | None = None
    new: list[Document] = field(default_factory=list)
    known: list[Document] = field(default_factory=list)
    sections: list[Document] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    notices: list[Failure] = field(default_factory=list)

    def __post_init__(self) -> None:
        moved = self.plan.get("moved") or {}
        self.known, self.sections = [*self.known, *moved.get("known", [])], [*self.sections, *moved.get("sections", [])]

    @property
    def uri(self) -> str:
        """Its uri, as the intake read it."""
        return self.plan["uri"]

    @property
    def old(self) -> str | None:
        """Container id of what it was under its old path, where it was renamed."""
        return (self.plan.get("moved_from") or {}).get("container_id")

    @property
    def chunks(self) -> list[Document]:
        """All its chunks, those to be embedded first."""
        return [*self.new, *self.known]

    @property
    def has_records(self) -> bool:
        """Whether some of its chunks belong to records or members inside the file, each with an identity of its own."""
        return any(chunk.meta.get("source_id") != self.container_id for chunk in self.chunks)

    def refusal(self, *, dense: bool) -> str | None:
        """Why the version that is indexed now must stay; None where the new one may replace it.

        :param dense: whether every chunk must have a dense vector.
        """
        own = next((f["reason"] for f in self.failures if f["source"] == self.uri), None)
        if own is not None and not self.has_records:
            return own
        if not self.chunks:
            return own or (self.failures[0]["reason"] if self.failures else "no text was found in it")
        bare = sum(chunk.embedding is None for chunk in self.chunks) if dense else 0
        return f"{bare} of its {len(self.chunks)} chunks got no dense vector" if bare else None

    def differs(self) -> bool:
        """Whether bytes, graph, access, validity or the user's fields differ from what the manifest entry says."""
        stored = self.entry.meta if self.entry else {}
        return any(stored.get(key) != self.plan[key] for key in ("source_version", "meta_version"))


def gather(
    sources: dict[str, RunSource],
    new: Iterable[Document],
    known: Iterable[Document],
    sections: Iterable[Document],
    failures: list[Failure],
    notices: Iterable[Failure],
) -> None:
    """Give each source its documents, failures and notices; what no announced source claims becomes a failure."""
    strangers: set[str] = set()
    for name, documents in (("new", new), ("known", known), ("sections", sections)):
        for document in documents:
            source = sources.get(document.meta.get("container_id", ""))
            if source is None:
                strangers.add(str(document.meta.get("uri") or document.id))
            else:
                getattr(source, name).append(document)
    names = {source.uri: source for source in sources.values()}
    for told, kind in ((failures, "failures"), (notices, "notices")):
        for failure in told:
            if (source := next((names[name] for name in _owners(failure["source"]) if name in names), None)) is not None:
                getattr(source, kind).append(failure)
    failures.extend({"source": uri, "reason": "its chunks name no source of this run, so they were not written"} for uri in sorted(strangers))


def _owners(name: str) -> list[str]:
    """The uris that a failure's name may belong to: its own, then what stands before each `#` of a record's uri, the longest first."""
    parts = name.split("#")
    return ["#".join(parts[:end]) for end in range(len(parts), 0, -1)]
