"""From documents to a grounding checker: pairs, training, int8 ONNX, the rule beside it, and a report on what was held out."""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evaluation.training.grounding import Recipe, held_out_report, read_pairs, split_pairs, train, write_pairs
from evaluation.training.grounding_pairs import LABELS, SUPPORTED_LABEL, Pair, PairMaker, Progress, QuestionAnswer
from evaluation.training.training_passages import Passage, read_passages

TRAIN_FILE, HELD_OUT_FILE, MADE_FROM = "train.jsonl", "held_out.jsonl", "made_from.json"
REPORT_FILE = "report.json"


def train_grounding(
    sources: Sequence[Path],
    output: Path,
    recipe: Recipe,
    *,
    held_out: float = 0.07,
    size: int | None = None,
    fresh: bool = False,
    progress: Progress = lambda things, _, __: things,
    progress_bar: bool = False,
) -> dict[str, Any]:
    """Make pairs from the sources, train, export, fit the rule, and measure on the passages held out.

    A run that was stopped goes on: pairs that are there are not made again, and training begins at the last checkpoint.

    :param sources: see `read_passages`; a BEIR folder whose queries carry answers gives questions too.
    :param output: gets `model.onnx` (int8), `tokenizer.json`, `config.json`, `rule.json`, `report.json`, both files of pairs, and checkpoints.
    :param held_out: share of the passages that is not trained on, above 0.
    :param size: pairs, at most; None: as many as the passages give.
    :param fresh: begin anew.
    :returns: the report: `pairs`, `held_out`, `by_label`, `megabytes`, `int8` and `fp32` (see `held_out_report`), `rule`.
    :raises ValueError: a source without passages, or pairs of another recipe in `output`.
    :raises RuntimeError: spaCy is not installed.
    """
    from components.validators.grounding_rule import RULE_FILE
    from components.validators.nli_model import load_nli_model
    from evaluation.grounding import read_claims_file
    from evaluation.grounding_rule import fit_rule, write_rule
    from evaluation.training.onnx_export import export_onnx

    if fresh and output.exists():
        shutil.rmtree(output)
    output.mkdir(parents=True, exist_ok=True)
    training, kept = _pairs(sources, output, recipe.seed, held_out, size, progress)
    model = train(training, output, recipe, progress_bar=progress_bar)
    texts = [(pair.premise, pair.claim) for pair in kept]
    full = model.predict(texts, apply_softmax=True, batch_size=32, show_progress_bar=False)
    exported = export_onnx(model.model, model.tokenizer, output, labels=list(LABELS), max_tokens=model.max_length)
    small = load_nli_model(str(output)).probabilities(texts)
    rule, rule_report = fit_rule(read_claims_file(output / HELD_OUT_FILE), output, seed=recipe.seed, note="fitted to the claims held out in training")
    write_rule(rule, output / RULE_FILE)
    report = {
        "pairs": len(training),
        "held_out": len(kept),
        "by_label": dict(Counter(pair.label for pair in training)),
        "megabytes": round(exported.megabytes, 1),
        "fp32": held_out_report(full, kept),
        "int8": held_out_report(small, kept),
        "rule": rule_report,
        "recipe": asdict(recipe),
    }
    (output / REPORT_FILE).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return report


def _pairs(sources: Sequence[Path], output: Path, seed: int, held_out: float, size: int | None, progress: Progress) -> tuple[list[Pair], list[Pair]]:
    """The pairs in `output`, made where they are missing; those to train on and those held out."""
    asked = {"sources": [str(source) for source in sources], "seed": seed, "held_out": held_out, "size": size}
    note, files = output / MADE_FROM, (output / TRAIN_FILE, output / HELD_OUT_FILE)
    if note.is_file() and all(file.is_file() for file in files):
        if json.loads(note.read_text("utf-8")) != asked:
            raise ValueError(f"{output} holds pairs of other sources or options; accepted: the same ones, another --output, or --fresh")
    else:
        passages: list[Passage] = []
        questions: list[QuestionAnswer] = []
        for source in sources:
            found = read_passages(source)
            questions += read_questions(source, found, len(passages))
            passages += found
        training, kept = split_pairs(PairMaker(seed, progress).pairs(passages, questions, size), held_out, seed)
        supported = sum(pair.label == SUPPORTED_LABEL for pair in kept)
        if not training or not 0 < supported < len(kept):
            raise ValueError(
                f"{len(training)} claims to train on, and {supported} of {len(kept)} held out are supported; accepted: some to train on, and held out"
                " some that are and some that are not: give more text, a larger --size or --held-out"
            )
        write_pairs(training, files[0])
        write_pairs(kept, files[1])
        note.write_text(json.dumps(asked) + "\n", encoding="utf-8")
    training, kept = (read_pairs(file) for file in files)
    return training, kept


def read_questions(source: Path, passages: Sequence[Passage], offset: int = 0) -> list[QuestionAnswer]:
    """Questions of a BEIR folder whose answer stands in the passage that is judged relevant; none for other sources.

    :param offset: number of the first of these passages among all.
    """
    queries = source / "queries.jsonl"
    if not queries.is_file() or not (source / "qrels").is_dir():
        return []
    place = {passage.name: offset + i for i, passage in enumerate(passages)}
    relevant: dict[str, str] = {}
    for file in sorted((source / "qrels").glob("*.tsv")):
        with file.open(encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows, delimiter="\t"):
                if float(row.get("score") or 0) > 0:
                    relevant.setdefault(row["query-id"], row["corpus-id"])
    found = []
    for line in queries.read_text(encoding="utf-8").splitlines():
        query = json.loads(line)
        answer = str((query.get("metadata") or {}).get("answer") or "").strip()
        number = place.get(relevant.get(query["_id"], ""))
        if number is not None and answer and answer in passages[number - offset].text:
            found.append(QuestionAnswer(query["text"], answer, number))
    return found
