"""Filters against a real embedded index, as different principals see it."""

import contextlib
from datetime import UTC, datetime

import pytest
from haystack import Document
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from components.access.principal import Principal, acting_as
from components.document_stores.filter_building import FilterBuilder
from components.document_stores.filter_coverage import coverage
from components.document_stores.filter_fields import CHUNKS, IndexFields, UnknownFieldError
from components.document_stores.filter_language import ConditionError
from components.document_stores.sakshya_document_store import SakshyaDocumentStore

NOW = datetime(2024, 3, 13, tzinfo=UTC)
ADMIN = Principal(user="admin", is_admin=True)
READER, LEGAL, STRANGER = Principal(user="r"), Principal(user="l", groups=("legal",)), Principal(user="s", tenant="elsewhere")
FILES = [
    # name, mime, title, heading path, modified, more, access, tenant
    ("leave.md", "text/markdown", "Leave", ["Sick leave"], "2024-03-12T08:00:00+00:00", {"rating": 3}, ["public"], "default"),
    ("manual.pdf", "application/pdf", "Lamp manual", ["Part 1", "Safety"], "2024-02-01", {"page": 2, "since": "2020-05-01"}, ["public"], "default"),
    ("manual.pdf", "application/pdf", "Lamp manual", ["Part 2", "Safety"], "2024-02-01", {"page": 9}, ["public"], "default"),
    ("old.txt", "text/plain", "Old rules", [], "2019-01-01", {"valid_to": "2021-01-01"}, ["public"], "default"),
    (
        "case.docx",
        "application/msword",
        "Secret case",
        ["Settlement"],
        "2024-03-01",
        {"opponent": "Acme", "nested": {"level": 2}},
        ["legal"],
        "default",
    ),
    ("far.md", "text/markdown", "Far", ["Abroad"], "2024-03-01", {"distance": 7}, ["public"], "elsewhere"),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    opened = SakshyaDocumentStore(path=str(tmp_path_factory.mktemp("filters")), index="filters", embedding_dim=2)
    for tenant in ("default", "elsewhere"):
        documents = []
        for n, (name, mime, title, path, modified, more, access, owner) in enumerate(FILES):
            if owner != tenant:
                continue
            meta = {
                **{
                    "source_id": f"{name}-id",
                    "container_id": f"{name}-id",
                    "uri": f"/docs/{name}",
                    "file_name": name,
                    "mime_type": mime,
                    "title": title,
                },
                **{"heading_path": path, "modified_at": modified, "access": access, "tenant": owner, **more},
            }
            documents.append(Document(id=f"c{n}", content=f"text {n}", embedding=[1.0, n / 10], meta={**meta, "kind": "chunk"}))
            documents.append(Document(id=f"s-{name}", meta={**meta, "kind": "source"}))
        with acting_as(Principal(user="admin", is_admin=True, tenant=tenant)):
            opened.write_documents(list({d.id: d for d in documents}.values()))
    yield opened
    opened.shutdown()


def found(store, filters, principal=READER):
    with acting_as(principal):
        builder = FilterBuilder(IndexFields(store), NOW)
        built = builder.build(filters)
        return sorted(d.id for d in store.filter_documents({"operator": "AND", "conditions": [CHUNKS, built]}))


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ("type=pdf", ["c1", "c2"]),
        ("type=text/*", ["c0", "c3"]),
        ("type=.md|pdf", ["c0", "c1", "c2"]),
        ("type!=pdf", ["c0", "c3"]),
        ("source=manual.pdf", ["c1", "c2"]),
        ("source=docs/LEAVE.md", ["c0"]),
        ("source=*.pdf", ["c1", "c2"]),
        ("source=Lamp manual", ["c1", "c2"]),
        ("source=manual.pdf-id", ["c1", "c2"]),
        ("source=anual.pdf", []),
        ("heading=Safety", ["c1", "c2"]),
        ("heading=part 1", ["c1"]),
        ("heading=Part 2 > Safety", ["c2"]),
        ("heading=Lamp manual > Part 1 > Safety", ["c1"]),
        ("heading=Safety > Part 1", []),
        ("heading=Leave", ["c0"]),
        ("modified_at>=P30D", ["c0"]),
        ("modified_at=2024-02", ["c1", "c2"]),
        ("modified_at<2024", ["c3"]),
        ("modified_at=2023..2024", ["c0", "c1", "c2"]),
        ("since=2020", ["c1"]),
        ("since<2021", ["c1"]),
        ("rating=3", ["c0"]),
        ("rating>=3.0", ["c0"]),
        ("page>2", ["c2"]),
        ("in_force=2020-06-01", ["c0", "c1", "c2", "c3"]),
        ("in_force=2021-01-01", ["c0", "c1", "c2"]),
        ("in_force=today", ["c0", "c1", "c2"]),
        ("valid_to=*", ["c3"]),
        ("valid_to=null", ["c0", "c1", "c2"]),
        (["type=pdf", "page=9"], ["c2"]),
        ({"operator": "NOT", "conditions": [{"field": "type", "operator": "==", "value": "pdf"}]}, ["c0", "c3"]),
        ({"field": "meta.modified_at", "operator": ">=", "value": "last 30 days"}, ["c0"]),
        ({"field": "source", "operator": "in", "value": ["leave.md", "old.txt"]}, ["c0", "c3"]),
    ],
)
def test_filters(store, filters, ids):
    assert found(store, filters) == ids


