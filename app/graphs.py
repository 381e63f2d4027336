"""Loading a graph: YAML to a Haystack pipeline, with the names of its inputs and outputs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import yaml

from app.environment import ALLOWED_MODULES
from app.errors import GraphError, UsageError, one_line, plain
from app.graph_identity import graph_identity
from config.settings import home, settings

if TYPE_CHECKING:
    from haystack import Pipeline

Phase = Literal["indexing", "query"]
STORE_TYPE = "components.document_stores.sakshya_document_store.SakshyaDocumentStore"
STORE_PLACE = {"path", "url", "location", "index", "api_key"}
"""Parameters of a store that say where it is."""


@dataclass(frozen=True)
class Graph:
    """A loaded graph.

    :param inputs: name of an input to the sockets (`component.socket`) that receive it.
    :param outputs: name of an output to the socket that gives it.
    :param version: hash of what shapes the chunks: the components up to the embedder and how they are connected.
    :param identity: hash of all that it answers by, `app.graph_identity`; empty where no answers are kept.
    """

    name: str
    path: Path
    phase: Phase
    pipeline: Pipeline
    inputs: dict[str, list[str]]
    outputs: dict[str, str]
    version: str
    identity: str = ""

    def warm_up(self) -> None:
        """Load the models, so that the first question does not wait for them."""
        self.pipeline.warm_up()

    def data(self, values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """The pipeline's input data for named values; an input that this graph does not declare is left out, as is `None`."""
        data: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            if value is None:
                continue
            for socket in self.inputs.get(name, []):
                component, _, key = socket.partition(".")
                data.setdefault(component, {})[key] = value
        return data

    def pick(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """The declared outputs, by name, from a pipeline's result; an output that no component gave is left out."""
        picked = {}
        for name, socket in self.outputs.items():
            component, _, key = socket.partition(".")
            if key in result.get(component, {}):
                picked[name] = result[component][key]
        return picked

    def run(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Run synchronously; see `run_async`."""
        return self.pick(self.pipeline.run(self.data(values), include_outputs_from=self._output_components()))

    async def run_async(self, values: Mapping[str, Any], on_chunk: Callable[[Any], None] | None = None) -> dict[str, Any]:
        """Run with named values and return the declared outputs by name.

        :param on_chunk: called with each `StreamingChunk` of the components that stream.
        """
        data = self.data(values)
        if on_chunk is not None:
            for name, sockets in self.pipeline.inputs().items():
                if "streaming_callback" in sockets:
                    data.setdefault(name, {})["streaming_callback"] = on_chunk
        return self.pick(await self.pipeline.run_async(data, include_outputs_from=self._output_components()))

    def _output_components(self) -> set[str]:
        return {socket.partition(".")[0] for socket in self.outputs.values()}


def graph_path(name: str) -> Path:
    """File of a graph: `NAME` is `pipelines/NAME.yml` of the clone, or a path to a YAML file.

    :raises UsageError: there is no such file; the graphs that exist are named.
    """
    candidate = Path(name)
    path = candidate if candidate.suffix in {".yml", ".yaml"} else home() / "pipelines" / f"{name}.yml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in (home() / "pipelines").glob("*.yml"))) or "none"
        raise UsageError(f"graph {name!r} not found: {path} does not exist. Graphs here: {known}")
    return path


class NotEquippedError(GraphError):
    """A graph that cannot run here for want of a setting; one line for each, with its name."""


def required_settings(pipeline: Pipeline) -> list[str]:
    """What components cannot do without and have not: `node: setting`, a line each."""
    said = {name: required_setting(pipeline.get_component(name)) for name in pipeline.graph.nodes}
    return [f"{name}: {line}" for name, line in said.items() if line]


def required_setting(instance: object) -> str:
    """What a component cannot do without and has not; empty where nothing is missing. One that does not say so itself is as demanding as those
    that it holds, such as the `chat_generator` of a part of Haystack."""
    own = callable(getattr(instance, "required_setting", None))
    for part in [instance] if own else vars(instance).values():
        asked = getattr(part, "required_setting", None)
        if callable(asked) and (line := str(asked())):
            return line
    return ""


def load_graph(
    name: str,
    *,
    phase: Phase | None = None,
    only: Iterable[str] | None = None,
    beside: Iterable[str] = (),
    store: Mapping[str, Any] | None = None,
) -> Graph:
    """Load a graph by name or path.

    :param phase: what the caller needs; a graph of the other phase is refused.
    :param only: names of outputs; components on which none of them depends are not loaded.
    :param beside: components that are loaded all the same, with what they depend on.
    :param store: parameters of every Sakshya store of the graph that say where it is, in place of its own and of the settings.
    :raises UsageError: no such graph, or a graph of the other phase.
    :raises GraphError: a graph that does not load, in one line; `NotEquippedError` where a setting is missing that a node cannot do without.
    """
    from haystack import Pipeline

    path = graph_path(name)
    config = _read(path)
    inputs = {key: [value] if isinstance(value, str) else list(value) for key, value in config.pop("inputs", {}).items()}
    outputs = dict(config.pop("outputs", {}))
    found: Phase = "indexing" if "report" in outputs else "query"
    if phase and phase != found:
        raise UsageError(f"{path.name} is a graph for {found}, and this command needs one for {phase}")
    if only is not None:
        outputs = {key: value for key, value in outputs.items() if key in set(only)}
        if not outputs:
            raise UsageError(f"{path.name} declares none of the outputs {', '.join(sorted(only))}")
        kept = ancestors(config, {value.partition(".")[0] for value in outputs.values()} | set(beside))
        config["components"] = {key: value for key, value in config["components"].items() if key in kept}
        config["connections"] = [c for c in config["connections"] if _ends(c)[0] in kept and _ends(c)[1] in kept]
        inputs = {key: [s for s in sockets if s.partition(".")[0] in kept] for key, sockets in inputs.items()}
    if store is not None:
        _move_stores(config["components"], store)
    try:
        pipeline = Pipeline.loads(yaml.safe_dump(config, sort_keys=False), allowed_modules=ALLOWED_MODULES)
    except Exception as error:  # a constructor may raise anything; `check` says where
        from app.checking.check import check_graph

        faults = [str(problem) for problem in check_graph(path) if problem.level.value == "error"]
        raise GraphError("\n".join(faults) or f"{path}: {plain(error)}") from error
    if needs := required_settings(pipeline):
        raise NotEquippedError("\n".join(f"{path.name}: {line}" for line in needs))
    answering = found == "query" and settings().answer_cache_entries > 0
    identity = graph_identity({**config, "inputs": inputs, "outputs": outputs}, path) if answering else ""
    return Graph(path.stem, path, found, pipeline, inputs, outputs, shape_version(config), identity)


def _read(path: Path) -> dict[str, Any]:
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise GraphError(f"{where}: not readable as YAML: {getattr(error, 'problem', None) or one_line(error)}") from error
    if not isinstance(config, dict) or not isinstance(config.get("components"), dict) or not config["components"]:
        raise GraphError(f"{path}: a graph needs `components:`, a mapping of names to components")
    for key in ("inputs", "outputs"):
        if not isinstance(config.get(key), dict):
            raise GraphError(f"{path}: a graph needs `{key}:`, a mapping of names to component.socket")
    config.setdefault("connections", [])
    return config


def graph_digest(name: str) -> str:
    """Hash of all that a graph says, whatever its comments and layout."""
    return hashlib.sha256(json.dumps(_read(graph_path(name)), sort_keys=True, default=str).encode()).hexdigest()


def _move_stores(part: Any, where: Mapping[str, Any]) -> None:
    """Give every Sakshya store inside `part` another place; what else it says stays.

    Stores that are another collection than the first one stay another: theirs is the name of the new place with their own behind it.
    """
    stores = list({id(store): store for store in _stores_in(part)}.values())  # through an anchor, one store stands in several places
    given = [dict(store.get("init_parameters") or {}) for store in stores]
    for store, said in zip(stores, given, strict=True):
        kept = {key: setting for key, setting in said.items() if key not in STORE_PLACE}
        store["init_parameters"] = {**kept, **where}
        if said.get("index") and said["index"] != given[0].get("index"):
            store["init_parameters"]["index"] = f"{where.get('index') or settings().collection}-{said['index']}"[:64]


def _stores_in(part: Any) -> Iterator[dict[str, Any]]:
    for value in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        if isinstance(value, dict) and value.get("type") == STORE_TYPE:
            yield value
        else:
            yield from _stores_in(value)


def _ends(connection: Mapping[str, str]) -> tuple[str, str]:
    """Names of the sending and the receiving component."""
    return str(connection.get("sender", "")).partition(".")[0], str(connection.get("receiver", "")).partition(".")[0]


def ancestors(config: Mapping[str, Any], targets: set[str]) -> set[str]:
    """Components on which the targets depend, the targets included."""
    kept: set[str] = set()
    frontier = set(targets)
    while frontier:
        kept |= frontier
        frontier = {sender for sender, receiver in map(_ends, config.get("connections", [])) if receiver in frontier} - kept
    return kept


def shape_version(config: Mapping[str, Any]) -> str:
    """Hash of what shapes the chunks: everything before the first component that has a fingerprint, and this program's version.

    A component that holds a document store looks things up and shapes no text, so its parameters (path rules among them) do not count.
    """
    embedders = {_ends(c)[0] for c in config.get("connections", []) if str(c.get("sender", "")).endswith(".fingerprint")}
    shaping = {
        name: part
        for name, part in config["components"].items()
        if name in ancestors(config, embedders) - embedders and "document_store" not in (part.get("init_parameters") or {})
    }
    connections = sorted(f"{c['sender']}>{c['receiver']}" for c in config.get("connections", []) if _ends(c)[0] in shaping and _ends(c)[1] in shaping)
    text = json.dumps([version("sakshya"), shaping, connections], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
