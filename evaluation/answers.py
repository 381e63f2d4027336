"""Measures answers against a question set: right, wrong, rightly or wrongly declined, each share with its interval.

`evaluate_answers` takes the function that asks; it knows no graph and no door. Answers that were saved earlier are measured with
`python -m evaluation.answers QUESTIONS.jsonl ANSWERS.jsonl`, one `{"id": …, "answer": {…}}` a line.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from components.answer import Answer, Status
from evaluation.answer_checks import cites, holds
from evaluation.answer_measures import Share, inventions, measures
from evaluation.data import DataError, read_set
from evaluation.proportions import Proportion
from evaluation.questions import Question, read_questions

if TYPE_CHECKING:
    from rich.table import Table


class Outcome(StrEnum):
    """What became of a question."""

    RIGHT = "right"
    """Answerable; answered with every gold fact, nothing forbidden, and at least one gold source cited."""
    WRONG = "wrong"
    """Answerable; answered otherwise."""
    WRONGLY_DECLINED = "wrongly declined"
    RIGHTLY_DECLINED = "rightly declined"
    ANSWERED_UNANSWERABLE = "answered unanswerable"
    FAILED = "failed"
    """Something broke. Counts against every share."""


@dataclass(frozen=True)
class Result:
    """A question, its answer and what became of it."""

    question: Question
    answer: Answer
    outcome: Outcome
    reasons: tuple[str, ...] = ()
    """Why it is not right; one line each."""
    sources_cited: tuple[str, ...] = ()
    """The gold sources that the answer cites."""

    @property
    def is_good(self) -> bool:
        """Right, or rightly declined."""
        return self.outcome in (Outcome.RIGHT, Outcome.RIGHTLY_DECLINED)

    @property
    def covers_all_sources(self) -> bool:
        """Whether it cites every gold source."""
        return len(self.sources_cited) == len(self.question.gold)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data, without the evidence and the trace."""
        return {
            "id": self.question.id,
            "kind": self.question.kind,
            "lang": self.question.lang,
            "question": self.question.question,
            "answerable": self.question.answerable,
            "outcome": self.outcome.value,
            "reasons": list(self.reasons),
            "status": self.answer.status.value,
            "answer": self.answer.answer,
            "gold": list(self.question.gold),
            "sources_cited": list(self.sources_cited),
            "cited": [citation.uri or citation.title for citation in self.answer.citations],
        }


def judge(question: Question, answer: Answer) -> Result:
    """Compare an answer with what the question asks for."""
    cited = tuple(gold for gold in question.gold if any(cites(citation, gold) for citation in answer.citations))
    if answer.status is Status.FAILED:
        reasons = tuple(f"{item.stage}: {item.reason}" for item in answer.degraded) or ("no reason given",)
        return Result(question, answer, Outcome.FAILED, reasons, cited)
    declined = answer.status is Status.DECLINED
    if not question.answerable:
        return Result(question, answer, Outcome.RIGHTLY_DECLINED if declined else Outcome.ANSWERED_UNANSWERABLE, (), cited)
    if declined:
        return Result(question, answer, Outcome.WRONGLY_DECLINED, (answer.missing,) if answer.missing else (), cited)
    reasons = [f"does not say {fact!r}" for fact in question.answer_must_include if not holds(answer.answer, fact)]
    reasons += [f"says {fact!r}" for fact in question.answer_must_not_include if holds(answer.answer, fact)]
    if not cited:
        reasons.append(f"cites none of {', '.join(question.gold)}")
    return Result(question, answer, Outcome.WRONG if reasons else Outcome.RIGHT, tuple(reasons), cited)


