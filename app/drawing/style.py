"""The colours of the pictures: one family a phase, each for light and dark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Palette:
    """Colours of one picture, as #rrggbb."""

    paper: str
    ink: str
    muted: str
    line: str
    component: str
    component_edge: str
    terminal: str
    terminal_edge: str


LIGHT = {
    "indexing": Palette("#ffffff", "#1d1d1f", "#5f5a52", "#8a8378", "#fdf3e1", "#96600f", "#f4f1ec", "#8a8378"),
    "query": Palette("#ffffff", "#1b1f27", "#525c6b", "#7b8798", "#e8f0fe", "#2f5fc0", "#eef1f5", "#7b8798"),
}
DARK = {
    "indexing": Palette("#14130f", "#f3eee5", "#b8ae9d", "#8f8573", "#3a2c14", "#e0a350", "#26231d", "#8f8573"),
    "query": Palette("#0f1218", "#eaf0fa", "#a9b6ca", "#76849b", "#172a4d", "#7aa5f5", "#1e2430", "#76849b"),
}
