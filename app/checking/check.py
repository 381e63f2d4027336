"""All faults of graph files, in the order of files and lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.checking.positions import Source, read_source
from app.checking.problem import Problem
from app.checking.structure import check_structure, misnamed_wiring


def check_graphs(paths: Sequence[Path], beside: Sequence[Path] = ()) -> list[Problem]:
    """Every fault of the graphs in these files, and of how they go together; empty where there is none. Never raises for what they hold.

    :param beside: further graphs, of which those for indexing are what they must agree with; their own faults are not reported.
    """
    problems: list[Problem] = []
    sound = []
    others = [path for path in beside if path.resolve() not in {own.resolve() for own in paths}]
    for path in [*paths, *others]:
        source = read_source(path)
        if path in others and not is_indexing(source):
            continue
        problems += source.problems
        if source.data is None and source.problems:
            continue
        problems += check_structure(source)
        if isinstance(source.data, dict) and isinstance(source.data.get("components"), dict) and source.data["components"]:
            from app.checking.parts import build_parts
            from app.checking.wiring import Wiring

            parts, found = build_parts(source)
            problems += found
            if not misnamed_wiring(source.data):
                problems += Wiring(source, parts).problems()
            sound.append((source, parts))
    if len(sound) > 1:
        from app.checking.agreement import check_agreement

        problems += check_agreement(sound)
    return sorted({problem for problem in problems if problem.file in {str(path) for path in paths}})


def is_indexing(source: Source) -> bool:
    """Whether the graph builds an index: it gives a report."""
    outputs = source.data.get("outputs") if isinstance(source.data, dict) else None
    return isinstance(outputs, dict) and "report" in outputs


def check_graph(path: Path) -> list[Problem]:
    """Every fault of one graph; see `check_graphs`."""
    return check_graphs([path])
