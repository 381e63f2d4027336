"""Questions for passages, made from the passages themselves: by their headings, their definitions, their tables, and their own sentences."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import regex

HEADING, DEFINITION, TABLE, CLOZE, WRITTEN = "heading", "definition", "table", "cloze", "written"
KINDS = (HEADING, DEFINITION, TABLE, CLOZE)
SHORTEST, LONGEST = 5, 40
"""Words of a sentence that is taken for a question."""

_DEFINED = regex.compile(
    r"[\"“‘']?(?P<term>\p{L}[\p{L}\p{M}\p{N}' -]{2,60}?)[\"”’']?,?\s+(?:means|shall mean|is defined as|refers to)\s", regex.IGNORECASE
)
_NUMBERING = regex.compile(r"^(?:(?:section|article|clause|chapter|part|rule)\s+)?[\p{N}IVXLC.()]+[.:)]?\s+|[.:\s]+$", regex.IGNORECASE)
_FIELD = regex.compile(r"^(?P<name>[^:|\n]{2,40}):\s+(?P<value>\S[^\n]{1,80})$", regex.MULTILINE)

Writer = Callable[[str], Sequence[str]]
"""A passage in, questions that it answers out: a chat model."""


@dataclass(frozen=True)
class Passage:
    """A chunk of the index.

    :param source: what it is from; a whole source is either trained on or held out.
    :param headings: its own headings, outermost first.
    """

    id: str
    source: str
    text: str
    title: str = ""
    headings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """A question with what answers it.

    :param relevant: ids of passages or of sources.
    :param passage: text of the passage as the question leaves it: without the sentence that became the question.
    """

    text: str
    kind: str
    source: str
    relevant: frozenset[str]
    passage: str


def questions(passages: Sequence[Passage], count: int, seed: int = 0, kinds: Sequence[str] = KINDS, write: Writer | None = None) -> list[Asked]:
    """Up to `count` questions, each kind as often as the others where the passages allow it; the same seed gives the same.

    A heading over several passages of a source is answered by each of them. A sentence as the question of the passage it was taken from is
    the inverse cloze task (Lee, Chang and Toutanova, "Latent retrieval for weakly supervised open domain question answering", ACL 2019): in
    nine of ten cases it is gone from the passage, in one it stays, so that the same words count too.

    :param write: asks a chat model for questions of a passage; those go before the other kinds.
    :raises ValueError: an unknown kind, or passages of which no question could be made.
    """
    if unknown := set(kinds) - set(KINDS):
        raise ValueError(f"kinds {', '.join(sorted(unknown))}: accepted are {', '.join(KINDS)}")
    rng = random.Random(seed)  # noqa: S311
    shuffled = list(passages)
    rng.shuffle(shuffled)
    sources: dict[str, Iterator[Asked]] = {}
    if write:
        sources[WRITTEN] = _written(shuffled, write)
    makers = {HEADING: _by_heading, DEFINITION: _by_definition, TABLE: _by_table}
    for kind in kinds:
        sources[kind] = _by_cloze(shuffled, rng) if kind == CLOZE else makers[kind](shuffled)
    found: dict[str, Asked] = {}
    while sources and len(found) < count:
        for kind in list(sources):
            asked = next(sources[kind], None)
            if asked is None:
                del sources[kind]
            elif len(found) < count:
                found.setdefault(asked.text.casefold(), asked)
    if not found:
        raise ValueError("no question could be made of these passages; accepted: passages with headings, definitions, tables or sentences")
    return list(found.values())


def _asked(text: str, kind: str, passage: Passage, relevant: frozenset[str] | None = None, left: str | None = None) -> Asked:
    return Asked(" ".join(text.split()), kind, passage.source, relevant or frozenset({passage.id}), passage.text if left is None else left)


def _by_heading(passages: Sequence[Passage]) -> Iterator[Asked]:
    below: dict[tuple[str, tuple[str, ...]], list[Passage]] = {}
    for passage in passages:
        if passage.headings:
            below.setdefault((passage.source, passage.headings), []).append(passage)
    for (_, headings), those in below.items():
        text = _NUMBERING.sub("", headings[-1])
        if len(text.split()) >= 2:
            yield _asked(text, HEADING, those[0], frozenset(p.id for p in those))


def _by_definition(passages: Sequence[Passage]) -> Iterator[Asked]:
    for passage in passages:
        if match := _DEFINED.search(passage.text):
            term = regex.sub(r"(?i)^(?:the|an?|term|expression|word|in this act)\s+", "", match.group("term").strip())
            if 1 <= len(term.split()) <= 6:
                yield _asked(f"What does {term} mean?", DEFINITION, passage)


def _by_table(passages: Sequence[Passage]) -> Iterator[Asked]:
    """A field of a record, asked by its name and the record's first field."""
    for passage in passages:
        fields = [(m.group("name").strip(), m.group("value").strip()) for m in _FIELD.finditer(passage.text)]
        if len(fields) >= 2:
            (_, key), (name, _) = fields[0], fields[1 + len(passage.id) % (len(fields) - 1)]
            yield _asked(f"{name} of {key}", TABLE, passage)


def _by_cloze(passages: Sequence[Passage], rng: random.Random) -> Iterator[Asked]:
    from components.preprocessors.sentences import split_sentences

    for passage in passages:
        spans = [(a, b) for a, b in split_sentences(passage.text) if SHORTEST <= len(passage.text[a:b].split()) <= LONGEST]
        if len(spans) < 2:
            continue
        begin, end = rng.choice(spans)
        left = passage.text if rng.random() < 0.1 else passage.text[:begin] + passage.text[end:]
        yield _asked(passage.text[begin:end], CLOZE, passage, left=left)


def _written(passages: Sequence[Passage], write: Writer) -> Iterator[Asked]:
    for passage in passages:
        for text in write(passage.text):
            if len(text.split()) >= 3:
                yield _asked(text, WRITTEN, passage)
