"""What a chunk names, which of its names stand together, and what its abbreviations mean. Pure functions.

Names that a sentence holds together are related with weight 1, the title and the names of its chunk with `WITH_TITLE`: co-occurrence, as
HippoRAG (Gutierrez et al., NeurIPS 2024) has it beside its triples. A chat model's triples (`read_triples`) add labelled relations; a triple
counts only where the chunk holds both its names, so that a model can neither invent nor be told one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import combinations

import regex
from haystack import Document

from components.chunk import embedded_text
from components.document_stores.entity_rows import ChunkEntities, Mention, Relation
from components.generators.reply_reading import LONGEST_REPLY, reply_lines, reply_object
from components.query.hops import titles
from components.query.names import abbreviations, bare, name_key, names_in

Span = tuple[int, int, str]
"""Start, end and kind of a name in a text."""

WITH_TITLE = 0.5
WITH_LABEL = 2.0
MAX_NAMES = 60
"""Names of a chunk; a list of a thousand names relates nothing to anything."""
MAX_A_SENTENCE = 12
MAX_TRIPLES = 20
LONGEST_NAME = 80
_LINE = regex.compile(
    r"^[\s\-*•\d.)(\[\"“]*([^|→;\n]{1,80}?)\s*(?:\||→|;|—>|->)\s*([^|→;\n]{1,60}?)\s*(?:\||→|;|—>|->)\s*([^|→;\n]{1,80}?)[\s\])\"”.]*$"
)


def text_hash(document: Document) -> str:
    """Hash of what is read of a chunk: its title, headings and text."""
    text = embedded_text(document.content or "", " > ".join([*titles(document), str(document.meta.get("context_header") or "")]))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def spans_by_form(text: str) -> list[Span]:
    """Every place of the names that a text shows by their form (`names_in`)."""
    return [(at, at + len(name), "name") for name in names_in(text) for at in _places(text, name)]


def _places(text: str, name: str) -> Iterator[int]:
    folded, wanted = text.casefold(), name.casefold()
    if len(folded) != len(text):  # a letter that folds to two would shift what follows
        folded, wanted = text, name
    at = folded.find(wanted)
    while at >= 0:
        yield at
        at = folded.find(wanted, at + len(wanted))


def chunk_entities(document: Document, spans: Sequence[Span], sentences: Sequence[tuple[int, int]], method: str) -> ChunkEntities:
    """Mentions, relations and aliases of a chunk.

    :param spans: of its names in its content.
    :param sentences: ranges of its sentences.

    >>> chunk = Document(id="c", content="Mira Sand heads the Lake Office.", meta={"title": "Offices"})
    >>> found = chunk_entities(chunk, spans_by_form(chunk.content), [(0, 32)], "rules")
    >>> [m.name for m in found.mentions], [(r.head, r.tail, r.weight) for r in found.relations][0]
    (['Offices', 'Mira Sand', 'Lake Office'], ('lake offic', 'mira sand', 1.0))
    """
    text, meta = document.content or "", document.meta
    counted: dict[str, Mention] = {}
    for title in [*titles(document), *(bare(title) for title in titles(document))]:
        if (key := name_key(title)) and len(title) <= LONGEST_NAME:
            counted.setdefault(key, Mention(key, title, "title"))
    own = set(counted)
    places: list[tuple[int, str]] = []
    for start, end, kind in sorted(spans):
        name = " ".join(text[start:end].split()).strip(" ,.;:()")
        key = name_key(name)
        if not key or len(name) > LONGEST_NAME:
            continue
        if key not in counted and len(counted) >= MAX_NAMES:
            continue
        known = counted.get(key)
        counted[key] = Mention(key, known.name, known.kind, known.count + 1) if known else Mention(key, name, kind)
        places.append((start, key))
    weights: dict[tuple[str, str], float] = {}
    for start, end in sentences:
        together = list(dict.fromkeys(key for at, key in places if start <= at < end))[:MAX_A_SENTENCE]
        for pair in combinations(sorted(together), 2):
            weights[pair] = weights.get(pair, 0.0) + 1.0
    for title in own:
        for key in counted:
            if key != title and key not in own:
                pair = (min(title, key), max(title, key))
                weights[pair] = weights.get(pair, 0.0) + WITH_TITLE
    relations = [Relation(head, tail, "", weight) for (head, tail), weight in sorted(weights.items())]
    aliases = {(name_key(short), name_key(name)) for short, name in abbreviations(text).items()}
    where = (str(meta.get("tenant") or ""), str(meta.get("source_id") or ""), str(meta.get("container_id") or ""))
    return ChunkEntities(document.id, *where, text_hash(document), method, list(counted.values()), relations, sorted(aliases))


def read_triples(reply: str) -> list[tuple[str, str, str]]:
    """Subject, relation and object of each triple of a chat model's reply, whatever its shape; none where it holds none.

    >>> read_triples('{"triples": [["Mira Sand", "heads", "Lake Office"], ["x"]]}')
    [('Mira Sand', 'heads', 'Lake Office')]
    >>> read_triples("1. Mira Sand | heads | Lake Office\\nThat is all.")
    [('Mira Sand', 'heads', 'Lake Office')]
    """
    found: list[tuple[str, str, str]] = []
    listed = next((value for value in (reply_object(reply) or {}).values() if isinstance(value, list)), [])
    for item in listed:
        parts = list(item.values()) if isinstance(item, dict) else item
        if isinstance(parts, list) and len(parts) == 3 and all(isinstance(part, str) and part.strip() for part in parts):
            found.append((parts[0].strip(), parts[1].strip(), parts[2].strip()))
    if not found:
        for line in [*reply_lines(reply, MAX_TRIPLES * 2), *reply[:LONGEST_REPLY].splitlines()]:
            if match := _LINE.match(line):
                found.append((match.group(1).strip(), match.group(2).strip(), match.group(3).strip()))
    return list(dict.fromkeys(found))[:MAX_TRIPLES]


def spans_of_triples(text: str, triples: Sequence[tuple[str, str, str]]) -> tuple[list[Span], list[Relation]]:
    """The places of the triples' names in the text, and the relations between them; a triple with a name that the text does not hold is dropped."""
    spans: set[Span] = set()
    relations: dict[tuple[str, str, str], Relation] = {}
    for subject, label, target in triples:
        ends = [list(_places(text, name)) for name in (subject, target)]
        keys = (name_key(subject), name_key(target))
        if not all(ends) or not all(keys) or keys[0] == keys[1]:
            continue
        spans |= {(at, at + len(name), "name") for name, found in zip((subject, target), ends, strict=True) for at in found[:10]}
        relations[*keys, label[:60]] = Relation(*keys, label[:60], WITH_LABEL)
    return sorted(spans), list(relations.values())
