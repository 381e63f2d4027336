"""Pictures made by the real program, read back: every component, input, output and label is there and on the canvas."""

import json
import re
import shutil
import sys
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from PIL import Image
from typer.testing import CliRunner

from app.cli import app
from app.drawing.mermaid import to_mermaid
from app.drawing.picture import picture_of
from app.drawing.render import render
from app.drawing.style import DARK, LIGHT

ROOT = Path(__file__).parents[3]
ROUTED = ROOT / "tests" / "app" / "checking" / "graphs" / "routed_answer.yml"
GRAPHS = [ROOT / "pipelines" / "query.yml", ROOT / "pipelines" / "index.yml", ROUTED]
SVG = "{http://www.w3.org/2000/svg}"
TRACE = {
    "status": "answered",
    "graph": "query",
    "trace": [
        {"name": "dense_embedder", "type": "DenseTextEmbedder", "ms": 390.976, "candidates_in": None, "candidates_out": 0, "model": None, "skipped": None},
        {"name": "bm25_retriever", "type": "BM25Retriever", "ms": 8.83, "candidates_in": None, "candidates_out": 15, "model": None, "skipped": None},
        {"name": "fuser", "type": "ReciprocalRankFuser", "ms": 15.1, "candidates_in": 65, "candidates_out": 40, "model": None, "skipped": None},
        {"name": "ranker", "type": "CrossEncoderRanker", "ms": 8.06, "candidates_in": 40, "candidates_out": 20, "model": None, "skipped": "no model"},
        {"name": "prompt_builder", "type": "EvidencePromptBuilder", "ms": 17.6, "candidates_in": 6, "candidates_out": None, "model": None, "skipped": None},
    ],
}  # fmt: skip


def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def drawn(path: Path, trace: dict | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(render(picture_of(path, trace), "svg"))


def groups(root: ElementTree.Element, kind: str) -> dict[str, str]:
    """Title and text of the nodes or edges of a class."""
    found = {}
    for group in root.iter(f"{SVG}g"):
        if kind in group.get("class", "").split():
            found[group.findtext(f"{SVG}title", "")] = "\n".join("".join(text.itertext()) for text in group.iter(f"{SVG}text"))
    return found


@pytest.fixture(scope="module", params=GRAPHS, ids=lambda path: path.stem)
def graph(request):
    return request.param, read(request.param), drawn(request.param)


def test_every_component_with_its_class(graph):
    _, data, root = graph
    nodes = groups(root, "component")
    assert set(nodes) == set(data["components"])
    for name, part in data["components"].items():
        assert nodes[name].splitlines()[:2] == [name, part["type"].rpartition(".")[2]]


def test_inputs_and_outputs_are_marked_and_each_is_used(graph):
    _, data, root = graph
    assert groups(root, "input") == {f"in:{name}": name for name in data["inputs"]}
    assert groups(root, "output") == {f"out:{name}": name for name in data["outputs"]}
    edges, nodes = groups(root, "edge"), groups(root, "component")
    for name, sockets in data["inputs"].items():
        for socket in sockets:
            component = socket.partition(".")[0]
            line = re.search(rf"^← .*\b{name}\b", nodes[component], re.MULTILINE)
            assert (f"in:{name}->{component}" in edges) != bool(line), f"{name} to {component}: a line or a word, and not both"
    assert all(f"{socket.partition('.')[0]}->out:{name}" in edges for name, socket in data["outputs"].items())


def test_every_connection_has_its_line_and_its_label(graph):
    path, data, root = graph
    edges = groups(root, "edge")
    for connection in data["connections"]:
        (sender, _, out), (receiver, _, into) = connection["sender"].partition("."), connection["receiver"].partition(".")
        label = edges[f"{sender}->{receiver}"]
        if sender != "router" or path != ROUTED:
            assert (out if out == into else f"{out} → {into}") in label.replace("\xa0", " ").splitlines()


def test_branches_of_a_router_are_named_by_their_condition():
    edges = groups(drawn(ROUTED), "edge")
    assert edges["router->prompt_builder"] == "documents | length >= 2"
    assert edges["router->apology"] == "documents | length < 2"


def test_no_text_leaves_the_canvas(graph):
    _, _, root = graph
    left, top, width, height = map(float, root.get("viewBox").split())
    dx, dy = map(float, re.search(r"translate\(([-\d.]+) ([-\d.]+)\)", root.find(f"{SVG}g").get("transform")).groups())
    texts = list(root.iter(f"{SVG}text"))
    assert texts
    for text in texts:
        size, words = float(text.get("font-size")), "".join(text.itertext())
        x, y, long = float(text.get("x")) + dx, float(text.get("y")) + dy, 0.55 * size * len(words)
        start = x - {"start": 0, "middle": long / 2, "end": long}[text.get("text-anchor", "start")]
        assert left <= start and start + long <= left + width, words
        assert top <= y - size and y + 0.3 * size <= top + height, words


def test_no_line_passes_through_a_component(graph):
    """Sampled along the drawn curves, away from the ends."""
    _, _, root = graph
    boxes = {}
    for group in root.iter(f"{SVG}g"):
        if "component" in group.get("class", "").split():
            numbers = [float(n) for n in re.findall(r"-?\d+\.?\d*", group.find(f"{SVG}path").get("d"))]
            xs, ys = numbers[::2], numbers[1::2]
            boxes[group.findtext(f"{SVG}title")] = (min(xs) + 2, max(xs) - 2, min(ys) + 2, max(ys) - 2)
    assert boxes
    for group in root.iter(f"{SVG}g"):
        if "edge" not in group.get("class", "").split():
            continue
        ends = group.findtext(f"{SVG}title").split("->")
        numbers = [float(n) for n in re.findall(r"-?\d+\.?\d*", group.find(f"{SVG}path").get("d"))]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        curve = [bezier(points[i : i + 4], step / 10) for i in range(0, len(points) - 3, 3) for step in range(11)]
        for name, (x0, x1, y0, y1) in boxes.items():
            assert name in ends or not any(x0 < x < x1 and y0 < y < y1 for x, y in curve), f"{' to '.join(ends)} passes through {name}"


def bezier(points, t):
    (a, b), (c, d), (e, f), (g, h) = points
    w = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3]
    return (w[0] * a + w[1] * c + w[2] * e + w[3] * g, w[0] * b + w[1] * d + w[2] * f + w[3] * h)


