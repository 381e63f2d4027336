"""Python types as JSON Schema (draft 7): what of a type YAML can spell, for `check` and for editors alike."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable
from enum import Enum
from typing import Any, Literal

from jsonschema import Draft7Validator
from jsonschema.validators import extend

Schema = dict[str, Any]
PLAIN: dict[Any, str] = {type(None): "null", None: "null", bool: "boolean", int: "integer", float: "number", str: "string"}
WORDS = {"null": "null", "boolean": "true or false", "integer": "a whole number", "number": "a number", "string": "text"}
LISTS = (list, tuple, set, frozenset, typing.get_origin(typing.Sequence), typing.get_origin(typing.Iterable))


def anything(_: type | str) -> Schema:
    """The schema that accepts every value: for a class that YAML cannot spell and whose own reader decides."""
    return {}


def schema_of(hint: Any, objects: Callable[[type | str], Schema] = anything) -> Schema:
    """What YAML may give for a type.

    :param objects: the schema of a class that is neither plain nor a container, say a document store; or of its name, where it is not imported.

    >>> schema_of(int | None), schema_of(dict[str, float])
    ({'type': ['integer', 'null']}, {'type': 'object', 'additionalProperties': {'type': 'number'}})
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in PLAIN:
        return {"type": PLAIN[hint]}
    if origin is typing.Annotated:
        return schema_of(arguments[0], objects)
    if origin in (typing.Union, types.UnionType):
        return _union(arguments, objects)
    if origin is Literal:
        return {"enum": list(arguments)}
    kind = origin or hint
    if kind in LISTS:
        items = schema_of(arguments[0], objects) if arguments and len({*arguments} - {...}) == 1 else {}
        return {"type": "array", "items": items} if items else {"type": "array"}
    if kind is dict or kind is typing.get_origin(typing.Mapping):
        values = schema_of(arguments[1], objects) if len(arguments) == 2 else {}
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    if kind is typing.get_origin(typing.Callable) or kind is type:
        return {"type": "string"}  # a path to import
    if isinstance(hint, str):
        return objects(hint)
    return _class(hint, objects) if inspect.isclass(hint) else {}


def _union(options: tuple[Any, ...], objects: Callable[[type | str], Schema]) -> Schema:
    if any(inspect.isclass(option) and issubclass(option, Enum) for option in options):
        options = tuple(option for option in options if option is not str)  # text is how YAML spells the enum
    parts: list[Schema] = []
    for option in options:
        part = schema_of(option, objects)
        if part not in parts:
            parts.append(part)
    if {} in parts:
        return {}
    if all(part.keys() == {"type"} and isinstance(part["type"], str) for part in parts):
        kinds = [part["type"] for part in parts]
        return {"type": kinds if len(kinds) > 1 else kinds[0]}
    if all(part.keys() == {"enum"} or part == {"type": "null"} for part in parts):
        return {"enum": [value for part in parts for value in part.get("enum", [None])]}
    return {"anyOf": parts}


def _class(cls: type, objects: Callable[[type | str], Schema]) -> Schema:
    if issubclass(cls, Enum):
        values = [member.value for member in cls if isinstance(member.value, (str, int, float))]
        return {"enum": list(dict.fromkeys([*values, *cls.__members__]))}
    if typing.is_typeddict(cls):
        hints = resolved(typing.get_type_hints, cls)
        required = sorted(getattr(cls, "__required_keys__", ()))
        return {"type": "object", "properties": {name: schema_of(hint, objects) for name, hint in hints.items()}, "required": required}
    return objects(cls)


def resolved(read: Callable[[Any], dict[str, Any]], owner: Any) -> dict[str, Any]:
    """The type hints of a class or function; one that names what is imported for type checkers only stays text."""
    try:
        return read(owner)
    except (NameError, TypeError, AttributeError):
        namespace = getattr(inspect.unwrap(owner), "__globals__", None) or vars(inspect.getmodule(owner) or typing)
        found = {}
        for name, text in getattr(owner, "__annotations__", {}).items():
            holder = types.SimpleNamespace(__annotations__={name: text})
            try:
                found |= typing.get_type_hints(holder, globalns=namespace)
            except (NameError, TypeError, AttributeError):
                found[name] = text
        return found


def _is_integer(_: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_Validator = extend(Draft7Validator, type_checker=Draft7Validator.TYPE_CHECKER.redefine("integer", _is_integer))


def fits(value: Any, hint: Any) -> bool:
    """Whether a YAML value can stand for the type. A type that YAML cannot spell (a store, a secret) is left to its own reader.

    >>> fits(3, float), fits("3", int), fits(None, int | None), fits("a", Literal["a", "b"])
    (True, False, True, True)
    """
    return _Validator(schema_of(hint)).is_valid(value)


def describe(schema: Schema) -> str:
    """A schema as an editor of YAML would say it.

    >>> describe(schema_of(int | None)), describe(schema_of(Literal["none", "section"]))
    ('a whole number or null', 'none, section')
    """
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(describe(part) for part in schema["anyOf"]))
    if "enum" in schema:
        return ", ".join("null" if value is None else str(value) for value in schema["enum"])
    kind: Any = schema.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join(describe({**schema, "type": one}) for one in kind)
    if kind == "array":
        return f"a list of {describe(schema['items'])}" if "items" in schema else "a list"
    if kind == "object":
        return f"a mapping of text to {describe(schema['additionalProperties'])}" if schema.get("additionalProperties") else "a mapping"
    return WORDS.get(kind, str(kind))
