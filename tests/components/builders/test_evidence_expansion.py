"""What is shown around a passage, and what holds whatever is asked: over a real embedded index, as different principals see it."""

import itertools

import pytest
from haystack import Document
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from components.access.principal import Principal, acting_as
from components.builders.evidence_builder import EvidenceBuilder
from components.builders.expansion import covered_share, window_of
from components.builders.sentence_runs import best_run
from components.chunk import embedded_text
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from components.embedders.embedding_model import embedding_model
from components.rankers.diversity_ranker import DiversityRanker
from components.retrievers.reference_retriever import ReferenceRetriever

ADMIN, READER, LEGAL = Principal(user="a", is_admin=True), Principal(user="r"), Principal(user="l", groups=("legal",))
SECTIONS = {
    "leave": (
        "public",
        "Leave is twenty days a year.\n\nIt is asked for a week before. Except in an emergency, when a call will do.\n\nSick leave needs a note.",
    ),
    "case": ("legal", "The settlement is secret.\n\nIt was signed in May.\n\nThe sum is two million."),
    "long": ("public", "\n\n".join(f"Rule {n} says that gateway {n} has lamp {n}. Its colour is number {n}." for n in range(8))),
}


def parts(name):
    access, text = SECTIONS[name]
    meta = {"source_id": name, "container_id": name, "source_version": "v", "tenant": "default", "access": [access], "title": name.title()}
    section = Document(id=f"section-{name}", content=text, meta={**meta, "kind": "section", "char_start": 0, "char_end": len(text)})
    chunks, at = [], 0
    for n, part in enumerate(text.split("\n\n")):
        place = {"kind": "chunk", "parent_id": section.id, "char_start": at, "char_end": at + len(part), "context_header": name.title()}
        links = {"references": ["section-case", "section-leave"]} if name == "long" and n == 0 else {}
        chunks.append(Document(id=f"{name}{n}", content=part, embedding=[1.0, n / 10], meta={**meta, **place, **links}))
        at += len(part) + 2
    return section, chunks


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    opened = SakshyaDocumentStore(path=str(tmp_path_factory.mktemp("evidence")), index="evidence", embedding_dim=2)
    with acting_as(ADMIN):
        for name in SECTIONS:
            section, chunks = parts(name)
            opened.write_documents([section, *chunks])
    yield opened
    opened.shutdown()


def read(store, *ids, principal=READER):
    with acting_as(principal):
        return store.get_documents_by_id(list(ids))


def shown(store, ids, principal=READER, question="", **parameters):
    with acting_as(principal):
        return EvidenceBuilder(store, **parameters).run(store.get_documents_by_id(list(ids)), question=question)["evidence"]


def test_a_window_shows_the_neighbours(store):
    [one] = shown(store, ["long3"], expand="window", window=1)
    text = SECTIONS["long"][1]
    assert one.content == "\n\n".join(text.split("\n\n")[2:5])
    assert (one.id, one.content) == ("long3", text[one.meta["char_start"] : one.meta["char_end"]])
    [two] = shown(store, ["long0", "long2"], expand="window")
    assert two.content == "\n\n".join(text.split("\n\n")[:4])
    assert sorted(two.meta["chunk_ids"]) == ["long0", "long2"]


def test_a_window_that_cannot_be_joined_shows_nothing_twice(store):
    cost = embedding_model().count_tokens
    budget = cost(embedded_text("\n\n".join(SECTIONS["long"][1].split("\n\n")[:4]), "Long"))
    evidence = shown(store, ["long1", "long3"], expand="window", max_tokens=budget)  # the window of the second does not fit, its own text does
    assert [e.content for e in evidence] == ["\n\n".join(SECTIONS["long"][1].split("\n\n")[:4])]


