"""What chat models cost a day, counted for all processes that share a data folder, and the budget that stops them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

FILE = "spending.sqlite"
NANO = 1_000_000_000
"""Sums are kept as whole billionths of a dollar: many small additions lose nothing."""
LOCK_S = 5.0


class BudgetSpentError(Exception):
    """The rest of the day's budget does not cover the call; the message says what is spent."""


def today() -> str:
    """The day in UTC, YYYY-MM-DD."""
    return datetime.now(UTC).date().isoformat()


class Spending:
    """USD spent each day (UTC).

    A call is booked before it is made, at the most that it can cost, and corrected when its tokens are known. So calls that run at the same time
    cannot exceed the budget together, and a process that dies in between has booked too much rather than too little.

    :param folder: where the file lies; created at the first booking.
    """

    def __init__(self, folder: Path, day: Callable[[], str] = today) -> None:
        self.path, self._day = folder / FILE, day

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=LOCK_S, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")  # the file's lock, against other processes too
            connection.execute("CREATE TABLE IF NOT EXISTS spent (day TEXT PRIMARY KEY, nano_usd INTEGER NOT NULL)")
            yield connection
            connection.execute("COMMIT")
        finally:
            connection.close()  # without a commit nothing is written

    def book(self, usd: float, budget_usd: float | None = None) -> str:
        """Book a call.

        :param usd: the most that it can cost.
        :param budget_usd: of the day; None: no limit.
        :returns: the day on which it is booked, for `correct`.
        :raises BudgetSpentError: what is booked and this call exceed the budget.
        :raises OSError: the file cannot be read or written.
        """
        day = self._day()
        try:
            with self._open() as connection:
                spent = self._of(connection, day)
                if budget_usd is not None and spent + round(usd * NANO) > round(budget_usd * NANO):
                    raise BudgetSpentError(
                        f"the daily budget for chat models, ${budget_usd:,.2f}, does not cover another call: ${spent / NANO:,.4f} are spent or "
                        f"booked, the call may cost ${usd:,.4f}; it begins anew at 00:00 UTC"
                    )
                self._add(connection, day, round(usd * NANO))
        except sqlite3.Error as error:
            raise OSError(f"{self.path}: {error}") from error
        return day

    def correct(self, day: str, booked_usd: float, actual_usd: float) -> None:
        """Put what a booked call really cost in place of what was booked.

        :raises OSError: as `book`.
        """
        try:
            with self._open() as connection:
                self._add(connection, day, round(actual_usd * NANO) - round(booked_usd * NANO))
        except sqlite3.Error as error:
            raise OSError(f"{self.path}: {error}") from error

    def spent_usd(self, day: str | None = None) -> float:
        """USD spent or booked on a day; None: today. 0 where nothing is, or there is no file.

        :raises OSError: as `book`.
        """
        if not self.path.is_file():
            return 0.0
        try:
            with self._open() as connection:
                return self._of(connection, day or self._day()) / NANO
        except sqlite3.Error as error:
            raise OSError(f"{self.path}: {error}") from error

    @staticmethod
    def _of(connection: sqlite3.Connection, day: str) -> int:
        row = connection.execute("SELECT nano_usd FROM spent WHERE day = ?", (day,)).fetchone()
        return int(row[0]) if row else 0

    @staticmethod
    def _add(connection: sqlite3.Connection, day: str, nano_usd: int) -> None:
        connection.execute(
            "INSERT INTO spent VALUES (?, max(0, ?)) ON CONFLICT (day) DO UPDATE SET nano_usd = max(0, nano_usd + ?)", (day, nano_usd, nano_usd)
        )
