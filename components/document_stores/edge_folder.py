"""Where a collection lies on disk: generations, of which the file CURRENT names one. Replacing that file is the atomic switch."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

CURRENT = "CURRENT"
GRAPH = "GRAPH"


class CollectionFolder:
    """One collection: `<folder>/CURRENT` and `<folder>/g<name>/`. A process killed between any two steps leaves the old one or the new one whole."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def current(self) -> Path | None:
        """The generation in use, or None where there is no collection."""
        try:
            name = (self.folder / CURRENT).read_text().strip()
        except OSError:
            return None
        path = self.folder / name
        return path if name and path.is_dir() else None

    def new(self) -> Path:
        """An empty folder for the next generation, not in use yet."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="g", dir=self.folder))  # a name that no orphaned child still writes to

    def use(self, generation: Path) -> None:
        """Make `generation` the current one, durably."""
        draft = self.folder / f"{CURRENT}.new"
        with draft.open("w") as file:
            file.write(generation.name)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.folder / CURRENT)
        sync_folder(self.folder)

    def note_graph(self, points: int) -> None:
        """Remember that the current generation was built with a graph index over so many points."""
        current = self.current()
        if current is not None:
            (self.folder / GRAPH).write_text(f"{current.name} {points}")

    def graphed(self) -> int:
        """Points that the graph index of the current generation was built over; 0 where none was."""
        current = self.current()
        try:
            name, points = (self.folder / GRAPH).read_text().split()
            return int(points) if current is not None and name == current.name else 0
        except (OSError, ValueError):
            return 0

    def tidy(self) -> None:
        """Remove generations that are not in use, left by a process that was killed."""
        keep = self.current()
        for path in self.folder.glob("g*"):
            if path.is_dir() and path != keep:
                shutil.rmtree(path, ignore_errors=True)

    def disuse(self) -> None:
        """Let no generation be the current one."""
        (self.folder / CURRENT).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the collection; it is gone from the moment CURRENT is."""
        self.disuse()
        shutil.rmtree(self.folder, ignore_errors=True)


def sync_folder(folder: Path) -> None:
    """Write the entries of a folder to disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Write a folder and all that is in it to disk."""
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            sync_folder(path)
        elif path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
