"""How much faster a hit of the answer cache is than the answer it replaces, question by question, in one run.

    python -m evaluation.bench_cache examples/questions.jsonl --questions 20

It indexes nothing: the index of the settings is asked. Each question is answered once without the cache, which fills it; then, in turns, by
the graph and by the cache. Both sides are timed from the question to the whole answer, in a process that has its models loaded. A hit is
measured twice: on the same text, which needs no vector, and on another wording, whose vector is made and compared.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from components.access.principal import Principal, acting_as
from components.answer import Answer
from components.caching.answer_cache import AnswerCache
from components.caching.kept_answer import KeptAnswer
from components.caching.question_vectors import QuestionVectors
from config.settings import home
from evaluation.latency import quantiles_ms, ratio

READER = Principal("bench")
MARK = " ?"
"""What the other wording ends with."""


def measure(ask: Callable[[str], Answer], store: Any, questions: list[str], file: Path, rounds: int = 3) -> dict[str, Any]:
    """Time the graph and the cache on the same questions.

    :param ask: answers a question without the cache.
    :param store: the index that it reads.
    :param questions: those of them that are answered or declined without anything degraded are measured.
    :param file: where answers are kept meanwhile.
    :param rounds: 1 or more.
    :returns: milliseconds of each side and their ratio with a 95 % interval, plain JSON data.
    :raises ValueError: no answer could be kept.
    """
    cache = AnswerCache(file, max(1, len(questions)), QuestionVectors())
    graph, same, worded = list[float](), list[float](), list[float]()
    with acting_as(READER):
        kept = [question for question in questions if _kept(cache, store, question, ask(question))]
        for question in kept * rounds:
            graph.append(_seconds(lambda question=question: ask(question)))
            same.append(_seconds(lambda question=question: _found(cache, store, question)))
            worded.append(_seconds(lambda question=question: _found(cache, store, question.rstrip("? ") + MARK)))
    if not kept:
        raise ValueError("no answer could be kept: is anything indexed?")
    return {
        "questions": len(kept),
        "rounds": rounds,
        "graph_ms": quantiles_ms(graph),
        "hit_same_text_ms": quantiles_ms(same),
        "hit_other_wording_ms": quantiles_ms(worded),
        "graph_by_hit_same_text": ratio(graph, same, 50),
        "graph_by_hit_other_wording": ratio(graph, worded, 50),
        "python": platform.python_version(),
    }


def _kept(cache: AnswerCache, store: Any, question: str, answer: Answer) -> bool:
    entry = KeptAnswer(cache, store, "bench", question, {})
    entry.find()
    return entry.keep(answer) == "kept" and _found(cache, store, question.rstrip("? ") + MARK) is not None


def _found(cache: AnswerCache, store: Any, question: str) -> Answer | None:
    return KeptAnswer(cache, store, "bench", question, {}).find()[0]


def _seconds(call: Callable[[], Any]) -> float:
    started = time.perf_counter()
    if call() is None:
        raise RuntimeError("a kept answer was not found again")
    return time.perf_counter() - started


def answering(graph: Path) -> tuple[Callable[[str], Answer], Any]:
    """What answers a question by a query graph, its models loaded, and the store that it reads.

    :raises ValueError: the graph gives no answer, or has no store of ours.
    """
    import yaml
    from haystack import Pipeline

    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

    config = yaml.safe_load(graph.read_text(encoding="utf-8"))
    sockets, output = config.pop("inputs", {}).get("question", []), config.pop("outputs", {}).get("answer", "")
    pipeline = Pipeline.loads(yaml.safe_dump(config), allowed_modules=["components.*"])
    pipeline.warm_up()
    stores = [getattr(part, name, None) for _, part in pipeline.walk() for name in ("document_store", "_document_store")]
    store = next((found for found in stores if isinstance(found, SakshyaDocumentStore)), None)
    if not output or store is None:
        raise ValueError(f"{graph}: a query graph with an output `answer` and a store of ours is measured")
    node, _, key = output.partition(".")

    def ask(question: str) -> Answer:
        data: dict[str, dict[str, Any]] = {}
        for socket in sockets:
            name, _, entry = socket.partition(".")
            data.setdefault(name, {})[entry] = question
        return pipeline.run(data)[node][key]

    return ask, store


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path, help="questions, JSON lines with `question`")
    parser.add_argument("--graph", type=Path, default=home() / "pipelines" / "query.yml")
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    lines = [json.loads(line)["question"] for line in given.set.read_text(encoding="utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as folder:
        try:
            ask, store = answering(given.graph)
            report = measure(ask, store, lines[: given.questions], Path(folder) / "answers.sqlite", given.rounds)
        except (OSError, ValueError) as error:
            sys.exit(f"bench_cache: {error}")
    print(json.dumps({**report, "graph": given.graph.stem, "index_version": store.index_version()}, indent=2))


if __name__ == "__main__":
    main()
