"""Whether a folder that a setting names as a model can be one: seen from its files, before any library is asked."""

from __future__ import annotations

import json
from pathlib import Path

WEIGHTS = ("*.safetensors", "*.bin", "*.onnx", "openvino_model.xml")
TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model", "tokenizer_config.json")


def is_folder_name(name: str) -> bool:
    """Whether a model's name can only be a folder: a hub name has at most one slash, and none at its ends.

    >>> is_folder_name("/models/e5"), is_folder_name("models/mine/e5"), is_folder_name("./e5"), is_folder_name("intfloat/e5-small")
    (True, True, True, False)
    """
    return name.startswith(("/", "~", ".")) or name.endswith("/") or "\\" in name or name.partition("@")[0].count("/") > 1


def found_folder(name: str, *places: Path) -> Path | None:
    """The folder that a model's name means: itself, or in one of the places; None where it is none."""
    given = Path(name).expanduser()
    return next((folder for folder in (given, *(place / given for place in places)) if folder.is_dir()), None)


def folder_fault(name: str, *places: Path) -> str:
    """What keeps a folder from being a model; empty for a sound one, and for a name that is none of a folder.

    :param places: where else a relative path may begin, beside the working directory.
    """
    folder = found_folder(name, *places)
    if folder is None:
        what = "a file, not a folder" if Path(name).expanduser().is_file() else "no such folder"
        return what if is_folder_name(name) or what != "no such folder" else ""
    missing = []
    if (folder / "modules.json").is_file():  # of sentence-transformers: each part in a folder of its own
        try:
            parts = [str(part["path"]) for part in json.loads((folder / "modules.json").read_text(encoding="utf-8"))]
        except (ValueError, OSError, KeyError, TypeError):
            return "its modules.json cannot be read"
        missing += [f"folder {part} (its modules.json names it)" for part in parts if part and not (folder / part).is_dir()]
    elif not (folder / "config.json").is_file():
        missing.append("config.json")
    if not _any(folder, WEIGHTS):
        missing.append("weights (model.safetensors, pytorch_model.bin or model.onnx)")
    if not _any(folder, TOKENIZERS):
        missing.append("tokenizer (tokenizer.json or vocab.txt)")
    return f"the folder has no {', no '.join(missing)}" if missing else ""


def _any(folder: Path, patterns: tuple[str, ...]) -> bool:
    return any(next(folder.rglob(pattern), None) for pattern in patterns)


def why_not_loaded(name: str, error: Exception, *places: Path) -> str:
    """Why a model was not loaded, in one line: of a name that is no folder, whatever words a model hub's client finds for it."""
    if fault := folder_fault(name, *places):
        return fault
    if found_folder(name, *places) is None and isinstance(error, OSError):
        return "there is no such folder here, and no model of that name could be read from a model hub"
    return " ".join(str(error).split())[:300].rstrip(". ") or type(error).__name__
