"""What each stage of a run took and gave, collected through Haystack's own tracing spans."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from haystack import Document
from haystack.tracing.tracer import Span, Tracer, enable_tracing, tracer

from components.answer import Stage

COMPONENT_OPERATION = "haystack.component.run"

_stages: ContextVar[list[Stage] | None] = ContextVar("sakshya_stages", default=None)
_observer: ContextVar[Callable[[Stage], None] | None] = ContextVar("sakshya_stage_observer", default=None)


@dataclass
class ComponentRun:
    """One run of a component, with all that went in and came out."""

    name: str
    type: str
    inputs: dict[str, Any] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)


_runs: ContextVar[list[ComponentRun] | None] = ContextVar("sakshya_component_runs", default=None)


DOCUMENT_SOCKETS = {"documents", "evidence", "sections", "new", "known"}
"""Names under which an empty list means no documents; any other empty list may be of something else."""


def count_documents(values: Mapping[str, Any]) -> int | None:
    """How many documents are in a component's inputs or outputs; None where it has no list of documents at all.

    >>> count_documents({"dense": [Document(content="a")], "sparse": [Document(content="b")], "top_k": 5})
    2
    >>> count_documents({"documents": [], "degraded": []}), count_documents({"degraded": []})
    (0, None)
    """
    lists: list[list[Any]] = []
    for name, value in values.items():
        for found in (value, *(value if isinstance(value, list) else ())):
            if isinstance(found, list) and (
                (found and all(isinstance(item, Document) for item in found)) or (not found and name in DOCUMENT_SOCKETS)
            ):
                lists.append(found)
    return sum(map(len, lists)) if lists else None


class StageSpan(Span):
    """One component's run. Contents are counted and let go, unless `collect_runs` asks for them."""

    def __init__(self, stage: Stage | None, run: ComponentRun | None = None) -> None:
        self.stage, self.run = stage, run

    def set_tag(self, key: str, value: Any) -> None:
        """Tags are not kept: the stage has its fields."""

    def set_content_tag(self, key: str, value: Any) -> None:
        """Count the documents that go in and out, and read what the component says of itself (`model`, `skipped`, `note`)."""
        if self.stage is None or not isinstance(value, Mapping):
            return
        if key == "haystack.component.input":
            self.stage.candidates_in = count_documents(value)
            if self.run is not None:
                self.run.inputs = dict(value)
        elif key == "haystack.component.output":
            self.stage.candidates_out = count_documents(value)
            self.stage.skipped = value.get("skipped") or None
            model = value.get("model")
            self.stage.model = model if isinstance(model, str) and model else None
            note = value.get("note")
            self.stage.note = note if isinstance(note, str) and note else None
            if self.run is not None:
                self.run.outputs = dict(value)


class StageTracer(Tracer):
    """Collects the stages of the run in whose context `collect_stages` is open; costs nothing elsewhere."""

    @contextmanager
    def trace(self, operation_name: str, tags: dict[str, Any] | None = None, parent_span: Span | None = None) -> Iterator[Span]:
        """A span; only those of components become stages."""
        stages = _stages.get()
        if stages is None or operation_name != COMPONENT_OPERATION:
            yield StageSpan(None)
            return
        tags = tags or {}
        stage = Stage(name=str(tags.get("haystack.component.name", "")), type=str(tags.get("haystack.component.type", "")), ms=0.0)
        started = time.perf_counter()
        stages.append(stage)
        run = None
        if (runs := _runs.get()) is not None:
            run = ComponentRun(stage.name, stage.type)
            runs.append(run)
        try:
            yield StageSpan(stage, run)
        finally:
            stage.ms = round((time.perf_counter() - started) * 1000, 3)
            if observer := _observer.get():
                observer(stage)

    def current_span(self) -> Span | None:
        """No nesting is kept."""
        return None


@contextmanager
def collect_stages() -> Iterator[list[Stage]]:
    """The list of stages that runs inside this block fill, in the order in which they start."""
    if not isinstance(tracer.actual_tracer, StageTracer):
        enable_tracing(StageTracer())
    stages: list[Stage] = []
    token = _stages.set(stages)
    try:
        yield stages
    finally:
        _stages.reset(token)


@contextmanager
def collect_runs() -> Iterator[list[ComponentRun]]:
    """The inputs and outputs of the stages that run inside this block and one of `collect_stages`, in the order in which they start."""
    runs: list[ComponentRun] = []
    token = _runs.set(runs)
    try:
        yield runs
    finally:
        _runs.reset(token)


def add_stage(stage: Stage) -> None:
    """Add a stage that is no component's to the run in whose context `collect_stages` is open."""
    if (stages := _stages.get()) is not None:
        stages.append(stage)
        if observer := _observer.get():
            observer(stage)


@contextmanager
def observe_stages(observer: Callable[[Stage], None]) -> Iterator[None]:
    """Call the observer with each stage that ends in a run inside this block; it may be called from another thread."""
    token = _observer.set(observer)
    try:
        yield
    finally:
        _observer.reset(token)
