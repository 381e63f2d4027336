"""How well claims that passages carry are told from those that they do not: AUROC and balanced accuracy of the checker and of each of its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from components.answer import Verdict
from components.validators.grounding_features import CHECK_FEATURES, MODEL_FEATURES, WORD_FEATURES, read_claims
from components.validators.grounding_rule import GroundingRule, Part, rule_for
from evaluation.bootstrap import Interval
from evaluation.data import DataError, read_set

if TYPE_CHECKING:
    from rich.table import Table

    from components.generators.extraction.language import Reader
    from components.validators.nli_model import Judge

LABELS = tuple(verdict.value for verdict in Verdict)
RESAMPLES = 500
BLOCK = 64
"""Claims that a model reads in one go."""

OVERLAP, CHECKS_ALONE, MODEL_ALONE, WITHOUT_MODEL, ALL = "overlap", "exact checks", "model", "without model", "all"


@dataclass(frozen=True)
class LabelledClaim:
    """A claim, what it was made from, and whether that carries it."""

    claim: str
    context: str
    label: str
    question: str = ""


def make_claim(row: dict[str, Any]) -> LabelledClaim:
    """A claim from a row; other fields are ignored.

    :raises ValueError: a field that is missing or not accepted.
    """
    for name in ("claim", "context"):
        if not isinstance(row.get(name), str) or not row[name].strip():
            raise ValueError(f"field {name!r}: {row.get(name)!r}; accepted: text")
    if row.get("label") not in LABELS:
        raise ValueError(f"field 'label': {row.get('label')!r}; accepted: {', '.join(LABELS)}")
    return LabelledClaim(row["claim"], row["context"], row["label"], str(row.get("question") or ""))


def read_claims_file(path: Path | str) -> list[LabelledClaim]:
    """Claims of a file of JSON lines: `claim`, `context`, `label` (supported, contradicted, unsupported), `question` if any.

    :raises DataError: a line that cannot be used; the message names it.
    """
    return read_set(path, make_claim)


Advance = Callable[[int], None]


def features_of(
    claims: Sequence[LabelledClaim],
    model: Judge | None = None,
    batch_size: int = 32,
    advance: Advance = lambda done: None,
    words: Reader | None = None,
) -> list[dict[str, float]]:
    """The features of each claim against its context, as the checker reads them.

    :param words: see `read_claims`.
    :param advance: called with the number of claims read since the last call.
    """
    rows: list[dict[str, float]] = []
    for start in range(0, len(claims), BLOCK):
        some = claims[start : start + BLOCK]
        asked = [(claim.claim, [claim.context], claim.question) for claim in some]
        rows += [reading.features for reading in read_claims(asked, model, batch_size, words=words, whole=True)]
        advance(len(some))
    return rows


def part_scores(rows: Sequence[Mapping[str, float]], rule: GroundingRule) -> dict[str, np.ndarray]:
    """The score of each claim by each part alone and by the rule; higher is better supported. Without a model, its parts are absent."""
    scores = {
        OVERLAP: [row["overlap"] for row in rows],
        CHECKS_ALONE: [1.0 / (1.0 + sum(row[name] for name in CHECK_FEATURES)) for row in rows],
        WITHOUT_MODEL: [rule.part(False).score(row) for row in rows],
    }
    if rows and MODEL_FEATURES[0] in rows[0]:
        scores |= {name: [row[name] for row in rows] for name in WORD_FEATURES if name in rows[0]}
        scores[MODEL_ALONE] = [row[MODEL_FEATURES[0]] for row in rows]
        scores[ALL] = [rule.part(True).score(row) for row in rows]
    return {name: np.asarray(values, dtype=float) for name, values in scores.items()}


def best_threshold(target: np.ndarray, scores: np.ndarray, false_alarm: float = 1.0) -> float:
    """The threshold of the best balanced accuracy, half way between two scores that occur.

    :param false_alarm: how often a score from the threshold of what is no target counts, against 1 for a target below it; > 0.

    >>> best_threshold(np.array([True, True, False]), np.array([0.9, 0.7, 0.1]))
    0.4
    """
    return shared_threshold([(target, scores)], false_alarm)


def shared_threshold(sets: Iterable[tuple[np.ndarray, np.ndarray]], false_alarm: float = 1.0) -> float:
    """The threshold of the best mean balanced accuracy over several sets of (target, scores); see `best_threshold`."""
    sets = [(np.asarray(target, dtype=bool), np.asarray(scores, dtype=float)) for target, scores in sets]
    seen = np.unique(np.concatenate([scores for _, scores in sets]))
    candidates = np.concatenate([[seen[0]], (seen[1:] + seen[:-1]) / 2, [seen[-1] + 1e-9]])
    total = np.zeros(len(candidates))
    for target, scores in sets:
        positives, negatives = np.sort(scores[target]), np.sort(scores[~target])
        found = 1 - np.searchsorted(positives, candidates, side="left") / max(1, len(positives))
        refused = np.searchsorted(negatives, candidates, side="left") / max(1, len(negatives))
        total += (found + false_alarm * refused) / (1 + false_alarm)
    return round(float(candidates[int(total.argmax())]), 12)


def _measured(target: np.ndarray, values: np.ndarray, measure: Callable[[np.ndarray, np.ndarray], float], resamples: int, seed: int) -> Interval:
    """A measure with its bootstrap interval (percentiles of resamples of the claims; those of one class alone are drawn again)."""
    rng = np.random.default_rng(seed)
    drawn: list[float] = []
    while len(drawn) < resamples:
        chosen = rng.integers(0, len(target), len(target))
        if target[chosen].any() and not target[chosen].all():
            drawn.append(measure(target[chosen], values[chosen]))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Interval(float(measure(target, values)), float(low), float(high))


@dataclass(frozen=True)
class PartResult:
    """One part on one file.

    :param shipped: balanced accuracy at the threshold that the checker uses; `None` where the part has none of its own.
    :param others: at the threshold that is best on the mean of the other files; `None` for a single file.
    :param own_best: at the threshold that is best on this file: what no user can know beforehand.
    """

    auroc: Interval
    shipped: Interval | None
    others: Interval | None
    own_best: Interval

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data."""
        named = {"AUROC": self.auroc, "shipped": self.shipped, "others": self.others, "own best": self.own_best}
        return {name: value.to_json() if value else None for name, value in named.items()}


