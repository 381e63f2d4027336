"""Measures over judged answers beyond right and wrong: cited sources, refusal as a class, claims, and numbers that no quote holds.

Cited sources and claims follow ALCE (Gao et al., "Enabling large language models to generate text with citations", EMNLP 2023): recall asks
whether what is said is carried by what is cited, precision whether what is cited was needed. ALCE decides with an NLI model; here sources
are compared with the gold sources, and claims by the verdicts that the graph's own grounding check gave them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from components.answer import Answer, Status, Verdict
from evaluation.answer_checks import cites, numbers_without_quote
from evaluation.proportions import Proportion
from evaluation.questions import Question

if TYPE_CHECKING:
    from evaluation.answers import Result

RESAMPLES = 2000


@dataclass(frozen=True)
class Ratio:
    """A share of things of which a question has several, citations or claims: the sum of the first of each pair over that of the second."""

    pairs: tuple[tuple[float, float], ...]
    """Hits and all, a pair a question."""

    @property
    def successes(self) -> float:
        """Hits of all questions."""
        return sum(hits for hits, _ in self.pairs)

    @property
    def trials(self) -> float:
        """All of all questions."""
        return sum(every for _, every in self.pairs)

    @property
    def value(self) -> float | None:
        """0 to 1; None where there is nothing to share."""
        return self.successes / self.trials if self.trials else None

    @property
    def interval(self) -> tuple[float, float]:
        """Bootstrap interval at 95 percent, questions drawn with replacement, as the things of one question hang together; (0, 1) of nothing."""
        if not self.trials:
            return 0.0, 1.0
        values = np.array(self.pairs, dtype=float)
        sums = values[np.random.default_rng(0).integers(0, len(values), (RESAMPLES, len(values)))].sum(axis=1)
        shares = sums[sums[:, 1] > 0]
        low, high = np.quantile(shares[:, 0] / shares[:, 1], [0.025, 0.975])
        return float(low), float(high)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data, as that of a proportion."""
        low, high = self.interval
        return {"value": self.value, "low": low, "high": high, "successes": self.successes, "trials": self.trials}


Share = Proportion | Ratio


def cited_sources(question: Question, answer: Answer) -> tuple[tuple[int, int], tuple[int, int]]:
    """Of an answer: cited sources that are gold of all cited sources, and needed sources that are cited of all needed.

    Of sources that are alternatives one is needed; of a question that needs several, each.
    """
    sources = {citation.source_id: citation for citation in answer.citations}
    gold = sum(any(cites(c, wanted) for c in answer.citations if c.source_id == source for wanted in question.gold) for source in sources)
    found = sum(any(cites(c, wanted) for c in answer.citations) for wanted in question.gold)
    needed = len(question.gold) if question.needs_all_sources else 1
    return (gold, len(sources)), (min(found, needed), needed)


def invented_numbers(answer: Answer) -> set[str]:
    """Numbers of an answer that stand in none of its quotes, nor in a note on the validity of a passage that it cites; empty for a refusal."""
    if answer.status is not Status.ANSWERED:
        return set()
    cited = {citation.n for citation in answer.citations}
    return numbers_without_quote(answer, [evidence.note for evidence in answer.evidence if evidence.n in cited])


def measures(results: Sequence[Result]) -> dict[str, Share]:
    """The measures by name.

    `answered accuracy` and `coverage` belong together: right of the answered, answered of all. `refusal precision`: of the refused, the
    share that had to be; `refusal recall`: of what had to be refused, the share that was. `claims supported` and `contradiction rate`: of the
    claims that the grounding check judged. `numbers from quotes`: answers without a number that no quote holds.
    """
    answered = [r for r in results if r.answer.status is Status.ANSWERED]
    refused = [r for r in results if r.answer.status is Status.DECLINED]
    unanswerable = [r for r in results if not r.question.answerable]
    pairs = [cited_sources(r.question, r.answer) for r in answered if r.question.answerable]
    both = sum(not r.question.answerable for r in refused)
    right = sum(r.is_good for r in answered)

    def claims(holds: Callable[[Verdict], bool]) -> Ratio:
        judged = [[claim.verdict for claim in r.answer.claims] for r in answered]
        return Ratio(tuple((sum(map(holds, verdicts)), len(verdicts)) for verdicts in judged))

    return {
        "answered accuracy": Proportion(right, len(answered)),
        "coverage": Proportion(len(answered), len(results)),
        "refusal precision": Proportion(both, len(refused)),
        "refusal recall": Proportion(both, len(unanswerable)),
        "cited-source precision": Ratio(tuple(precision for precision, _ in pairs)),
        "cited-source recall": Ratio(tuple(recall for _, recall in pairs)),
        "claims supported": claims(lambda verdict: verdict is Verdict.SUPPORTED),
        "contradiction rate": claims(lambda verdict: verdict is Verdict.CONTRADICTED),
        "numbers from quotes": Proportion(sum(not invented_numbers(r.answer) for r in answered), len(answered)),
    }


def inventions(results: Iterable[Result]) -> list[str]:
    """A line for each answer with a number that none of its quotes holds."""
    return [f"{r.question.id}: {', '.join(sorted(numbers))}" for r in results if (numbers := invented_numbers(r.answer))]
