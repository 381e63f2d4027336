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


@dataclass
class Node:
    """A component, an input or an output. `note` is a line of a run's trace."""

    id: str
    kind: NodeKind
    title: str
    detail: str = ""
    note: str = ""


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
        nodes += [Node(name, "component", name, str(part["type"]).rpartition(".")[2], notes.get(name, "")) for name, part in components.items()]
        nodes += [Node(f"out:{name}", "output", str(name)) for name in outputs]
        labels: dict[tuple[str, str], list[str]] = defaultdict(list)
        for connection in connections:
            (sender, _, out), (receiver, _, into) = connection["sender"].partition("."), connection["receiver"].partition(".")
            labels[sender, receiver].append(route_condition(components.get(sender, {}), out) or socket_label(out, into))
        for name, sockets in inputs.items():
            for socket in [sockets] if isinstance(sockets, str) else sockets:
                component, _, key = socket.partition(".")
                labels[f"in:{name}", component].append("" if key == name else key)
        for name, socket in outputs.items():
            component, _, key = socket.partition(".")
            labels[component, f"out:{name}"].append("" if key == name else key)
    except (OSError, yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        raise GraphError(f"{path}: cannot be drawn; `sakshya check {path}` says what is wrong with it") from error
    known = {node.id for node in nodes}
    edges = [Edge(start, end, [text for text in texts if text]) for (start, end), texts in labels.items() if start in known and end in known]
    return Picture(path.stem, "indexing" if "report" in outputs else "query", nodes, edges)


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


def trace_notes(result: Mapping[str, Any]) -> dict[str, str]:
    """A line for each stage of a trace: time, candidates in and out, or why it was skipped."""
    notes: dict[str, str] = {}
    for stage in result.get("trace", []):
        parts = [f"{stage['ms']:.1f} ms"]
        if stage.get("candidates_in") is not None or stage.get("candidates_out") is not None:
            parts.append(f"{stage.get('candidates_in') or 0} → {stage.get('candidates_out') or 0}")
        if stage.get("skipped"):
            parts.append(f"skipped: {stage['skipped']}")
        notes[stage["name"]] = " · ".join(parts)
    return notes
