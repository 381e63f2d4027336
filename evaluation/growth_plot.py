"""Draws how an index grows as an SVG of three panels: recall, time of a search, and size with build time, over the number of chunks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

WIDTH, HEIGHT = 960, 330
PANEL_WIDTH, LEFT, TOP, BOTTOM = 300, 48, 44, 40
COLOURS = ("#2563eb", "#d97706", "#059669", "#9333ea")
FONT = "font-family='system-ui, sans-serif'"

Series = Mapping[str, Sequence[tuple[float, float]]]
"""Name of a line to its points."""


def growth_svg(reports: Sequence[Mapping[str, Any]], ef: str | int | None = None) -> str:
    """The picture of reports of `evaluation.bench_hnsw.measure`.

    :param ef: which search is drawn: a value of `ef`, or None for the largest that was measured.
    :raises ValueError: no report, or one that did not measure this `ef`.
    """
    if not reports:
        raise ValueError("no report to draw; accepted: one or more")
    if ef is None:
        ef = max((row["ef"] for report in reports for row in report["rows"] if isinstance(row["ef"], int)), default="default")
    recall: dict[str, list[tuple[float, float]]] = {}
    times: dict[str, list[tuple[float, float]]] = {}
    for report in sorted(reports, key=lambda r: r["chunks"]):
        chunks = report["chunks"]
        for row in report["rows"]:
            kind = "no filter" if row["filter"] == 1 else "filter, 1 % of the chunks"
            if row["ef"] in ("default", ef):
                label = f"{kind}, ef {row['ef']}"
                recall.setdefault(label, []).append((chunks, row["recall"]["value"]))
            if row["ef"] in ("exact", ef):
                label = f"{kind}, {'exact' if row['ef'] == 'exact' else f'ef {ef}'}"
                times.setdefault(label, []).append((chunks, row["ms"]["p50"]))
        if f"no filter, ef {ef}" not in recall:
            raise ValueError(f"ef {ef} was not measured")
    ordered = sorted(reports, key=lambda r: r["chunks"])
    growth = {
        "megabytes on disk": [(r["chunks"], r["index"]["bytes"] / 1e6) for r in ordered if r["index"]["bytes"]],
        "seconds to build": [(r["chunks"], max(r["build_s"], 0.1)) for r in ordered],
    }
    low = min([0.9, *(y for points in recall.values() for _, y in points)])
    panels = [
        _panel(0, "recall@10 against exact search", recall, (math.floor(low * 20) / 20, 1.0), log=False),
        _panel(1, "milliseconds a search, median", times, None, log=True),
        _panel(2, "size and build time", growth, None, log=True),
    ]
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}' role='img'>"
        f"<title>Growth of the index</title><rect width='{WIDTH}' height='{HEIGHT}' fill='#ffffff'/>{''.join(panels)}</svg>\n"
    )


def _panel(number: int, title: str, series: Series, span: tuple[float, float] | None, *, log: bool) -> str:
    """One panel, chunks on a logarithmic axis; the legend stands below the title of the axis, a line each."""
    x0 = number * (PANEL_WIDTH + 20) + LEFT
    width, bottom = PANEL_WIDTH - LEFT, HEIGHT - BOTTOM - 16 * len(series) - 8
    xs = [x for points in series.values() for x, _ in points]
    ys = [y for points in series.values() for _, y in points]
    first, last = math.log10(min(xs)), math.log10(max(xs))
    if last - first < 0.1:
        first, last = first - 0.5, last + 0.5
    low, high = span or (10 ** math.floor(math.log10(min(ys))), 10 ** math.ceil(math.log10(max(ys)) + 1e-9))
    if low == high:
        high = low * 10 if log else low + 1

    def across(x: float) -> float:
        return x0 + width * (math.log10(x) - first) / (last - first)

    def up(y: float) -> float:
        share = (math.log10(y) - math.log10(low)) / (math.log10(high) - math.log10(low)) if log else (y - low) / (high - low)
        return bottom - (bottom - TOP) * share

    parts = [f"<text x='{x0}' y='24' {FONT} font-size='14' font-weight='600' fill='#111827'>{escape(title)}</text>"]
    for y in _ticks(low, high, log):
        parts.append(f"<line x1='{x0}' x2='{x0 + width}' y1='{up(y):.1f}' y2='{up(y):.1f}' stroke='#e5e7eb'/>")
        parts.append(f"<text x='{x0 - 6}' y='{up(y) + 4:.1f}' {FONT} font-size='11' fill='#4b5563' text-anchor='end'>{y:g}</text>")
    for x in sorted(set(xs)):
        parts.append(f"<text x='{across(x):.1f}' y='{bottom + 16}' {FONT} font-size='11' fill='#4b5563' text-anchor='middle'>{_chunks(x)}</text>")
    for place, (name, points) in enumerate(series.items()):
        colour = COLOURS[place % len(COLOURS)]
        line = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in points)
        parts.append(f"<polyline points='{line}' fill='none' stroke='{colour}' stroke-width='2'/>")
        parts += [f"<circle cx='{across(x):.1f}' cy='{up(y):.1f}' r='3' fill='{colour}'/>" for x, y in points]
        at = bottom + 36 + 16 * place
        parts.append(f"<rect x='{x0}' y='{at - 8}' width='10' height='10' fill='{colour}'/>")
        parts.append(f"<text x='{x0 + 16}' y='{at + 1}' {FONT} font-size='11' fill='#111827'>{escape(name)}</text>")
    return "".join(parts)


def _ticks(low: float, high: float, log: bool) -> list[float]:
    if log:
        return [10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) if low <= 10.0**e <= high]
    step = 0.01 if high - low <= 0.06 else 0.05 if high - low <= 0.3 else 0.1
    count = round((high - low) / step)
    return [round(low + step * i, 4) for i in range(count + 1)]


def _chunks(count: float) -> str:
    return f"{count / 1000:g}k" if count >= 1000 else f"{count:g}"