def test_the_svg_follows_the_readers_scheme(graph):
    path, _, root = graph
    phase = "indexing" if path.stem == "index" else "query"
    style = root.findtext(f"{SVG}style")
    assert style.startswith("@media (prefers-color-scheme: dark){")
    light, dark = LIGHT[phase], DARK[phase]
    used = {element.get(key) for element in root.iter() for key in ("fill", "stroke")} - {None, "none", "black"}
    assert used <= set(vars(light).values()), "a colour that has no dark counterpart"
    for name, colour in vars(light).items():
        if colour in used:
            assert f'[fill="{colour}"]{{fill:{getattr(dark, name)}}}' in style


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one, other):
    """WCAG 2.2, contrast ratio."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [*LIGHT.values(), *DARK.values()], ids=["light index", "light query", "dark index", "dark query"])
def test_text_and_lines_stand_out(palette):
    for ink, paper in (
        ("ink", "paper"),
        ("ink", "component"),
        ("ink", "terminal"),
        ("muted", "paper"),
        ("muted", "component"),
        ("component_edge", "component"),
    ):
        assert contrast(getattr(palette, ink), getattr(palette, paper)) >= 4.5, (ink, paper)
    for line in ("line", "component_edge", "terminal_edge"):
        assert contrast(getattr(palette, line), palette.paper) >= 3, line


def test_png_light_and_dark(graph):
    path, _, root = graph
    phase = "indexing" if path.stem == "index" else "query"
    light, dark = (Image.open(BytesIO(render(picture_of(path), "png", dark=dark))).convert("RGB") for dark in (False, True))
    width, height = (float(root.get(side).removesuffix("pt")) for side in ("width", "height"))
    assert light.size == dark.size == pytest.approx((2 * width, 2 * height), abs=4)
    for image, palette in ((light, LIGHT[phase]), (dark, DARK[phase])):
        assert "#{:02x}{:02x}{:02x}".format(*image.getpixel((3, 3))) == palette.paper
        colours = {f"#{r:02x}{g:02x}{b:02x}" for _, (r, g, b) in image.getcolors(1 << 20)}
        assert {palette.component, palette.terminal} <= colours


def test_mermaid_is_whole(graph):
    path, data, _ = graph
    text = to_mermaid(picture_of(path))
    lines = text.splitlines()
    assert lines[0] == "flowchart TB"
    nodes = [line for line in lines if ":::" in line]
    assert len(nodes) == len(data["components"]) + len(data["inputs"]) + len(data["outputs"])
    for name in data["components"]:
        assert sum(f"<b>{name}</b>" in line for line in nodes) == 1
    ids = {line.split("(")[0].split("[")[0].strip() for line in nodes}
    edges = [line for line in lines if "-->" in line or "-.->" in line]
    for line in edges:
        start, end = re.fullmatch(r'  (n\d+) (?:-->|-\.->)(?:\|"[^"|]*(?:\|[^"|]*)*"\|)? (n\d+)', line).groups()
        assert {start, end} <= ids
    assert len(edges) >= len({(c["sender"].partition(".")[0], c["receiver"].partition(".")[0]) for c in data["connections"]})
    for line in nodes:
        assert line.count('"') == 2
        assert all(line.count(a) == line.count(b) for a, b in ("()", "[]"))


def test_a_condition_with_quotes_and_brackets_stays_text(tmp_path):
    path = tmp_path / "graph.yml"
    path.write_text(
        ROUTED.read_text(encoding="utf-8").replace("{{ documents | length >= 2 }}", "{{ a == 'x' and b < \\\"&<b>\\\" }}", 1), encoding="utf-8"
    )
    assert groups(drawn(path), "edge")["router->prompt_builder"] == "a == 'x' and b < \"&<b>\""
    (line,) = (line for line in to_mermaid(picture_of(path)).splitlines() if "a == " in line)
    assert line.count('"') == 2
    assert "<b>" not in line


def test_a_trace_is_laid_on_the_nodes():
    nodes = groups(drawn(GRAPHS[0], TRACE), "component")
    assert nodes["dense_embedder"].splitlines()[-1] == "391 ms"
    assert nodes["bm25_retriever"].splitlines()[-1] == "8.8 ms · 15 out"
    assert nodes["fuser"].splitlines()[-1] == "15 ms · 65 → 40"
    assert nodes["ranker"].splitlines()[-2:] == ["8.1 ms · 40 → 20", "skipped: no model"]
    assert nodes["prompt_builder"].splitlines()[-1] == "18 ms · 6 in"
    assert "ms" not in nodes["evidence"]
    assert "skipped: no model" in to_mermaid(picture_of(GRAPHS[0], TRACE))


def run(*arguments):
    return CliRunner().invoke(app, ["draw", *map(str, arguments)])


def one_line(done, code):
    assert done.exit_code == code, done.output
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stderr.startswith("sakshya: ")
    return done.stderr


def test_the_ending_chooses_the_format(tmp_path):
    for ending, start in ((".svg", b"<?xml"), (".png", b"\x89PNG"), (".mmd", b"flowchart")):
        file = tmp_path / f"x{ending}"
        done = run("query", "-o", file, "--json")
        assert done.exit_code == 0, done.stderr
        assert json.loads(done.stdout) == {
            "graph": "query",
            "file": str(file),
            "format": {"mmd": "mermaid"}.get(ending[1:], ending[1:]),
            "bytes": file.stat().st_size,
            "errors": 0,
        }
        assert file.read_bytes().startswith(start)


def test_standard_output():
    assert run("query", "-o", "-").stdout_bytes.startswith(b"<?xml")
    assert run("query", "-o", "-", "--format", "png").stdout_bytes.startswith(b"\x89PNG")


def test_wrong_use_is_one_line(tmp_path):
    assert "accepted: .svg, .png" in one_line(run("query", "-o", tmp_path / "x.pdf"), 2)
    assert "cannot write" in one_line(run("query", "-o", tmp_path / "absent" / "x.svg"), 2)
    assert "Graphs here: index, " in one_line(run("nonsense"), 2)
    broken = tmp_path / "broken.yml"
    broken.write_text("components: [", encoding="utf-8")
    assert "sakshya check" in one_line(run(broken, "-o", "-"), 1)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"trace": [{"name": "ranker"}]}', '{"trace": [3]}'])
def test_a_trace_that_is_none_is_one_line(tmp_path, text):
    file = tmp_path / "trace.json"
    file.write_text(text, encoding="utf-8")
    assert "accepted: the output of `sakshya ask --json`" in one_line(run("query", "-o", "-", "--trace", file), 2)
    assert "cannot read" in one_line(run("query", "-o", "-", "--trace", tmp_path / "absent.json"), 2)


def test_a_trace_of_another_graph_is_one_line(tmp_path):
    file = tmp_path / "trace.json"
    file.write_text(json.dumps(TRACE), encoding="utf-8")
    assert "another graph (query)" in one_line(run("index", "-o", "-", "--trace", file), 2)


def test_a_missing_program_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("graphviz-pure") is None
    assert "pip install graphviz-pure" in one_line(run("query", "-o", tmp_path / "x.svg"), 1)
    assert run("query", "-o", tmp_path / "x.mmd").exit_code == 0


@pytest.mark.parametrize("name", ["query", "index"])
def test_the_pictures_of_the_documentation_are_current(name):
    """In what they show; where it stands depends on the fonts of the machine that drew it."""
    now, kept = drawn(ROOT / "pipelines" / f"{name}.yml"), ElementTree.parse(ROOT / "docs" / "graphs" / f"{name}.svg").getroot()
    for kind in ("component", "input", "output", "edge"):
        assert groups(kept, kind) == groups(now, kind), f"run: sakshya draw {name} -o docs/graphs/{name}.svg"
    assert kept.findtext(f"{SVG}style") == now.findtext(f"{SVG}style")


LOOP = """
components:
  join: {type: haystack.components.joiners.branch.BranchJoiner, init_parameters: {type_: str}}
  a: &part
    type: haystack.components.builders.prompt_builder.PromptBuilder
    init_parameters: {template: "{{x}}{{question}}", required_variables: []}
  b: *part
  c: *part
