"""A day's budget holds over threads, processes, crashes and midnight."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from components.generators.spending import FILE, BudgetSpentError, Spending

ROOT = Path(__file__).parents[3]
MANY = """
import sys
from pathlib import Path
from components.generators.spending import BudgetSpentError, Spending
booked = 0
for _ in range(40):
    try:
        Spending(Path(sys.argv[1])).book(0.01, 0.5)
        booked += 1
    except BudgetSpentError:
        pass
print(booked)
"""


def test_processes_together_stay_within_the_budget(tmp_path):
    command = [sys.executable, "-c", MANY, str(tmp_path)]
    running = [subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    booked = [int(process.communicate(timeout=60)[0]) for process in running]
    assert sum(booked) == 50  # of 120 that were tried
    assert Spending(tmp_path).spent_usd() == 0.5


def test_threads_too(tmp_path):
    def one(_):
        try:
            return bool(Spending(tmp_path).book(0.01, 0.1))
        except BudgetSpentError:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(one, range(30))) == 10


def test_what_was_booked_is_corrected_on_its_own_day(tmp_path):
    days = ["2026-01-31"]
    spending = Spending(tmp_path, day=lambda: days[-1])
    day = spending.book(0.4, 0.5)
    days.append("2026-02-01")
    assert spending.book(0.4, 0.5) == "2026-02-01"  # a new day, a new budget
    spending.correct(day, 0.4, 0.1)
    assert (spending.spent_usd("2026-01-31"), spending.spent_usd()) == (0.1, 0.4)


def test_fifty_thousand_small_sums_lose_nothing(tmp_path):
    spending = Spending(tmp_path)
    with spending._open() as connection:
        for _ in range(50_000):
            spending._add(connection, "2026-01-01", round(0.00693 * 1_000_000_000))
    assert spending.spent_usd("2026-01-01") == 346.5


def test_a_call_that_exactly_fits_is_covered_and_nothing_after_it(tmp_path):
    spending = Spending(tmp_path)
    spending.book(0.3, 0.3)
    with pytest.raises(BudgetSpentError, match=r"\$0\.30, does not cover another call: \$0\.3000 are spent or booked"):
        spending.book(0.000001, 0.3)


def test_a_file_that_is_none_is_an_error_and_not_an_empty_day(tmp_path):
    (tmp_path / FILE).write_text("this is no database, and longer than a header of one" * 20)
    with pytest.raises(OSError, match="spending"):
        Spending(tmp_path).book(0.1, 5)
    with pytest.raises(OSError, match="spending"):
        Spending(tmp_path).spent_usd()


def test_nothing_is_created_by_looking(tmp_path):
    assert Spending(tmp_path / "none").spent_usd() == 0 and not (tmp_path / "none").exists()
