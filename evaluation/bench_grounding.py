"""Times of the grounding check: `python -m evaluation.bench_grounding`. Run it on a quiet machine.

Five claims are checked beside the funnel that found their evidence (`--questions`, over the index of the settings), and 20 pairs go through the int8
model beside PyTorch in 32 bits (`--fp32 FOLDER`), all in one process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from components.answer import Answer, Citation, Evidence, Status
from components.validators.grounding_checker import GroundingChecker
from components.validators.nli_model import PACKAGED, load_nli_model, packaged_folder

CLAIMS = 5
PAIRS = 20
WORDS = (
    "An employee who has worked for more than twelve months may take twenty-five days of leave, of which five may be carried into the next year. "
    "Notice of a leave of more than ten days is given four weeks before it begins, in writing, to the head of the office. "
    "Leave that was not taken before 31 March ends, except where illness prevented it. "
    "A day of leave is paid as a day of work. "
    "Whoever falls ill on leave and shows a certificate within three days gets these days back. "
)


def median_ms(call: Callable[[], Any], repeats: int) -> float:
    """Median milliseconds of a call after one to warm up."""
    call()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    return round(statistics.median(times), 1)


def made_answer(passages: Sequence[Evidence], question: str) -> Answer:
    """An answer of five claims in other words than the passages', so that nothing passes word for word."""
    said = (
        "Twenty-five days of leave are what an employee of more than a year may take.",
        "Four weeks before it begins, notice is given of longer leave.",
        "Illness lets leave last beyond 31 March.",
        "Each day of leave has the pay of a day of work.",
        "A certificate within three days gives the days of illness back.",
    )
    numbers = [passage.n for passage in passages]
    text = " ".join(f"{sentence} [{numbers[i % len(numbers)]}]" for i, sentence in enumerate(said))
    cited = [Citation(n=p.n, source_id=p.source_id, title=p.title, quote=p.text, char_start=p.char_start, char_end=p.char_end) for p in passages]
    return Answer(status=Status.ANSWERED, question=question, answer=text, citations=cited, evidence=list(passages))


def own_passages() -> list[Evidence]:
    """Four passages of about 200 words."""
    text = (WORDS * 3).strip()
    return [Evidence(n=n, id=str(n), source_id=str(n), title=f"Leave {n}", text=text, char_start=0, char_end=len(text)) for n in range(1, 5)]


def measure(model: str, fp32: Path | None, questions: Sequence[str], graph: str, repeats: int) -> dict[str, Any]:
    """Milliseconds by name."""
    found: dict[str, Any] = {}
    passages = own_passages()
    if questions:
        from app import query
        from app.graphs import load_graph
        from components.access.principal import Principal

        loaded = load_graph(graph, phase="query", only=["documents"])
        loaded.warm_up()
        reader = Principal(user="bench", tenant="default")
        found["funnel"] = statistics.median(
            [median_ms(lambda asked=question: asyncio.run(query.retrieve(loaded, asked, principal=reader)), repeats) for question in questions]
        )
    checker = GroundingChecker(model=model, timeout_s=None)
    checker.warm_up()
    answer = made_answer(passages, "How much leave is there?")
    found[f"check of {CLAIMS} claims"] = median_ms(lambda: checker.run(answer), repeats)
    bare = GroundingChecker(model="none")
    found[f"check of {CLAIMS} claims, no model"] = median_ms(lambda: bare.run(answer), repeats)
    if "funnel" in found:
        found["check / funnel"] = round(found[f"check of {CLAIMS} claims"] / found["funnel"], 2)
    if model != "none":
        pairs = [(f"{WORDS} {i}.", f"Twenty-five days of leave, of which {i} may be carried over.") for i in range(PAIRS)]
        small = load_nli_model(model)
        found[f"{PAIRS} pairs, {model}"] = median_ms(lambda: small.probabilities(pairs), repeats)
        if fp32:
            full = load_nli_model(str(fp32))
            found[f"{PAIRS} pairs, PyTorch fp32"] = median_ms(lambda: full.probabilities(pairs), repeats)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.bench_grounding", description="Times of the grounding check.")
    parser.add_argument("--model", default=PACKAGED if packaged_folder() else "none", help="as in SAKSHYA_GROUNDING_MODEL")
    parser.add_argument("--fp32", type=Path, help="folder of the same model in 32 bits")
    parser.add_argument("--questions", type=Path, help="a file of questions, a line each, asked of the index of the settings")
    parser.add_argument("--graph", default="query")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args(arguments)
    questions = [line.strip() for line in given.questions.read_text("utf-8").splitlines() if line.strip()] if given.questions else []
    print(json.dumps(measure(given.model, given.fp32, questions[:10], given.graph, given.repeats), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
