"""Draws graphs as points: quality up, time across, with the interval of the quality and the calls of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from evaluation.graph_comparison import GraphRow

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BASE = 900, 420, 64, 48, 230, 364
COLOURS = ("#2563eb", "#d97706", "#059669", "#9333ea", "#dc2626", "#0891b2", "#65a30d", "#be185d", "#475569", "#a16207")
FONT = "font-family='system-ui, sans-serif'"


def comparison_svg(rows: Sequence[GraphRow], title: str) -> str:
    """The picture. Time is the median of a question on a logarithmic scale.

    :raises ValueError: no graph was run.
    """
    run = [row for row in rows if row.quality]
    if not run:
        raise ValueError("no graph was run, so there is nothing to draw")
    measure = next(iter(run[0].quality))
    seconds = [max((row.costs["p50_ms"] or 0) / 1000, 0.001) for row in run]
    low, high = _decades(seconds)
    parts = [f"<text x='{LEFT}' y='24' {FONT} font-size='15' font-weight='600'>{escape(title)}</text>"]
    for step in range(6):
        y = _up(step / 5)
        parts.append(f"<line x1='{LEFT}' y1='{y:.1f}' x2='{WIDTH - RIGHT}' y2='{y:.1f}' stroke='#e5e7eb'/>")
        parts.append(f"<text x='{LEFT - 8}' y='{y + 4:.1f}' {FONT} font-size='11' text-anchor='end' fill='#374151'>{step / 5:.1f}</text>")
    for power in range(low, high + 1):
        x = _across(10.0**power, low, high)
        parts.append(f"<line x1='{x:.1f}' y1='{TOP}' x2='{x:.1f}' y2='{BASE}' stroke='#f3f4f6'/>")
        parts.append(f"<text x='{x:.1f}' y='{BASE + 16}' {FONT} font-size='11' text-anchor='middle' fill='#374151'>{10.0**power:g}</text>")
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f"<text x='{middle}' y='{BASE + 38}' {FONT} font-size='12' text-anchor='middle' fill='#374151'>seconds of a question, median</text>")
    parts.append(f"<text x='{LEFT - 8}' y='{TOP - 8}' {FONT} font-size='12' fill='#374151'>{escape(measure)}</text>")
    for n, (row, taken) in enumerate(zip(run, seconds, strict=True)):
        found, colour, x = row.quality[measure].to_json(), COLOURS[n % len(COLOURS)], _across(taken, low, high)
        value, ends = _up(found["value"] or 0), (_up(found["low"]), _up(found["high"]))
        parts.append(f"<line x1='{x:.1f}' y1='{ends[0]:.1f}' x2='{x:.1f}' y2='{ends[1]:.1f}' stroke='{colour}' stroke-width='1.5' opacity='.6'/>")
        parts.append(f"<circle cx='{x:.1f}' cy='{value:.1f}' r='5' fill='{colour}'/>")
        y = TOP + 10 + n * 22
        parts.append(f"<circle cx='{WIDTH - RIGHT + 20}' cy='{y}' r='5' fill='{colour}'/>")
        parts.append(
            f"<text x='{WIDTH - RIGHT + 32}' y='{y + 4}' {FONT} font-size='12' fill='#111827'>{escape(row.graph)}"
            f"<tspan fill='#6b7280'>, {row.costs['calls'] or 0:.1f} calls</tspan></text>"
        )
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}' role='img'>"
        f"<title>{escape(title)}</title><rect width='{WIDTH}' height='{HEIGHT}' fill='#ffffff'/>{''.join(parts)}</svg>\n"
    )


def _decades(seconds: Sequence[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(seconds))), math.ceil(math.log10(max(seconds)))
    return low, max(high, low + 1)


def _across(seconds: float, low: int, high: int) -> float:
    return LEFT + (math.log10(seconds) - low) / (high - low) * (WIDTH - LEFT - RIGHT)


def _up(value: float) -> float:
    return BASE - value * (BASE - TOP)
