"""No read returns what may not be seen, and no write touches it: random principals, documents and filters, over both sizes."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from haystack import Document
from haystack.dataclasses import SparseEmbedding
from hypothesis import given, settings
from hypothesis import strategies as st

from components.access.principal import ANONYMOUS, Principal, acting_as
from components.document_stores.sakshya_document_store import SakshyaDocumentStore

TENANTS, GROUPS, KINDS = ["default", "acme", "zeta"], ["hr", "legal", "ops"], ["chunk", "section"]


def corpus() -> list[Document]:
    """Every tenant with every set of groups, the empty one included, twice."""
    documents = []
    accesses = [[], ["public"], ["hr"], ["legal"], ["hr", "legal"], ["ops", "public"]]
    for t, tenant in enumerate(TENANTS):
        for a, access in enumerate(accesses):
            for k, kind in enumerate(KINDS):
                number = t * 100 + a * 10 + k
                meta = {"tenant": tenant, "access": access, "kind": kind, "source_id": f"{tenant}-{a}", "n": number, "secret": f"{tenant}/{a}"}
                vectors = {"embedding": [1.0, a / 10, t / 10], "sparse_embedding": SparseEmbedding([1, 10 + a], [1.0, 0.5])} if k == 0 else {}
                documents.append(Document(id=f"d{number}", content=f"text {number}", meta=meta, **vectors))
    return documents


CORPUS = corpus()


def may_see(principal: Principal, document: Document) -> bool:
    """The rule, written down once more and independently of the code."""
    if principal.is_system:
        return True
    if document.meta["tenant"] != principal.tenant:
        return False
    return principal.is_admin or any(g == "public" or g in principal.groups for g in document.meta["access"])


@pytest.fixture(scope="module", params=["embedded", "memory"])
def store(request, tmp_path_factory):
    where = {"path": str(tmp_path_factory.mktemp("access"))} if request.param == "embedded" else {"location": ":memory:"}
    store = SakshyaDocumentStore(index="access", embedding_dim=3, **where)
    with acting_as(Principal.system()):
        store.write_documents(CORPUS)
        store.commit({"dense": {"model": "m", "dimension": 3}})
    yield store
    store.shutdown()


principals = st.builds(
    Principal,
    user=st.sampled_from([None, "asha"]),
    groups=st.lists(st.sampled_from([*GROUPS, "nobody"]), max_size=3).map(tuple),
    tenant=st.sampled_from([*TENANTS, "unknown"]),
    is_admin=st.booleans(),
)
comparisons = st.one_of(
    st.builds(
        lambda f, op, v: {"field": f, "operator": op, "value": v},
        st.sampled_from(["meta.tenant", "meta.access", "meta.kind", "source_id", "meta.nothing"]),
        st.sampled_from(["==", "!="]),
        st.sampled_from([*TENANTS, *GROUPS, *KINDS, "public", "", None]),
    ),
    st.builds(
        lambda f, op, v: {"field": f, "operator": op, "value": v},
        st.sampled_from(["meta.tenant", "meta.access", "meta.kind"]),
        st.sampled_from(["in", "not in"]),
        st.lists(st.sampled_from([*TENANTS, *GROUPS, *KINDS, "public", ""]), max_size=3),
    ),
    st.builds(lambda op, v: {"field": "meta.n", "operator": op, "value": v}, st.sampled_from([">", "<=", "=="]), st.integers(0, 260)),
)
logical = st.sampled_from(["AND", "OR", "NOT"])
filters = st.none() | st.recursive(
    comparisons,
    lambda inner: st.builds(lambda op, c: {"operator": op, "conditions": c}, logical, st.lists(inner, min_size=1, max_size=3)),
    max_leaves=5,
)


def _value(document: Document, field: str):
    return document.meta.get(field.removeprefix("meta."))


def matches(document: Document, condition: dict | None) -> bool:
    """What a filter means, in plain Python."""
    if condition is None:
        return True
    operator = condition["operator"]
    if operator == "AND":
        return all(matches(document, c) for c in condition["conditions"])
    if operator == "OR":
        return any(matches(document, c) for c in condition["conditions"])
    if operator == "NOT":
        return not all(matches(document, c) for c in condition["conditions"])
    value, asked = _value(document, condition["field"]), condition["value"]
    values = value if isinstance(value, list) else [] if value is None else [value]
    match operator:
        case "==":
            return not values if asked is None else asked in values
        case "!=":
            return bool(values) if asked is None else asked not in values
        case "in":
            return any(v in asked for v in values)
        case "not in":
            return not any(v in asked for v in values)
        case ">":
            return any(v > asked for v in values)
        case _:
            return any(v <= asked for v in values)


@settings(max_examples=60, deadline=None)
@given(principal=principals, condition=filters, top_k=st.integers(1, 40))
def test_no_read_returns_what_may_not_be_seen(store, principal, condition, top_k):
    expected = {d.id for d in CORPUS if may_see(principal, d) and matches(d, condition)}
    chunks = {i for i in expected if int(i[1:]) % 10 == 0}
    seen = [d for d in CORPUS if d.id in expected]
    with acting_as(principal):
        assert {d.id for d in store.filter_documents(condition)} == expected
        assert {d.id for d in store.get_documents_by_id([d.id for d in CORPUS])} == {d.id for d in CORPUS if may_see(principal, d)}
        dense = store._query_by_embedding([1.0, 0.2, 0.1], filters=condition, top_k=top_k)
        sparse = store._query_by_sparse(SparseEmbedding([1, 11, 12], [1.0, 1.0, 1.0]), filters=condition, top_k=top_k)
        for found in (dense, sparse):
            assert {d.id for d in found} <= chunks
            assert len(found) == min(top_k, len(chunks))
        grouped = store._query_by_embedding([1.0, 0.2, 0.1], filters=condition, top_k=40, group_by="meta.source_id", group_size=5)
        assert {d.id for d in grouped} == chunks
        assert store.count_documents() == sum(may_see(principal, d) for d in CORPUS)
        if condition is not None:
            assert store.count_documents_by_filter(condition) == len(expected)
        assert sum(store.facet("source_id", condition).values()) == len(expected)
        assert set(store.facet("meta.secret", condition)) == {d.meta["secret"] for d in seen}
        assert set(store.get_metadata_field_unique_values("secret", size=100, filters=condition)[0]) == {d.meta["secret"] for d in seen}
        numbers = [d.meta["n"] for d in CORPUS if may_see(principal, d)]
        assert store.get_metadata_field_min_max("n") == {"min": min(numbers, default=None), "max": max(numbers, default=None)}
        assert bool(store.get_metadata_fields_info()) == bool(numbers)
        hybrid = store._query_hybrid([1.0, 0.2, 0.1], SparseEmbedding([1], [1.0]), filters=condition, top_k=top_k)
        assert {d.id for d in hybrid} <= chunks


def test_an_empty_in_matches_nothing_and_empty_groups_see_only_public(store):
    with acting_as(Principal(user="asha", groups=())):
        assert store.filter_documents({"field": "meta.access", "operator": "in", "value": []}) == []
        assert {tuple(d.meta["access"]) for d in store.filter_documents()} == {("public",), ("ops", "public")}


def test_nobody_sees_the_index_card(store):
    with acting_as(Principal.system()):
        assert store.count_documents() == len(CORPUS)
        assert store.get_documents_by_id(["sakshya:index-card"]) == []
        assert "" not in store.facet("tenant")
        with pytest.raises(PermissionError, match="commit"):
            store.write_documents([Document(id="sakshya:index-card", content="forged")])


def test_the_principal_follows_into_threads_and_falls_to_anonymous_without_a_context(store):
    with acting_as(Principal(user="root", tenant="acme", is_admin=True)):
        assert asyncio.run(store.count_documents_async()) == 12
        with ThreadPoolExecutor() as pool:
            assert pool.submit(store.count_documents).result() == 4


def test_what_the_guard_does_not_know_it_refuses(store):
    with acting_as(Principal(user="asha")):
        for name in ("query_batch_points", "http", "create_snapshot", "delete_payload", "get_collection", "upload_points"):
            with pytest.raises(AttributeError, match="no access rule"):
                getattr(store._client, name)
        with pytest.raises(PermissionError, match="dense vector"):
            store._client.query_points("access", query="9c1c1e5e-0000-0000-0000-000000000000", using="text-dense")


def test_term_statistics_are_those_of_the_tenant(tmp_path):
    """What another tenant indexes changes no score; the score is BM25's own IDF, computed by hand."""
    import math

    for where in ({"path": str(tmp_path / "i")}, {"location": ":memory:"}):
        store = SakshyaDocumentStore(index="idf", **where)
        query = SparseEmbedding([7, 8], [1.0, 1.0])

        def scores(store=store, query=query):
            with acting_as(Principal(user="asha", tenant="acme")):
                return [(d.id, d.score) for d in store._query_by_sparse(query)]

        with acting_as(Principal.system()):
            for i, terms in enumerate([[7], [7, 8], [9]]):
                sparse = SparseEmbedding(terms, [1.0] * len(terms))
                store.write_documents([Document(id=f"a{i}", sparse_embedding=sparse, meta={"tenant": "acme", "access": ["public"]})])
        before = scores()
        with acting_as(Principal.system()):
            others = [
                Document(sparse_embedding=SparseEmbedding([8], [1.0]), meta={"tenant": "zeta", "access": ["public"], "i": i}) for i in range(50)
            ]
            store.write_documents(others)
        assert scores() == before
        idf = {term: math.log(1 + (3 - df + 0.5) / (df + 0.5)) for term, df in ((7, 2), (8, 1))}
        assert before == [("a1", pytest.approx(idf[7] + idf[8], rel=1e-5)), ("a0", pytest.approx(idf[7], rel=1e-5))]
        if store.embedded:
            with acting_as(Principal.system()):
                store.optimize()
            assert scores() == before
        store.shutdown()


