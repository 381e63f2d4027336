"""Which components and document stores are installed: found by reading source files, so that a list costs no import."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

ROOTS = ("components", "haystack.components", "haystack.core.super_component", "haystack_integrations.components")
STORE_ROOTS = ("components.document_stores", "haystack.document_stores", "haystack_integrations.document_stores")
DECORATORS = {"component", "super_component"}


@lru_cache(maxsize=1)
def installed_components() -> dict[str, str]:
    """Every component by its type (`module.Class`), with the first line of its docstring.

    A component is a class under one of `ROOTS` that is decorated with `@component` or `@super_component`.
    """
    return _installed(ROOTS, "component", lambda node: any(isinstance(d, ast.Name) and d.id in DECORATORS for d in node.decorator_list))


@lru_cache(maxsize=1)
def installed_stores() -> dict[str, str]:
    """Every document store by its type, with the first line of its docstring.

    A store is a class under one of `STORE_ROOTS`, named `…DocumentStore`, that can be written as YAML.
    """
    return _installed(STORE_ROOTS, "DocumentStore", _is_store)


def _is_store(node: ast.ClassDef) -> bool:
    inherits = any(isinstance(base, ast.Name) and base.id.endswith("DocumentStore") for base in node.bases)
    writes = any(isinstance(item, ast.FunctionDef) and item.name == "to_dict" for item in node.body)
    protocol = any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)
    return node.name.endswith("DocumentStore") and (inherits or writes) and not protocol


def _installed(roots: tuple[str, ...], mark: str, is_one: Callable[[ast.ClassDef], bool]) -> dict[str, str]:
    found: dict[str, str] = {}
    for root in roots:
        for module, path in _modules(root):
            for node in _classes(path, mark):
                if is_one(node):
                    found[f"{module}.{node.name}"] = (ast.get_docstring(node) or "").partition("\n")[0]
    return found


def _modules(root: str) -> Iterator[tuple[str, Path]]:
    try:
        spec = importlib.util.find_spec(root)
    except ModuleNotFoundError:
        return
    for folder in spec.submodule_search_locations or [] if spec else []:
        for path in sorted(Path(folder).rglob("*.py")):
            yield ".".join((root, *path.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__"), path


def _classes(path: Path, mark: str) -> list[ast.ClassDef]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if mark not in text:
        return []
    try:
        return [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    except SyntaxError:
        return []
