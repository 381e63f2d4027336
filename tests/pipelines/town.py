"""Two small collections of a town, and graphs over them with other parameters."""

import asyncio

import yaml

from app.graphs import load_graph
from app.indexing import index_paths
from app.query import ask
from app.store import graph_store
from tests.pipelines.conftest import READER, ROOT

OWN = {
    "pool.md": "# Town pool\n\nThe town pool opens at 7 in the morning. A towel costs 3 euros.\n",
    "library.md": "# Town library\n\nA library card is valid for two years. Lost books are charged at their price.\n",
}
SECOND = {
    "parking.md": "# Parking permits\n\nA parking permit for residents costs 45 euros a year. It is issued by the road office.\n",
    "salaries.md": "# Salaries\n\nThe director of the road office earns 90,000 euros a year.\n",
}


def index(folder, files, store=None, rules=()):
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    graph = load_graph("index", phase="indexing", store=store)
    run = lambda values: graph.run(values)["report"]  # noqa: E731
    report = index_paths(run, [folder], store=graph_store(graph), rules=rules, graph_version=graph.version)
    assert len(report["added"]) == len(files)


def variant(folder, name, **parameters):
    """The graph with other parameters, as COMPONENT__PARAMETER."""
    config = yaml.safe_load((ROOT / "pipelines" / f"{name}.yml").read_text())
    for key, value in parameters.items():
        component, _, parameter = key.partition("__")
        config["components"][component]["init_parameters"][parameter] = value
    path = folder / f"{name}_{len(list(folder.iterdir()))}.yml"
    path.write_text(yaml.safe_dump(config, sort_keys=False))
    return load_graph(str(path), phase="query")


def asked(graph, question, principal=READER, **more):
    return asyncio.run(ask(graph, question, principal=principal, **more))


def stages(answer):
    return {stage.name: stage for stage in answer.trace}


def note(answer, name):
    return stages(answer)[name].note or ""
