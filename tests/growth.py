"""Whether work grows with the length of its input only: a ratio of two runs on this machine, never a bound in seconds."""

import time
from collections.abc import Callable


def growth(work: Callable[[str], object], unit: str, length: int) -> float:
    """Processor time for four times the text over that for the text, the best of three each: about 4 where it is linear, 16 where quadratic."""

    def best(text: str) -> float:
        times = []
        for _ in range(3):
            began = time.process_time()
            work(text)
            times.append(time.process_time() - began)
        return min(times)

    return best(unit * (4 * length)) / max(best(unit * length), 1e-4)
