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
        self.unsure: set[str] = set()  # components that a connection reaches at a socket which could not be told

    def problems(self) -> Iterator[Problem]:
        """Every fault of the wiring."""
        yield from self._connections()
        yield from self._inputs()
        outputs = yield from self._outputs()
        yield from self._fed()
        yield from self._led_on()
        yield from self._unreachable(outputs)

    def _problem(self, path: tuple[str | int, ...], where: str, message: str, level: Level = Level.ERROR) -> Problem:
        return Problem(self.source.file, self.source.line(*path), where, message, level)

    def _end(self, text: Any, direction: str) -> tuple[str, str, str]:
        """Component, socket (empty where it is left out) and fault (empty where there is none) of `component.socket`."""
        name, _, socket = str(text).partition(".")
        if name not in self.names:
            return name, socket, f"there is no component {name!r}; {accepted(name, self.names)}"
        if name not in self.parts:
            return name, socket, ""  # it could not be built, which is said already
        sockets = self.parts[name].outputs if direction == "output" else self.parts[name].inputs
        if socket and socket not in sockets:
            return name, socket, f"{name} has no {direction} {socket!r}; {accepted(socket, sockets)}"
        return name, socket, ""

    def _connections(self) -> Iterator[Problem]:
        seen: dict[tuple[str, str], int] = {}
        for index, connection in enumerate(self.source.data.get("connections") or []):
            if not isinstance(connection, dict) or not all(isinstance(connection.get(key), str) for key in ("sender", "receiver")):
                continue
            sender, out_name, fault = self._end(connection["sender"], "output")
            receiver, in_name, other = self._end(connection["receiver"], "input")
            known = not fault and not other and sender in self.parts and receiver in self.parts
            if known and not (out_name and in_name):
                pairs = self._pairs((sender, out_name), (receiver, in_name))
                if len(pairs) != 1:
                    yield self._problem(("connections", index), f"connections[{index}]", self._choice(sender, receiver, pairs))
                    self.edges.add((sender, receiver))
                    self.unsure.add(receiver)
                    continue
                out_name, in_name = pairs[0]
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
            if known:
                yield from self._types(index, (sender, out_name), (receiver, in_name))

    def _pairs(self, sender: tuple[str, str], receiver: tuple[str, str]) -> list[tuple[str, str]]:
        """The sockets that a connection may mean which leaves out one or both, chosen as Haystack chooses: by type, then by a common name."""
        outputs, inputs = self.parts[sender[0]].outputs, self.parts[receiver[0]].inputs
        strict = self.source.data.get("connection_type_validation", True)
        found: list[tuple[str, str, bool]] = []
        for out_name in [sender[1]] if sender[1] else outputs:
            for in_name in [receiver[1]] if receiver[1] else inputs:
                fits, conversion = _types_are_compatible(outputs[out_name].type, inputs[in_name].type, strict)
                if fits:
                    found.append((out_name, in_name, conversion is None))
        if strict and any(exact for _, _, exact in found):
            found = [pair for pair in found if pair[2]]
        named = [pair for pair in found if pair[0] == pair[1]]
        return [(out_name, in_name) for out_name, in_name, _ in (named if len(found) > 1 and len(named) == 1 else found)]

    def _choice(self, sender: str, receiver: str, pairs: list[tuple[str, str]]) -> str:
        if not pairs:
            gives = ", ".join(f"{name} ({_type_name(socket.type)})" for name, socket in self.parts[sender].outputs.items()) or "nothing"
            takes = ", ".join(f"{name} ({_type_name(socket.type)})" for name, socket in self.parts[receiver].inputs.items()) or "nothing"
            return f"no output of {sender} fits an input of {receiver}; {sender} gives {gives}; {receiver} takes {takes}"
        options = " or ".join(f"{sender}.{out_name} to {receiver}.{in_name}" for out_name, in_name in pairs[:4])
        return f"more than one connection is possible; name the sockets: {options}"

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
                if socket.is_mandatory and not feeders and name not in self.unsure:
                    message = f"the required input {key!r} ({_type_name(socket.type)}) is fed by no connection and by none of `inputs:`"
                    yield self._problem(("components", name), f"{name}.{key}", message)
                if len(feeders) > 1 and not socket.is_variadic and not takes_lists(socket.type):
                    message = f"the input {key!r} ({_type_name(socket.type)}) takes one value and is fed by {' and by '.join(feeders)}"
                    yield self._problem(("components", name), f"{name}.{key}", message)

    def _led_on(self) -> Iterator[Problem]:
        """Outputs without which a component cannot do what its parameters say (`required_outputs`: output to the reason) and that lead nowhere."""
        used = {sender for senders in self.fed.values() for sender in senders}
        for name, part in self.parts.items():
            for output, why in getattr(part.instance, "required_outputs", dict)().items():
                if f"{name}.{output}" not in used:
                    yield self._problem(("components", name), f"{name}.{output}", f"leads nowhere, and {why}")

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
