"""Imports Haystack without torch. Imported first by the command line, for this effect.

Haystack imports torch wherever it is installed, which takes longer than all else that a command starts with; its core asks torch for something only
when it places a model on a device. Until then a stand-in is enough, and everyone else who imports torch gets torch itself.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any

TORCH = "torch"


class Later(ModuleType):
    """Stands for a module in those that have imported it already, and loads it at the first attribute."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]  # or the import below would find this one
        return getattr(importlib.import_module(self.__name__), name)


def import_without_torch(module: str) -> None:
    """Import a module that itself imports torch and does not use it yet. Nothing is held back where torch is there already, or not installed."""
    spec = None if TORCH in sys.modules or module in sys.modules else importlib.util.find_spec(TORCH)
    if spec is None:
        importlib.import_module(module)
        return
    standin = Later(TORCH)
    standin.__spec__ = spec  # for who asks whether torch is installed
    sys.modules[TORCH] = standin
    try:
        importlib.import_module(module)
    finally:
        if sys.modules.get(TORCH) is standin:
            del sys.modules[TORCH]


import_without_torch("haystack")
