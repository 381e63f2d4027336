"""Reading YAML with the line of every key, and the faults that a plain reader passes over: duplicate keys above all."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from app.checking.problem import Problem

KeyPath = tuple[str | int, ...]


@dataclass
class Source:
    """A YAML file: its data, and where each key stands.

    :param lines: line (from 1) of each key or list item, by its path from the top.
    """

    file: str
    data: Any = None
    lines: dict[KeyPath, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line(self, *path: str | int) -> int:
        """Line of a key, or of the nearest key above it that is written in the file."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return 1


def read_source(path: Path) -> Source:
    """Read a YAML file; what cannot be read becomes a problem of the source, never an exception."""
    source = Source(str(path))
    try:
        text = path.read_text(encoding="utf-8")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        source.data = yaml.safe_load(text)
    except OSError as error:
        source.problems.append(Problem(source.file, 1, "", f"cannot be read: {error.strerror}"))
    except UnicodeDecodeError:
        source.problems.append(Problem(source.file, 1, "", "is not UTF-8 text"))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        detail = " ".join(part for part in (error.context, error.problem) if part)
        source.problems.append(Problem(source.file, mark.line + 1 if mark else 1, "", f"not YAML: {detail}"))
    except yaml.YAMLError as error:
        source.problems.append(Problem(source.file, 1, "", f"not YAML: {' '.join(str(error).split())}"))
    else:
        if node is not None:
            _walk(source, node, (), set())
    return source


def _walk(source: Source, node: yaml.Node, path: KeyPath, above: set[int]) -> None:
    if id(node) in above:  # an alias inside its own anchor
        return
    source.lines.setdefault(path, node.start_mark.line + 1)
    above = above | {id(node)}
    if isinstance(node, yaml.MappingNode):
        seen: dict[str, int] = {}
        for key_node, value_node in node.value:
            key, line = str(key_node.value), key_node.start_mark.line + 1
            if key in seen and key != "<<":
                where = ".".join(map(str, (*path, key)))
                source.problems.append(Problem(source.file, line, where, f"duplicate key: it stands on line {seen[key]} too, and only one counts"))
            seen[key] = line
            source.lines[(*path, key)] = line
            _walk(source, value_node, (*path, key), above)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            source.lines[(*path, index)] = item.start_mark.line + 1
            _walk(source, item, (*path, index), above)