# --- writes


@pytest.fixture(params=["embedded", "memory"])
def empty(request, tmp_path):
    where = {"path": str(tmp_path / "i")} if request.param == "embedded" else {"location": ":memory:"}
    store = SakshyaDocumentStore(index="writes", embedding_dim=2, **where)
    yield store
    store.shutdown()


def document(number: int, access: list[str], tenant: str = "default", **meta) -> Document:
    return Document(id=f"w{number}", content=str(number), meta={"tenant": tenant, "access": access, **meta})


ASHA = Principal(user="asha", groups=("hr",))
ADMIN = Principal(user="root", is_admin=True)
ALL = {"field": "meta.n", "operator": "!=", "value": -1}


def everything(store) -> dict[str, dict]:
    with acting_as(Principal.system()):
        return {d.id: d.meta for d in store.filter_documents()}


def test_who_may_write_what(empty):
    refused = [
        (ANONYMOUS, document(1, ["public"])),
        (ASHA, document(1, ["legal"])),
        (ASHA, document(1, ["hr", "legal"])),
        (ASHA, document(1, [])),
        (ASHA, document(1, ["hr"], tenant="acme")),
        (ASHA, document(1, ["hr"], tenant="")),
        (ASHA, Document(id="w1", content="no meta")),
        (ASHA, Document(id="w1", meta={"tenant": "default", "access": "hr"})),
        (ADMIN, document(1, ["legal"], tenant="acme")),
    ]
    for principal, bad in refused:
        with acting_as(principal), pytest.raises(PermissionError) as error:
            empty.write_documents([document(0, ["public"]), bad])
        assert "\n" not in str(error.value)
    assert everything(empty) == {}
    for number, (principal, access) in enumerate([(ASHA, ["hr"]), (ASHA, ["public"]), (ADMIN, ["legal"]), (ADMIN, ["hr", "ops"])]):
        with acting_as(principal):
            assert empty.write_documents([document(number, access)]) == 1
    assert len(everything(empty)) == 4