def test_an_unknown_field_is_named_with_those_there_are(store):
    with pytest.raises(
        UnknownFieldError, match=r"'ratign'; did you mean rating\? the fields are source, type, heading, in_force, .*\brating\b.*\bsince\b"
    ) as caught:
        found(store, "ratign=3")
    assert "\n" not in str(caught.value)
    with pytest.raises(UnknownFieldError):
        found(
            store,
            {"operator": "OR", "conditions": [{"field": "type", "operator": "==", "value": "pdf"}, {"field": "x", "operator": "==", "value": 1}]},
        )
    with pytest.raises(ConditionError, match="accepted is a number"):
        found(store, "rating>high")


class Files:
    """An index that holds eight types, and of two sources one without a passage."""

    def peek(self, filters, limit, fields=None):
        return [{"container_id": n, "file_name": f"{n}.pdf", "uri": n, "chunks": chunks} for n, chunks in (("law", 3), ("enc", 0))]

    def facet(self, field, filters=None):
        return {f"x/{n}": 1 for n in range(8)}


def test_a_note_names_what_holds_passages_and_how_many_more_there_are():
    builder = FilterBuilder(IndexFields(Files()))
    builder.build(["source=zzz", "type=potato"])
    assert builder.notes == ["no source 'zzz'; there is law.pdf", "no type 'potato'; there is x/0, x/1, x/2, x/3, x/4 and 3 more"]


@pytest.mark.parametrize(
    ("text", "told"), [("page>abc", "accepted is a number"), ("size>abc", "neither a number nor a date"), ("valid_to>abc", "is no date")]
)
def test_what_a_value_may_be_is_told_by_the_field(text, told):
    with pytest.raises(ConditionError, match=told):
        FilterBuilder(None).build(text)


@pytest.mark.parametrize("principal", [READER, STRANGER])
def test_a_field_or_value_of_others_is_as_if_it_were_not_there(store, principal):
    messages = []
    for field in ("opponent", "opponentx"):
        with pytest.raises(UnknownFieldError) as caught:
            found(store, f"{field}=Acme", principal)
        messages.append(str(caught.value).replace("opponentx", "opponent"))
    assert messages[0] == messages[1]
    assert "nested" not in messages[0]
    with acting_as(principal):
        builder = FilterBuilder(IndexFields(store), NOW)
        for text in ("source=case.docx", "heading=Settlement", "type=doc"):
            builder.build(text)
        assert len(builder.notes) == 3
        said = " ".join(builder.notes).replace("'case.docx'", "").replace("'Settlement'", "").replace("'doc'", "")
    assert not any(word in said for word in ("case", "Settlement", "doc,", "Secret"))
    assert found(store, "opponent=Acme", LEGAL) == ["c4"]
    assert found(store, "nested.level=2", LEGAL) == ["c4"]


def test_coverage_counts_what_may_be_read(store):
    with acting_as(READER):
        left = coverage(store, FilterBuilder(IndexFields(store)).build("type=pdf"))
        none = coverage(store, FilterBuilder(IndexFields(store)).build("source=nothing.md"))
    assert str(left) == "the filter leaves 1 of 3 sources (2 of 4 chunks)"
    assert str(none) == "the filter leaves 0 of 3 sources"
    with acting_as(LEGAL):
        assert coverage(store, {"field": "meta.kind", "operator": "==", "value": "chunk"}).sources == 4


FIELDS = st.sampled_from(
    ["type", "source", "heading", "in_force", "title", "tenant", "access", "rating", "modified_at", "opponent", "distance", "kind", "page"]
)
VALUES = st.sampled_from(
    ["pdf", "legal", "elsewhere", "*", "null", "2024", "P30D", "case.docx", "Secret case", "chunk", "3", "public|legal", "Settlement"]
)
CONDITIONS = st.builds(lambda f, o, v: f"{f}{o}{v}", FIELDS, st.sampled_from(["=", "!=", ">=", "<"]), VALUES)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(CONDITIONS, min_size=1, max_size=3), st.sampled_from([READER, LEGAL, STRANGER, Principal()]))
def test_no_filter_widens_access(store, filters, principal):
    allowed = {f"c{n}" for n, (*_, access, tenant) in enumerate(FILES) if tenant == principal.tenant and {*access} & {"public", *principal.groups}}
    with contextlib.suppress(ConditionError):
        assert set(found(store, filters, principal)) <= allowed
