"""A picture as Mermaid, for pages that render it themselves."""

from __future__ import annotations

from app.drawing.picture import Picture, taken
from app.drawing.style import LIGHT


def to_mermaid(picture: Picture) -> str:
    """Mermaid flowchart of a picture."""
    palette = LIGHT[picture.phase]
    ids = {node.id: f"n{number}" for number, node in enumerate(picture.nodes)}
    lines = ["flowchart TB"]
    for node in picture.nodes:
        text = "<br/>".join([f"<b>{_safe(node.title)}</b>", *(_safe(part) for part in (node.detail, taken(node), *node.note) if part)])
        opening, closing = {"component": ("(", ")"), "input": ("[/", "/]"), "output": ("[[", "]]")}[node.kind]
        lines.append(f'  {ids[node.id]}{opening}"{text}"{closing}:::{node.kind}')
    for edge in picture.edges:
        arrow = "-.->" if edge.start.startswith("in:") else "-->"
        label = f'|"{"<br/>".join(map(_safe, edge.labels))}"|' if edge.labels else ""
        lines.append(f"  {ids[edge.start]} {arrow}{label} {ids[edge.end]}")
    lines.append(f"  classDef component fill:{palette.component},stroke:{palette.component_edge},color:{palette.ink}")
    lines.append(f"  classDef input fill:{palette.terminal},stroke:{palette.terminal_edge},color:{palette.ink}")
    lines.append(f"  classDef output fill:{palette.terminal},stroke:{palette.terminal_edge},color:{palette.ink},stroke-width:2px")
    return "\n".join(lines) + "\n"


def _safe(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "#quot;").replace("<", "&lt;").replace(">", "&gt;")
