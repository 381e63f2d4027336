"""The components of a graph, one by one: is the type installed, are its parameters accepted, can it be built."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from haystack import Pipeline

from app.checking.catalog import installed_components
from app.checking.parameters import check_parameters
from app.checking.positions import KeyPath, Source
from app.checking.problem import Level, Problem, accepted
from app.environment import ALLOWED_MODULES
from app.errors import one_line
from app.graphs import required_setting
from config.model_folder import folder_fault
from config.settings import MODEL_WORDS, home

MODELS_HERE = ("components.embedders.", "components.rankers.", "components.retrievers.", "components.validators.grounding_checker")
"""Modules whose components run their `model` in this process. Elsewhere it is a name at an endpoint, or a file."""


@dataclass
class Part:
    """A component that could be built, with its sockets (Haystack's InputSocket and OutputSocket by name)."""

    instance: Any
    inputs: Mapping[str, Any] = field(default_factory=dict)
    outputs: Mapping[str, Any] = field(default_factory=dict)


def build_parts(source: Source) -> tuple[dict[str, Part], list[Problem]]:
    """Build each component alone; one that cannot be built is a problem and is left out."""
    parts: dict[str, Part] = {}
    problems: list[Problem] = []
    components = source.data.get("components") if isinstance(source.data, dict) else None
    for name, data in (components if isinstance(components, dict) else {}).items():
        if not isinstance(data, dict) or not isinstance(data.get("type"), str):
            continue
        found = list(_check_object(source, str(name), ("components", name), data))
        if not found:
            part, found = _build(source, str(name), data)
            if part:
                parts[str(name)] = part
        problems += found
    return parts, problems


def _check_object(source: Source, where: str, path: KeyPath, data: Mapping[str, Any]) -> Iterator[Problem]:
    """Faults of a `{type, init_parameters}`, and of any such object among its parameters (a document store, say)."""
    try:
        cls = find_class(data["type"])
    except LookupError as error:
        yield Problem(source.file, source.line(*path, "type"), f"{where}.type", str(error.args[0]))
        return
    given = data.get("init_parameters") or {}
    if not isinstance(given, dict):
        return
    for name, message in check_parameters(cls, given):
        yield Problem(source.file, source.line(*path, "init_parameters", name), f"{where}.{name}", message)
    for name, value in given.items():
        if isinstance(value, dict) and isinstance(value.get("type"), str) and "init_parameters" in value:
            yield from _check_object(source, f"{where}.{name}", (*path, "init_parameters", name), value)


def find_class(type_name: str) -> type:
    """The class of a `type:`.

    :raises LookupError: it is not installed, not importable, or not among the modules that a graph may name.
    """
    module_name, _, class_name = type_name.rpartition(".")
    allowed = [pattern.removesuffix(".*") for pattern in ALLOWED_MODULES] + ["haystack", "haystack_integrations"]
    if not any(module_name == root or module_name.startswith(f"{root}.") for root in allowed):
        raise LookupError(unknown_type(type_name))
    try:
        found = getattr(importlib.import_module(module_name), class_name, None)
    except ModuleNotFoundError as error:
        if error.name and (module_name == error.name or module_name.startswith(f"{error.name}.")):
            raise LookupError(unknown_type(type_name)) from None
        raise LookupError(f"{type_name} needs the package {error.name!r}, which is not installed") from None
    except Exception as error:  # noqa: BLE001 - a module may fail in any way while it is imported
        raise LookupError(f"{type_name} cannot be imported: {type(error).__name__}: {one_line(error)}") from None
    if not isinstance(found, type):
        raise LookupError(unknown_type(type_name))
    return found


def unknown_type(type_name: str) -> str:
    """What to say of a type that is not there: the installed one of the same name, or close ones."""
    catalog = installed_components()
    class_name = type_name.rpartition(".")[2]
    same = [known for known in catalog if known.rpartition(".")[2] == class_name]
    if same:
        return f"unknown type {type_name!r}; its path here is {' or '.join(same)}"
    package = package_of(type_name)
    if package and not _is_there(type_name.rpartition(".")[0]):
        return f"unknown type {type_name!r}; it belongs to an integration that is not installed, by its name {package} (pip install {package})"
    by_class = {known.rpartition(".")[2]: known for known in catalog}
    hint = accepted(class_name, by_class)
    close = [known for name, known in by_class.items() if repr(name) in hint]
    if close:
        return f"unknown type {type_name!r}; did you mean {' or '.join(close)}?"
    return f"unknown type {type_name!r}; accepted: a component of components, haystack.components or haystack_integrations.components"


PACKAGES = {"unstructured": "unstructured-fileconverter-haystack"}
"""Integrations whose package is not named after their module."""


def package_of(type_name: str) -> str:
    """The package that brings a type of `haystack_integrations`, by the rule that nearly all of them follow; empty for any other type.

    >>> package_of("haystack_integrations.document_stores.azure_ai_search.document_store.AzureAISearchDocumentStore")
    'azure-ai-search-haystack'
    """
    root, *folders = type_name.split(".")[:-1]
    name = next(iter(folders[2:] if folders[:1] == ["components"] else folders[1:]), "")
    return PACKAGES.get(name, f"{name.replace('_', '-')}-haystack") if root == "haystack_integrations" and name else ""


def _is_there(module_name: str) -> bool:
    try:
        return importlib.util.find_spec(".".join(module_name.split(".")[: 4 if ".components." in module_name else 3])) is not None
    except ModuleNotFoundError:
        return False


def _model_fault(instance: object) -> str:
    """What keeps the folder that a node names as its `model` from being one; empty where it is sound, or the node's model is another's affair."""
    model = getattr(instance, "model", None)
    if not isinstance(model, str) or model in MODEL_WORDS or not type(instance).__module__.startswith(MODELS_HERE):
        return ""
    if hasattr(instance, "missing_setting"):
        return ""
    fault = folder_fault(model, home())
    return f"{model!r} cannot be loaded: {fault}" if fault else ""


def _build(source: Source, name: str, data: Mapping[str, Any]) -> tuple[Part | None, list[Problem]]:
    try:
        pipeline = Pipeline.from_dict({"components": {name: dict(data)}, "connections": []}, allowed_modules=ALLOWED_MODULES)
    except Exception as error:  # noqa: BLE001 - a constructor may raise anything; its words and the place are what the editor needs
        message = one_line(error)
        mentioned = [key for key in (data.get("init_parameters") or {}) if key in message]
        path: KeyPath = ("components", name, "init_parameters", mentioned[0]) if mentioned else ("components", name)
        return None, [Problem(source.file, source.line(*path), ".".join([name, *mentioned[:1]]), message)]
    node = pipeline.graph.nodes[name]
    missing = getattr(node["instance"], "missing_setting", str)()
    found = [Problem(source.file, source.line("components", name), name, f"a setting is missing: {missing}")] if missing else []
    if fault := _model_fault(node["instance"]):
        where = source.line("components", name, "init_parameters", "model")
        found.append(Problem(source.file, where, f"{name}.model", fault))
    if required := required_setting(node["instance"]):
        found.append(Problem(source.file, source.line("components", name), name, f"cannot run here: {required}", Level.WARNING))
    return Part(node["instance"], node["input_sockets"], node["output_sockets"]), found
