"""Which components are installed: found by reading source files, so that a list costs no import."""

from __future__ import annotations

import ast
import importlib.util
from functools import lru_cache
from pathlib import Path

ROOTS = ("components", "haystack.components", "haystack_integrations.components")


@lru_cache(maxsize=1)
def installed_components() -> dict[str, str]:
    """Every component by its type (`module.Class`), with the first line of its docstring.

    A component is a class under one of `ROOTS` that is decorated with `@component`.
    """
    found: dict[str, str] = {}
    for root in ROOTS:
        spec = importlib.util.find_spec(root) if importlib.util.find_spec(root.partition(".")[0]) else None
        for folder in spec.submodule_search_locations or [] if spec else []:
            for path in sorted(Path(folder).rglob("*.py")):
                module = ".".join((root, *path.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__")
                for name, line in _components_in(path):
                    found[f"{module}.{name}"] = line
    return found


def _components_in(path: Path) -> list[tuple[str, str]]:
    text = path.read_text(encoding="utf-8", errors="replace")
    if "@component" not in text:
        return []
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return [
        (node.name, (ast.get_docstring(node) or "").partition("\n")[0])
        for node in classes
        if any(isinstance(decorator, ast.Name) and decorator.id == "component" for decorator in node.decorator_list)
    ]
