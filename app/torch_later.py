"""Sees to it that Haystack, when it is imported, does not import torch. Imported first by the command line, for this effect.

Haystack imports torch wherever it is installed, which takes longer than all else that a command starts with; its core asks torch for something only
when it places a model on a device. Until then a stand-in is enough, and everyone else who imports torch gets torch itself.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

TORCH = "torch"


class Later(ModuleType):
    """Stands for a module in those that have imported it already, and loads it at the first attribute."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]  # or the import below would find this one
        return getattr(importlib.import_module(self.__name__), name)


class WithoutTorch(MetaPathFinder):
    """Finds one module as Python would, and lets it see the stand-in while it is executed. Nothing is held back where torch is there already, or
    not installed.

    :param module: imports torch and does not use it yet.
    """

    def __init__(self, module: str) -> None:
        self.module = module

    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The module's own spec, its loader wrapped; None for every other module."""
        if fullname != self.module or TORCH in sys.modules:
            return None
        spec, torch = PathFinder.find_spec(fullname, path), importlib.util.find_spec(TORCH)
        if spec is None or spec.loader is None or torch is None:
            return None
        execute = spec.loader.exec_module

        def executed(module: ModuleType) -> None:
            standin = Later(TORCH)
            standin.__spec__ = torch  # for who asks whether torch is installed
            sys.modules[TORCH] = standin
            try:
                execute(module)
            finally:
                if sys.modules.get(TORCH) is standin:
                    del sys.modules[TORCH]

        spec.loader.exec_module = executed
        return spec


sys.meta_path.insert(0, WithoutTorch("haystack"))
