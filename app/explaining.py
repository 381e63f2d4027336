"""Why a search found what it found: every candidate followed through the nodes of a graph, with its rank and score at each and why it was dropped.

Nothing here knows a node by name. A stage is a component that gives documents; what it leaves out it may say itself, in an output `dropped`
(`components.dropped`), else the reason is what can be seen from outside.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from haystack import Document

from app import query
from app.graphs import Graph, load_graph
from app.tracing import ComponentRun, collect_runs
from components.access.principal import Principal
from components.builders.passage_ranges import own_range

TEXT_SHOWN = 240


@dataclass
class Candidate:
    """A passage that a stage gave.

    :param stages: stage to its rank there, from 1, and its score.
    :param dropped: each stage that left it out, with the reason. One that comes by two legs may be dropped on one and go on by the other.
    """

    document: Document
    stages: dict[str, dict[str, Any]] = field(default_factory=dict)
    dropped: list[dict[str, str]] = field(default_factory=list)
    kept: bool = False

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        meta, text = self.document.meta, " ".join((self.document.content or "").split())
        return {
            "id": self.document.id,
            **{key: meta[key] for key in query.DOCUMENT_META if meta.get(key) is not None},
            "text": text if len(text) <= TEXT_SHOWN else text[: TEXT_SHOWN - 1] + "…",
            "stages": self.stages,
            "kept": self.kept,
            "dropped": None if self.kept else (self.dropped[-1] if self.dropped else None),
            "all_dropped": self.dropped,
        }


def gives_documents(graph: Graph) -> set[str]:
    """Components with an output of documents."""
    sockets = graph.pipeline.outputs(include_components_with_connected_outputs=True)
    return {name for name, outputs in sockets.items() if any(_is_documents(output["type"]) for output in outputs.values())}


def _is_documents(hint: Any) -> bool:
    return any(part is Document or _is_documents(part) for part in get_args(hint))


def load_explained(name: str) -> Graph:
    """The part of a query graph that finds, orders and chooses passages: all that gives documents, without what reads them for an answer.

    :raises UsageError: no such graph, or one for indexing.
    :raises GraphError: a graph that does not load.
    """
    whole = load_graph(name, phase="query")
    only = ["documents"] if "documents" in whole.outputs else list(whole.outputs)[:1]
    return load_graph(name, phase="query", only=only, beside=gives_documents(whole))


async def explained_search(
    graph: Graph,
    question: str,
    *,
    principal: Principal,
    filters: query.Filters = None,
    top_k: int = 10,
    as_of: str | None = None,
) -> dict[str, Any]:
    """As `app.query.search`, and `explain`: `stages` and `candidates`, best first.

    :param graph: of `load_explained`.
    """
    with collect_runs() as runs:
        result = await query.search(graph, question, principal=principal, filters=filters, top_k=top_k, as_of=as_of)
    limits = {name: _parameters(component) for name, component in graph.pipeline.walk()}
    final = graph.outputs.get("documents", "").partition(".")[0]
    places = {name: place for place, name in enumerate(_in_order(graph))}
    runs.sort(key=lambda run: places.get(run.name, 0))  # legs that run side by side start in any order
    result["explain"] = explain(runs, stages=gives_documents(graph), limits=limits, final=final)
    return result


def _in_order(graph: Graph) -> list[str]:
    """Components, each behind all that it depends on; none where the graph has a loop: then the order of the runs stands."""
    import networkx

    try:
        return list(networkx.lexicographical_topological_sort(networkx.DiGraph(graph.pipeline.graph)))
    except networkx.NetworkXUnfeasible:
        return []


def _parameters(component: Any) -> dict[str, Any]:
    """What the component was given at construction, where it keeps it under the same name, or under that name with `_` before it."""
    names = [name for name in inspect.signature(type(component).__init__).parameters if name != "self"]
    found = {name: getattr(component, name, getattr(component, f"_{name}", None)) for name in names}
    return {name: value for name, value in found.items() if isinstance(value, int | float) and not isinstance(value, bool)}


@dataclass
class _Step:
    """A stage's documents: `column` names it, with the socket where it has several outputs of documents, with a number where it ran before."""

    run: ComponentRun
    column: str
    given: list[Document]
    taken: list[Document]


def _steps(runs: Sequence[ComponentRun], stages: Collection[str]) -> Iterator[_Step]:
    times: dict[str, int] = {}
    for run in runs:
        taken = [d for value in run.inputs.values() for d in documents_of(value)]
        documents = {socket: found for socket, value in run.outputs.items() if (found := documents_of(value))}
        if not documents and run.name not in stages:
            continue
        times[run.name] = times.get(run.name, 0) + 1
        name = run.name if times[run.name] == 1 else f"{run.name}#{times[run.name]}"
        for socket, found in documents.items() or [("", [])]:
            yield _Step(run, name if len(documents) < 2 else f"{name}.{socket}", found, taken)


def documents_of(value: Any) -> list[Document]:
    """The documents of a socket, of a variadic one those of all senders."""
    if isinstance(value, Document):
        return [value]
    return [d for item in value for d in documents_of(item)] if isinstance(value, list | tuple) else []


