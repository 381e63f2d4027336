"""How long indexing takes, and how much memory, beside a plain script on the same files.

`python -m evaluation.bench_index [FOLDER] [--repeats 3] [--json]`. Each repeat runs both in processes of their own, the order changing, on a copy
of the files that both can read. Measured are the seconds of the whole process, starting included, and the largest sum of memory (PSS: shared
pages count once) of the process and its children. The ratio is of one repeat, so that what else the machine does touches both.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

from config.settings import home

READABLE = frozenset({".txt", ".md", ".html", ".htm", ".docx", ".eml"})
"""Formats that unstructured reads here without a download; PDF is not one."""
EVERY_S = 0.2
OURS, PLAIN = "sakshya", "plain script"


class Peak:
    """The largest memory of a process and its children, and the processor seconds of all of them, looked at every `EVERY_S` seconds."""

    def __init__(self, pid: int) -> None:
        self.bytes = 0
        self._used: dict[int, float] = {}
        self._process = psutil.Process(pid)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    @property
    def processor_s(self) -> float:
        """Processor seconds of every process that was seen, as far as its last look."""
        return sum(self._used.values())

    def _watch(self) -> None:
        while not self._over.wait(EVERY_S):
            self.bytes = max(self.bytes, self._now())

    def _now(self) -> int:
        total = 0
        try:
            for process in (self._process, *self._process.children(recursive=True)):
                try:
                    times = process.cpu_times()
                    self._used[process.pid] = times.user + times.system
                    total += process.memory_full_info().pss
                except psutil.Error:
                    continue  # it ended between the two looks
        except psutil.Error:
            return total
        return total

    def stop(self) -> int:
        """Bytes at the largest."""
        self._over.set()
        self._thread.join()
        return self.bytes


def corpus(source: Path, target: Path) -> int:
    """Copy the files that both sides read; how many.

    :raises ValueError: there is none.
    """
    count = 0
    for file in sorted(source.rglob("*")):
        if file.is_file() and file.suffix.lower() in READABLE and not file.name.startswith("."):
            place = target / file.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
            count += 1
    if not count:
        raise ValueError(f"{source}: no file that both sides read; accepted: {', '.join(sorted(READABLE))}")
    return count


def run_side(side: str, files: Path, scratch: Path) -> dict[str, Any]:
    """Index the files by one side; its own report, with `wall_s` and `peak_mb` as seen from outside.

    :raises RuntimeError: it failed.
    """
    target = scratch / "index"
    shutil.rmtree(target, ignore_errors=True)
    command = [sys.executable, "-m"]
    command += ["app.cli", "index", str(files), "--json"] if side == OURS else ["evaluation.plain_indexing", str(files), str(target)]
    env = {
        **os.environ,
        "SAKSHYA_DATA_DIR": str(target),
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "UNSTRUCTURED_DISABLE_NOTICE": "1",
    }
    started = time.monotonic()
    with subprocess.Popen(command, cwd=home(), env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        peak = Peak(process.pid)
        out, err = process.communicate()
        wall = time.monotonic() - started
        memory = peak.stop()
    try:
        report = json.loads(out)
    except ValueError:
        raise RuntimeError(f"{side} failed: {(err.strip().splitlines() or ['no word'])[-1]}") from None
    if "error" in report:
        raise RuntimeError(f"{side} failed: {report['error']}")
    failed = report["failed"]
    return {
        "chunks": report["chunks"],
        "failed": len(failed),
        "work_s": report["seconds"],
        "wall_s": round(wall, 2),
        "cpu_s": round(peak.processor_s, 2),
        "peak_mb": memory // 1_000_000,
    }


def measure(folder: Path, repeats: int) -> dict[str, Any]:
    """Both sides, `repeats` times.

    :returns: `files`, `runs` (a mapping of both sides for each repeat), `time_ratio` and `cpu_ratio` (plain / ours, above 1: ours is faster) and
        `memory_ratio` (ours / plain, below 1: ours takes less), each with `median`, `low`, `high`. Of the two sides processor seconds compare best
        where other work runs on the machine.
    """
    with tempfile.TemporaryDirectory() as scratch:
        files = Path(scratch) / "files"
        count = corpus(folder, files)
        runs: list[dict[str, Any]] = []
        for repeat in range(repeats):
            order = (OURS, PLAIN) if repeat % 2 == 0 else (PLAIN, OURS)
            runs.append({side: _told(side, run_side(side, files, Path(scratch))) for side in order})
    return {
        "folder": str(folder),
        "files": count,
        "runs": runs,
        "time_ratio": _spread([run[PLAIN]["wall_s"] / run[OURS]["wall_s"] for run in runs]),
        "cpu_ratio": _spread([run[PLAIN]["cpu_s"] / run[OURS]["cpu_s"] for run in runs]),
        "memory_ratio": _spread([run[OURS]["peak_mb"] / max(run[PLAIN]["peak_mb"], 1) for run in runs]),
    }


def _told(side: str, run: dict[str, Any]) -> dict[str, Any]:
    sys.stderr.write(f"{side}: {run['wall_s']:.1f} s, {run['cpu_s']:.1f} s of processors, {run['peak_mb']} MB\n")
    return run


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": round(statistics.median(values), 2), "low": round(min(values), 2), "high": round(max(values), 2)}


def table(report: dict[str, Any]) -> Table:
    """The report for a person."""
    shown = Table(title=f"{report['files']} files of {report['folder']}")
    for column in ("run", "side", "seconds", "of work", "processor s", "peak MB", "chunks", "failed"):
        shown.add_column(column, justify="left" if column == "side" else "right")
    for number, run in enumerate(report["runs"], start=1):
        for side, one in run.items():
            cells = (
                number,
                side,
                f"{one['wall_s']:.1f}",
                f"{one['work_s']:.1f}",
                f"{one['cpu_s']:.1f}",
                one["peak_mb"],
                one["chunks"],
                one["failed"],
            )
            shown.add_row(*(str(cell) for cell in cells))
    faster, processor, memory = report["time_ratio"], report["cpu_ratio"], report["memory_ratio"]
    shown.caption = (
        f"{faster['median']} times as fast ({faster['low']} to {faster['high']}), by processor seconds {processor['median']} "
        f"({processor['low']} to {processor['high']}), {memory['median']} times the memory "
        f"({memory['low']} to {memory['high']})"
    )
    return shown


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.bench_index", description="Indexing beside a plain script on the same files.")
    parser.add_argument("folder", nargs="?", type=Path, default=home() / "examples" / "documents", help="files to index (the examples)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each side, 1 or more (3)")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    given = parser.parse_args(arguments)
    if given.repeats < 1 or not given.folder.is_dir():
        parser.error("FOLDER must be a folder, and --repeats 1 or more")
    try:
        report = measure(given.folder, given.repeats)
    except (ValueError, RuntimeError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if given.json:
        print(json.dumps(report))
    else:
        Console().print(table(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
