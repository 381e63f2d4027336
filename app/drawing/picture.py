"""What a picture of a graph holds: nodes and edges, read from the graph's own YAML, before any format."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from app.errors import GraphError

NodeKind = Literal["component", "input", "output"]
LABEL_WIDTH = 34
WIDE_INPUT = 2
"""An input that feeds more components than this is drawn to those that start the graph and named inside the others: no line across the picture.
Where it feeds none that starts it, in a loop for instance, it is drawn to the earliest."""


@dataclass
class Node:
    """A component, an input or an output.

    :param takes: inputs of the graph that this component receives with no line drawn.
    :param note: lines of a run's trace.
    """

    id: str
    kind: NodeKind
    title: str
    detail: str = ""
    takes: list[str] = field(default_factory=list)
    note: list[str] = field(default_factory=list)


@dataclass
class Edge:
    """All connections between two nodes, one label line each."""

    start: str
    end: str
    labels: list[str] = field(default_factory=list)


@dataclass
class Picture:
    """A graph to be drawn. `phase` decides its colours."""

    name: str
    phase: Literal["indexing", "query"]
    nodes: list[Node]
    edges: list[Edge]


def picture_of(path: Path, trace: Mapping[str, Any] | None = None) -> Picture:
    """Read a graph's YAML for drawing.

    :param trace: an answer or a search result as JSON data, whose `trace` is laid on the nodes.
    :raises GraphError: the file cannot be drawn; `check` says why in detail.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        components, connections = data["components"], data.get("connections") or []
        inputs, outputs = data.get("inputs") or {}, data.get("outputs") or {}
        notes = trace_notes(trace or {})
        nodes = [Node(f"in:{name}", "input", str(name)) for name in inputs]
        nodes += [Node(name, "component", name, str(part["type"]).rpartition(".")[2], note=notes.get(name, [])) for name, part in components.items()]
        nodes += [Node(f"out:{name}", "output", str(name)) for name in outputs]
        labels: dict[tuple[str, str], list[str]] = defaultdict(list)
        for connection in connections:
            (sender, _, out), (receiver, _, into) = connection["sender"].partition("."), connection["receiver"].partition(".")
            labels[sender, receiver].append(route_condition(components.get(sender, {}), out) or socket_label(out, into))
        later, before = {receiver for _, receiver in labels}, upstream(list(labels))
        by_id = {node.id: node for node in nodes}
        for name, sockets in inputs.items():
            ends = [socket.partition(".")[::2] for socket in ([sockets] if isinstance(sockets, str) else sockets)]
            fed = list(dict.fromkeys(component for component, _ in ends))
            lined = fed if len(fed) <= WIDE_INPUT else [component for component in fed if component not in later]
            lined = lined or [min(fed, key=lambda component: len(before.get(component, ())))]
            for component, key in ends:
                if component in lined:
                    labels[f"in:{name}", component].append("" if key == name else key)
                elif str(name) not in by_id[component].takes:
                    by_id[component].takes.append(str(name))
        for name, socket in outputs.items():
            component, _, key = socket.partition(".")
            labels[component, f"out:{name}"].append("" if key == name else key)
    except (OSError, ValueError, yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        raise GraphError(f"{path}: cannot be drawn; `sakshya check {path}` says what is wrong with it") from error
    known = {node.id for node in nodes}
    edges = [Edge(start, end, [text for text in texts if text]) for (start, end), texts in labels.items() if start in known and end in known]
    return Picture(path.stem, "indexing" if "report" in outputs else "query", nodes, edges)


def upstream(edges: list[tuple[str, str]]) -> dict[str, set[str]]:
    """What must run before each component: all that it depends on, but not what it goes round a loop with.

    >>> upstream([("a", "b"), ("b", "c"), ("c", "b")])
    {'b': {'a'}, 'c': {'a'}}
    """
    import networkx

    graph = networkx.DiGraph(edges)
    return {node: found for node in graph if (found := networkx.ancestors(graph, node) - networkx.descendants(graph, node))}


def taken(node: Node) -> str:
    """The inputs that a component takes with no line drawn, as a line of text; empty where there are none."""
    return f"← {', '.join(node.takes)}" if node.takes else ""


def socket_label(out: str, into: str) -> str:
    """Label of a connection: one word where both sockets have the same name."""
    return out if out == into or not into else f"{out} → {into}"


def route_condition(part: Mapping[str, Any], output: str) -> str:
    """The condition under which a ConditionalRouter takes this output; empty for any other component."""
    for route in (part.get("init_parameters") or {}).get("routes") or []:
        if isinstance(route, dict) and route.get("output_name") == output:
            condition = " ".join(str(route.get("condition", "")).replace("{{", "").replace("}}", "").split())
            return condition if len(condition) <= LABEL_WIDTH else condition[: LABEL_WIDTH - 1] + "…"
    return ""


def trace_notes(result: Mapping[str, Any]) -> dict[str, list[str]]:
    """Lines for each stage of a trace: time with candidates in and out, and why it was skipped."""
    notes: dict[str, list[str]] = {}
    for stage in result.get("trace", []):
        parts = [f"{stage['ms']:.0f} ms" if stage["ms"] >= 10 else f"{stage['ms']:.1f} ms"]
        counts = candidates(stage.get("candidates_in"), stage.get("candidates_out"))
        if counts:
            parts.append(counts)
        skipped = f"skipped: {stage['skipped']}" if stage.get("skipped") else ""
        notes[stage["name"]] = [" · ".join(parts), skipped] if skipped else [" · ".join(parts)]
    return notes


def candidates(before: int | None, after: int | None) -> str:
    """How many candidates a stage took and gave; empty for one that takes none and gives none.

    >>> candidates(40, 20), candidates(None, 50), candidates(6, None), candidates(None, 0)
    ('40 → 20', '50 out', '6 in', '')
    """
    if before is None:
        return f"{after} out" if after else ""
    return f"{before} in" if after is None else f"{before} → {after}"
