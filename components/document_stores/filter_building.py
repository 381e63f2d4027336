"""A caller's filter, readable or Haystack's own, as a filter that the store takes: names checked, dates and aliases resolved."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from components.document_stores.filter_fields import (
    ALIASES,
    DATES,
    NUMBERS,
    IndexFields,
    all_of,
    any_of,
    bare,
    heading_matches,
    near,
    negated,
)
from components.document_stores.filter_language import ConditionError, parse_condition
from components.document_stores.filter_periods import ACCEPTED, Period, period
from components.routers.file_types import EXTENSIONS, extension_of

Filters = str | Sequence[str | dict[str, Any]] | dict[str, Any] | None
"""Readable conditions, all of which must hold, or a filter of Haystack."""
MAX_DEPTH = 8
"""Levels of headings that are compared."""
NAMED = 5
"""Values that a note names where none looks like the one asked for."""
NEGATIVE = {"!=": "==", "not in": "in"}
ORDERED = (">", ">=", "<", "<=")
_EXTENSION_OF = {mime: extension.lstrip(".") for extension, mime in reversed(EXTENSIONS.items())}
FAMILIES = {
    "image": ("image/",),
    "spreadsheet": tuple(EXTENSIONS[f".{e}"] for e in ("xlsx", "xls", "xlsb", "ods")),
    "presentation": tuple(EXTENSIONS[f".{e}"] for e in ("pptx", "ppt", "odp")),
    "word": tuple(EXTENSIONS[f".{e}"] for e in ("docx", "doc")),
    "mail": tuple(EXTENSIONS[f".{e}"] for e in ("eml", "msg")),
}


class FilterBuilder:
    """Builds filters; collects in `notes` what it found no match for.

    >>> FilterBuilder(None, datetime(2024, 3, 10, tzinfo=UTC)).build("modified_at >= P7D")
    {'field': 'meta.modified_at', 'operator': '>=', 'value': '2024-03-03T00:00:00+00:00'}
    """

    def __init__(self, fields: IndexFields | None, now: datetime | None = None) -> None:
        """:param fields: what the index knows; `None`: the form alone is checked, every field is taken for known.
        :param now: for dates relative to today.
        """
        self._fields = fields
        self._now = now or datetime.now(UTC)
        self.notes: list[str] = []

    def build(self, filters: Filters) -> dict[str, Any] | None:
        """The filter for the store; None where none is given.

        :raises UnknownFieldError: a field that no readable document has.
        :raises ConditionError: a condition that is none.
        """
        if not filters:
            return None
        if isinstance(filters, dict):
            return self._tree(filters)
        items = [filters] if isinstance(filters, str) else list(filters)
        if any(not isinstance(item, str | dict) for item in items):
            raise ConditionError("filters are a filter of Haystack, a readable condition, or a list of them")
        return all_of([self._written(item) if isinstance(item, str) else self._tree(item) for item in items])

    def _written(self, text: str) -> dict[str, Any]:
        condition = parse_condition(text)
        values: list[Any] = list(condition.values)
        if condition.operator in ORDERED:
            return self._comparison(condition.field, condition.operator, values[0])
        parts = [self._same(condition.field, value) for value in values]
        return any_of(parts) if condition.operator == "==" else negated(any_of(parts))

    def _same(self, field: str, text: str) -> dict[str, Any]:
        """Equality as written, where a number or a truth value may be meant as such."""
        if text == "*":
            return {"field": self._key(field), "operator": "!=", "value": None}
        if text == "null":
            return {"field": self._key(field), "operator": "==", "value": None}
        if field in ALIASES or self._kind(field) == "date":
            return self._comparison(field, "==", text)
        also: list[Any] = [{"true": True, "false": False}[text]] if text in ("true", "false") else []
        also += [number] if (number := _number(text)) is not None else []
        return any_of([{"field": self._key(field), "operator": "==", "value": value} for value in (text, *also)])

    def _tree(self, item: Any) -> dict[str, Any]:
        if not isinstance(item, dict):
            raise ConditionError("a condition is {field, operator, value}, or {operator: AND, OR or NOT, conditions: [...]}")
        if item.get("operator") in ("AND", "OR", "NOT") and isinstance(item.get("conditions"), list):
            return {**item, "conditions": [self._tree(part) for part in item["conditions"]]}
        if not isinstance(item.get("field"), str) or "value" not in item or not isinstance(item.get("operator"), str):
            return item  # the store says what is missing
        return self._comparison(item["field"], item["operator"], item["value"])

    def _comparison(self, field: str, operator: str, value: Any) -> dict[str, Any]:
        if operator in NEGATIVE:
            return negated(self._comparison(field, NEGATIVE[operator], value))
        if field in ALIASES:
            return self._alias(field, operator, value)
        plain = {"field": self._key(field), "operator": operator, "value": value}
        kind = self._kind(field)
        if operator in ORDERED and isinstance(value, str):
            return self._ordered(plain, kind)
        if kind == "date" and operator == "==" and isinstance(value, str):
            return self._within(plain["field"], self._period(value))
        if kind == "date" and operator == "in" and isinstance(value, list) and value and all(isinstance(v, str) for v in value):
            return any_of([self._within(plain["field"], self._period(v)) for v in value])
        return plain

    def _key(self, field: str) -> str:
        self._kind(field)
        return field if field in ("id", "content") else f"meta.{bare(field)}"

    def _kind(self, field: str) -> str:
        if field in ALIASES:
            return "text"
        if self._fields:
            return self._fields.kind(field)
        return "number" if bare(field) in NUMBERS else "date" if bare(field) in DATES or bare(field).endswith("_at") else "text"

    def _ordered(self, plain: dict[str, Any], kind: str) -> dict[str, Any]:
        operator, value = plain["operator"], plain["value"]
        if (number := _number(value)) is not None and kind != "date":
            return {**plain, "value": number}
        if kind == "number":
            raise ConditionError(f"{bare(plain['field'])} {operator} {value!r}: accepted is a number")
        found = self._period(value, also_number=kind != "date")  # before its beginning, or not after its end
        bound = found.start if operator in (">=", "<") else found.end
        if bound is None:
            raise ConditionError(f"{bare(plain['field'])} {operator} {value}: it has no {'beginning' if operator in ('>=', '<') else 'end'}")
        return {**plain, "operator": {">": ">=", "<=": "<"}.get(operator, operator), "value": bound.isoformat()}

    def _within(self, key: str, found: Period) -> dict[str, Any]:
        ends = ((">=", found.start), ("<", found.end))
        return all_of([{"field": key, "operator": operator, "value": bound.isoformat()} for operator, bound in ends if bound])

    def _period(self, text: str, also_number: bool = False) -> Period:
        try:
            return period(text, self._now)
        except ValueError as error:
            if also_number:
                raise ConditionError(f"{text!r} is neither a number nor a date; accepted: a number, or of dates {ACCEPTED}") from None
            raise ConditionError(str(error)) from None

    # --- aliases

    def _alias(self, field: str, operator: str, value: Any) -> dict[str, Any]:
        values = value if isinstance(value, list) else [value]
        if operator not in ("==", "in") or not values or any(not isinstance(v, str) or not v.strip() for v in values):
            raise ConditionError(f"{field} {operator} {value!r}: {field} is compared with text, by = or != (== != in, not in)")
        make = {"source": self._source, "type": self._type, "heading": self._heading, "in_force": self._in_force}[field]
        return any_of([make(v.strip()) for v in values])

    def _in_force(self, text: str) -> dict[str, Any]:
        """In force at some time of the period: it has begun before its end, and has not ended by its beginning. A missing date is open."""
        found = self._period(text)
        parts = []
        for key, operator, bound in (("meta.valid_from", "<", found.end), ("meta.valid_to", ">", found.start)):
            if bound:
                open_ = {"field": key, "operator": "==", "value": None}
                parts.append(any_of([open_, {"field": key, "operator": operator, "value": bound.isoformat()}]))
        return all_of(parts)

    def _source(self, text: str) -> dict[str, Any]:
        if self._fields is None:
            return {"field": "meta.container_id", "operator": "in", "value": [text]}
        name, mark, part = text.partition("#")
        found = self._fields.files_named(name)
        if not found:
            self._miss("source", text, [str(f.get("file_name")) for f in self._fields.files() if f.get("chunks") != 0])
        inside = {"field": "meta.container_id", "operator": "in", "value": sorted({str(f["container_id"]) for f in found})}
        if not mark:
            return inside
        uris = [f"{f['uri']}#{part}" for f in found]
        return all_of(
            [inside, any_of([{"field": "meta.record_id", "operator": "==", "value": part}, {"field": "meta.uri", "operator": "in", "value": uris}])]
        )

    def _type(self, text: str) -> dict[str, Any]:
        """By content and by extension: a type or its beginning (`image/`), a family (`spreadsheet`), an extension (`pdf`)."""
        wanted = text.casefold().lstrip(".")
        own = EXTENSIONS.get(f".{wanted}")
        begins = FAMILIES.get(wanted) or FAMILIES.get(wanted.removesuffix("s")) or ((wanted.rstrip("*"),) if "/" in wanted else (own,) if own else ())
        if self._fields is None:
            return {"field": "meta.mime_type", "operator": "in", "value": list(begins) or [wanted]}
        visible = self._fields.mime_types()
        mimes = [m for m in visible if any(m == b or (b.endswith("/") and m.startswith(b)) for b in begins)]
        extension = [] if "/" in wanted else [f for f in self._fields.files() if extension_of(str(f.get("file_name") or "")) == f".{wanted}"]
        files = sorted({str(f["container_id"]) for f in extension if f.get("mime_type") not in mimes})
        if not mimes and not files:
            self._miss("type", text, [_EXTENSION_OF.get(m, m) for m in visible])
        kinds = {"field": "meta.mime_type", "operator": "in", "value": mimes}
        return any_of([kinds, {"field": "meta.container_id", "operator": "in", "value": files}]) if files else kinds

    def _heading(self, text: str) -> dict[str, Any]:
        """Everything below a heading: `Part > Chapter` names one inside the other; the first may be the title of the document."""
        parts = [p.strip() for p in text.split(" > ")]
        if any(not p for p in parts) or len(parts) > MAX_DEPTH:
            raise ConditionError(f"heading={text!r}: accepted is a heading, or up to {MAX_DEPTH} of them from the outermost, with ' > ' between")
        if self._fields is None:
            return {"field": "meta.heading_path", "operator": "==", "value": parts[0]}
        headings, titles = self._fields.headings(), self._fields.titles()
        levels = [heading_matches(p, headings) for p in parts]
        title = heading_matches(parts[0], titles)
        ways = []
        if title and all(levels[1:]):
            ways.append(all_of([{"field": "meta.title", "operator": "in", "value": title}, *_levels(levels[1:], 0)]))
        if len(parts) == 1 and levels[0]:
            ways.append({"field": "meta.heading_path", "operator": "in", "value": levels[0]})
        elif all(levels):
            ways += [all_of(_levels(levels, depth)) for depth in range(MAX_DEPTH - len(parts) + 1)]
        if not ways:
            missing = next((p for p, found in zip(parts, levels, strict=True) if not found), parts[0])
            self._miss("heading", missing, [*headings, *titles])
            return {"field": "meta.heading_path", "operator": "in", "value": []}
        return any_of(ways)

    def _miss(self, field: str, text: str, known: list[str]) -> None:
        every = list(dict.fromkeys(known))
        likely = near(text, known) or every[:NAMED]
        more = f" and {len(every) - NAMED} more" if likely == every[:NAMED] and len(every) > NAMED else ""
        self.notes.append(f"no {field} {text!r}" + (f"; there is {', '.join(likely)}{more}" if likely else ""))


def _levels(levels: list[list[str]], depth: int) -> list[dict[str, Any]]:
    return [{"field": f"meta.heading_path[{depth + i}]", "operator": "in", "value": found} for i, found in enumerate(levels)]


def _number(text: str) -> int | float | None:
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        return number if abs(number) < 2**63 else None  # also refuses infinity; a NaN compares to nothing
    return None
