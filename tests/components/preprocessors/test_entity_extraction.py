import pytest
from haystack import Document

from components.document_stores.entity_rows import Relation
from components.preprocessors.entity_extraction import (
    MAX_NAMES,
    MAX_TRIPLES,
    chunk_entities,
    read_triples,
    spans_by_form,
    spans_of_triples,
    text_hash,
)
from components.preprocessors.sentences import split_sentences

META = {"tenant": "t", "source_id": "s", "container_id": "c", "title": "Offices"}


def entities(text: str, **meta):
    return chunk_entities(Document(id="x", content=text, meta={**META, **meta}), spans_by_form(text), split_sentences(text), "rules")


def test_names_of_a_sentence_are_related_and_those_of_two_are_not():
    found = entities("Mira Sand heads the Lake Office. Jon Berg heads the Forest Office.")
    pairs = {(r.head, r.tail): r.weight for r in found.relations}
    assert pairs["lake offic", "mira sand"] == 1.0
    assert ("jon berg", "mira sand") not in pairs
    assert pairs["jon berg", "offic"] == 0.5
    assert {m.entity: m.kind for m in found.mentions}["offic"] == "title"


def test_a_name_in_several_forms_is_counted_as_one():
    found = entities("Ask the Lake Office. The lake office's door is blue, says Lake Office staff.", title="")
    assert {m.entity: m.count for m in found.mentions} == {"lake offic": 3}


def test_a_title_is_known_without_its_bracket_too():
    assert {"lilu", "lilu mytholog"} <= {m.entity for m in entities("a demon", title="Lilu (mythology)").mentions}


def test_an_explained_abbreviation_is_an_alias():
    assert ("cbi", "central bureau investig") in entities("The Central Bureau of Investigation (CBI) is in Delhi.").aliases


def test_a_list_of_a_thousand_names_is_cut():
    text = ", ".join(f"Name{i} Person{i}" for i in range(1000)) + "."
    found = entities(text)
    assert len(found.mentions) <= MAX_NAMES
    assert len(found.relations) < MAX_NAMES * MAX_NAMES


def test_a_chunk_without_names_has_its_title():
    assert [m.name for m in entities("nothing is named here").mentions] == ["Offices"]
    assert entities("", title="").mentions == []


def test_the_hash_is_of_what_is_read():
    one = Document(content="a", meta=META)
    assert text_hash(one) == text_hash(Document(id="other", content="a", meta={**META, "source_id": "z"}))
    assert text_hash(one) != text_hash(Document(content="a", meta={**META, "title": "Else"}))


@pytest.mark.parametrize(
    "reply",
    [
        '{"triples": [["Mira Sand", "heads", "Lake Office"]]}',
        'Here:\n```json\n{"triples": [{"subject": "Mira Sand", "relation": "heads", "object": "Lake Office"}]}\n```',
        "Mira Sand | heads | Lake Office",
        "1. Mira Sand → heads → Lake Office",
        "- Mira Sand; heads; Lake Office",
    ],
)
def test_triples_in_many_shapes(reply):
    assert read_triples(reply) == [("Mira Sand", "heads", "Lake Office")]


@pytest.mark.parametrize("reply", ["", "{", "[[[[[", '{"triples": 5}', '{"triples": [[1, 2, 3], ["a", "b"]]}', "No names.", "x" * 50_000])
def test_nonsense_gives_no_triple(reply):
    assert read_triples(reply) == []


def test_triples_are_bounded():
    reply = "\n".join(f"A{i} | knows | B{i}" for i in range(500))
    assert len(read_triples(reply)) == MAX_TRIPLES


def test_what_the_text_does_not_hold_is_dropped():
    text = "Mira Sand heads the Lake Office."
    spans, relations = spans_of_triples(text, [("Mira Sand", "heads", "Lake Office"), ("Mira Sand", "owns", "Bank of Evil"), ("Sand", "is", "Sand")])
    assert relations == [Relation("mira sand", "lake offic", "heads", 2.0)]
    assert [text[start:end] for start, end, _ in spans] == ["Mira Sand", "Lake Office"]
