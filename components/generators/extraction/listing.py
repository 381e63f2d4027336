"""Questions that ask for all of something: the rows of a table or the items of a list that satisfy what is asked, not only the nearest one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import regex

from components.generators.extraction import constants as c
from components.generators.extraction.kinds import Kind
from components.generators.extraction.parts import Part
from components.generators.extraction.terms import FLOOR, Term, in_bag
from components.generators.extraction.units import Shape, Unit, is_bare_item
from components.generators.extraction.words import FUNCTION_WORDS, Bag, stem
from components.query.question_words import AUX, is_plural, verb_of

_ALL = regex.compile(
    r"^\s*(?:(?:please|can\s+you|could\s+you)\s+)*(?:list|name|enumerate|give\s+me|show(?:\s+me)?)\s+(?:all|every|each|the)\b"
    r"|\bwho(?:ever)?\s+(?:all\s+)?(?:may|can|must|should|has|have|is\s+(?:allowed|entitled|permitted|able)|are)\b|\b(?:which|what)\s+of\s+(?:the|these|those|our|your)\b",
    regex.I,
)
_WHICH = regex.compile(r"\b(?:which|what)\s+((?:[\p{L}\p{M}'-]+\s+){1,4})", regex.I)
_NO = regex.compile(r"\b(?:no|not|never|none|nobody|without|cannot|non)\b|n['’]t\b|\bnon-", regex.I)
_LACKS = regex.compile(r"\b(?:lack(?:s|ing)?|except|unable)\b", regex.I)
_OPPOSITE = regex.compile(r"(?:un|in|im|ir|dis|non)-?(\p{L}{4,})", regex.I)
_FIELD = regex.compile(r"\s*([^:\n]{1,60}):\s*(.*)")
_YES_CELL = regex.compile(r"\s*(?:yes|y|true|x|✓|✔|✅|included|allowed|available|required)\s*", regex.I)
_NO_CELL = regex.compile(r"\s*(?:no|n|false|none|-|–|—|✗|✘|❌|not\s+\w+|n/a)?\s*", regex.I)


def asks_for_all(text: str) -> bool:
    """Whether a question asks for a list: "which items", "who may", "list the".

    >>> [asks_for_all(t) for t in ("Which cakes contain nuts?", "Who may sign?", "Which cake is the cheapest?", "What happens to late claims?")]
    [True, True, False, False]
    """
    if _ALL.search(text):
        return True
    for match in _WHICH.finditer(text):
        for word, after in pairwise([*match.group(1).split(), ""]):
            if word.casefold() in FUNCTION_WORDS:
                break
            if is_plural(word) and (verb_of(word) is None or after.casefold() in AUX or verb_of(after)):  # "what happens to" names no things
                return True
    return False


def denies(text: str) -> bool:
    """Whether a text is negated.

    >>> denies("not refundable"), denies("refundable")
    (True, False)
    """
    return bool(_NO.search(text))


def members(part: Part, best: Unit) -> list[Unit]:
    """Of the table or list that the best unit is in, every row or item that satisfies the question as well as it; the unit alone otherwise.

    A row satisfies it by its own words, but for those that the header says of every row, and by a yes in the column that is asked about; where
    the table as a whole is asked about, always. A row that denies what the question does not deny, or the other way round, does not.
    """
    if best.shape not in {Shape.ROW, Shape.ITEM} and not (best.shape == Shape.SENTENCE and is_bare_item(best)):
        return [best]
    same = [u for u in best.source.units if u.block == best.block and u.shape == best.shape and not u.is_label and u is not best.lead]
    if len(same) < 2:
        return [best]
    is_row = best.shape == Shape.ROW and best.lead is not None
    header = best.lead.bag_of_text if is_row and best.lead else Bag()
    terms = [t for t in part.terms if t.weight >= FLOOR and (t.number not in part.quantities or t.number in best.bag_of_text.numbers)]
    own = [t for t in terms if in_bag(t, best.bag_of_text) >= c.FOUND > in_bag(t, header)]
    asked = [u for u in same if fits_column(part, u) is not None] if is_row else []
    wanted = [u for u in asked if fits_column(part, u)]
    if wanted and len(asked) == len(same):
        return [u for u in wanted if all(in_bag(t, u.bag_of_text) >= c.FOUND for t in own)] or wanted
    denied = denies(part.text)
    if own:
        fitting = [u for u in same if all(in_bag(t, u.bag_of_text) >= c.FOUND for t in own)]
        return [u for u in fitting if denies(without_answers(u)) == denied] or fitting
    said = [t for t in terms if in_bag(t, best.source.heading_bag | best.bag) >= c.FOUND]
    return same if said and (best.shape != Shape.ROW or not denied) else [best]


def fits_column(part: Part, unit: Unit) -> bool | None:
    """Whether a row, or the record of a field, has the yes or no that the question wants in the column that it asks about; None without one."""
    terms = [t for t in part.terms if t.weight >= FLOOR and t.number not in part.quantities]
    if unit.shape == Shape.ROW and unit.lead is not None:
        names = unit.lead.text.strip().strip("|").split("|")
        column = column_of(terms, unit)
        cell = cell_of(unit.text, column) if column is not None else None
        name = names[column] if column is not None else ""
    elif unit.shape == Shape.FIELD:
        fields = [m.groups() for u in unit.source.units if u.block == unit.block and (m := _FIELD.match(u.text))]
        place = _most_terms(terms, [name for name, _ in fields])
        name, cell = fields[place] if place is not None and place < len(fields) else ("", None)
    else:
        return None
    if cell is None or not is_answer(cell):
        return None
    return bool((_NO_CELL if asks_no(part, name) else _YES_CELL).fullmatch(cell))


def asks_no(part: Part, column: str) -> bool:
    """Whether a question wants what has a no in a column: it denies, or uses the opposite of the column's name ("unavailable")."""
    bag = Bag.of(column)
    opposite = any((m := _OPPOSITE.fullmatch(t.text)) and t.stem not in bag.stems and stem(m.group(1)) in bag.stems for t in part.terms)
    return (denies(part.text) or bool(_LACKS.search(part.text))) != (opposite or denies(column))


