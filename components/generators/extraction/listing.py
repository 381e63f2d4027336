"""Questions that ask for all of something: the rows of a table or the items of a list that satisfy what is asked, not only the nearest one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import regex

from components.generators.extraction import constants as c
from components.generators.extraction.parts import Part
from components.generators.extraction.terms import FLOOR, Term, in_bag
from components.generators.extraction.units import Shape, Unit, is_bare_item
from components.generators.extraction.words import FUNCTION_WORDS, Bag
from components.query.question_words import AUX, is_plural, verb_of

_ALL = regex.compile(
    r"^\s*(?:(?:please|can\s+you|could\s+you)\s+)*(?:list|name|enumerate|give\s+me|show(?:\s+me)?)\s+(?:all|every|each|the)\b"
    r"|\bwho(?:ever)?\s+(?:all\s+)?(?:may|can|must|should|has|have|is\s+(?:allowed|entitled|permitted|able)|are)\b|\b(?:which|what)\s+of\s+(?:the|these|those|our|your)\b",
    regex.I,
)
_WHICH = regex.compile(r"\b(?:which|what)\s+((?:[\p{L}\p{M}'-]+\s+){1,4})", regex.I)
_NO = regex.compile(r"\b(?:no|not|never|none|nobody|without|cannot|non)\b|n['’]t\b|\bnon-", regex.I)
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

    A row satisfies it by its own words; where those are in the header, by a yes in that column; where the table as a whole is asked about, always.
    A row that denies what the question does not deny, or the other way round, does not.
    """
    if best.shape not in {Shape.ROW, Shape.ITEM} and not (best.shape == Shape.SENTENCE and is_bare_item(best)):
        return [best]
    same = [u for u in best.source.units if u.block == best.block and u.shape == best.shape and not u.is_label and u is not best.lead]
    if len(same) < 2:
        return [best]
    terms = [t for t in part.terms if t.weight >= FLOOR and t.number not in part.quantities]
    own = [t for t in terms if in_bag(t, best.bag_of_text) >= c.FOUND]
    denied = denies(part.text)
    if own:
        fitting = [u for u in same if all(in_bag(t, u.bag_of_text) >= c.FOUND for t in own)]
        alike = [u for u in fitting if denies(u.text) == denied]
        return alike or fitting
    if best.shape == Shape.ROW and best.lead and (column := column_of(terms, best)) is not None:
        wanted = [u for u in same if (cell := cell_of(u.text, column)) is not None and (_YES_CELL, _NO_CELL)[denied].fullmatch(cell)]
        if wanted and all(is_answer(cell_of(u.text, column)) for u in same):
            return wanted
    said = [t for t in terms if in_bag(t, best.source.heading_bag | best.bag) >= c.FOUND]
    return same if said and (best.shape != Shape.ROW or not denied) else [best]


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
    bags = [Bag.of(cell) for cell in row.lead.text.strip().strip("|").split("|")]
    counts = [sum(in_bag(t, bag) >= c.FOUND for t in terms) for bag in bags]
    most = max(counts[1:], default=0)
    return counts.index(most, 1) if most and counts[1:].count(most) == 1 else None