def explain(
    runs: Sequence[ComponentRun], *, stages: Collection[str] = (), limits: dict[str, dict[str, Any]] | None = None, final: str = ""
) -> dict[str, Any]:
    """Follow every document through the runs of a graph's components.

    A document that a stage joins or expands into another (`chunk_ids` in the meta, or a range of the same source that covers it) goes on as
    part of it, with its rank.

    :param runs: those before first.
    :param stages: components that give documents, also where a run gave none.
    :param limits: component to its numbers, `top_k` among them.
    :param final: the component whose documents a search lists.
    :returns: `stages` (name, type, candidates in and out, model, skipped) and `candidates`, those kept first, then those dropped latest.
    """
    steps = list(_steps(runs, stages))
    candidates: dict[str, Candidate] = {}
    reach: dict[str, int] = {}
    for place, step in enumerate(steps):
        for rank, document in enumerate(step.given, 1):
            own = {d.id for d in step.given}
            parts = [d for d in step.taken if d.id not in own and _goes_on_in(d, document)]
            for part in (document, *parts) if document.id in candidates or not parts else parts:
                candidate = candidates.setdefault(part.id, Candidate(part))
                candidate.stages.setdefault(step.column, {"rank": rank, "score": document.score})
                reach[part.id] = place
        siblings = [d for other in steps if other.run is step.run for d in other.given]
        if step.run.outputs and not any(other.run is step.run for other in steps[:place]):
            _note_dropped(step, siblings, candidates, (limits or {}).get(step.run.name, {}))
    last = _sinks(steps)
    for candidate in candidates.values():
        candidate.kept = any(column in candidate.stages for column in last)
        if not candidate.kept and not candidate.dropped:
            candidate.dropped.append({"stage": steps[reach[candidate.document.id]].column, "reason": "went no further"})
    columns = list(dict.fromkeys(step.column for step in steps))
    order = {column: place for place, column in enumerate(columns)}
    listed = [column for column in columns if column.partition(".")[0].partition("#")[0] == final]

    def key(candidate: Candidate) -> tuple[Any, ...]:
        ranks = {column: place["rank"] for column, place in candidate.stages.items()}
        main = next((ranks[column] for column in listed if column in ranks), 10**6)
        if candidate.kept:
            return (0, 0, ranks[max(ranks, key=lambda column: order.get(column, -1))], main, candidate.document.id)
        last_stage = order.get(candidate.dropped[-1]["stage"], -1)
        return (1, -last_stage, main, min(ranks.values(), default=10**6), candidate.document.id)

    return {
        "stages": [_stage_json(step) for step in steps],
        "candidates": [candidate.to_json() for candidate in sorted(candidates.values(), key=key)],
    }


def _stage_json(step: _Step) -> dict[str, Any]:
    said = step.run.outputs
    skipped = said.get("skipped")
    return {
        "name": step.column,
        "type": step.run.type,
        "candidates_in": len({d.id for d in step.taken}),
        "candidates_out": len(step.given),
        "skipped": skipped if isinstance(skipped, str) and skipped else None,
        "degraded": [f"{item['stage']}: {item['reason']}" for item in said.get("degraded") or []],
    }


def _goes_on_in(part: Document, whole: Document) -> bool:
    """Whether one document is inside another that a stage made of it."""
    if part.id in (whole.meta.get("chunk_ids") or ()):
        return True
    if any(part.meta.get(key) != whole.meta.get(key) or not part.meta.get(key) for key in ("source_id", "source_version")):
        return False
    outer, inner = own_range(whole), own_range(part)
    return outer is not None and inner is not None and outer[0] <= inner[0] and inner[1] <= outer[1]


def _note_dropped(step: _Step, given: list[Document], candidates: dict[str, Candidate], limits: dict[str, Any]) -> None:
    told = {item["id"]: item["reason"] for item in step.run.outputs.get("dropped") or [] if isinstance(item, dict) and "id" in item}
    ids = {d.id for d in given}
    name = step.column.partition(".")[0]
    for document in {d.id: d for d in step.taken}.values():
        if document.id in ids or (document.id not in told and any(_goes_on_in(document, whole) for whole in given)):
            continue
        reason = told.get(document.id) or _seen_from_outside(step, len(given), limits)
        candidates.setdefault(document.id, Candidate(document)).dropped.append({"stage": name, "reason": reason})


def _seen_from_outside(step: _Step, given: int, limits: dict[str, Any]) -> str:
    limit = step.run.inputs.get("top_k")
    limit = limits.get("top_k") if limit is None else limit
    if isinstance(limit, int) and given >= limit:
        return f"not among the best {limit} (top_k)"
    others = ", ".join(f"{name} {value:g}" for name, value in limits.items() if any(word in name for word in ("score", "threshold", "max_", "limit")))
    return f"left out ({others})" if others else "left out"


def _sinks(steps: list[_Step]) -> set[str]:
    """Columns whose documents no later stage takes."""
    sinks = set()
    for place, step in enumerate(steps):
        ids = {d.id for d in step.given}
        if ids and not any(ids & {d.id for d in later.taken} for later in steps[place + 1 :] if later.run is not step.run):
            sinks.add(step.column)
    return sinks
