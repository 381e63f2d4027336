"""How the components are connected: unknown ends, duplicates, types that do not fit, inputs that nothing feeds, parts that nothing reaches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from haystack.core.type_utils import _type_name, _types_are_compatible

from app.checking.parts import Part
from app.checking.positions import Source
from app.checking.problem import Level, Problem, accepted


class Wiring:
    """The connections, inputs and outputs of one graph against the sockets of its parts."""

    def __init__(self, source: Source, parts: Mapping[str, Part]) -> None:
        self.source, self.parts = source, parts
        data = source.data
        self.names = list(data["components"])
        self.connections = [c for c in data.get("connections") or [] if isinstance(c, dict)]
        self.fed: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.edges: set[tuple[str, str]] = set()

    def problems(self) -> Iterator[Problem]:
        """Every fault of the wiring."""
        yield from self._connections()
        yield from self._inputs()
        outputs = yield from self._outputs()
        yield from self._fed()
        yield from self._unreachable(outputs)

    def _problem(self, path: tuple[str | int, ...], where: str, message: str, level: Level = Level.ERROR) -> Problem:
        return Problem(self.source.file, self.source.line(*path), where, message, level)

    def _end(self, text: Any, direction: str) -> tuple[str, str, str]:
        """Component, socket and fault (empty where there is none) of `component.socket`; the socket may be left out if there is one only."""
        name, _, socket = str(text).partition(".")
        if name not in self.names:
            return name, socket, f"there is no component {name!r}; {accepted(name, self.names)}"
        if name not in self.parts:
            return name, socket, ""  # it could not be built, which is said already
        sockets = self.parts[name].outputs if direction == "output" else self.parts[name].inputs
        if not socket and len(sockets) == 1:
            return name, next(iter(sockets)), ""
        if socket not in sockets:
            return name, socket, f"{name} has no {direction} {socket!r}; {accepted(socket, sockets)}"
        return name, socket, ""

    def _connections(self) -> Iterator[Problem]:
        seen: dict[tuple[str, str], int] = {}
        for index, connection in enumerate(self.source.data.get("connections") or []):
            if not isinstance(connection, dict) or not all(isinstance(connection.get(key), str) for key in ("sender", "receiver")):
                continue
            sender, out_name, fault = self._end(connection["sender"], "output")
            receiver, in_name, other = self._end(connection["receiver"], "input")
            for key, message in (("sender", fault), ("receiver", other)):
                if message:
                    yield self._problem(("connections", index, key), f"connections[{index}].{key}", message)
            if sender in self.names and receiver in self.names:
                self.edges.add((sender, receiver))
            self.fed[receiver, in_name].append(f"{sender}.{out_name}")
            pair, line = (f"{sender}.{out_name}", f"{receiver}.{in_name}"), self.source.line("connections", index)
            if pair in seen:
                yield self._problem(("connections", index), f"connections[{index}]", f"duplicate connection: it stands on line {seen[pair]} too")
                self.fed[receiver, in_name].pop()
            seen[pair] = line
            if not fault and not other and sender in self.parts and receiver in self.parts:
                yield from self._types(index, (sender, out_name), (receiver, in_name))

    def _types(self, index: int, sender: tuple[str, str], receiver: tuple[str, str]) -> Iterator[Problem]:
        gives, takes = self.parts[sender[0]].outputs[sender[1]], self.parts[receiver[0]].inputs[receiver[1]]
        fits, _ = _types_are_compatible(gives.type, takes.type, self.source.data.get("connection_type_validation", True))
        if not fits:
            message = f"{'.'.join(sender)} gives {_type_name(gives.type)} and {'.'.join(receiver)} takes {_type_name(takes.type)}"
            yield self._problem(("connections", index), f"connections[{index}]", message)

    def _inputs(self) -> Iterator[Problem]:
        for name, sockets in (self.source.data.get("inputs") or {}).items():
            for socket in [sockets] if isinstance(sockets, str) else sockets or []:
                component, key, fault = self._end(socket, "input")
                if not fault and "." not in str(socket):
                    fault = f"{socket!r} names no socket; accepted: component.socket"
                if fault:
                    yield self._problem(("inputs", name), f"inputs.{name}", fault)
                self.fed[component, key].append(f"inputs.{name}")

    def _outputs(self) -> Any:
        ends: set[str] = set()
        for name, socket in (self.source.data.get("outputs") or {}).items():
            component, _, fault = self._end(socket, "output")
            if not fault and "." not in str(socket):
                fault = f"{socket!r} names no socket; accepted: component.socket"
            if fault:
                yield self._problem(("outputs", name), f"outputs.{name}", fault)
            ends.add(component)
        return ends

    def _fed(self) -> Iterator[Problem]:
        for name, part in self.parts.items():
            for key, socket in part.inputs.items():
                feeders = self.fed[name, key]
                if socket.is_mandatory and not feeders:
                    message = f"the required input {key!r} ({_type_name(socket.type)}) is fed by no connection and by none of `inputs:`"
                    yield self._problem(("components", name), f"{name}.{key}", message)
                if len(feeders) > 1 and not socket.is_variadic and not takes_lists(socket.type):
                    message = f"the input {key!r} ({_type_name(socket.type)}) takes one value and is fed by {' and by '.join(feeders)}"
                    yield self._problem(("components", name), f"{name}.{key}", message)

    def _unreachable(self, outputs: set[str]) -> Iterator[Problem]:
        reached = set(outputs)
        while True:
            more = {sender for sender, receiver in self.edges if receiver in reached} - reached
            if not more:
                break
            reached |= more
        for name in self.names:
            if outputs and name not in reached and not any(sender == name for sender, _ in self.edges):
                fed = any(component == name and senders for (component, _), senders in self.fed.items())
                message = "nothing that it gives reaches an output of the graph" if fed else "is connected to nothing"
                yield self._problem(("components", name), name, f"unreachable: {message}", Level.WARNING if fed else Level.ERROR)


def takes_lists(hint: Any) -> bool:
    """Whether a socket of this type joins the lists of several senders: Haystack does so for a list, an optional one, and a union of lists.

    >>> takes_lists(list[int] | None), takes_lists(str)
    (True, False)
    """
    if get_origin(hint) in (Union, UnionType):
        return all(takes_lists(option) for option in get_args(hint) if option is not NoneType)
    return (get_origin(hint) or hint) is list
