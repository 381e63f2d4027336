"""The frame of a graph: its top-level keys, and the keys of each component and connection."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from app.checking.positions import Source
from app.checking.problem import Problem, accepted

TOP_KEYS = ("components", "connections", "inputs", "outputs", "metadata", "max_runs_per_component", "connection_type_validation")
NEEDED = ("components", "inputs", "outputs")
COMPONENT_KEYS = ("type", "init_parameters")
CONNECTION_KEYS = ("sender", "receiver")
KINDS: dict[str, tuple[type, str]] = {
    "components": (dict, "a mapping of names to components"),
    "connections": (list, "a list of {sender, receiver}"),
    "inputs": (dict, "a mapping of names to lists of component.socket"),
    "outputs": (dict, "a mapping of names to component.socket"),
    "metadata": (dict, "a mapping"),
    "max_runs_per_component": (int, "a whole number"),
    "connection_type_validation": (bool, "true or false"),
}


def misnamed_wiring(data: Mapping[Any, Any]) -> bool:
    """Whether a key of the wiring is missing and an unknown one may be it: then all that the wiring lacks follows from that one fault.

    >>> misnamed_wiring({"components": {}, "connectons": [], "inputs": {}, "outputs": {}})
    True
    """
    return any(key not in TOP_KEYS for key in data) and any(key not in data for key in ("connections", "inputs", "outputs"))


def check_structure(source: Source) -> Iterator[Problem]:
    """Faults of the frame. Where it is sound, `components` and `connections` can be read without further care."""
    data = source.data
    if not isinstance(data, dict):
        yield Problem(source.file, 1, "", f"a graph is a mapping with the keys {', '.join(NEEDED)} and connections")
        return
    for key, value in data.items():
        if key not in TOP_KEYS:
            yield Problem(source.file, source.line(key), str(key), f"unknown key; {accepted(str(key), TOP_KEYS)}")
        elif not isinstance(value, KINDS[key][0]):
            yield Problem(source.file, source.line(key), key, f"must be {KINDS[key][1]}")
    unknown = [str(key) for key in data if key not in TOP_KEYS]
    for key in NEEDED:
        if key not in data and not difflib.get_close_matches(key, unknown, n=1, cutoff=0.7):
            yield Problem(source.file, 1, key, f"is missing: {KINDS[key][1]}")
    if data.get("components") == {}:
        yield Problem(source.file, source.line("components"), "components", "is empty: a graph needs at least one component")
    yield from _check_components(source, data.get("components"))
    yield from _check_connections(source, data.get("connections"))


def _check_components(source: Source, components: Any) -> Iterator[Problem]:
    for name, part in (components if isinstance(components, dict) else {}).items():
        line = source.line("components", name)
        if not isinstance(part, dict):
            yield Problem(source.file, line, str(name), "a component is a mapping with `type` and `init_parameters`")
            continue
        for key in part:
            if key not in COMPONENT_KEYS:
                yield Problem(
                    source.file, source.line("components", name, key), f"{name}.{key}", f"unknown key; {accepted(str(key), COMPONENT_KEYS)}"
                )
        if not isinstance(part.get("type"), str):
            yield Problem(source.file, line, f"{name}.type", "is missing: the module path and class of the component")
        if not isinstance(part.get("init_parameters", {}), (dict, type(None))):
            yield Problem(
                source.file, source.line("components", name, "init_parameters"), f"{name}.init_parameters", "must be a mapping of parameters"
            )


def _check_connections(source: Source, connections: Any) -> Iterator[Problem]:
    for index, connection in enumerate(connections if isinstance(connections, list) else []):
        line = source.line("connections", index)
        if not isinstance(connection, dict):
            yield Problem(source.file, line, f"connections[{index}]", "a connection is {sender: component.socket, receiver: component.socket}")
            continue
        for key in connection:
            if key not in CONNECTION_KEYS:
                message = f"unknown key; {accepted(str(key), CONNECTION_KEYS)}"
                yield Problem(source.file, source.line("connections", index, key), f"connections[{index}].{key}", message)
        for key in CONNECTION_KEYS:
            if not isinstance(connection.get(key), str):
                yield Problem(source.file, line, f"connections[{index}].{key}", "is missing: component.socket")
