"""SIGKILL at any write: the next run gives the index that an undisturbed run gives."""

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.light_graph import MEMORY_DISK

ROOT = Path(__file__).resolve().parents[2]


def kill_and_heal(count: int, seed: int) -> dict:
    with tempfile.TemporaryDirectory(dir=MEMORY_DISK if MEMORY_DISK.is_dir() else None) as folder:
        done = subprocess.run(
            [sys.executable, "-m", "tests.app.kill_and_heal", folder, str(count), str(seed)],
            cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, timeout=900, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("count", [5, pytest.param(30, marks=pytest.mark.long)])
def test_a_killed_run_is_healed_by_the_next(count):
    seed = random.randrange(10**6)
    result = kill_and_heal(count, seed)
    assert result["different"] == [], f"seed {seed}: stage and write at which a kill was not healed"
    assert result["killed"] == count, f"seed {seed}"