def test_nobody_writes_over_or_deletes_or_changes_what_they_do_not_see(empty):
    from haystack.document_stores.types import DuplicatePolicy

    with acting_as(Principal.system()):
        empty.write_documents([document(1, ["legal"]), document(2, ["hr"]), document(3, ["hr"], tenant="acme")])
    before = everything(empty)
    with acting_as(ASHA):
        for number in (1, 3):
            for policy in (DuplicatePolicy.OVERWRITE, DuplicatePolicy.FAIL):
                with pytest.raises(PermissionError, match="not yours"):
                    empty.write_documents([document(number, ["hr"])], policy)
        empty.delete_documents(["w1", "w3"])
        assert empty.delete_by_filter({"field": "meta.access", "operator": "==", "value": "legal"}) == 0
        assert empty.delete_except(ALL, {"w2"}) == 0
        empty.set_meta({"field": "meta.tenant", "operator": "==", "value": "acme"}, {"title": "taken"})
        for meta in ({"tenant": "acme"}, {"access": ["legal"]}, {"access": []}, {"access": "hr"}, {"tenant": ""}):
            with pytest.raises(PermissionError):
                empty.set_meta(ALL, meta)
            with pytest.raises(PermissionError):
                empty.update_by_filter(ALL, meta)
        with pytest.raises(PermissionError):
            empty.delete_all_documents(recreate_index=True)
        with pytest.raises(PermissionError):
            empty.optimize()
    with acting_as(ANONYMOUS):
        for write in (
            lambda: empty.delete_documents(["w2"]),
            lambda: empty.delete_by_filter(ALL),
            lambda: empty.set_meta(ALL, {"x": 1}),
            empty.delete_all_documents,
            lambda: empty.commit({}),
        ):
            with pytest.raises(PermissionError):
                write()
    with acting_as(ADMIN), pytest.raises(PermissionError, match="other tenants"):
        empty.delete_all_documents(recreate_index=True)
    assert everything(empty) == before
    with acting_as(ASHA):
        empty.set_meta(ALL, {"title": "mine", "access": ["public"]})
        empty.delete_all_documents()
    assert set(everything(empty)) == {"w1", "w3"}
    with acting_as(ADMIN):
        empty.delete_all_documents()
    assert set(everything(empty)) == {"w3"}
