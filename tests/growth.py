"""Whether work grows with the length of its input only: a ratio of two runs on this machine, never a bound in seconds."""

import time
from collections.abc import Callable


def growth(work: Callable[[str], object], unit: str, length: int) -> float:
    """Processor time for four times the text over that for the text, the best of seven each, taken in turns so that a busy moment of the machine
    touches both: about 4 where it is linear, 16 where quadratic."""

    def taken(text: str) -> float:
        began = time.process_time()
        work(text)
        return time.process_time() - began

    pairs = [(taken(unit * length), taken(unit * (4 * length))) for _ in range(7)]
    return min(long for _, long in pairs) / max(min(short for short, _ in pairs), 1e-4)
