import copy
from datetime import date, timedelta

import pytest
from haystack import Document, Pipeline
from haystack.document_stores.in_memory import InMemoryDocumentStore
from hypothesis import given, settings
from hypothesis import strategies as st

from components.builders.evidence_builder import EvidenceBuilder, estimated_tokens
from components.chunk import embedded_text
from components.embedders.embedding_model import embedding_model
from config.settings import settings as sakshya_settings

BASE = 1000
"""Where the section begins in its source."""


def section(text, id_="section", source="s", version="v", page=3):
    meta = {"kind": "section", "source_id": source, "source_version": version, "char_start": BASE, "char_end": BASE + len(text), "page": page}
    return Document(id=id_, content=text, meta=meta)


def chunk(parent, start, end, score, **meta):
    text = (parent.content or "")[start:end]
    own = {
        "kind": "chunk",
        "source_id": parent.meta["source_id"],
        "source_version": parent.meta["source_version"],
        "parent_id": parent.id,
        "char_start": BASE + start,
        "char_end": BASE + end,
        "context_header": "Handbook > Leave",
        "page": 3,
    }
    return Document(id=f"{parent.id}:{start}", content=text, score=score, meta={**own, **meta})


def plain(id_, content, score=None, **meta):
    return Document(id=id_, content=content, score=score, meta=meta)


def store(*documents):
    memory = InMemoryDocumentStore()
    memory.write_documents(list(documents))
    return memory


def run(builder, documents, **more):
    return builder.run(documents, **more)["evidence"]


def tokens(document):
    return embedding_model().count_tokens(embedded_text(document.content, document.meta.get("context_header", "")))


def ids(evidence):
    return [d.id for d in evidence]


SECTION = section("Alpha leave rule.\n\nBeta leave rule.\n\nGamma leave rule.\n\nDelta leave rule.")
A, B, C, D = (0, 17), (19, 35), (37, 54), (56, 73)


def test_labels_from_one_in_order_and_input_unchanged():
    given_ = [plain("a", "one", 0.9), plain("b", "two", 0.8), plain("c", "three", 0.7)]
    before = copy.deepcopy(given_)
    evidence = run(EvidenceBuilder(top_k=2), given_)
    assert [(d.id, d.meta["label"], d.score) for d in evidence] == [("a", 1, 0.9), ("b", 2, 0.8)]
    assert [(d.meta["char_start"], d.meta["char_end"]) for d in evidence] == [(0, 3), (0, 3)]
    assert given_ == before
    assert ids(run(EvidenceBuilder(top_k=2), given_, top_k=3)) == ["a", "b", "c"]


def test_nothing_and_empty_passages():
    assert run(EvidenceBuilder(), []) == []
    assert run(EvidenceBuilder(), [plain("a", ""), plain("b", " \n"), Document(id="c")]) == []


def test_neighbours_are_joined_with_the_gap_of_the_section():
    parts = [chunk(SECTION, *B, 0.9, page=4), chunk(SECTION, *D, 0.8), chunk(SECTION, *A, 0.7)]
    evidence = run(EvidenceBuilder(store(SECTION)), parts)
    assert [d.content for d in evidence] == ["Alpha leave rule.\n\nBeta leave rule.", "Delta leave rule."]
    first = evidence[0]
    assert (first.id, first.score, first.meta["label"]) == ("section:19", 0.9, 1)
    assert (first.meta["char_start"], first.meta["char_end"], first.meta["page"]) == (BASE, BASE + 35, 3)
    assert first.meta["chunk_ids"] == ["section:19", "section:0"]
    assert "chunk_ids" not in evidence[1].meta


def test_a_chunk_between_two_joins_both():
    parts = [chunk(SECTION, *C, 0.9), plain("x", "another passage", 0.85), chunk(SECTION, *A, 0.8), chunk(SECTION, *B, 0.7)]
    evidence = run(EvidenceBuilder(store(SECTION)), parts)
    assert [d.content for d in evidence] == [SECTION.content[:54], "another passage"]
    assert (evidence[0].id, evidence[0].score) == ("section:37", 0.9)
    assert sorted(evidence[0].meta["chunk_ids"]) == ["section:0", "section:19", "section:37"]


