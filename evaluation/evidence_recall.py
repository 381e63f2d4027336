"""How often the evidence that a graph shows holds what the answer needs, with and without a knob.

    python -m evaluation.evidence_recall examples/questions.jsonl
    python -m evaluation.evidence_recall examples/questions.jsonl --set evidence.expand=section --set evidence.max_tokens=1200
    python -m evaluation.evidence_recall DIR/queries.jsonl --qrels DIR/qrels/test.tsv

A question of a question set counts where the passages of its gold sources that are shown hold every gold fact; a query of a test collection
where every document judged relevant is among the sources shown. Nothing is generated. The index is that of the settings.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml
from haystack import Document, Pipeline

from components.access.principal import Principal, acting_as
from components.builders.citations import passages_of
from config.settings import home
from evaluation.answer_checks import cites, holds
from evaluation.latency import quantiles_ms
from evaluation.proportions import Proportion
from evaluation.questions import Question, read_questions

OUTPUT = "evidence"
Case = tuple[str, Callable[[list[Document]], bool]]
"""A question, and whether an evidence holds what it needs."""


def load_evidence(graph: Path, settings: Sequence[str] = ()) -> tuple[Pipeline, dict[str, list[str]]]:
    """The part of a query graph that its evidence depends on, and the sockets of its inputs.

    :param settings: `component.parameter=value`, the value as YAML.
    :raises ValueError: a setting that is none, or of a component that the graph does not have.
    """
    config = yaml.safe_load(graph.read_text(encoding="utf-8"))
    for text in settings:
        where, found, value = text.partition("=")
        node, dot, parameter = where.partition(".")
        if not (found and dot) or node not in config["components"]:
            raise ValueError(f"--set {text!r}: accepted is COMPONENT.PARAMETER=VALUE, of {', '.join(config['components'])}")
        config["components"][node].setdefault("init_parameters", {})[parameter] = yaml.safe_load(value)
    kept, frontier = set(), {OUTPUT}
    ends = [(c["sender"].partition(".")[0], c["receiver"].partition(".")[0]) for c in config["connections"]]
    while frontier:
        kept |= frontier
        frontier = {sender for sender, receiver in ends if receiver in frontier} - kept
    inputs = {name: [s for s in sockets if s.partition(".")[0] in kept] for name, sockets in config["inputs"].items()}
    part = {
        "components": {name: node for name, node in config["components"].items() if name in kept},
        "connections": [c for c, (sender, receiver) in zip(config["connections"], ends, strict=True) if {sender, receiver} <= kept],
    }
    return Pipeline.loads(yaml.safe_dump(part), allowed_modules=["haystack.*", "haystack_integrations.*", "components.*"]), inputs


def shown(pipeline: Pipeline, inputs: dict[str, list[str]], question: str) -> list[Document]:
    """The evidence for a question."""
    data: dict[str, dict[str, Any]] = {}
    for socket in inputs["question"]:
        node, _, name = socket.partition(".")
        data.setdefault(node, {})[name] = question
    return pipeline.run(data, include_outputs_from={OUTPUT})[OUTPUT]["evidence"]


def holds_gold(question: Question, evidence: list[Document]) -> bool:
    """Whether the passages of the gold sources hold every gold fact, and where all sources are needed, all are there."""
    passages = passages_of(evidence).values()
    citations = [(p, p.citation(0, len(p.text))) for p in passages if p.text]
    of_gold = {gold: [p.text for p, citation in citations if cites(citation, gold)] for gold in question.gold}
    if question.needs_all_sources and not all(of_gold.values()):
        return False
    text = "\n".join(t for texts in of_gold.values() for t in texts)
    return bool(text) and all(holds(text, fact) for fact in question.answer_must_include)


def read_qrels(path: Path) -> dict[str, set[str]]:
    """Query id to the ids of the documents judged relevant."""
    wanted: dict[str, set[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, document, score = line.split("\t")
        if int(score) > 0:
            wanted.setdefault(query, set()).add(document)
    return wanted


def cases(questions: Path, qrels: Path | None, limit: int | None) -> list[Case]:
    """Each question with what its evidence is asked."""
    if qrels is None:
        known = [q for q in read_questions(questions) if q.answerable][:limit]
        return [(q.question, lambda evidence, q=q: holds_gold(q, evidence)) for q in known]
    wanted = read_qrels(qrels)
    rows = [json.loads(line) for line in questions.read_text(encoding="utf-8").splitlines() if line.strip()]
    rows = [row for row in rows if wanted.get(row["_id"])][:limit]
    return [(row["text"], lambda evidence, gold=wanted[row["_id"]]: gold <= _records(evidence)) for row in rows]


def _records(evidence: list[Document]) -> set[str]:
    """The records, as rows of a `corpus.jsonl` are, that the evidence comes from."""
    return {str(d.meta.get("record_id", "")) for d in evidence}


def measure(
    graph: Path, settings: Sequence[str], found: list[tuple[str, Callable[[list[Document]], bool]]], groups: Sequence[str] = ()
) -> dict[str, Any]:
    """Share of questions whose evidence holds the gold, with its interval, the mean number of passages and characters, and the time of a question."""
    pipeline, inputs = load_evidence(graph, settings)
    pipeline.warm_up()
    good, passages, chars, seconds, lost = 0, 0, 0, [], []
    with acting_as(Principal(user="evaluation")):
        shown(pipeline, inputs, found[0][0])  # the first one loads models
        for question, is_good in found:
            started = time.perf_counter()
            evidence = shown(pipeline, inputs, question)
            seconds.append(time.perf_counter() - started)
            fine = is_good(evidence)
            good += fine
            passages += len(evidence)
            chars += sum(len(d.content or "") for d in evidence)
            if not fine:
                lost.append(question)
    share = Proportion(good, len(found))
    return {
        "set": list(settings),
        "recall": share.to_json(),
        "passages": round(passages / len(found), 2),
        "characters": round(chars / len(found)),
        "latency_ms": quantiles_ms(seconds),
        "lost": lost,
    }


def main(arguments: list[str] | None = None) -> int:
    """Command line of this module. Returns 0, or 2 where something cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.evidence_recall", description="Measure what the evidence of a graph holds.")
    parser.add_argument("questions", type=Path, help="question set, or the queries of a test collection")
    parser.add_argument("--qrels", type=Path, help="judgements of the test collection, TSV")
    parser.add_argument("--graph", default="query", help="a graph of pipelines/, or a path")
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="COMPONENT.PARAMETER=VALUE")
    parser.add_argument("--limit", type=int, help="only the first questions")
    options = parser.parse_args(arguments)
    graph = Path(options.graph) if options.graph.endswith((".yml", ".yaml")) else home() / "pipelines" / f"{options.graph}.yml"
    try:
        report = measure(graph, options.settings, cases(options.questions, options.qrels, options.limit))
    except (ValueError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(json.dumps(report, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
