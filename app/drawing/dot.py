"""A picture as Graphviz DOT."""

from __future__ import annotations

from html import escape

from app.drawing.picture import Edge, Node, Picture, taken
from app.drawing.style import Palette

FONT = "Arial"
SIDE_OUTPUTS = {"failed", "degraded", "fingerprint", "skipped"}
"""Outputs that report on the run; their connections are drawn lighter than those that carry documents."""


def to_dot(picture: Picture, palette: Palette) -> str:
    """DOT of a picture, top to bottom: each input above what it feeds, the outputs last."""
    lines = [
        f'digraph "{picture.name}" {{',
        f'  graph [rankdir=TB, bgcolor="{palette.paper}", fontname="{FONT}", nodesep=0.45, ranksep=0.5, pad=0.3, splines=true]',
        f'  node [fontname="{FONT}", fontsize=13, margin="0.18,0.09", penwidth=1.4, fontcolor="{palette.ink}"]',
        f'  edge [fontname="{FONT}", fontsize=11, color="{palette.line}", fontcolor="{palette.muted}", arrowsize=0.7, penwidth=1.1]',
    ]
    lines += [f"  {_node(node, palette)}" for node in picture.nodes]
    lines += [f"  {_edge(edge, palette)}" for edge in picture.edges]
    outputs = " ".join(f'"{node.id}"' for node in picture.nodes if node.kind == "output")
    lines.append(f"  {{ rank=sink; {outputs} }}")
    return "\n".join([*lines, "}"])


def _node(node: Node, palette: Palette) -> str:
    rows = [f"<B>{escape(node.title)}</B>"]
    if node.detail:
        rows.append(f'<FONT POINT-SIZE="11" COLOR="{palette.muted}">{escape(node.detail)}</FONT>')
    if node.takes:
        rows.append(f'<FONT POINT-SIZE="11" COLOR="{palette.muted}">{escape(taken(node))}</FONT>')
    rows += [f'<FONT POINT-SIZE="11" COLOR="{palette.component_edge}">{escape(line)}</FONT>' for line in node.note]
    label = "<BR/>".join(rows)
    if node.kind == "component":
        style = f'shape=box, style="rounded,filled", fillcolor="{palette.component}", color="{palette.component_edge}", class="component"'
    else:
        shape = "cds" if node.kind == "input" else "box"
        corners = "filled" if node.kind == "input" else "filled,bold"
        style = f'shape={shape}, style="{corners}", fillcolor="{palette.terminal}", color="{palette.terminal_edge}", class="{node.kind}"'
    return f'"{node.id}" [label=<{label}>, {style}]'


def _edge(edge: Edge, palette: Palette) -> str:
    attributes = []
    if edge.labels:
        label = "<BR/>".join(escape(text) for text in edge.labels)
        attributes.append(f'label=<<TABLE BORDER="0" CELLPADDING="2"><TR><TD BGCOLOR="{palette.paper}">{label}</TD></TR></TABLE>>')
    if edge.start.startswith("in:"):
        attributes.append("style=dashed, weight=1")
    elif edge.labels and all(text.partition(" ")[0] in SIDE_OUTPUTS for text in edge.labels):
        attributes.append("style=dotted, weight=0")
    return f'"{edge.start}" -> "{edge.end}" [{", ".join(attributes)}]'
