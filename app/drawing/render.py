"""DOT to SVG and PNG with the Graphviz that comes as a Python package: no system package, no internet service."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from app.drawing.dot import to_dot
from app.drawing.picture import Picture
from app.drawing.style import DARK, LIGHT, Palette
from app.errors import SakshyaError

PROGRAM = "graphviz-pure"
PNG_DPI = 144


def render(picture: Picture, kind: str, *, dark: bool = False) -> bytes:
    """The picture as `svg` or `png`.

    An SVG follows the reader's light or dark scheme by itself; `dark` chooses for PNG.

    :raises SakshyaError: the drawing program is missing or fails.
    """
    light_palette, dark_palette = LIGHT[picture.phase], DARK[picture.phase]
    if kind == "png":
        return _run(to_dot(picture, dark_palette if dark else light_palette), "-Tpng", f"-Gdpi={PNG_DPI}")
    svg = _run(to_dot(picture, light_palette), "-Tsvg").decode("utf-8")
    return follow_scheme(svg, light_palette, dark_palette).encode("utf-8")


def follow_scheme(svg: str, light: Palette, dark: Palette) -> str:
    """Add a style to the SVG that exchanges each light colour for its dark one where the reader prefers dark."""
    rules = []
    for field in Palette.__dataclass_fields__:
        old, new = getattr(light, field), getattr(dark, field)
        for attribute in ("fill", "stroke"):
            rules.append(f'[{attribute}="{old}"]{{{attribute}:{new}}}')
    rules.append(f"text:not([fill]){{fill:{dark.ink}}}")
    style = f"<style>@media (prefers-color-scheme: dark){{{''.join(rules)}}}</style>"
    head, opening, rest = svg.partition("<g id=")
    return f"{head}{style}\n{opening}{rest}"


def _run(dot: str, *options: str) -> bytes:
    beside = Path(sys.executable).parent / PROGRAM
    program = str(beside) if beside.is_file() else shutil.which(PROGRAM)
    if not program:
        raise SakshyaError(f"{PROGRAM} is not installed; `pip install {PROGRAM}` brings it, and --format mermaid needs no program")
    done = subprocess.run([program, *options], input=dot.encode("utf-8"), capture_output=True, timeout=60, check=False)  # noqa: S603
    if done.returncode or not done.stdout:
        raise SakshyaError(f"{PROGRAM} failed: {' '.join(done.stderr.decode('utf-8', 'replace').split())[:300]}")
    return done.stdout
