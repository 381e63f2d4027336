"""What a training did to questions that it did not see: nDCG@10 before and after with intervals, and the card beside the model."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.bootstrap import bootstrap_mean, paired_difference

DEPTH = 10


def ndcg(relevant: Sequence[bool], total: int | None = None, depth: int = DEPTH) -> float:
    """nDCG of a ranked list of yes and no (Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002).

    :param total: relevant ones that there are; None: those in the list.

    >>> ndcg([True, False]), round(ndcg([False, True]), 4), ndcg([])
    (1.0, 0.6309, 0.0)
    """
    ideal = sum(1 / math.log2(place + 2) for place in range(min(depth, sum(relevant) if total is None else total)))
    return sum(1 / math.log2(place + 2) for place, yes in enumerate(relevant[:depth]) if yes) / ideal if ideal else 0.0


@dataclass(frozen=True)
class HeldOut:
    """Figures of one kind of ranking over the same questions: `values`, one a question."""

    values: Mapping[str, Sequence[float]]

    def to_json(self) -> dict[str, Any]:
        """Each with its interval, and the difference of each later one to the first."""
        names = list(self.values)
        if not names or not len(self.values[names[0]]):
            return {"questions": 0}
        report: dict[str, Any] = {"questions": len(self.values[names[0]])}
        report["nDCG@10"] = {name: bootstrap_mean(values).to_json() for name, values in self.values.items()}
        report["difference"] = {name: paired_difference(self.values[name], self.values[names[0]]).to_json() for name in names[1:]}
        return report


def write_report(folder: Path, kind: str, report: dict[str, Any], use: Sequence[str]) -> None:
    """`report.json`, and a card `README.md` that says what the model is, was made of, and scored.

    :param use: lines of `.env` or of a graph that put it to use.
    """
    (folder / "report.json").write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    held = report["held_out"]
    lines = [f"# {folder.name}", "", f"A {kind} made by `sakshya train`.", "", f"Data: {report['data']}.", "", "```", *use, "```", ""]
    if held.get("questions"):
        lines += [
            f"nDCG@10 on {held['questions']} questions about sources that it was not trained on, with 95 % intervals:",
            "",
            "| | | |",
            "|---|---|---|",
        ]
        for name, figure in held["nDCG@10"].items():
            gain = held["difference"].get(name)
            change = "" if gain is None else f"{gain['value']:+.4f} ({gain['low']:+.4f} to {gain['high']:+.4f})"
            lines.append(f"| {name} | {figure['value']:.4f} ({figure['low']:.4f}–{figure['high']:.4f}) | {change} |")
        lines += ["", "The questions were made from the passages, so they are easier than those of people; take the difference, not the height."]
    (folder / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
