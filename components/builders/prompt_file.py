"""Prompts as files beside the graphs: a template of Haystack's ChatPromptBuilder with a version."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from config.settings import home

DEFAULT = "answer"
SUFFIX = ".jinja"
_VERSION = re.compile(r"\A\s*\{#-?\s*version:\s*([\w.-]+)")


@dataclass(frozen=True)
class PromptFile:
    """A prompt as read.

    :param version: what its first comment says, `{# version: 2 #}`.
    :param text: the template, the comment included.
    """

    name: str
    version: str
    text: str

    @property
    def digest(self) -> str:
        """Eight hex digits of its text: an edit under an old version shows."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()[:8]

    @property
    def label(self) -> str:
        """How the trace calls it, for instance `answer v2 (1f3a9c21)`."""
        return f"{self.name} v{self.version} ({self.digest})"


def prompt_path(prompt: str) -> Path:
    """File of a prompt: `NAME` is `pipelines/prompts/NAME.jinja` of the clone; a path is taken from the clone."""
    return home() / (prompt if prompt.endswith(SUFFIX) else f"pipelines/prompts/{prompt}{SUFFIX}")


def read_prompt(prompt: str | None = None) -> PromptFile:
    """Read a prompt.

    :param prompt: a name or a path that ends in `.jinja`; None: `answer`.
    :raises ValueError: there is no such file (those that exist are named), it is no UTF-8, or it does not begin with its version.
    """
    path = prompt_path(prompt or DEFAULT)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        known = ", ".join(sorted(p.stem for p in prompt_path(DEFAULT).parent.glob(f"*{SUFFIX}"))) or "none"
        raise ValueError(f"prompt {prompt!r} not found: {path} cannot be read. Prompts here: {known}") from None
    except UnicodeDecodeError:
        raise ValueError(f"prompt {prompt!r}: {path} is not UTF-8") from None
    version = _VERSION.match(text)
    if version is None:
        raise ValueError(f"prompt {prompt!r}: {path} must begin with its version in a comment, {{# version: 1 #}}")
    return PromptFile(path.stem, version.group(1), text)