def test_a_joined_chunk_takes_no_place():
    parts = [chunk(SECTION, *A, 0.9), chunk(SECTION, *B, 0.8), plain("x", "another", 0.7), plain("y", "more", 0.6)]
    assert ids(run(EvidenceBuilder(store(SECTION), top_k=2), parts)) == ["section:0", "x"]


def test_words_in_the_gap_another_section_or_version_join_nothing():
    assert len(run(EvidenceBuilder(store(SECTION)), [chunk(SECTION, *A, 0.9), chunk(SECTION, *C, 0.8)])) == 2
    other = section("Other text here.", "other")
    assert len(run(EvidenceBuilder(store(SECTION, other)), [chunk(SECTION, *A, 0.9), chunk(other, 0, 16, 0.8)])) == 2
    assert len(run(EvidenceBuilder(store(SECTION)), [chunk(SECTION, *A, 0.9), chunk(SECTION, *B, 0.8, source_version="w")])) == 2
    edited = section(SECTION.content.replace("Beta", "BETA"))
    assert len(run(EvidenceBuilder(store(edited)), [chunk(SECTION, *A, 0.9), chunk(SECTION, *B, 0.8)])) == 2


def test_without_a_store_only_what_touches_is_joined():
    assert len(run(EvidenceBuilder(), [chunk(SECTION, *A, 0.9), chunk(SECTION, *B, 0.8)])) == 2
    [one] = run(EvidenceBuilder(), [chunk(SECTION, 0, 17, 0.9), chunk(SECTION, 10, 35, 0.8)])
    assert one.content == SECTION.content[:35]


def test_expand_shows_the_section_once_where_it_fits():
    parts = [chunk(SECTION, *B, 0.9), plain("x", "another", 0.85), chunk(SECTION, *D, 0.8)]
    evidence = run(EvidenceBuilder(store(SECTION), expand="section"), parts)
    assert [d.content for d in evidence] == [SECTION.content, "another"]
    assert (evidence[0].id, evidence[0].meta["char_start"]) == ("section:19", BASE)
    small = run(EvidenceBuilder(store(SECTION), expand="section", max_tokens=15), parts)
    assert small[0].content == "Beta leave rule."


def test_section_that_is_not_there_expands_nothing():
    assert [d.content for d in run(EvidenceBuilder(store(), expand="section"), [chunk(SECTION, *B, 0.9)])] == ["Beta leave rule."]


class BrokenStore:
    def filter_documents(self, filters=None):
        raise ConnectionError("no route to the index\nsecond line")


def test_store_that_fails_is_said_and_the_passages_stay():
    out = EvidenceBuilder(BrokenStore()).run([chunk(SECTION, *A, 0.9), chunk(SECTION, *B, 0.8)])
    assert ids(out["evidence"]) == ["section:0", "section:19"]
    [entry] = out["degraded"]
    assert entry["stage"] == "evidence"
    assert entry["reason"].endswith("as retrieved: no route to the index")


def test_budget_drops_whole_passages_and_keeps_smaller_ones_behind():
    parts = [plain("a", "leave " * 10, 0.9), plain("b", "days " * 100, 0.8), plain("c", "rule " * 10, 0.7)]
    assert ids(run(EvidenceBuilder(max_tokens=20), parts)) == ["a", "c"]
    assert ids(run(EvidenceBuilder(max_tokens=1), parts)) == ["a"]


def test_joining_stops_at_the_budget():
    parts = [chunk(SECTION, *A, 0.9), chunk(SECTION, *B, 0.8)]
    budget = tokens(parts[0])
    assert [d.content for d in run(EvidenceBuilder(store(SECTION), max_tokens=budget), parts)] == ["Alpha leave rule."]


