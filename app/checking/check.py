"""All faults of a graph file, in the order of their lines."""

from __future__ import annotations

from pathlib import Path

from app.checking.positions import read_source
from app.checking.problem import Problem
from app.checking.structure import check_structure


def check_graph(path: Path) -> list[Problem]:
    """Every fault of the graph in this file; empty where there is none. Never raises for what the file holds."""
    source = read_source(path)
    problems = [*source.problems]
    if source.data is not None or not problems:
        problems += check_structure(source)
        if isinstance(source.data, dict) and isinstance(source.data.get("components"), dict) and source.data["components"]:
            from app.checking.parts import build_parts
            from app.checking.wiring import Wiring

            parts, found = build_parts(source)
            problems += found
            problems += Wiring(source, parts).problems()
    return sorted(set(problems))
