"""What the measures of judging share: questions of a collection with and without what answers them, and sets that are asked once and kept."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from app.console import progress_bar
from app.errors import UsageError
from app.graphs import Graph
from components.access.principal import DEFAULT_TENANT
from components.chunk import source_id
from evaluation.beir import BeirSet
from evaluation.data import DataError, read_jsonl

T = TypeVar("T")


@dataclass(frozen=True)
class Asked:
    """A question as it is asked of a collection.

    :param gold: `source_id` of what the collection says is relevant.
    :param with_gold: whether the relevant documents may be found; else `filters` leave them out, so that the nearest wrong ones are left.
    """

    query_id: str
    text: str
    gold: frozenset[str]
    with_gold: bool

    @property
    def id(self) -> str:
        """Names the question and how it was asked."""
        return f"{self.query_id}:{'with' if self.with_gold else 'without'}"

    @property
    def filters(self) -> dict[str, Any] | None:
        """What may be found."""
        return None if self.with_gold else {"field": "meta.source_id", "operator": "not in", "value": sorted(self.gold)}


def asked_twice(data: BeirSet, limit: int, seed: int = 0) -> Iterator[Asked]:
    """A sample of `limit` queries of a collection, each as it is, and with its relevant documents filtered out."""
    chosen = list(data.queries.items())
    random.Random(seed).shuffle(chosen)  # noqa: S311 - a sample, no secret
    for name, text in chosen[:limit]:
        gold = frozenset(source_id(DEFAULT_TENANT, "", document) for document, grade in data.qrels[name].items() if grade > 0)
        yield Asked(name, text, gold, True)
        yield Asked(name, text, gold, False)


def over_collection(
    stack: ExitStack, data: BeirSet, graph: str, index_dir: Path | None, *, only: list[str] | None = None, shown: bool = True
) -> Graph:
    """A query graph over the index of a collection, which is built where it is not there yet; the index is open until `stack` ends."""
    from app.evaluating import prepared_index
    from app.graphs import load_graph

    with progress_bar(f"indexing {data.name}", len(data.corpus), shown=shown) as advance:
        index = stack.enter_context(prepared_index(data, folder=index_dir, advance=advance))
    loaded = load_graph(graph, phase="query", only=only, store=index.where)
    loaded.warm_up()
    return loaded


@dataclass(frozen=True)
class Kept(Generic[T]):
    """How judged questions of one measure are kept.

    :param field: the field by which a line that `--save` wrote is known.
    """

    field: str
    read: Callable[[Path], list[T]]
    to_json: Callable[[T], dict[str, Any]]


def judged_sets(
    paths: Sequence[Path],
    kept: Kept[T],
    ask: Callable[[Path, ExitStack], tuple[int, Iterator[T]]],
    *,
    save: Path | None = None,
    shown: bool = True,
) -> dict[str, list[T]]:
    """The judged questions of each set, by its name: read where the file was saved by an earlier run, else asked, and saved as they come.

    :param ask: how many questions a set has, and judges them; what it opens ends with the stack.
    :param save: a folder; a file a set.
    :raises UsageError: two sets of one name, or one that cannot be read.
    """
    if save:
        save.mkdir(parents=True, exist_ok=True)
    judged: dict[str, list[T]] = {}
    for path in paths:
        name = path.name.removesuffix(".jsonl")
        if name in judged:
            raise UsageError(f"{path}: a second set named {name}; accepted: sets of different names")
        try:
            if path.is_file() and kept.field in next(read_jsonl(path))[1]:
                judged[name] = kept.read(path)
            else:
                judged[name] = _asked(path, kept, ask, save and save / f"{name}.jsonl", shown)
        except (DataError, OSError) as error:
            raise UsageError(str(error)) from None
    return judged


def _asked(path: Path, kept: Kept[T], ask: Callable[[Path, ExitStack], tuple[int, Iterator[T]]], save: Path | None, shown: bool) -> list[T]:
    found: list[T] = []
    with ExitStack() as stack:
        total, judging = ask(path, stack)
        lines = stack.enter_context(save.open("w", encoding="utf-8")) if save else None
        advance = stack.enter_context(progress_bar(f"asking {path.name}", total, shown=shown))
        for one in judging:
            found.append(one)
            data = kept.to_json(one)
            if lines:
                lines.write(json.dumps(data, ensure_ascii=False) + "\n")
                lines.flush()
            advance(1, data["id"])
    return found
