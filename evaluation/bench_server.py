"""Load on a real server: `python -m evaluation.bench_server QUESTIONS` starts `sakshya serve` over the present index and asks from many clients.

Printed: answers and errors, p50 and p95, the server's memory over time, and, from single requests, the share of time outside components.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from evaluation.latency import quantiles_ms
from evaluation.questions import read_questions

STARTED = re.compile(r"https?://127\.0\.0\.1:(\d+)")
PARALLEL = ({"dense_embedder", "dense_retriever"}, {"sparse_embedder", "bm25_retriever"})
"""Stages of the two legs, which run side by side: the longer leg counts."""


@dataclass
class Load:
    """What the clients saw."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)


class Server:
    """`sakshya serve` on a free port, without a rate limit, as a child process."""

    def __enter__(self) -> Server:
        environment = {**os.environ, "SAKSHYA_RATE_PER_MINUTE": "0"}
        command = [sys.executable, "-m", "app.cli", "serve", "--port", "0"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment)  # noqa: S603
        seen: list[str] = []
        for line in self.process.stderr or []:
            seen.append(line.strip())
            if found := STARTED.search(line):
                self.url = f"http://127.0.0.1:{found[1]}"
                threading.Thread(target=self._drain, daemon=True).start()
                return self
        raise SystemExit(f"the server did not start: {' | '.join(seen[-3:])}")

    def _drain(self) -> None:
        for _ in self.process.stderr or []:
            pass

    def memory_mb(self) -> float:
        """Resident memory of the server, in megabytes."""
        return psutil.Process(self.process.pid).memory_info().rss / 1e6

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(60)


def endless(questions: list[str], start: int) -> Iterator[str]:
    """The questions again and again, from a place of its own for each client."""
    position = start
    while True:
        yield questions[position % len(questions)]
        position += 1


def outside_share(client: httpx.Client, url: str, questions: list[str]) -> list[float]:
    """For each question alone: the part of the whole request that no component accounts for, in [0, 1]."""
    shares = []
    for question in questions:
        began = time.perf_counter()
        answer = client.post(f"{url}/query/run", json={"question": question}).json()
        total = (time.perf_counter() - began) * 1000
        stages = {stage["name"]: stage["ms"] for stage in answer["trace"]}
        legs = max(sum(stages.pop(name, 0.0) for name in leg) for leg in PARALLEL)
        shares.append(max(0.0, 1 - (legs + sum(stages.values())) / total))
    return shares


def load(server: Server, questions: list[str], clients: int, seconds: float) -> Load:
    """Ask from many clients for so long."""
    result = Load()
    end = time.monotonic() + seconds

    def ask(number: int) -> None:
        with httpx.Client(timeout=60) as client:
            for question in endless(questions, number * 7):
                if time.monotonic() >= end:
                    return
                began = time.perf_counter()
                try:
                    reply = client.post(f"{server.url}/query/run", json={"question": question})
                    status = reply.json().get("status") if reply.status_code == 200 else None
                    if status not in {"answered", "declined"}:
                        result.errors.append(f"HTTP {reply.status_code} {status or ''}".strip())
                except httpx.HTTPError as error:
                    result.errors.append(type(error).__name__)
                result.seconds.append(time.perf_counter() - began)

    with ThreadPoolExecutor(clients) as pool:
        running = [pool.submit(ask, number) for number in range(clients)]
        while not all(task.done() for task in running):
            result.memory_mb.append(server.memory_mb())
            time.sleep(min(1.0, seconds / 10))
    return result


def report(measured: Load, shares: list[float], clients: int, seconds: float) -> dict[str, Any]:
    """The figures as plain JSON data."""
    quarter = max(1, len(measured.memory_mb) // 4)
    times = quantiles_ms(measured.seconds)
    return {
        "clients": clients,
        "seconds": seconds,
        "requests": len(measured.seconds),
        "errors": len(measured.errors),
        "kinds_of_error": sorted(set(measured.errors)),
        "p50_ms": times["p50"],
        "p95_ms": times["p95"],
        "p95_over_p50": round(times["p95"] / times["p50"], 2),
        "memory_first_quarter_mb": round(max(measured.memory_mb[:quarter]), 1),
        "memory_last_quarter_mb": round(max(measured.memory_mb[-quarter:]), 1),
        "outside_components_share_p50": round(statistics.median(shares), 3),
    }


def main(arguments: list[str] | None = None) -> int:
    """Command line of this module."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.bench_server", description=__doc__)
    parser.add_argument("questions", type=Path, help="question set, JSON lines")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    options = parser.parse_args(arguments)
    questions = [question.question for question in read_questions(options.questions)]
    with Server() as server, httpx.Client(timeout=60) as client:
        shares = outside_share(client, server.url, questions[:20])
        measured = load(server, questions, options.clients, options.seconds)
    figures = report(measured, shares, options.clients, options.seconds)
    if options.json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        from rich.console import Console
        from rich.table import Table

        table = Table(title="server under load", show_header=False)
        for name, value in figures.items():
            table.add_row(name, str(value))
        Console().print(table)
    return 1 if measured.errors else 0


if __name__ == "__main__":
    raise SystemExit(main())
