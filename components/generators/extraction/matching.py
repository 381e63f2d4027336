"""How far a sentence in its place covers the words of a question, and whether it can vouch for what the question names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import regex

from components.generators.extraction import constants as c
from components.generators.extraction.answering import of_another_question
from components.generators.extraction.clauses import number_at
from components.generators.extraction.conditions import (
    begins_with,
    classes_of,
    demands,
    is_of_another_class,
    is_row_for_the_rest,
    lacks,
    limits,
    superlative_of,
)
from components.generators.extraction.kinds import Kind
from components.generators.extraction.named import REFERENCE_WORDS
from components.generators.extraction.parts import Part
from components.generators.extraction.ranges import amount, row_admits
from components.generators.extraction.siblings import another_kind
from components.generators.extraction.terms import Term, in_bag
from components.generators.extraction.units import Shape, Source, Unit
from components.generators.extraction.words import Bag, compact, number_of

_OPENING_NUMBER = regex.compile(rf"\s*(?:{REFERENCE_WORDS}\.?\s*)?(\p{{Nd}}+(?:\.\p{{Nd}}+)*\p{{L}}?)(?:[.:)—–-]|\s+\p{{Lu}}|\s*\n)", regex.I)
_REFERS_TO = regex.compile(r"\b(?:sections?|articles?|rules?|clauses?|paragraphs?|regulations?|s\.|§)\s*(\p{Nd}+\p{L}?)", regex.I)


def near_bag(unit: Unit, provisions: Mapping[str, Bag] | None = None) -> Bag:
    """Words of the two units before and the one after, and the headings of the provisions that the unit names ("section 21").

    :param provisions: headings of the passages of the same document by their own numbers.
    """
    bag = Bag()
    for number in _REFERS_TO.findall(unit.text) if provisions else ():
        bag = bag | (provisions or {}).get(number, Bag())
    for offset in (-2, -1, 1):
        beside = unit.source.unit(unit.index + offset)
        if beside is not None and not of_another_question(unit, beside):
            bag = bag | beside.bag
    return bag


def coverage_of(part: Part, unit: Unit, provisions: Mapping[str, Bag] | None = None, *, beside: float = c.IN_NEIGHBOUR) -> dict[str, float]:
    """For each term (by stem) how well the unit in its place holds it, 0 to 1.

    :param provisions: as for `near_bag`.
    :param beside: credit for the neighbours, 0 to 1.
    """
    near = near_bag(unit, provisions)
    found: dict[str, float] = {}
    for term in part.terms:
        if unit.shape == Shape.ROW and term.number in part.quantities and row_admits(unit.text, amount(term.number or "") or 0.0):
            found[term.stem] = 1.0
            continue
        if term.is_lacked and not speaks_of_lack(part, term, " ".join((*unit.source.headings, unit.source.title, unit.full_text))):
            found[term.stem] = 0.0
            continue
        if term.number in part.quantities and limits(unit.full_text):
            found[term.stem] = max(c.LIMIT, in_bag(term, unit.bag_of_text))
            continue
        value = max(
            c.IN_SENTENCE * in_bag(term, unit.bag),
            c.IN_HEADING * in_bag(term, unit.source.heading_bag),
            beside * in_bag(term, near),
            c.IN_PASSAGE * in_bag(term, unit.source.bag),
        )
        if term.class_of and term.class_of in classes_of(unit.full_text):
            value = max(value, c.CLASSED)
        if term.stem in part.role and is_row_for_the_rest(unit, term):
            value = max(value, c.CLASSED)
        if superlative_of(term.stem, unit.full_text):
            value = max(value, c.LIMIT)
        found[term.stem] = value
    return found


def speaks_of_lack(part: Part, term: Term, text: str) -> bool:
    """Whether a text says what holds without what a term names; where it is asked whether one may do without it, also that it is needed."""
    return lacks(term.stem, text) or (part.kind == Kind.YES_NO and demands(text))


def weighted(part: Part, found: dict[str, float]) -> float:
    """Share of the question's weight that is found, 0 to 1; 0 for a question without a subject."""
    total = sum(t.weight for t in part.terms)
    return sum(t.weight * found.get(t.stem, 0.0) for t in part.terms) / total if total else 0.0


def greatest_gap(part: Part, found: Mapping[str, float]) -> float:
    """The greatest product of a term's weight and the share of it that is not found, 0 to 1; 1 for a question without a subject."""
    return max((t.weight * (1 - found.get(t.stem, 0.0)) for t in part.terms), default=1.0)


