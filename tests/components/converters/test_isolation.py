"""Whatever a parser does, it is one failure of one source, in time, and its neighbours are read."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from components.converters.isolation import WORKERS, Readers, close, run_isolated
from components.converters.outcome import UnreadableError
from tests.components.converters import bad_parsers as parsers

ROOT = Path(__file__).parents[3]


def call(function, *datas: bytes, timeout_s: float = 20.0, max_memory_mb: int = 200) -> list:
    return run_isolated(function, [(data,) for data in datas], timeout_s=timeout_s, max_memory_mb=max_memory_mb)


@pytest.fixture(scope="module", autouse=True)
def warm():
    call(parsers.echo, b"")


def test_results_come_in_the_order_of_the_arguments():
    delays = [b"0.3", b"0", b"0.1", b"0"]
    assert call(parsers.sleep_and_echo, *delays) == [d.decode() for d in delays]


def test_sources_are_read_side_by_side():
    started = time.perf_counter()
    assert len(set(call(parsers.sleep_and_pid, b"0.5", b"0.5"))) == WORKERS == 2
    assert time.perf_counter() - started < 0.95


def test_callers_in_threads_share_the_children():
    results: list = []
    threads = [threading.Thread(target=lambda n=n: results.append((n, call(parsers.echo, str(n).encode())))) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(results) == [(n, [str(n)]) for n in range(16)]


@pytest.mark.parametrize("function", [parsers.loop, parsers.loop_in_c])
def test_one_that_loops_is_stopped_in_time(function):
    started = time.perf_counter()
    (result,) = call(function, b"", timeout_s=0.5)
    assert "longer than 0.5 s" in str(result)
    assert time.perf_counter() - started < 4


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (parsers.eat_memory, "more than 200 MB"),
        (parsers.abort, "SIGABRT"),
        (parsers.segfault, "SIGSEGV"),
        (parsers.leave, "exit code 3"),
        (parsers.end_program, "SystemExit"),
        (parsers.kill_itself, "killed"),
        (parsers.recurse, "nested too deeply"),
        (parsers.refuse, "the file says\nno"),
        (parsers.fail, "damaged or not what it seems to be: ZeroDivisionError: a fault of the parser"),
        (parsers.unpicklable, "pickle"),
    ],
)
def test_a_parser_that_fails_is_one_failure_with_its_reason(function, reason):
    before, result, after = [*call(parsers.echo, b"before"), *call(function, b""), *call(parsers.echo, b"after")]
    assert (before, after) == ("before", "after")
    assert isinstance(result, UnreadableError)
    assert reason in str(result)


def test_neighbours_of_hostile_sources_are_read():
    words = [b"1", b"abort", b"2", b"loop", b"3", b"eat", b"4", b"segfault", b"leave", b"5"]
    results = call(parsers.by_content, *words, timeout_s=2)
    expected = [None if word in parsers.BY_WORD else word.decode() for word in words]
    assert [None if isinstance(r, UnreadableError) else r for r in results] == expected


def test_memory_is_bounded_at_its_peak():
    peaks = call(parsers.peak_after_eating, b"", max_memory_mb=150)
    before, peak = peaks[0]
    assert peak - before < 160_000_000


def test_what_a_parser_starts_ends_with_it(tmp_path):
    told = tmp_path / "pid"
    call(parsers.start_and_loop, str(told).encode(), timeout_s=1)
    pid = int(told.read_text())
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.05)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_children_hold_no_model_and_no_index_and_print_nothing(capfd):
    (loaded,) = call(parsers.modules, b"")
    assert not {"torch", "qdrant_edge", "sentence_transformers", "components.document_stores.sakshya_document_store"} & set(loaded)
    assert call(parsers.chatter, b"") == ["said"]
    assert capfd.readouterr() == ("", "")


def test_children_are_replaced_after_the_pool_was_lost():
    (pid,) = call(parsers.pid, b"")
    for child in psutil.Process().children(recursive=True):
        if child.pid == pid:
            for reader in child.parent().children():
                reader.kill()
    assert call(parsers.echo, b"again") == ["again"]
    close()
    assert call(parsers.echo, b"and again") == ["and again"]


def test_a_small_source_costs_a_few_milliseconds():
    count = 200
    started = time.process_time()
    call(parsers.echo, *[b"small"] * count)
    assert (time.process_time() - started) / count < 0.005


def test_waiting_ends_where_nothing_is_finished_any_more(monkeypatch):
    monkeypatch.setattr("components.converters.isolation.STALLED_S", -100.0)
    readers = Readers()
    try:
        future = readers.call("tests.components.converters.bad_parsers:loop", ((b"",), {}), 60.0, 100)
        readers.wait([future], 0.1)
        assert future.done()
    finally:
        readers.close()


PROGRAM = """
import sys, threading, time

sys.modules["torch"] = None  # loading it is not what this is about
from components.converters.isolation import run_isolated, start
from tests.components.converters import bad_parsers as parsers


def read(function):
    return run_isolated(function, [(b"",)] * 2, timeout_s=20, max_memory_mb=200)


print("begun", flush=True)
start()
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def program(folder: Path, work: str) -> list[str]:
    """A program without a guard for its main part."""
    file = folder / "program.py"
    file.write_text(PROGRAM + work)
    return [sys.executable, str(file)]


def test_a_program_without_a_guard_is_not_run_again_and_ends_while_children_read(tmp_path):
    work = (
        "print(*read(parsers.main_module))\nthreading.Thread(target=read, args=(parsers.loop,), daemon=True).start()\ntime.sleep(0.3)\nprint('ended')"
    )
    done = subprocess.run(program(tmp_path, work), capture_output=True, text=True, timeout=60, env=ENVIRONMENT, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["begun", "None", "None", "ended"]), done.stderr
    assert done.stderr == ""


@pytest.mark.long
def test_a_program_that_ends_while_its_children_start(tmp_path):
    done = subprocess.run(program(tmp_path, "time.sleep(0.1)"), capture_output=True, text=True, timeout=60, env=ENVIRONMENT, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.long
def test_children_of_a_killed_program_end(tmp_path):
    work = "print(read(parsers.pid)[0], flush=True)\nrun_isolated(parsers.loop_in_c, [(b'',)] * 2, timeout_s=3, max_memory_mb=200)"
    running = subprocess.Popen(program(tmp_path, work), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=ENVIRONMENT)
    assert running.stdout is not None
    assert running.stdout.readline() == "begun\n"
    reader = psutil.Process(int(running.stdout.readline()))
    time.sleep(0.5)
    running.kill()
    running.wait(10)
    psutil.wait_procs([reader], timeout=10)
    assert not reader.is_running()
