"""Kill an indexing run at the k-th write of the engine, run it again, and compare the index with an undisturbed one.

`python kill_and_heal.py FOLDER COUNT SEED` prints one JSON object. One warm process forks a child for each run; it opens no index itself.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasketch  # noqa: F401  once here, not in every child

from app.indexing import index_paths
from components.access.principal import acting_as
from components.document_stores.edge_client import EdgeClient
from components.document_stores.sakshya_document_store import SakshyaDocumentStore  # noqa: F401  once here, not in every child
from config.settings import settings
from tests.light_graph import ADMIN, LightGraph, open_store, points

RULES = [{"match": "hr/**", "access": ["hr"]}]
FILES = 12


def write_corpus(root: Path, stage: int) -> None:
    """A small corpus; stage 1 edits, adds, removes and renames files, and makes one and a record of another fail."""
    shutil.rmtree(root, ignore_errors=True)
    for number in range(FILES):
        if stage == 1 and number == 3:
            continue
        parts = [f"Paragraph {n} of file {number}, edition {stage if n % 3 == 1 and number % 2 else 0}." for n in range(number % 5 + 1)]
        if stage == 1 and number == 4:
            parts = parts[1:]
        file = root / ("hr" if number % 4 == 0 else ".") / f"f{number:02}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n\n".join(parts))
    records = ["RECORDS", "k1 Apples are red.", "k2 BROKEN" if stage == 1 else "k2 Pears.", f"k3 Plums of edition {stage}."]
    (root / "codes.csv").write_text("\n\n".join(records))
    (root / ("renamed.md" if stage else "named.md")).write_text("A file that gets another name.\n\nWith two paragraphs, of the same bytes.")
    (root / "broken.md").write_text("BROKEN" if stage else "A file that breaks.")
    (root / "bad.md").write_text("BROKEN from the start")
    if stage == 1:
        (root / "new.md").write_text("A file that was not there before.\n\nWith two paragraphs.")


def hook(kill_at: int | None) -> dict[str, int]:
    """Count writes of the engine; kill this process before, in the middle of, or after the write of that number (three numbers a write)."""
    count = {"writes": 0}
    update, upsert = EdgeClient._update, EdgeClient.upsert

    def reached() -> bool:
        count["writes"] += 1
        return count["writes"] == kill_at

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def counted_update(self: Any, *args: Any, **kwargs: Any) -> Any:
        if reached():
            die()
        result = update(self, *args, **kwargs)
        if reached():
            die()
        return result

    def counted_upsert(self: Any, collection_name: str, points: list[Any], *args: Any, **kwargs: Any) -> None:
        if reached():
            upsert(self, collection_name, points[: len(points) // 2], *args, **kwargs)
            die()
        upsert(self, collection_name, points, *args, **kwargs)

    EdgeClient._update, EdgeClient.upsert = counted_update, counted_upsert
    return count


def index(data: Path, corpus: Path, stage: int, kill_at: int | None = None) -> dict[str, Any]:
    os.environ["SAKSHYA_DATA_DIR"] = str(data)
    settings.cache_clear()
    count = hook(kill_at)
    store = open_store()
    graph = LightGraph(store)
    report = index_paths(graph.run, [corpus], store=store, rules=RULES if stage else [], prune=True, max_files=5)
    with acting_as(ADMIN):
        found = points(store)
    store.shutdown()
    return {"writes": count["writes"], "points": found, "report": report, "embedded": len(graph.embedder.embedded)}


def forked(work: Callable[[], dict[str, Any]], out: Path) -> dict[str, Any] | None:
    """The result of work in a child process; None if it was killed."""
    pid = os.fork()
    if pid == 0:
        try:
            out.write_text(json.dumps(work()))
        except BaseException:  # noqa: BLE001  the parent reads the exit status
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return None
    if status:
        raise RuntimeError(f"the child ended with status {status}")
    return json.loads(out.read_text())


def main(folder: Path, count: int, seed: int) -> dict[str, Any]:
    corpus, out, base = folder / "corpus", folder / "out.json", folder / "base"
    result: dict[str, Any] = {"killed": 0, "different": [], "writes": []}
    chosen = random.Random(seed)
    for stage in (0, 1):
        write_corpus(corpus, stage)
        clean = folder / f"clean{stage}"
        if stage:
            shutil.copytree(base, clean)
        undisturbed = forked(lambda clean=clean, stage=stage: index(clean, corpus, stage), out)
        assert undisturbed is not None
        result["writes"].append(undisturbed["writes"])
        numbers = list(range(1, undisturbed["writes"] + 1))
        share = count // 2 if stage else count - count // 2
        for part in range(share):  # one at random of each part of the run
            kill_at = chosen.choice(numbers[part * len(numbers) // share : (part + 1) * len(numbers) // share])
            data = folder / "disturbed"
            shutil.rmtree(data, ignore_errors=True)
            if stage:
                shutil.copytree(base, data)
            if forked(lambda data=data, stage=stage, kill_at=kill_at: index(data, corpus, stage, kill_at), out) is None:
                result["killed"] += 1
            healed = forked(lambda data=data, stage=stage: index(data, corpus, stage), out)
            if healed is None or not alike(healed["points"], undisturbed["points"]):
                result["different"].append([stage, kill_at])
        if not stage:
            shutil.copytree(clean, base)
    return result


def alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """The same ids and payloads, and vectors within 1e-6."""
    if one.keys() != other.keys():
        return False
    for key, a in one.items():
        b = other[key]
        if (a["content"], a["meta"]) != (b["content"], b["meta"]) or [i for i, _ in a["sparse"]] != [i for i, _ in b["sparse"]]:
            return False
        pairs = [*zip(a["dense"], b["dense"], strict=True), *((x, y) for (_, x), (_, y) in zip(a["sparse"], b["sparse"], strict=True))]
        if any(abs(x - y) > 1.5e-6 for x, y in pairs):
            return False
    return True


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
