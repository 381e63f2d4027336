"""Fits the grounding rule to claims with labels: `python -m evaluation.grounding_rule CLAIMS.jsonl --model FOLDER`.

Two logistic regressions with bounded weights (`allowed_sign`) and a ridge penalty that cross-validation chooses; the thresholds are those of the best
balanced accuracy (of support, with `FALSE_SUPPORT`) of the scores that cross-validation gave to claims which it had not seen. Claims that words and
exact checks settle are left out: the rule does not decide on them, and so many easy ones would set its threshold too high for claims in other words.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from components.answer import Verdict
from components.validators.grounding_features import FEATURES, MODEL_FEATURES, WORD_FEATURES, is_settled
from components.validators.grounding_rule import DEFAULT_FILE, PARTS, RULE_FILE, GroundingRule, Logistic, Part, allowed_sign, read_rule, to_json
from evaluation.data import DataError
from evaluation.grounding import LabelledClaim, best_threshold, features_of, read_claims_file

PENALTIES = (0.01, 0.1, 1.0, 10.0)
"""Ridge penalties tried, times 1 / claims."""
FOLDS = 5
FALSE_SUPPORT = 1.5
"""How often a claim that is wrongly supported counts where the threshold is chosen, against 1 for one that is wrongly refused: it does more harm."""
MODEL_WEIGHT = 1.5
"""Largest weight of a feature of the model. A model that was trained on claims made by the same edits as those of the fit knows them better than it
will know those of an answer: without this bound it would outweigh the words, and be worse for it on claims that people made."""


@dataclass(frozen=True)
class Fit:
    """A fitted logistic function with the scores of claims that it had not seen, and its area under the ROC curve on them."""

    logistic: Logistic
    scores: np.ndarray
    auroc: float
    penalty: float


def _values(rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> np.ndarray:
    return np.array([[row.get(name, 0.0) for name in names] for row in rows], dtype=float).reshape(len(rows), len(names))


def _minimised(values: np.ndarray, target: np.ndarray, bounds: list[tuple[float | None, float | None]], penalty: float) -> np.ndarray:
    """Bias and weights of the least penalised log loss, the classes weighed alike, each weight on its side of zero."""
    from scipy.optimize import minimize

    weight = np.where(target, 0.5 / max(1, target.sum()), 0.5 / max(1, (~target).sum()))
    sign = np.where(target, 1.0, -1.0)

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        margin = sign * (values @ parameters[1:] + parameters[0])
        missed = 0.5 * (1.0 - np.tanh(0.5 * margin))
        slope = -weight * sign * missed
        value = float((weight * np.logaddexp(0.0, -margin)).sum() + 0.5 * penalty / len(target) * (parameters[1:] ** 2).sum())
        return value, np.concatenate([[slope.sum()], values.T @ slope + penalty / len(target) * parameters[1:]])

    start = np.zeros(values.shape[1] + 1)
    return minimize(loss, start, jac=True, bounds=[(None, None), *bounds], method="L-BFGS-B", options={"maxiter": 500}).x


def _bounds(name: str, verdict: Verdict) -> tuple[float | None, float | None]:
    """Between which values the weight of a feature may be."""
    largest = MODEL_WEIGHT if name in MODEL_FEATURES else None
    return (0.0, largest) if allowed_sign(name, verdict) > 0 else (None if largest is None else -largest, 0.0)


def fit(rows: Sequence[Mapping[str, float]], target: np.ndarray, names: Sequence[str], verdict: Verdict, groups: Sequence[str], seed: int = 0) -> Fit:
    """Fit one logistic function.

    :param rows: features of each claim.
    :param target: whether each is of the verdict; both cases occur.
    :param names: features to use.
    :param groups: claims of one group (one context) are never parted by cross-validation.
    :raises ValueError: only one of the two cases occurs.
    """
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedGroupKFold

    target = np.asarray(target, dtype=bool)
    if target.all() or not target.any():
        raise ValueError(f"of {len(target)} claims {int(target.sum())} are {verdict.value}; accepted: some that are and some that are not")
    values, bounds = _values(rows, names), [_bounds(name, verdict) for name in names]
    folds = min(FOLDS, int(target.sum()), int((~target).sum()), len(set(groups)))
    best: tuple[float, float, np.ndarray] | None = None
    for penalty in PENALTIES:
        scores = np.full(len(target), np.nan)
        if folds > 1:
            split = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
            for train, test in split.split(values, target, list(groups)):
                parameters = _minimised(values[train], target[train], bounds, penalty)
                scores[test] = values[test] @ parameters[1:] + parameters[0]
        else:
            parameters = _minimised(values, target, bounds, penalty)
            scores = values @ parameters[1:] + parameters[0]
        auroc = float(roc_auc_score(target, scores))
        if best is None or auroc > best[0] + 1e-4:
            best = (auroc, penalty, 0.5 * (1.0 + np.tanh(0.5 * scores)))
    auroc, penalty, scores = best  # pyright: ignore[reportGeneralTypeIssues]
    parameters = _minimised(values, target, bounds, penalty)
    weights = {name: float(weight) for name, weight in zip(names, parameters[1:], strict=True) if abs(weight) > 5e-5}
    return Fit(Logistic(float(parameters[0]), weights), scores, auroc, penalty)


def fit_part(rows: Sequence[Mapping[str, float]], labels: Sequence[str], groups: Sequence[str], has_model: bool, seed: int = 0) -> tuple[Part, dict]:
    """The rule of one case, and what cross-validation says of it.

    :param has_model: whether the features of the model are used, and those of words where they are there: then overlap by likeness takes the
        place of overlap, which is part of it.
    """
    left_out = {"verbatim", "overlap"} if has_model and WORD_FEATURES[0] in rows[0] else {"verbatim", *WORD_FEATURES}
    names = [name for name in FEATURES if name not in left_out and (has_model or name not in MODEL_FEATURES)]
    open_ones = [i for i, row in enumerate(rows) if not is_settled(row)]
    rows, labels, groups = [rows[i] for i in open_ones], [labels[i] for i in open_ones], [groups[i] for i in open_ones]
    is_supported = np.array([label == Verdict.SUPPORTED for label in labels])
    supported = fit(rows, is_supported, names, Verdict.SUPPORTED, groups, seed)
    supported_from = min(max(best_threshold(is_supported, supported.scores, FALSE_SUPPORT), 0.01), 0.99)
    rest = [i for i, supported_ in enumerate(is_supported) if not supported_]
    denied = np.array([labels[i] == Verdict.CONTRADICTED for i in rest])
    report: dict[str, Any] = {"supported AUROC": round(supported.auroc, 4), "penalty": supported.penalty}
    if denied.any() and not denied.all():
        contradicted = fit([rows[i] for i in rest], denied, names, Verdict.CONTRADICTED, [groups[i] for i in rest], seed)
        contradicted_from = min(max(best_threshold(denied, contradicted.scores), 0.01), 0.99)
        report["contradicted AUROC"] = round(contradicted.auroc, 4)
        logistic = contradicted.logistic
    else:
        logistic, contradicted_from = Logistic(0.0, {}), 1.0
    return Part(supported.logistic, logistic, supported_from, contradicted_from), report


def fit_rule(
    claims: Sequence[LabelledClaim], model: str | Path | None, *, seed: int = 0, note: str = "", batch_size: int = 32
) -> tuple[GroundingRule, dict[str, Any]]:
    """Fit a rule for both cases and report how it did on claims that it had not seen.

    :param claims: with a label each; those of `read_claims_file`.
    :param model: folder or name of a grounding model; `None`: the case with a model is taken from the rule that comes with the clone.
    :raises ValueError: the model cannot be loaded, or a label is missing among the claims.
    """
    from components.generators.extraction.language import packaged_language
    from components.validators.nli_model import load_nli_model

    loaded = load_nli_model(str(model)) if model else None
    rows = features_of(claims, loaded, batch_size, words=packaged_language() if loaded else None)
    labels, groups = [claim.label for claim in claims], [claim.context for claim in claims]
    parts: dict[str, Part] = {}
    report: dict[str, Any] = {"claims": len(claims)}
    if loaded is not None:
        parts[PARTS[0]], report[PARTS[0]] = fit_part(rows, labels, groups, True, seed)
    elif DEFAULT_FILE.is_file():
        parts[PARTS[0]] = read_rule(DEFAULT_FILE).parts[PARTS[0]]
    parts[PARTS[1]], report[PARTS[1]] = fit_part(rows, labels, groups, False, seed)
    return GroundingRule(parts, note), report


def write_rule(rule: GroundingRule, file: Path) -> None:
    """Write a rule as JSON that a person can read."""
    file.write_text(json.dumps(to_json(rule), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.grounding_rule", description="Fit the grounding rule to claims with labels.")
    parser.add_argument("claims", type=Path, help="JSON lines of claim, context, label and, if any, question")
    parser.add_argument("--model", help="folder or name of the grounding model; none: only the rule without a model is fitted")
    parser.add_argument("--out", type=Path, help=f"file to write; default: {RULE_FILE} in the model's folder")
    parser.add_argument("--note", default="", help="on what it is fitted, a line for its file")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    out = given.out or (Path(given.model) / RULE_FILE if given.model and Path(given.model).is_dir() else None)
    if out is None:
        print("grounding_rule: name a file with --out, or a model's folder with --model", file=sys.stderr)
        return 2
    try:
        rule, report = fit_rule(read_claims_file(given.claims), given.model, seed=given.seed, note=given.note or f"fitted to {given.claims.name}")
    except (DataError, ValueError) as error:
        print(f"grounding_rule: {error}", file=sys.stderr)
        return 1
    write_rule(rule, out)
    print(json.dumps({"rule": str(out), **report}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