@dataclass(frozen=True)
class Report:
    """All results of a question set."""

    results: tuple[Result, ...]

    def count(self, outcome: Outcome) -> int:
        """How many questions had this outcome."""
        return sum(result.outcome is outcome for result in self.results)

    @property
    def totals(self) -> dict[str, Proportion]:
        """The shares that matter, by name.

        `good`: right or rightly declined, of all. `right`: of the answerable. `wrongly declined`: of the answerable.
        `rightly declined`: of the unanswerable. `right when answered`: right, of all that were answered.
        `all sources`: every gold source cited, of the questions that need several and were answered.
        """
        answerable = sum(result.question.answerable for result in self.results)
        right, declined = self.count(Outcome.RIGHT), self.count(Outcome.RIGHTLY_DECLINED)
        answered = right + self.count(Outcome.WRONG) + self.count(Outcome.ANSWERED_UNANSWERABLE)
        multi = [r for r in self.results if r.question.needs_all_sources and r.answer.status is Status.ANSWERED]
        return {
            "good": Proportion(right + declined, len(self.results)),
            "right": Proportion(right, answerable),
            "wrongly declined": Proportion(self.count(Outcome.WRONGLY_DECLINED), answerable),
            "rightly declined": Proportion(declined, len(self.results) - answerable),
            "right when answered": Proportion(right, answered),
            "all sources": Proportion(sum(result.covers_all_sources for result in multi), len(multi)),
        }

    def by(self, group: Callable[[Question], str]) -> dict[str, Proportion]:
        """Share of good results in each group of questions, groups in the order in which they first occur."""
        groups: dict[str, list[Result]] = {}
        for result in self.results:
            groups.setdefault(group(result.question) or "(none)", []).append(result)
        return {name: Proportion(sum(result.is_good for result in members), len(members)) for name, members in groups.items()}

    @property
    def measures(self) -> dict[str, Share]:
        """Accuracy with coverage, refusal, cited sources, claims and numbers; see `evaluation.answer_measures.measures`."""
        return measures(self.results)

    @property
    def by_kind(self) -> dict[str, Proportion]:
        """Share of good results in each kind of question."""
        return self.by(lambda question: question.kind)

    @property
    def by_lang(self) -> dict[str, Proportion]:
        """Share of good results in each language."""
        return self.by(lambda question: question.lang)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data: questions, outcomes, totals, measures, inventions, by_kind, by_lang, results."""
        return {
            "questions": len(self.results),
            "outcomes": {outcome.value: self.count(outcome) for outcome in Outcome},
            "totals": {name: share.to_json() for name, share in self.totals.items()},
            "measures": {name: share.to_json() for name, share in self.measures.items()},
            "inventions": inventions(self.results),
            "by_kind": {name: share.to_json() for name, share in self.by_kind.items()},
            "by_lang": {name: share.to_json() for name, share in self.by_lang.items()},
            "results": [result.to_json() for result in self.results],
        }


def evaluate_answers(questions: Iterable[Question], ask: Callable[[str], Answer]) -> Report:
    """Ask every question and judge its answer.

    :param ask: answers a question; an answer with status `failed` where something broke. What it raises ends the run.
    """
    return Report(tuple(judge(question, ask(question.question)) for question in questions))


def report_table(report: Report) -> Table:
    """The totals, then each kind and language, with counts and 95 percent intervals, for a terminal."""
    from rich.table import Table

    table = Table(
        title=f"Answers to {len(report.results)} questions", caption="95 percent intervals: Wilson; bootstrap over questions for citations and claims"
    )
    for name, justify in (("measure", "left"), ("of", "right"), ("value", "right"), ("low", "right"), ("high", "right")):
        table.add_column(name, justify=justify)  # pyright: ignore[reportArgumentType]
    groups: list[tuple[str, Mapping[str, Share]]] = [
        ("", report.totals),
        ("", report.measures),
        ("kind ", report.by_kind),
        ("language ", report.by_lang),
    ]
    for prefix, shares in groups:
        for name, share in shares.items():
            value = "–" if share.value is None else f"{share.value:.3f}"
            low, high = ("–", "–") if share.value is None else (f"{end:.3f}" for end in share.interval)
            table.add_row(prefix + name, f"{share.successes:g}/{share.trials:g}", value, low, high)
        table.add_section()
    for outcome in Outcome:
        table.add_row(f"outcome {outcome.value}", str(report.count(outcome)), "", "", "")
    for line in inventions(report.results):
        table.add_row(f"no quote holds {line}", "", "", "", "")
    return table


def _saved(row: dict[str, Any]) -> tuple[str, Answer]:
    if not isinstance(row.get("id"), str):
        raise ValueError(f"field 'id': {row.get('id')!r}; accepted: the id of a question")
    try:
        return row["id"], Answer.model_validate(row.get("answer"))
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"field 'answer': {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def judge_saved(questions: Iterable[Question], answers: Path | str) -> Report:
    """Judge answers that were saved.

    :param answers: JSON lines, `{"id": …, "answer": …}`.
    :raises DataError: a line that cannot be used, or a question without an answer.
    """
    saved = dict(read_set(answers, _saved, key=lambda item: item[0]))
    questions = list(questions)
    if missing := [question.id for question in questions if question.id not in saved]:
        raise DataError(f"{answers}: no answer to {', '.join(missing[:5])}{' …' if len(missing) > 5 else ''}; accepted: one for each question")
    return Report(tuple(judge(question, saved[question.id]) for question in questions))


def main(arguments: list[str] | None = None) -> int:
    """Command line of this module. Returns 0, or 2 where a file cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.answers", description="Measure saved answers against a question set.")
    parser.add_argument("questions", type=Path, help="question set, JSON lines")
    parser.add_argument("answers", type=Path, help='answers, JSON lines: {"id": …, "answer": {…}}')
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    options = parser.parse_args(arguments)
    try:
        report = judge_saved(read_questions(options.questions), options.answers)
    except DataError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if options.json:
        sys.stdout.write(json.dumps(report.to_json(), ensure_ascii=False) + "\n")
    else:
        from rich.console import Console

        Console().print(report_table(report))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