def test_threshold():
    parts = [
        plain("a", "one", 0.9, ranks={"ranker": {"rank": 1, "score": 0.9}, "dense": {"rank": 2, "score": 0.3}}),
        plain("b", "two", 0.2, ranks={"ranker": {"rank": 2, "score": 0.2}, "dense": {"rank": 1, "score": 0.6}}),
        plain("c", "three", 0.03, ranks={"dense": {"rank": 3, "score": 0.1}}),
        plain("d", "four", 0.02, ranks={"sparse": {"rank": 1, "score": 7.0}}),
    ]
    assert ids(run(EvidenceBuilder(min_score=0.2), parts)) == ["a", "b"]
    assert ids(run(EvidenceBuilder(min_score={"ranker": 0.5}), parts)) == ["a", "c", "d"]
    assert ids(run(EvidenceBuilder(min_score={"ranker": 0.5, "dense": 0.2}), parts)) == ["a", "d"]
    assert ids(run(EvidenceBuilder(min_relative_score=0.5), parts)) == ["a", "c", "d"]
    assert ids(run(EvidenceBuilder(min_score=0.99), parts)) == []


def test_not_in_force_goes_behind_and_is_labelled():
    parts = [
        plain("old", "section 379 as it was", 0.9, valid_to="2024-07-01", superseded_by="BNS 303"),
        plain("new", "section 303 as it is", 0.8, valid_from="2024-07-01"),
        plain("any", "undated text", 0.7),
    ]
    evidence = run(EvidenceBuilder(), parts, as_of="2025-01-01")
    assert [(d.id, d.meta["in_force"], d.meta["validity_note"]) for d in evidence] == [
        ("new", True, ""),
        ("any", True, ""),
        ("old", False, "not in force since 2024-07-01; superseded by BNS 303"),
    ]
    before = run(EvidenceBuilder(), parts, as_of="2024-06-30")
    assert [(d.id, d.meta["validity_note"]) for d in before] == [("old", ""), ("any", ""), ("new", "in force from 2024-07-01")]
    assert ids(run(EvidenceBuilder(prefer_in_force=False), parts, as_of="2025-01-01")) == ["old", "new", "any"]
    with pytest.raises(ValueError, match="accepted is YYYY-MM-DD"):
        run(EvidenceBuilder(), parts, as_of="last year")


def test_as_of_is_today_where_nothing_is_said():
    tomorrow = (date.today() + timedelta(days=2)).isoformat()
    [one] = run(EvidenceBuilder(), [plain("a", "text", valid_from=tomorrow)])
    assert one.meta["validity_note"] == f"in force from {tomorrow}"


def test_tokens_are_estimated_where_the_model_cannot_be_had(monkeypatch):
    monkeypatch.setenv("SAKSHYA_EMBEDDING_URL", "http://127.0.0.1:9")  # `packaged` is no model of an endpoint
    sakshya_settings.cache_clear()
    parts = [plain("a", "leave days " * 4, 0.9), plain("b", "छुट्टी", 0.8)]
    assert [estimated_tokens(d.content) for d in parts] == [11, 6]
    assert ids(run(EvidenceBuilder(max_tokens=17), parts)) == ["a", "b"]
    assert ids(run(EvidenceBuilder(max_tokens=16), parts)) == ["a"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"top_k": 0},
        {"max_tokens": 0},
        {"min_score": float("nan")},
        {"min_score": {"ranker": "high"}},
        {"expand": "page"},
        {"min_relative_score": 2},
    ],
)
def test_refused_at_construction(parameters):
    [name] = parameters
    with pytest.raises(ValueError, match=f"EvidenceBuilder.{name}=.*accepted"):
        EvidenceBuilder(**parameters)


def test_expand_needs_a_store():
    with pytest.raises(ValueError, match="document_store"):
        EvidenceBuilder(expand="section")


