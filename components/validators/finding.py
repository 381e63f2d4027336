"""What one check found in a claim and its passage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What a check found.

    :param check: its name.
    :param missing: share of what the claim says that the premise does not hold, in [0, 1]; 0: all is there.
    :param reason: one line for a person; empty where nothing is missing.
    """

    check: str
    missing: float
    reason: str = ""

    @property
    def passed(self) -> bool:
        """Whether nothing is missing."""
        return self.missing == 0


Check = Callable[[str, str], Finding | None]


def finding_of(check: str, wanted: int, absent: list[str], verb: str = "is not in the cited passage") -> Finding | None:
    """The finding of a check over `wanted` things of which some are absent; None where there is nothing to look for."""
    if not wanted:
        return None
    return Finding(check, len(absent) / wanted, f"{', '.join(absent[:3])} {verb}" if absent else "")