def test_auto_takes_the_section_once_enough_of_it_was_found(store):
    assert [e.content for e in shown(store, ["leave0"], expand="auto", merge_share=0.5)] == [SECTIONS["leave"][1].split("\n\n")[0]]
    assert [e.content for e in shown(store, ["leave0", "leave1"], expand="auto", merge_share=0.5)] == [SECTIONS["leave"][1]]
    [section] = read(store, "section-leave")
    assert covered_share(section, read(store, "leave0", "leave1", "leave2")) == 1
    assert covered_share(section, read(store, "leave1", "leave1")) == pytest.approx(62 / 108, abs=0.1)
    assert covered_share(section, read(store, "long0")) == 0


def test_window_of_at_the_edges():
    chunks = [(0, 10), (10, 20), (20, 30)]
    assert window_of((0, 10), chunks, 1) == (0, 20)
    assert window_of((20, 30), chunks, 5) == (0, 30)
    assert window_of((10, 20), [], 1) == (10, 20)


def test_a_long_passage_is_cut_to_what_is_asked_with_its_exception(store):
    whole = read(store, "leave1")[0].content
    [one] = shown(store, ["leave1"], question="What in an emergency?", max_passage_tokens=24)
    assert one.content == whole  # the exception never parts from its rule
    [two] = shown(store, ["long5", "long6"], question="Which colour has gateway 6?", max_passage_tokens=14)[1:]
    assert two.content in read(store, "long6")[0].content
    assert SECTIONS["long"][1][two.meta["char_start"] : two.meta["char_end"]] == two.content


def test_best_run_keeps_rule_and_proviso_together_and_gives_up_where_nothing_fits():
    text = "The lamp is red. Leave is twenty days. Provided that a note is given. The door is open."
    run = best_run(text, "How many days of leave?", lambda part: len(part) <= 60)
    assert text[slice(*run)] == "Leave is twenty days. Provided that a note is given."
    assert best_run(text, "How many days of leave?", lambda part: len(part) <= 30) is None
    assert best_run(text, "Who owns the giraffe?", lambda part: True) is None
    assert best_run("", "leave", lambda part: True) is None
    assert best_run(text, "days of leave", lambda part: True) == (0, len(text))


def test_shortening_shows_a_part_of_what_would_be_dropped(store):
    long = Document(id="big", content="The door is open. " * 20 + "The code is 4711. " + "The lamp is red. " * 20, meta={"char_start": 0})
    first = Document(id="first", content="The lamp in the hall is green.", meta={})
    for shorten, ids in ((False, ["first"]), (True, ["first", "big"])):
        evidence = EvidenceBuilder(max_tokens=60, shorten_to_fit=shorten).run([first, long], question="What is the code?")["evidence"]
        assert [e.id for e in evidence] == ids
    assert "4711" in evidence[1].content
    assert long.content[evidence[1].meta["char_start"] : evidence[1].meta["char_end"]] == evidence[1].content


def test_rows_of_a_table_stay_whole():
    table = Document(id="t", content="Code | Meaning\n1 | red\n2 | green\n" * 30, meta={})
    [one] = EvidenceBuilder(max_passage_tokens=30).run([table], question="What does code 2 mean?")["evidence"]
    assert one.content == table.content


def test_edges_first():
    documents = [Document(id=str(n), content=f"text number {n} of its own", score=1 - n / 10) for n in range(5)]
    evidence = EvidenceBuilder(order="edges_first").run(documents)["evidence"]
    assert [d.id for d in evidence] == ["0", "2", "4", "3", "1"]
    assert [d.meta["label"] for d in evidence] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "parameters", [{"window": 0}, {"merge_share": 0}, {"merge_share": True}, {"max_passage_tokens": 0}, {"order": "worst_first"}]
)
def test_refused_at_construction(parameters):
    [name] = parameters
    with pytest.raises(ValueError, match=rf"EvidenceBuilder\.{name}=.*accepted"):
        EvidenceBuilder(**parameters)