connections:
  - {sender: join.value, receiver: a.x}
  - {sender: a.prompt, receiver: b.x}
  - {sender: b.prompt, receiver: c.x}
  - {sender: c.prompt, receiver: FROM}
inputs:
  start: [join.value]
  question: [a.question, b.question, c.question]
outputs:
  answer: c.prompt
"""


@pytest.mark.parametrize(("back", "lined"), [("join.value", {"a"}), ("a.x", {"a"}), ("b.x", {"a"})])
def test_an_input_of_a_loop_has_a_line(tmp_path, back, lined):
    path = tmp_path / "loop.yml"
    path.write_text(LOOP.replace("FROM", back))
    picture = picture_of(path)
    assert {edge.end for edge in picture.edges if edge.start == "in:question"} == lined
    assert {node.id for node in picture.nodes if "question" in node.takes} == {"a", "b", "c"} - lined


@pytest.mark.parametrize("path", sorted((ROOT / "pipelines").glob("*.yml")), ids=lambda path: path.stem)
def test_every_input_of_every_graph_has_a_line(path):
    picture = picture_of(path)
    assert {f"in:{name}" for name in read(path)["inputs"]} == {edge.start for edge in picture.edges if edge.start.startswith("in:")}


def test_faults_are_said_as_check_says_them_and_the_drawing_is_made(tmp_path):
    path, file = tmp_path / "trial.yml", tmp_path / "trial.svg"
    path.write_text((ROOT / "pipelines" / "query.yml").read_text().replace("k1: 1.2", "k2: 1.2"))
    done = run(path, "-o", file)
    said = CliRunner().invoke(app, ["check", str(path)]).stdout
    assert done.exit_code == 1 and "unknown parameter of BM25TextEmbedder" in said
    assert done.stderr.replace("\n", " ").strip() == f"{said}{file} ({file.stat().st_size:,} bytes)".replace(
        "\n", " "
    ) and file.read_bytes().startswith(b"<?xml")
    told = run(path, "-o", file, "--json")
    assert told.exit_code == 1 and json.loads(told.stdout)["errors"] == 1
    sent = run(path, "-o", "-")
    assert sent.exit_code == 1 and sent.stdout_bytes.startswith(b"<?xml") and sent.stderr == said


def test_a_warning_is_said_and_no_failure(tmp_path, monkeypatch):
    monkeypatch.delenv("SAKSHYA_CHAT_MODEL", raising=False)
    done = run("query_hyde", "-o", tmp_path / "hyde.svg")
    assert done.exit_code == 0 and "warning: hyde: cannot run here: SAKSHYA_CHAT_MODEL is not set" in done.stderr