def test_yaml_round_trip():
    pipeline = Pipeline()
    pipeline.add_component(
        "evidence", EvidenceBuilder(InMemoryDocumentStore(index="test_yaml_round_trip"), expand="section", min_score={"ranker": 0.2})
    )
    text = pipeline.dumps()
    assert "type: components.builders.evidence_builder.EvidenceBuilder" in text
    again = Pipeline.loads(text)
    assert again.dumps() == text
    assert again.run({"evidence": {"documents": [plain("a", "one")]}})["evidence"]["evidence"][0].meta["label"] == 1


WORD = st.sampled_from(["leave", "days", "rule", "not", "25", "employee", "छुट्टी", "é"])
PARAGRAPHS = st.lists(st.lists(WORD, min_size=1, max_size=12).map(" ".join), min_size=1, max_size=6)


@st.composite
def retrieved(draw):
    """Sections with their chunks, ranked in any order, some twice, some dated, some foreign."""
    sections, chunks = [], []
    for n in range(draw(st.integers(1, 3))):
        paragraphs = draw(PARAGRAPHS)
        gap = draw(st.sampled_from(["\n\n", "\n", " "]))
        whole = section(gap.join(paragraphs), f"section{n}", source=draw(st.sampled_from(["s", f"s{n}"])))
        whole.meta["source_version"] = f"v{n}"  # ranges of the sections overlap: they are of different versions
        sections.append(whole)
        at = 0
        for paragraph in paragraphs:
            chunks.append(chunk(whole, at, at + len(paragraph), draw(st.floats(0, 1))))
            at += len(paragraph) + len(gap)
        if draw(st.booleans()):
            for c in chunks:
                if c.meta["parent_id"] == whole.id:
                    c.meta["valid_to"] = "2020-01-01"
    foreign = [plain(f"f{n}", draw(st.sampled_from(["leave days", "other text", ""]))) for n in range(draw(st.integers(0, 2)))]
    picked = draw(st.lists(st.sampled_from(chunks + foreign), max_size=10))
    return sections, picked


@settings(max_examples=60, deadline=None)
@given(retrieved(), st.integers(1, 5), st.integers(1, 60), st.sampled_from(["none", "section"]))
def test_properties(case, top_k, max_tokens, expand):
    sections, documents = case
    by_id = {s.id: s for s in sections}
    before = copy.deepcopy(documents)
    builder = EvidenceBuilder(store(*sections), top_k=top_k, max_tokens=max_tokens, expand=expand)
    evidence = run(builder, documents)

    assert documents == before
    assert run(builder, documents) == evidence  # deterministic
    assert [d.meta["label"] for d in evidence] == list(range(1, len(evidence) + 1))
    assert len(evidence) <= top_k
    assert bool(evidence) == any(d.content for d in documents)
    assert len({d.id for d in evidence}) == len(evidence)
    assert {d.id for d in evidence} <= {d.id for d in documents}  # nothing invented
    dropped = {item["id"]: item["reason"] for item in builder.run(documents)["dropped"]}
    assert not dropped.keys() & {d.id for d in evidence}
    assert all(dropped.values())
    for d in documents:  # shown, inside what is shown, or told why not
        assert d.id in dropped or any(d.content in e.content for e in evidence)
    for d in evidence:
        if "parent_id" in d.meta:
            parent = by_id[d.meta["parent_id"]]
            assert d.content == parent.content[d.meta["char_start"] - BASE : d.meta["char_end"] - BASE]
        else:
            assert (d.meta["char_start"], d.meta["char_end"]) == (0, len(d.content))
        assert d.meta["in_force"] == ("valid_to" not in d.meta)
    cost = sum(tokens(d) for d in evidence)
    assert cost <= max_tokens or len(evidence) == 1
    assert [d.meta["in_force"] for d in evidence] == sorted((d.meta["in_force"] for d in evidence), reverse=True)