def own_numbers(source: Source) -> frozenset[str]:
    """Numbers that name the passage: in its headings, title and record number, or at its very beginning."""
    opening = _OPENING_NUMBER.match(source.text)
    own = {number_of(opening.group(1)) or compact(opening.group(1))} if opening else set()
    return frozenset(source.heading_bag.numbers | source.heading_bag.codes | own)


def refuses(part: Part, unit: Unit, same_source: Bag) -> str:
    """What the question names that this unit cannot vouch for, or an empty text.

    :param same_source: words of all passages of the unit's document.
    """
    passage = unit.source.bag
    text = " ".join(f"{unit.source.title} {' '.join(unit.source.headings)} {unit.source.text}".split()).casefold()
    lacking = [number for number in sorted(part.numbers) if number not in passage.numbers]
    lacking += [code for code in sorted(part.codes) if code not in passage.codes and code not in compact(unit.source.title)]
    lacking += [phrase for phrase in part.quoted if phrase.casefold() not in text]
    lacking += [t.text for t in part.terms if t.is_name and t.number is None and in_bag(t, same_source) == 0]
    lacking += [t.text for t in part.terms if t.class_of and is_of_another_class(t.class_of, unit.full_text)]
    lacking += [part.event] if part.kind == Kind.HOW_LONG and part.event and begins_with(part.event, unit.full_text) else []
    there = [t for t in part.terms if t.is_lacked and in_bag(t, unit.bag_of_text) >= c.SYNONYM]
    lacking += [t.text for t in there if not speaks_of_lack(part, t, unit.full_text)]
    lacking += [kind] if (kind := another_kind(part.read_as, unit.text if unit.shape == Shape.ROW else unit.full_text, unit.source.headings)) else []
    lacking += [reference for reference in sorted(part.references) if not refers(reference, part, unit)]
    lacking += [q for q in sorted(part.qualifiers) if not qualifier_fits(q, part.references | part.numbers, unit)]
    return lacking[0] if lacking else ""


def refers(reference: str, part: Part, unit: Unit) -> bool:
    """Whether the unit stands in the provision asked about, or names it while the question is about something beside its content."""
    if reference in own_numbers(unit.source) or ("." in reference and reference == number_at(unit.text)):
        return True
    has_subject = any(t.number is None and t.weight >= c.HEAVY for t in part.terms)
    return has_subject and (reference in unit.bag.numbers or reference in unit.bag.codes)


def qualifier_fits(qualifier: str, numbers: Iterable[str], unit: Unit) -> bool:
    """Whether the numbers in this unit belong to what the question says they belong to ("IPC 303" is not "BNS 303")."""
    term = Term(qualifier, qualifier.casefold(), 1.0, is_name=True)
    if in_bag(term, unit.bag) == 0 and in_bag(term, unit.source.heading_bag) == 0:
        return False
    for number in numbers:
        n = regex.escape(number)
        before = rf"\b([A-Z]{{2,8}})\s+(?:[Ss](?:ection|\.)\s*)?{n}\b"
        after = rf"\b{n}\s+(?:of\s+)?(?:the\s+)?([A-Z]{{2,8}})\b"
        owners = {g for m in regex.finditer(f"{before}|{after}", unit.full_text) for g in m.groups() if g}
        if owners and qualifier not in owners:
            return False
    return unit.shape != Shape.FIELD or all(field_fits(qualifier, number, unit.source.text) for number in numbers)


_FIELD_LINE = regex.compile(r"^\s*([\p{L}][\p{L}\p{M}\p{N} _/().&'-]{0,48}):\s+(.+)$", regex.M)


def field_fits(qualifier: str, number: str, record: str) -> bool:
    """Whether a record whose fields are named by owner gives this number to that owner.

    >>> field_fits("BNS", "303", "ipc_ref: 303\\nbns_ref: 104"), field_fits("IPC", "303", "ipc_ref: 303\\nbns_ref: 104")
    (False, True)
    """
    fields = [(set(regex.findall(r"\p{L}+", m.group(1).casefold())), m.group(2)) for m in _FIELD_LINE.finditer(record)]
    if not any(qualifier.casefold() in names for names, _ in fields):
        return True
    holders = [names for names, value in fields if regex.search(rf"\b{regex.escape(number)}\b", value)]
    return not holders or any(qualifier.casefold() in names for names in holders)