def asks_column(part: Part, unit: Unit) -> bool:
    """Whether "what is available in winter?" asks for the rows of the unit's table with a yes, or a no, in a column."""
    first = Bag.of(cell_of(unit.text, 0) or "")
    return (
        part.kind in {Kind.OTHER, Kind.DEFINE}
        and unit.shape == Shape.ROW
        and fits_column(part, unit) is not None
        and not any(in_bag(t, first) >= c.FOUND for t in part.terms)
    )


def without_answers(unit: Unit) -> str:
    """A unit's text; of a row without its cells that say a bare yes or no: they speak of their own columns, "not refundable" of itself."""
    if unit.shape != Shape.ROW:
        return unit.text
    return " | ".join(cell for cell in unit.text.strip().strip("|").split("|") if not is_answer(cell) or " " in cell.strip())


def is_answer(cell: str | None) -> bool:
    """Whether a cell says yes or no."""
    return cell is not None and bool(_YES_CELL.fullmatch(cell) or _NO_CELL.fullmatch(cell))


def cell_of(row: str, column: int) -> str | None:
    """The cell of a row, None where it has too few.

    >>> cell_of("Viewer | yes | no", 1)
    'yes'
    """
    cells = [cell.strip() for cell in row.strip().strip("|").split("|")]
    return cells[column] if column < len(cells) else None


def column_of(terms: Sequence[Term], row: Unit) -> int | None:
    """The column, not the first, whose header holds most of the terms; None where none does or two hold as many."""
    if row.lead is None:
        return None
    return _most_terms(terms, row.lead.text.strip().strip("|").split("|"))


def _most_terms(terms: Sequence[Term], names: Sequence[str]) -> int | None:
    """The place, not the first, of the name that holds most of the terms, or else their opposites."""
    counts = [sum(_names(t, Bag.of(name)) for t in terms) for name in names]
    most = max(counts[1:], default=0)
    return counts.index(most, 1) if most and counts[1:].count(most) == 1 else None


def _names(term: Term, bag: Bag) -> bool:
    return in_bag(term, bag) >= c.FOUND or bool((m := _OPPOSITE.fullmatch(term.text)) and stem(m.group(1)) in bag.stems)