def test_what_is_not_in_force_keeps_a_place_and_never_crowds_out_what_is():
    words = ["alpha", "beta", "gamma", "delta", "epsilon"]
    old = [plain(f"old{n}", f"the former rule about {word} matters", 0.9 - n / 100, valid_to="2024-07-01") for n, word in enumerate(words)]
    new = [plain(f"new{n}", f"a present rule on {word} things", 0.5 - n / 100) for n, word in enumerate(words)]
    assert ids(run(EvidenceBuilder(top_k=4), [*old, *new], as_of="2025-01-01")) == ["new0", "new1", "old0", "old1"]
    assert ids(run(EvidenceBuilder(top_k=4), [*new, *old], as_of="2025-01-01")) == ["new0", "new1", "new2", "new3"]
    assert ids(run(EvidenceBuilder(top_k=4, max_not_in_force=0), [*old, *new], as_of="2025-01-01")) == ["new0", "new1", "new2", "new3"]
    assert ids(run(EvidenceBuilder(top_k=4), [*old, *new[:1]], as_of="2025-01-01")) == ["new0", "old0", "old1", "old2"]


def test_what_is_left_out_is_told_with_its_reason():
    documents = [
        plain("a", "alpha rule one", 0.9, title="Leave"),
        plain("same", "Alpha  rule one", 0.8),
        plain("low", "beta rule two", 0.1),
        plain("empty", " ", 0.9),
        plain("long", "gamma " * 40, 0.7),
        plain("b", "delta rule four", 0.6),
        plain("old", "epsilon rule five", 0.5, valid_to="2020-01-01"),
        plain("late", "zeta rule six", 0.4),
    ]
    builder = EvidenceBuilder(top_k=2, max_tokens=30, min_score=0.3, max_not_in_force=0)
    out = builder.run(documents, as_of="2025-01-01")
    assert ids(out["evidence"]) == ["a", "b"]
    reasons = {item["id"]: item["reason"] for item in out["dropped"]}
    assert set(reasons) == {"same", "low", "empty", "long", "old", "late"}
    assert reasons["same"] == "says the same as a passage of 'Leave', which stays"
    assert reasons["low"] == "score 0.1 below min_score 0.3"
    assert reasons["empty"] == "empty"
    assert "left of max_tokens 30" in reasons["long"]
    assert reasons["old"] == "not in force since 2020-01-01; beyond the 2 shown (top_k)"
    assert reasons["late"] == "beyond the 2 shown (top_k)"


def test_the_window_that_a_splitter_stored_is_shown_for_its_sentence():
    sentences = ["Alpha is first. ", "Beta is second. ", "Gamma is third. ", "Delta is fourth. ", "Epsilon is last."]
    parent = Document(
        id="p", content="".join(sentences), meta={"kind": "section", "source_id": "s", "char_start": 0, "char_end": sum(map(len, sentences))}
    )
    text = parent.content or ""

    def chunk(number: int, first: int, last: int) -> Document:
        start = text.index(sentences[number].strip())
        window = {
            "window_start": text.index(sentences[first].strip()),
            "window_end": text.index(sentences[last].strip()) + len(sentences[last].strip()),
        }
        content = sentences[number].strip()
        return Document(
            id=f"c{number}",
            content=content,
            meta={"source_id": "s", "parent_id": "p", "char_start": start, "char_end": start + len(content), **window},
        )

    one = run(EvidenceBuilder(store(parent)), [chunk(2, 1, 3)])
    assert [d.content for d in one] == ["Beta is second. Gamma is third. Delta is fourth."]
    two = run(EvidenceBuilder(store(parent)), [chunk(1, 0, 2), chunk(3, 2, 4)])
    assert [d.content for d in two] == [text]  # windows that overlap are shown once
    assert [d.content for d in run(EvidenceBuilder(), [chunk(2, 1, 3)])] == ["Gamma is third."]
    beyond = chunk(2, 1, 3)
    beyond.meta["window_end"] = 10_000
    assert [d.content for d in run(EvidenceBuilder(store(parent)), [beyond])] == ["Gamma is third."]
