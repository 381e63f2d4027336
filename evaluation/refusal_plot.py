"""Draws what refusing does at every threshold as an SVG of two panels: precision and recall of refusing, and answered accuracy over coverage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from evaluation.refusal import Point

WIDTH, HEIGHT, PANEL, LEFT, TOP, SIDE = 900, 360, 450, 52, 44, 250
COLOURS = ("#2563eb", "#d97706", "#059669", "#9333ea")
FONT = "font-family='system-ui, sans-serif'"


def refusal_svg(curves: Mapping[str, Sequence[Point]], chosen: Mapping[str, float]) -> str:
    """The picture.

    :param curves: name of a set to its points.
    :param chosen: name of a set to the threshold used on it, which is marked.
    :raises ValueError: nothing to draw.
    """
    if not any(curves.values()):
        raise ValueError("no curve to draw; accepted: one or more")
    left, right = [_frame(0, "Refusing, by threshold", "threshold", "share")], [_frame(1, "Answered accuracy over coverage", "coverage", "accuracy")]
    for n, (name, points) in enumerate(curves.items()):
        colour = COLOURS[n % len(COLOURS)]
        by_threshold = {p.threshold: p for p in points if p.threshold is not None}
        precision = [(t, p.precision.value) for t, p in by_threshold.items() if p.precision.value is not None]
        recall = [(t, p.recall.value) for t, p in by_threshold.items() if p.recall.value is not None]
        accuracy = [(p.coverage.value or 0.0, p.accuracy.value) for p in points if p.accuracy.value is not None]
        left += [_line(0, precision, colour), _line(0, recall, colour, dashed=True), _legend(0, n, f"{name}: precision —, recall - -", colour)]
        right += [_line(1, accuracy, colour), _legend(1, n, name, colour)]
        if name in chosen:
            threshold = min(by_threshold, key=lambda t: abs(t - chosen[name]))
            at = by_threshold[threshold]
            left += [_mark(0, threshold, share.value, colour) for share in (at.precision, at.recall) if share.value is not None]
            if at.accuracy.value is not None:
                right.append(_mark(1, at.coverage.value or 0.0, at.accuracy.value, colour))
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}' role='img'>"
        f"<title>Refusal</title><rect width='{WIDTH}' height='{HEIGHT}' fill='#ffffff'/>{''.join(left + right)}</svg>\n"
    )


def _at(panel: int, x: float, y: float) -> tuple[float, float]:
    return panel * PANEL + LEFT + x * (PANEL - LEFT - 24), TOP + (1 - y) * SIDE


def _frame(panel: int, title: str, across: str, up: str) -> str:
    parts = [f"<text x='{panel * PANEL + LEFT}' y='24' {FONT} font-size='14' font-weight='600'>{escape(title)}</text>"]
    for step in range(6):
        value = step / 5
        (x, base), (x0, y) = _at(panel, value, 0), _at(panel, 0, value)
        x1 = _at(panel, 1, 0)[0]
        parts += [
            f"<line x1='{x0}' y1='{y}' x2='{x1}' y2='{y}' stroke='#e5e7eb'/>",
            f"<text x='{x0 - 8}' y='{y + 4}' {FONT} font-size='11' text-anchor='end' fill='#374151'>{value:.1f}</text>",
            f"<text x='{x}' y='{base + 16}' {FONT} font-size='11' text-anchor='middle' fill='#374151'>{value:.1f}</text>",
        ]
    middle, base = _at(panel, 0.5, 0)
    parts.append(f"<text x='{middle}' y='{base + 34}' {FONT} font-size='12' text-anchor='middle' fill='#374151'>{across}</text>")
    parts.append(f"<text x='{panel * PANEL + LEFT - 4}' y='{TOP - 8}' {FONT} font-size='11' text-anchor='end' fill='#374151'>{up}</text>")
    return "".join(parts)


def _line(panel: int, points: Sequence[tuple[float, float]], colour: str, *, dashed: bool = False) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (_at(panel, a, b) for a, b in points))
    dash = " stroke-dasharray='5 4'" if dashed else ""
    return f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2'{dash}/>"


def _mark(panel: int, a: float, b: float, colour: str) -> str:
    x, y = _at(panel, a, b)
    return f"<circle cx='{x:.1f}' cy='{y:.1f}' r='5' fill='#ffffff' stroke='{colour}' stroke-width='2'/>"


def _legend(panel: int, row: int, text: str, colour: str) -> str:
    x, y = _at(panel, 0.03, 0.04)
    return f"<text x='{x:.1f}' y='{y - 16 * row:.1f}' {FONT} font-size='12' fill='{colour}'>{escape(text)}</text>"
