"""Asks one question set through several graphs, one question at a time, keeping what was asked so that a long run can go on where it ended."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app import query
from app.errors import UsageError
from app.evaluating import QUIET, Advance, PreparedIndex, searcher
from app.graphs import Graph, NotEquippedError, load_graph
from components.answer import Answer, Status, Usage
from components.generators.metering import metered
from evaluation.beir import BeirSet
from evaluation.graph_comparison import GraphRow, Trial, answers_row, retrieval_row, trial_from_json
from evaluation.questions import Question

if TYPE_CHECKING:
    from components.access.principal import Principal


def on_questions(
    graphs: Sequence[str], questions: Sequence[Question], principal: Principal, *, save: Path | None = None, advance: Advance = QUIET
) -> list[GraphRow]:
    """Questions with known answers, over the index of the settings.

    :param graphs: names or paths; one that needs a setting that is missing is a row that says so.
    :param save: folder of the trials, a file for each graph; questions that are in it are not asked again.
    :param advance: called with questions done and what was asked.
    :raises UsageError: no such graph; a saved file that cannot be read.
    :raises SakshyaError: nothing is indexed.
    """
    rows = []
    for name in graphs:
        try:
            graph = load_graph(name, phase="query")
        except NotEquippedError as error:
            rows.append(GraphRow(Path(name).stem, skipped=str(error)))
            advance(len(questions), name)
            continue
        query.require_index(graph)
        graph.warm_up()
        trials = []
        with Kept(save, graph.name) as kept:
            for question in questions:
                trials.append(kept.trials.get(question.id) or kept.add(_answered(graph, question, principal)))
                advance(1, f"{graph.name}: {question.question[:30]}")
        rows.append(answers_row(graph.name, questions, trials))
    return rows


def _answered(graph: Graph, question: Question, principal: Principal) -> Trial:
    started = time.perf_counter()
    answer: Answer = asyncio.run(query.ask(graph, question.question, principal=principal))
    seconds = time.perf_counter() - started
    degraded = tuple(f"{item.stage}: {item.reason}" for item in answer.degraded)
    return Trial(question.id, None if answer.status is Status.FAILED else answer.to_json(), seconds, answer.usage, degraded)


def on_collection(
    graphs: Sequence[str], data: BeirSet, index: PreparedIndex, *, k: int = 5, seed: int = 0, save: Path | None = None, advance: Advance = QUIET
) -> list[GraphRow]:
    """A test collection that is indexed; only what `documents` depends on runs.

    :param k: of `all gold within k`.
    :param graphs: as in `on_questions`, as are `save` and `advance`.
    :raises UsageError: as in `on_questions`.
    """
    rows = []
    for name in graphs:
        try:
            graph = load_graph(name, phase="query", only=["documents"], store=index.where)
        except NotEquippedError as error:
            rows.append(GraphRow(Path(name).stem, skipped=str(error)))
            advance(len(data.queries), name)
            continue
        graph.warm_up()
        search = searcher(graph, data)
        trials = []
        with Kept(save, graph.name) as kept:
            for id_, text in data.queries.items():
                if (trial := kept.trials.get(id_)) is None:
                    with metered() as meter:
                        found = search(text)
                    spent = meter.spent
                    usage = Usage(
                        calls=meter.calls, prompt_tokens=spent.prompt_tokens, completion_tokens=spent.completion_tokens, cost_usd=spent.cost_usd
                    )
                    seconds = found.stage_ms.get("total", 0.0) / 1000
                    degraded = (found.failed,) if found.failed else tuple(found.degraded)
                    trial = kept.add(Trial(id_, None if found.failed else list(found.documents), seconds, usage, degraded))
                trials.append(trial)
                advance(1, f"{graph.name}: {text[:30]}")
        rows.append(retrieval_row(graph.name, data, trials, k, seed))
    return rows


class Kept:
    """The trials of one graph in a file, JSON lines, written as they come; without a folder nothing is kept."""

    def __init__(self, folder: Path | None, graph: str) -> None:
        self._path = folder / f"{graph}.jsonl" if folder else None
        self.trials: Mapping[str, Trial] = {}
        self._file: Any = None

    def __enter__(self) -> Kept:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self.trials = {trial.id: trial for trial in _read(self._path)} if self._path.is_file() else {}
            self._file = self._path.open("a", encoding="utf-8")
        return self

    def add(self, trial: Trial) -> Trial:
        """Keep one."""
        if self._file is not None:
            self._file.write(json.dumps(trial.to_json(), ensure_ascii=False) + "\n")
            self._file.flush()
        return trial

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()


def _read(path: Path) -> Iterator[Trial]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            yield trial_from_json(json.loads(line))
        except ValueError as error:
            raise UsageError(f"{path}:{number}: {error}; remove the line, or give another folder to --save") from None
