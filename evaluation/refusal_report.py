"""Refusing on several sets side by side and pooled: by the generator alone, as shipped, and with weights fitted on the other sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from components.validators.refusal_features import RefusalModel
from evaluation.proportions import Proportion
from evaluation.refusal import Judged, Point, auroc, fitted, point

if TYPE_CHECKING:
    from rich.table import Table

ALONE, SHIPPED, OTHERS = "generator alone", "as shipped", "fitted on the others"
POOLED = "pooled"
NEVER = RefusalModel(0.0, {}, {}, 0.0)
"""Refuses nothing: what is refused beside it the generator declines."""


@dataclass(frozen=True)
class Measured:
    """A way of refusing on a set, or on all of them.

    :param both: what generator and gate refuse together.
    :param gate: what the gate alone would refuse; None where there is no gate.
    :param more: what is known beside it, for the report as JSON.
    """

    both: Point
    gate: Point | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


def rules_for(name: str, judged: Mapping[str, Sequence[Judged]], shipped: RefusalModel | None) -> dict[str, RefusalModel]:
    """The weights that a set is measured with: those shipped, where there are any, and those fitted on the other sets, where there are any.

    :raises ValueError: the other sets have only one class.
    """
    rules = {SHIPPED: shipped} if shipped else {}
    others = [j for other, found in judged.items() if other != name for j in found]
    if others:
        rules[OTHERS] = fitted(others, said=", ".join(other for other in judged if other != name))
    return rules


def measured(judged: Mapping[str, Sequence[Judged]], rules: Mapping[str, Mapping[str, RefusalModel]]) -> dict[str, dict[str, Measured]]:
    """Each set by its rules, and all sets pooled where there are several: set to way of refusing to what it does.

    :param rules: of each set, as `rules_for` gives them.
    """
    found: dict[str, dict[str, Measured]] = {}
    for name, members in judged.items():
        found[name] = {ALONE: Measured(point(NEVER, members, 0.0))}
        for how, rule in rules[name].items():
            more = {"AUROC": auroc(rule, members), "weights": rule.to_json()["weights"]}
            gate = point(rule, members, rule.threshold, gate_only=True)
            found[name][how] = Measured(point(rule, members, rule.threshold), gate, more)
    if len(found) > 1:
        ways = [how for how in (ALONE, SHIPPED, OTHERS) if all(how in of_set for of_set in found.values())]
        found[POOLED] = {how: _pooled([of_set[how] for of_set in found.values()]) for how in ways}
    return found


def pooled(points: Sequence[Point]) -> Point:
    """What several sets of questions give together: successes and trials added; no threshold where they have different ones.

    >>> one, two = Proportion(1, 2), Proportion(2, 2)
    >>> str(pooled([Point(0.5, one, one, one, one), Point(0.5, two, two, two, two)]).recall)
    '3/4 = 0.75 [0.30, 0.95]'
    """

    def added(name: str) -> Proportion:
        shares: list[Proportion] = [getattr(p, name) for p in points]
        return Proportion(sum(s.successes for s in shares), sum(s.trials for s in shares))

    thresholds = {p.threshold for p in points}
    return Point(
        thresholds.pop() if len(thresholds) == 1 else None,
        added("precision"),
        added("recall"),
        added("coverage"),
        added("accuracy"),
    )


def _pooled(members: Sequence[Measured]) -> Measured:
    gates = [m.gate for m in members if m.gate]
    return Measured(pooled([m.both for m in members]), pooled(gates) if gates else None)


def report_json(judged: Mapping[str, Sequence[Judged]], found: Mapping[str, Mapping[str, Measured]]) -> dict[str, Any]:
    """Plain JSON data: by set, then by way of refusing."""
    everything = [j for members in judged.values() for j in members]
    report: dict[str, Any] = {}
    for name, ways in found.items():
        members = judged.get(name, everything)
        report[name] = {"questions": len(members), "answerable": sum(j.answerable for j in members)}
        report[name] |= {how: {**m.both.to_json(), **m.more} for how, m in ways.items()}
    return report


def report_table(found: Mapping[str, Mapping[str, Measured]]) -> Table:
    """A row for each set and way of refusing, for a terminal."""
    from rich.table import Table

    table = Table(title="Refusal", caption="[low, high]: Wilson intervals at 95 percent")
    for name in ("refused by", "threshold", "precision of refusing", "recall of refusing", "answered accuracy", "coverage"):
        table.add_column(name)
    for name, ways in found.items():
        for how, m in ways.items():
            for said, p in ((how, m.both), (f"{how}, gate alone", m.gate)):
                if p is not None:
                    shown = [str(share) for share in (p.precision, p.recall, p.accuracy, p.coverage)]
                    table.add_row(f"{name}: {said}", "each its own" if p.threshold is None else f"{p.threshold:.2f}", *shown)
    return table