@dataclass(frozen=True)
class GroundingReport:
    """Every part on every file."""

    claims: dict[str, int]
    supported: dict[str, int]
    files: dict[str, dict[str, PartResult]]
    model: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data: `files` by name with `claims`, `supported` and `parts`; `mean` over the files; `model`."""
        return {
            "files": {
                name: {
                    "claims": self.claims[name],
                    "supported": self.supported[name],
                    "parts": {part: result.to_json() for part, result in parts.items()},
                }
                for name, parts in self.files.items()
            },
            "mean": self.means,
            "model": self.model,
        }

    @property
    def means(self) -> dict[str, dict[str, float | None]]:
        """The mean of each measure over the files, by part."""
        parts = next(iter(self.files.values()))
        means: dict[str, dict[str, float | None]] = {}
        for part in parts:
            results = [file[part].to_json() for file in self.files.values()]
            means[part] = {
                measure: round(sum(r[measure]["value"] for r in results) / len(results), 4) if all(r[measure] for r in results) else None
                for measure in results[0]
            }
        return means


def evaluate_grounding(
    files: Mapping[str, Sequence[LabelledClaim]],
    model: Judge | None = None,
    rule: GroundingRule | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    advance: Advance = lambda done: None,
) -> GroundingReport:
    """Measure supported against the rest.

    :param files: claims by the name of their set.
    :param rule: `None`: that of the model, else that of the clone.
    :raises DataError: a set whose claims are all supported, or none of them.
    """
    from sklearn.metrics import balanced_accuracy_score, roc_auc_score

    from components.generators.extraction.language import packaged_language

    rule = rule or rule_for(model.folder if model else None)
    targets = {name: np.array([claim.label == Verdict.SUPPORTED for claim in claims]) for name, claims in files.items()}
    for name, target in targets.items():
        if target.all() or not target.any():
            raise DataError(f"{name}: {int(target.sum())} of {len(target)} claims are supported; accepted: some that are and some that are not")
    words = packaged_language() if model is not None and rule.reads_words else None
    scores = {name: part_scores(features_of(claims, model, advance=advance, words=words), rule) for name, claims in files.items()}

    def auroc(target: np.ndarray, values: np.ndarray) -> float:
        return float(roc_auc_score(target, values))

    def accuracy_from(limit: float) -> Callable[[np.ndarray, np.ndarray], float]:
        return lambda target, values: float(balanced_accuracy_score(target, values >= limit))

    results: dict[str, dict[str, PartResult]] = {}
    for name, target in targets.items():
        results[name] = {}
        for part, values in scores[name].items():
            others = [(targets[other], scores[other][part]) for other in files if other != name]
            limits = [_shipped(part, rule), shared_threshold(others) if others else None, best_threshold(target, values)]
            measured = [_measured(target, values, accuracy_from(limit), resamples, seed) if limit is not None else None for limit in limits]
            results[name][part] = PartResult(_measured(target, values, auroc, resamples, seed), measured[0], measured[1], measured[2])  # pyright: ignore[reportArgumentType]
    return GroundingReport(
        {name: len(claims) for name, claims in files.items()},
        {name: int(target.sum()) for name, target in targets.items()},
        results,
        model.name if model else "",
    )


def _shipped(part: str, rule: GroundingRule) -> float | None:
    case: Part | None = {ALL: rule.part(True), WITHOUT_MODEL: rule.part(False)}.get(part)
    if case is not None:
        return case.supported_from
    return 0.0 if part == MODEL_ALONE else None  # log odds of one half


def report_table(report: GroundingReport) -> Table:
    """The report for a terminal."""
    from rich.table import Table

    table = Table(
        title=f"Claims told supported from the rest{f', model {report.model}' if report.model else ', no model'}",
        caption="bal. accuracy: at the shipped threshold; at the best of the other files; at the file's own best, which nobody knows beforehand. "
        "[ ]: 95 % bootstrap",
    )
    for name in ("file", "part", "AUROC", "shipped", "others", "own best"):
        table.add_column(name, justify="left" if name in ("file", "part") else "right")
    for name, parts in report.files.items():
        for i, (part, result) in enumerate(parts.items()):
            label = f"{name} ({report.supported[name]}/{report.claims[name]})" if i == 0 else ""
            table.add_row(label, part, *(_shown(value) for value in (result.auroc, result.shipped, result.others, result.own_best)))
        table.add_section()
    if len(report.files) > 1:
        for i, (part, measures) in enumerate(report.means.items()):
            table.add_row("mean" if i == 0 else "", part, *("–" if value is None else f"{value:.3f}" for value in measures.values()))
    return table


def _shown(value: Interval | None) -> str:
    return "–" if value is None else f"{value.value:.3f} [{value.low:.3f}, {value.high:.3f}]".replace("[", "\\[")
