"""Passages to make training data from: BEIR folders, JSON lines with `text`, and folders of text files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Passage:
    """A paragraph or abstract.

    :param title: what it is about; empty where its file does not say.
    :param corpus: name of what it was read from.
    :param name: its `_id`, empty where it has none.
    """

    text: str
    title: str
    corpus: str
    name: str = ""


TEXT_FILES = frozenset({".md", ".txt"})
MIN_CHARS = 80


def read_passages(source: Path) -> list[Passage]:
    """The passages of a BEIR folder, a .jsonl file (`text`, optional `title`), or a folder of .md and .txt files (a passage a paragraph).

    :raises ValueError: nothing of the kind is there.
    """
    if source.is_dir():
        corpus = next((source / name for name in ("corpus.jsonl", "corpus.jsonl.gz") if (source / name).is_file()), None)
        found = list(_lines(corpus, source.name)) if corpus else list(_paragraphs(source))
    elif source.suffix in {".jsonl", ".gz"} and source.is_file():
        found = list(_lines(source, source.stem))
    else:
        found = []
    if not found:
        raise ValueError(f"{source}: no passage; accepted: a BEIR folder, a .jsonl file with `text`, or a folder of .md and .txt files")
    return found


def _lines(file: Path, corpus: str) -> Iterator[Passage]:
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            text = " ".join(str(entry.get("text") or "").split())
            if len(text) >= MIN_CHARS:
                yield Passage(text, str(entry.get("title") or "").replace("_", " ").strip(), corpus, str(entry.get("_id") or ""))


def _paragraphs(folder: Path) -> Iterator[Passage]:
    for file in sorted(folder.rglob("*")):
        if file.suffix not in TEXT_FILES or not file.is_file():
            continue
        for block in file.read_text(encoding="utf-8", errors="replace").split("\n\n"):
            text = " ".join(block.split())
            if len(text) >= MIN_CHARS and not text.startswith(("#", "|", "```")):
                yield Passage(text, file.stem.replace("-", " "), folder.name)
