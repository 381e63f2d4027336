"""Questions with what a right answer holds, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.data import DataError, read_set

FORMAT = (
    'a line is {"id": "q1", "question": "…", "answerable": true, "gold_sources": ["file.md"], "answer_must_include": ["fact"]}, '
    'or {"id": "q2", "question": "…", "answerable": false}; docs/evaluation.md lists all fields'
)
"""What a line of a question set is, for who wrote another."""
MULTI_PREFIX = "multi"
"""A kind that begins so needs passages of every gold source; in any other kind the gold sources are alternatives."""


@dataclass(frozen=True)
class Question:
    """One line of a question set."""

    id: str
    question: str
    answerable: bool
    lang: str = "en"
    kind: str = ""
    gold_sources: tuple[str, ...] = ()
    """File names; a path such as `law/theft.md` where a name occurs twice."""
    gold_sections: tuple[str, ...] = ()
    """Record ids, such as `BNS_303`."""
    answer_must_include: tuple[str, ...] = ()
    """Short facts, all of which the answer holds."""
    answer_must_not_include: tuple[str, ...] = ()
    note: str = field(default="", compare=False)

    @property
    def gold(self) -> tuple[str, ...]:
        """All gold sources, of both forms."""
        return self.gold_sources + self.gold_sections

    @property
    def needs_all_sources(self) -> bool:
        """Whether the whole answer stands only in all gold sources together."""
        return len(self.gold) > 1 and self.kind.startswith(MULTI_PREFIX)


def make_question(row: dict[str, Any]) -> Question:
    """A question from a row; `category` is accepted for `kind`, and fields that no measure needs are ignored.

    :raises ValueError: a field that is missing or of the wrong type.
    """

    def text(name: str, default: str | None = None) -> str:
        value = row.get(name, default)
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise ValueError(f"{_found(name, row)}; accepted: text")
        return value

    def texts(name: str) -> tuple[str, ...]:
        value = row.get(name, [])
        if not isinstance(value, list) or any(not isinstance(item, str) or not item.strip() for item in value):
            raise ValueError(f"{_found(name, row)}; accepted: a list of texts")
        return tuple(value)

    answerable = row.get("answerable")
    if not isinstance(answerable, bool):
        raise ValueError(f"{_found('answerable', row)}; accepted: true or false")
    question = Question(
        id=text("id"),
        question=text("question"),
        answerable=answerable,
        lang=text("lang", "en"),
        kind=text("kind" if "kind" in row else "category", ""),
        gold_sources=texts("gold_sources"),
        gold_sections=texts("gold_sections"),
        answer_must_include=texts("answer_must_include"),
        answer_must_not_include=texts("answer_must_not_include"),
        note=text("note", ""),
    )
    if answerable and not question.gold:
        raise ValueError("an answerable question without gold_sources or gold_sections; accepted: at least one")
    if not answerable and question.answer_must_include:
        raise ValueError("answer_must_include on a question that must be declined; accepted: an empty list")
    return question


def _found(name: str, row: dict[str, Any]) -> str:
    return f"field {name!r}: {row[name]!r}" if name in row else f"field {name!r} is missing"


def read_questions(path: Path | str) -> list[Question]:
    """Read a question set of JSON lines.

    :raises DataError: names the file and the line, and what a line is.
    """
    try:
        return read_set(path, make_question, key=lambda question: question.id)
    except DataError as error:
        raise DataError(f"{error}; {FORMAT}" if Path(path).is_file() else str(error)) from error
