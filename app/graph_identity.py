"""What a query graph answers by, as one hash: its parts, the files and models it names, the settings, and this program."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from config.settings import Settings, home, settings

CONTENT_BYTES = 4_000_000
"""A larger file is known by its size and the time of its last change."""
MAX_FILES = 2000
PROGRAM = Path(__file__).resolve().parents[1] / "components"
LIBRARIES = ("sakshya", "haystack-ai", "qdrant-haystack", "qdrant-edge-py", "sentence-transformers", "torch", "onnxruntime")
_PLACES_AND_LIMITS = """
data_dir collection qdrant_url qdrant_api_key qdrant_timeout_s file_passwords fetch_allow_private max_file_mb max_question_chars deadline_s
answer_cache_entries embedding_api_key embedding_batch_size chat_api_key api_keys api_key cors_origins max_body_kb max_upload_mb
max_upload_files max_jobs rate_per_minute rate_burst max_concurrent max_waiting shutdown_s
"""
NOT_ANSWERING = frozenset(_PLACES_AND_LIMITS.split())
"""Settings that say where things are, or who may ask and how much, and change no answer. One that is not listed counts."""


def graph_identity(config: Mapping[str, Any], path: Path) -> str:
    """Hash of all by which a graph answers, read now: call it where the graph is loaded.

    :param config: the graph as it is loaded.
    :param path: its file; names of files in it are sought beside it, in its folder `prompts`, in the clone and in the clone's `models`.
    """
    parts = {
        "graph": config,
        "settings": answering_settings(settings()),
        "files": files_of([*texts_in(config), *texts_in(answering_settings(settings()))], path),
        "program": program(),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()


def answering_settings(here: Settings) -> dict[str, Any]:
    """The settings that may change an answer; a secret among them shows as stars."""
    return here.model_dump(mode="json", exclude=set(NOT_ANSWERING))


def texts_in(part: Any) -> Iterator[str]:
    """Every text inside a structure."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for value in part.values():
            yield from texts_in(value)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from texts_in(value)


def files_of(texts: Iterable[str], path: Path) -> dict[str, str]:
    """Signature of each file that a text names, and of those of the prompts beside the graph and of the clone's models."""
    places = [path.resolve().parent, path.resolve().parent / "prompts", home(), home() / "pipelines", home() / "models"]
    named = [place / text for text in set(texts) if 0 < len(text) < 200 and "\n" not in text and "\0" not in text for place in places]
    found: dict[str, str] = {}
    for one in (*named, path.resolve().parent / "prompts", home() / "pipelines" / "prompts", home() / "models"):
        for file in _files(one):
            found[str(file)] = signature(file)
    return found


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir() or path.resolve() in (home(), home() / "pipelines", Path(path.anchor)):
        return []
    return sorted(file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)[:MAX_FILES]


def signature(file: Path) -> str:
    """Hash of a file's content; of a large one its size and time."""
    stat = file.stat()
    if stat.st_size > CONTENT_BYTES:
        return f"{stat.st_size} {stat.st_mtime_ns}"
    return hashlib.sha256(file.read_bytes()).hexdigest()


@lru_cache(maxsize=1)
def program() -> dict[str, str]:
    """This program's components and the libraries that answer, as they were when the process began to answer."""
    files = {str(file.relative_to(PROGRAM)): signature(file) for file in _files(PROGRAM)}
    return {**files, **{name: version(name) for name in LIBRARIES}}
