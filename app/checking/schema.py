"""A JSON Schema of graphs, made from the installed components, for editors that complete and check YAML.

Draft 7: the YAML language server of VS Code knows it best. What a schema cannot see (connections between real sockets,
values that only a constructor refuses) is left to `check`.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Collection, Mapping
from enum import Enum
from typing import Any

from docstring_parser import parse

from app.checking.catalog import installed_components, installed_stores
from app.checking.parameters import UNSET, Parameter, parameters_of
from app.checking.parts import find_class
from app.checking.structure import COMPONENT_KEYS, CONNECTION_KEYS, KINDS, NEEDED
from app.checking.types import PLAIN, Schema, anything, schema_of

SOCKET: Schema = {"type": "string", "pattern": r"^[^.\s]+\.[^.\s]+$", "patternErrorMessage": "accepted: component.socket"}
END: Schema = {"type": "string", "minLength": 1, "description": "component.socket; the socket may be left out where there is one only"}
SECRET: Schema = {
    "type": "object",
    "description": "A secret by the name of an environment variable; its value never stands in a graph.",
    "properties": {
        "type": {"enum": ["env_var"]},
        "env_vars": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "strict": {"type": "boolean", "default": True},
    },
    "required": ["type", "env_vars"],
    "additionalProperties": False,
}
DEVICE: Schema = {
    "type": "object",
    "description": "Where a model runs.",
    "properties": {"type": {"enum": ["single", "multiple"]}, "device": {"type": "string"}, "device_map": {"type": "object"}},
    "required": ["type"],
}


OURS = "components."


def graph_schema(types: Collection[str] | None = None, *, docs: bool = False) -> Schema:
    """The JSON Schema of a graph.

    :param types: component and store types to include; None for all that are installed.
    :param docs: also the descriptions that other packages' components carry in their docstrings; without it, only ours.
    """
    found = {kind: _chosen(installed, types) for kind, installed in (("component", installed_components()), ("store", installed_stores()))}
    definitions: dict[str, Schema] = {"socket": SOCKET, "secret": SECRET, "device": DEVICE}
    for kind, known in found.items():
        definitions[kind] = _typed_object(known, definitions, docs)
    top: dict[str, Schema] = {
        key: {"type": PLAIN[kind] if kind in PLAIN else _container(kind), "description": words} for key, (kind, words) in KINDS.items()
    }
    top["components"] |= {"minProperties": 1, "additionalProperties": {"$ref": "#/definitions/component"}}
    top["connections"] |= {
        "items": {
            "type": "object",
            "properties": dict.fromkeys(CONNECTION_KEYS, END),
            "required": list(CONNECTION_KEYS),
            "additionalProperties": False,
        }
    }
    socket: Schema = {"$ref": "#/definitions/socket"}
    top["inputs"]["additionalProperties"] = {"anyOf": [{"type": "array", "items": socket}, socket]}
    top["outputs"]["additionalProperties"] = socket
    top["max_runs_per_component"]["minimum"] = 1
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A Sakshya graph",
        "type": "object",
        "properties": top,
        "required": list(NEEDED),
        "additionalProperties": False,
        "definitions": definitions,
    }


def schema_text(schema: Schema) -> str:
    """The schema as a file: the same bytes for the same installation."""
    return json.dumps(schema, ensure_ascii=False, indent=1) + "\n"


def _chosen(installed: Mapping[str, str], types: Collection[str] | None) -> dict[str, str]:
    return {name: line for name, line in sorted(installed.items(), key=_ours_first) if types is None or name in types}


def _ours_first(item: tuple[str, str]) -> tuple[int, str]:
    return (0 if item[0].startswith(OURS) else 1, item[0])


def _container(kind: type) -> str:
    return "array" if kind is list else "object"


def _typed_object(known: Mapping[str, str], definitions: dict[str, Schema], docs: bool) -> Schema:
    """`{type, init_parameters}` over the known types. The parameters of each become a definition under its type's name."""
    branches = []
    for name in known:
        parameters = _parameters(name, docs)
        if parameters is None:
            continue
        definitions[name] = parameters
        then: Schema = {"properties": {"init_parameters": {"$ref": f"#/definitions/{name}"}}}
        if parameters.get("required"):
            then["required"] = ["init_parameters"]
        branches.append({"if": {"properties": {"type": {"const": name}}, "required": ["type"]}, "then": then})
    kinds: Schema = {"enum": list(known), "enumDescriptions": [line if docs or name.startswith(OURS) else "" for name, line in known.items()]}
    return {
        "type": "object",
        "properties": dict(zip(COMPONENT_KEYS, (kinds, {"type": "object"}), strict=True)),
        "required": list(COMPONENT_KEYS[:1]),
        "additionalProperties": False,
        "allOf": branches,
    }


def _parameters(type_name: str, docs: bool) -> Schema | None:
    """Schema of a type's `init_parameters`; None where it cannot be imported, so that nothing is known of them."""
    try:
        cls = find_class(type_name)
    except LookupError:
        return None
    named, takes_any = parameters_of(cls)
    words = _descriptions(cls) if docs or type_name.startswith(OURS) else {}
    schema: Schema = {"type": "object", "properties": {name: _property(p, words.get(name, "")) for name, p in named.items()}}
    required = [name for name, parameter in named.items() if parameter.required]
    if required:
        schema["required"] = required
    return schema if takes_any else {**schema, "additionalProperties": False}


def _property(parameter: Parameter, description: str) -> Schema:
    schema = schema_of(parameter.hint, _object)
    default = _default(parameter.default)
    extra: Schema = {} if default is UNSET else {"default": default}
    if default is None and isinstance(schema.get("type"), list):
        schema["type"] = ["null", *(kind for kind in schema["type"] if kind != "null")]  # the language server takes the first for the default's type
    if description:
        extra["description"] = description
    if "$ref" in schema and extra:  # draft 7 ignores what stands beside a reference
        schema = {"allOf": [schema]}
    return {**schema, **extra}


def _object(cls: type | str) -> Schema:
    """A class that YAML spells as an object: a store, a component (Haystack types it by a protocol), a secret, a device."""
    name = cls if isinstance(cls, str) else cls.__name__
    reference = {"Secret": "secret", "ComponentDevice": "device"}.get(name)
    if name.endswith("DocumentStore"):
        reference = "store"
    elif not isinstance(cls, str) and cls.__module__.startswith("haystack.components.") and getattr(cls, "_is_protocol", False):
        reference = "component"
    return {"$ref": f"#/definitions/{reference}"} if reference else anything(cls)


def _default(value: Any) -> Any:
    """A default as YAML would spell it; `UNSET` where there is none or it cannot be spelled."""
    if isinstance(value, Enum):
        value = value.value
    elif hasattr(value, "resolve_value"):  # a secret
        value = value.to_dict()
    elif isinstance(value, (set, frozenset)):
        value = sorted(value)
    try:
        return json.loads(json.dumps(value)) if value is not UNSET else UNSET
    except (TypeError, ValueError):
        return UNSET


def _descriptions(cls: type) -> dict[str, str]:
    """The `:param name:` texts of the class and its constructor, each on one line."""
    found: dict[str, str] = {}
    for text in (inspect.getdoc(cls), inspect.getdoc(cls.__init__)):
        found |= {p.arg_name: " ".join(p.description.split()) for p in parse(text or "").params if p.description}
    return found
