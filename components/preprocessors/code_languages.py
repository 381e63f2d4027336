"""Programming languages by file name, and their grammars, which come as wheels and ask no network."""

from __future__ import annotations

import importlib
import logging
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tree_sitter import Parser

logger = logging.getLogger(__name__)

_GRAMMARS = {
    "bash": ("tree_sitter_bash", "language"),
    "c": ("tree_sitter_c", "language"),
    "c_sharp": ("tree_sitter_c_sharp", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "go": ("tree_sitter_go", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "scala": ("tree_sitter_scala", "language"),
    "swift": ("tree_sitter_swift", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
}
_EXTENSIONS = {
    "bash": "bash sh",
    "c": "c h",
    "c_sharp": "cs",
    "cpp": "cc cpp cxx hh hpp hxx",
    "go": "go",
    "java": "java",
    "javascript": "cjs js jsx mjs",
    "kotlin": "kt kts",
    "php": "php",
    "python": "py pyi",
    "ruby": "rb",
    "rust": "rs",
    "scala": "scala sc",
    "swift": "swift",
    "tsx": "tsx",
    "typescript": "cts mts ts",
    # known as code, cut at blank lines
    "": "asm awk bat clj cljs cmake coffee cu dart erl ex exs f f90 fs groovy hs jl lisp lua m ml mm pas pl pm proto ps1 r s sql tcl vb vhd zig",
}
LANGUAGES = {f".{extension}": language for language, extensions in _EXTENSIONS.items() for extension in extensions.split()}


def code_language(file_name: str) -> str | None:
    """The language of a source file by its name; empty where it is code without a grammar here, None where it is no code.

    >>> code_language("src/app.py"), code_language("query.sql"), code_language("notes.md")
    ('python', '', None)
    """
    return LANGUAGES.get(PurePosixPath(file_name).suffix.lower())


@cache
def parser_of(language: str) -> Parser | None:
    """The parser of a language; None where its grammar is not installed, which the log says once."""
    package, function = _GRAMMARS.get(language, ("", ""))
    if not package:
        return None
    try:
        from tree_sitter import Language, Parser

        grammar: Any = importlib.import_module(package)
    except ImportError as error:
        logger.warning("code in %s is cut at blank lines: %s is not installed (%s)", language, package, error)
        return None
    return Parser(Language(getattr(grammar, function)()))
