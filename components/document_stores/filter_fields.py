"""What the index knows that a filter can name: fields, headings, types and sources, as far as the principal may read."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Iterable
from typing import Any, Literal, Protocol

from components.chunk import ChunkMeta
from components.document_stores.filter_conversion import field_key
from components.document_stores.filter_language import ConditionError

Kind = Literal["date", "number", "text"]
ALIASES = ("source", "type", "heading", "in_force")
"""Names that stand for more than one field; `meta.type` is a field of your own."""
DATES = frozenset({"created_at", "modified_at", "indexed_at", "valid_from", "valid_to"})
NUMBERS = frozenset({"page", "char_start", "char_end"})
STANDARD = frozenset({*ChunkMeta.__annotations__, "id", "content"})
TECHNICAL = frozenset(
    {"kind", "source_id", "container_id", "source_version", "context_header", "char_start", "char_end", "parent_id", "id", "content"}
)
"""Accepted, but not named to a person who looks for a field."""
SAMPLE, SCAN = 32, 20_000
"""Points read to tell the kind of a field, and to list the fields there are."""
MIN_ID = 6
CHUNKS = {"field": "meta.kind", "operator": "==", "value": "chunk"}
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")


class Readable(Protocol):
    """What is read of a store; each read shows what the principal may read and nothing else."""

    def peek(self, filters: dict[str, Any] | None, limit: int, fields: list[str] | None = None) -> list[dict[str, Any]]:
        """Meta of the documents that match."""
        ...

    def facet(self, field: str, filters: dict[str, Any] | None = None) -> dict[Any, int]:
        """How many documents that match have each value."""
        ...


class UnknownFieldError(ConditionError):
    """A filter names a field that no readable document has. The message says which there are."""


def bare(field: str) -> str:
    """The field without `meta.`."""
    return field.removeprefix("meta.")


def all_of(conditions: list[dict[str, Any]]) -> dict[str, Any]:
    """Every condition holds; one alone is itself."""
    return conditions[0] if len(conditions) == 1 else {"operator": "AND", "conditions": conditions}


def any_of(conditions: list[dict[str, Any]]) -> dict[str, Any]:
    """One of the conditions holds; one alone is itself."""
    return conditions[0] if len(conditions) == 1 else {"operator": "OR", "conditions": conditions}


def negated(condition: dict[str, Any]) -> dict[str, Any]:
    """The condition does not hold."""
    return {"operator": "NOT", "conditions": [condition]}


def near(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """Names that look like it, the nearest first."""
    folded = {k.casefold(): k for k in known}
    return [folded[k] for k in difflib.get_close_matches(name.casefold(), folded, n=count, cutoff=0.6)]


class IndexFields:
    """The fields and values of an index, as the current principal sees them. Short-lived: one filter, one instance.

    :param store: a `ReadingStore`.
    """

    def __init__(self, store: Readable) -> None:
        self._store = store
        self._kinds: dict[str, Kind] = {}
        self._files: list[dict[str, Any]] | None = None

    def kind(self, field: str) -> Kind:
        """What the values of a field are.

        :raises UnknownFieldError: no readable document has it.
        """
        name = bare(field)
        if name in DATES:
            return "date"
        if name in NUMBERS:
            return "number"
        if name in STANDARD:
            return "text"
        if name not in self._kinds:
            self._kinds[name] = self._sampled(name)
        return self._kinds[name]

    def _sampled(self, name: str) -> Kind:
        key = field_key(name)
        present = all_of([CHUNKS, {"field": key, "operator": "!=", "value": None}])
        values = [v for meta in self._store.peek(present, SAMPLE, [key]) for v in values_at(meta, name)]
        if not values:
            raise UnknownFieldError(self._unknown(name))
        if all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
            return "number"
        return "date" if all(isinstance(v, str) and _ISO.fullmatch(v) for v in values) else "text"

    def names(self) -> list[str]:
        """Names of the fields of the readable documents, the first `SCAN` chunks read; nested ones with a dot."""
        found: dict[str, None] = {}
        for meta in self._store.peek(CHUNKS, SCAN):
            for key, value in meta.items():
                found.update(dict.fromkeys([f"{key}.{k}" for k in value] if isinstance(value, dict) and value else [key]))
        return sorted(set(found) - TECHNICAL)

    def _unknown(self, name: str) -> str:
        known = [*ALIASES, *self.names()]
        likely = near(name, known)
        hint = f"did you mean {' or '.join(likely)}? " if likely else ""
        return f"no document that you may read has a field {name!r}; {hint}the fields are {', '.join(known)}"

    def values(self, field: str, limit: int = SCAN) -> list[str]:
        """Readable values of a text field, the most frequent first."""
        counts: dict[str, int] = {}
        for meta in self._store.peek(CHUNKS, limit, [field_key(field)]):
            for value in values_at(meta, bare(field)):
                counts[str(value)] = counts.get(str(value), 0) + 1
        return sorted(counts, key=lambda v: (-counts[v], v))

    def headings(self) -> list[str]:
        """Every heading of the readable documents."""
        return [str(value) for value in self._store.facet("heading_path", CHUNKS)]

    def titles(self) -> list[str]:
        """Every title of the readable documents."""
        return [str(value) for value in self._store.facet("title", CHUNKS)]

    def mime_types(self) -> list[str]:
        """Every type of the readable documents, the most frequent first."""
        return [str(value) for value in self._store.facet("mime_type", CHUNKS)]

    def files(self) -> list[dict[str, Any]]:
        """`container_id`, `uri`, `file_name`, `title`, `mime_type` and `chunks` (their number) of every readable source."""
        if self._files is None:
            fields = [f"meta.{key}" for key in ("container_id", "uri", "file_name", "title", "mime_type", "chunks")]
            self._files = self._store.peek({"field": "meta.kind", "operator": "==", "value": "source"}, SCAN * 10, fields)
        return self._files

    def files_named(self, name: str) -> list[dict[str, Any]]:
        """The sources that a text names: a file name, the end of a path, a title, a source id or the beginning of one, or a pattern with `*`."""
        wanted = name.casefold().strip().strip("/")
        if any(c in wanted for c in "*?"):
            return [f for f in self.files() if any(fnmatch.fnmatchcase(text, p) for text in _names_of(f)[:2] for p in (wanted, f"*/{wanted}"))]
        found = [f for f in self.files() if wanted in _names_of(f) or _names_of(f)[0].endswith(f"/{wanted}")]
        if not found and len(wanted) >= MIN_ID:
            found = [f for f in self.files() if str(f.get("container_id", "")).startswith(wanted)]
        return found


def _names_of(file: dict[str, Any]) -> list[str]:
    return [str(file.get(key) or "").casefold() for key in ("uri", "file_name", "title", "container_id")]


def values_at(meta: dict[str, Any], name: str) -> list[Any]:
    """The values of a field, `a.b` for a nested one; of a list each."""
    value: Any = meta
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return [v for v in (value if isinstance(value, list) else [value]) if v is not None]


def heading_matches(part: str, headings: Iterable[str]) -> list[str]:
    """The headings that are the text, whatever its case; where none is, those that begin with its words.

    >>> heading_matches("section 303", ["Section 303: Theft", "Section 3031: Fraud"])
    ['Section 303: Theft']
    """
    wanted = " ".join(part.casefold().split())
    folded = [(" ".join(h.casefold().split()), h) for h in headings]
    exact = [h for text, h in folded if text == wanted]
    begins = re.compile(re.escape(wanted) + (r"(?!\w)" if wanted[-1:].isalnum() else ""))
    return exact or ([h for text, h in folded if begins.match(text)] if wanted else [])
