"""Init parameters of a component against its constructor: unknown, missing, of the wrong type, not among the accepted values."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, Literal

from app.checking.problem import accepted


def check_parameters(cls: type, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Faults of the given parameters, as (parameter, message)."""
    parameters = {name: p for name, p in inspect.signature(cls.__init__).parameters.items() if name != "self"}
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    named = {name: p for name, p in parameters.items() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
    for name in given:
        if name not in named and not takes_any:
            yield name, f"unknown parameter of {cls.__name__}; {accepted(name, named)}"
    for name, parameter in named.items():
        if parameter.default is parameter.empty and name not in given:
            yield name, f"{cls.__name__} needs the parameter {name!r}"
    hints = _hints(cls)
    for name, value in given.items():
        if name in named and name in hints and not fits(value, hints[name]):
            yield name, f"{value!r} is not accepted; accepted: {describe(hints[name])}"


def _hints(cls: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls.__init__)
    except (NameError, TypeError):
        return {}


def fits(value: Any, hint: Any) -> bool:
    """Whether a YAML value can stand for the type. A type that YAML cannot spell (a store, a secret, a function) is left to its own reader.

    >>> fits(3, float), fits("3", int), fits(None, int | None), fits("a", Literal["a", "b"])
    (True, False, True, True)
    """
    origin = typing.get_origin(hint)
    if hint is Any or isinstance(hint, (str, typing.TypeVar)):
        return True
    if origin is typing.Annotated:
        return fits(value, typing.get_args(hint)[0])
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, option) for option in typing.get_args(hint))
    if hint is None or hint is type(None):
        return value is None
    if origin is Literal:
        return value in typing.get_args(hint)
    if inspect.isclass(hint) and issubclass(hint, Enum):
        return value in [member.value for member in hint] or value in hint.__members__ or isinstance(value, dict)
    if hint is bool:
        return isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is str:
        return isinstance(value, str)
    return _fits_container(value, hint, origin)


def _fits_container(value: Any, hint: Any, origin: Any) -> bool:
    kind, arguments = origin or hint, typing.get_args(hint)
    if kind in (list, tuple, set, frozenset):
        items = arguments[:1] if kind is not tuple else arguments
        return isinstance(value, list) and (not items or len(items) > 1 or all(fits(item, next(iter(items))) for item in value))
    if kind is dict:
        return isinstance(value, dict) and (len(arguments) != 2 or all(fits(k, arguments[0]) and fits(v, arguments[1]) for k, v in value.items()))
    return True


def describe(hint: Any) -> str:
    """A type as an editor of YAML would say it.

    >>> describe(int | None), describe(Literal["none", "section"])
    ('a whole number or null', 'none, section')
    """
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(describe(option) for option in typing.get_args(hint)))
    if origin is typing.Annotated:
        return describe(typing.get_args(hint)[0])
    if origin is Literal:
        return ", ".join(str(value) for value in typing.get_args(hint))
    if inspect.isclass(hint) and issubclass(hint, Enum):
        return ", ".join(str(member.value) for member in hint)
    words = {type(None): "null", bool: "true or false", int: "a whole number", float: "a number", str: "text"}
    if hint in words:
        return words[hint]
    kind = origin or hint
    inner = [describe(argument) for argument in typing.get_args(hint)]
    if kind in (list, tuple, set, frozenset):
        return f"a list of {inner[0]}" if inner else "a list"
    if kind is dict:
        return f"a mapping of {inner[0]} to {inner[1]}" if len(inner) == 2 else "a mapping"
    return getattr(hint, "__name__", str(hint))
