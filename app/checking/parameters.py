"""Init parameters of a component against its constructor: unknown, missing, of the wrong type, not among the accepted values."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.checking.problem import accepted
from app.checking.types import describe, fits, resolved, schema_of

UNSET = inspect.Parameter.empty


@dataclass(frozen=True)
class Parameter:
    """A parameter of a constructor. `default` is `UNSET` where it must be given; `hint` is `Any` where none is known."""

    hint: Any
    default: Any

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is UNSET


def parameters_of(cls: type) -> tuple[dict[str, Parameter], bool]:
    """The named parameters of a class's constructor, and whether it takes any other name too."""
    if cls.__init__ is object.__init__:
        return {}, False
    signature = {name: p for name, p in inspect.signature(cls.__init__).parameters.items() if name != "self"}
    hints = resolved(typing.get_type_hints, cls.__init__)
    named = {name: Parameter(hints.get(name, Any), p.default) for name, p in signature.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
    return named, any(p.kind is p.VAR_KEYWORD for p in signature.values())


def check_parameters(cls: type, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Faults of the given parameters, as (parameter, message)."""
    named, takes_any = parameters_of(cls)
    for name in given:
        if name not in named and not takes_any:
            yield name, f"unknown parameter of {cls.__name__}; {accepted(str(name), named)}"
    for name, parameter in named.items():
        if parameter.required and name not in given:
            yield name, f"{cls.__name__} needs the parameter {name!r}"
    for name, value in given.items():
        if name in named and not fits(value, named[name].hint):
            yield name, f"{value!r} is not accepted; accepted: {describe(schema_of(named[name].hint))}"