def test_references_are_followed_as_far_as_the_reader_may(store):
    with acting_as(READER):
        out = ReferenceRetriever(store).run(store.get_documents_by_id(["long0", "long1"]))
    assert [d.id for d in out["documents"]] == ["long0", "leave0", "long1"]
    assert out["documents"][1].meta["reached_from"] == "long0"
    assert out["documents"][1].meta["ranks"] == {"reference": {"rank": 1, "score": None}}
    assert out["note"] == "1 reached by reference"
    with acting_as(LEGAL):
        documents = store.get_documents_by_id(["long0", "long1"])
        assert [d.id for d in ReferenceRetriever(store).run(documents)["documents"]] == ["long0", "case0", "leave0", "long1"]
        assert [d.id for d in ReferenceRetriever(store, max_references=1).run(documents)["documents"]] == ["long0", "case0", "long1"]
        assert ReferenceRetriever(store).run(documents[1:])["skipped"]
        assert ReferenceRetriever(store).run([*documents, *store.get_documents_by_id(["leave0", "case1"])])["skipped"]
    with pytest.raises(ValueError, match="of_best"):
        ReferenceRetriever(store, of_best=0)


class BrokenStore:
    def filter_documents(self, *_, **__):
        raise ConnectionError("no route")


def test_references_that_cannot_be_read_are_said(store):
    documents = read(store, "long0")
    out = ReferenceRetriever(BrokenStore()).run(documents)
    assert out["documents"] == documents
    assert "no route" in out["degraded"][0]["reason"]


ALL = [f"{name}{n}" for name, (_, text) in SECTIONS.items() for n in range(text.count("\n\n") + 1)]
KNOBS = st.fixed_dictionaries(
    {
        "expand": st.sampled_from(["none", "window", "auto", "section"]),
        "window": st.integers(1, 3),
        "merge_share": st.sampled_from([0.1, 0.5, 1.0]),
        "top_k": st.integers(1, 6),
        "max_tokens": st.integers(5, 160),
        "max_passage_tokens": st.sampled_from([None, 12, 40]),
        "shorten_to_fit": st.booleans(),
        "order": st.sampled_from(["best_first", "edges_first"]),
    }
)
DIVERSITY = st.fixed_dictionaries({"mmr_weight": st.sampled_from([None, 0.3, 0.9]), "max_per_source": st.sampled_from([None, 1, 2])})


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(ALL), max_size=8, unique=True), KNOBS, DIVERSITY, st.sampled_from([READER, LEGAL]))
def test_properties(store, ids, knobs, diversity, principal):
    with acting_as(ADMIN):
        everything = store.get_documents_by_id(ids)  # passages of all, as if a retriever had leaked: what is read beside them still is the reader's
    with acting_as(principal):
        own = store.get_documents_by_id(ids)
        followed = ReferenceRetriever(store).run(own)["documents"]
        ordered = DiversityRanker(store, **diversity).run(followed)["documents"]
        builder = EvidenceBuilder(store, **knobs)
        out = builder.run(ordered, question="Which colour has gateway 6, except in an emergency?")
        assert builder.run(ordered, question="Which colour has gateway 6, except in an emergency?") == out
        beside = ReferenceRetriever(store).run(everything)["documents"]
    evidence = out["evidence"]
    allowed = {"public", *principal.groups}
    assert all({*d.meta["access"]} <= allowed for d in [*evidence, *followed])
    assert all({*d.meta["access"]} <= allowed for d in beside if d.id not in ids)
    assert sorted(d.id for d in ordered) == sorted(d.id for d in followed)
    assert len(evidence) <= knobs["top_k"]
    assert len({d.id for d in evidence}) == len(evidence)
    places = sorted((d.meta["source_id"], d.meta["char_start"], d.meta["char_end"]) for d in evidence)
    assert all(a[0] != b[0] or a[2] <= b[1] for a, b in itertools.pairwise(places))  # no text twice
    for d in evidence:
        text = SECTIONS[d.meta["source_id"]][1]
        assert d.content == text[d.meta["char_start"] : d.meta["char_end"]]
    count = embedding_model().count_tokens
    cost = sum(count(embedded_text(d.content, d.meta["context_header"])) for d in evidence)
    assert cost <= knobs["max_tokens"] or len(evidence) == 1
    gone = {item["id"] for item in out["dropped"]}
    assert not gone & {d.id for d in evidence}
    assert all(item["reason"] for item in out["dropped"])
