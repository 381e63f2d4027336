"""Several queries for one question: merged soundly, as the one who asks, and no further query can spoil the question's own result."""

import asyncio
import threading
import time

import pytest
from haystack import Document, Pipeline, component

from components.access.principal import Principal, acting_as, current_principal
from components.joiners.query_merging import fused_queries, shared_places
from components.retrievers.multi_query_retriever import MultiQueryRetriever

READER = Principal(user="r", groups=("hr",))


@component
class Shelf:
    """Finds the documents that a table names for a query; counts how many calls run at once, and notes who asked."""

    def __init__(self, table: dict | None = None, pause_s: float = 0.0) -> None:
        self.table, self.pause_s = table or {}, pause_s
        self.asked, self.who, self.most, self._now = [], [], 0, 0
        self._lock = threading.Lock()

    @component.output_types(documents=list[Document], degraded=list)
    def run(self, query: str, filters: dict | None = None, embedding: list[float] | None = None):
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
            self.asked.append((query, filters, embedding))
            self.who.append(current_principal())
        time.sleep(self.pause_s)
        with self._lock:
            self._now -= 1
        found = self.table.get("vector" if embedding else query, "")
        if isinstance(found, Exception):
            raise found
        documents = [
            Document(id=x, content=x, score=1 / n, meta={"ranks": {"dense": {"rank": n, "score": 0.5, "of": query}}}) for n, x in enumerate(found, 1)
        ]
        return {"documents": documents, "degraded": [{"stage": "dense", "reason": "tired"}] if query == "tired" else []}


def both(node, *inputs):
    with acting_as(READER):
        return [node.run(*inputs), asyncio.run(node.run_async(*inputs))]


def ids(out):
    return "".join(d.id for d in out["documents"])


def test_without_further_queries_it_is_the_question_alone():
    for queries in (None, [], ["q"], ["Q?", " q "]):
        for out in both(MultiQueryRetriever(Shelf({"q": "abc"})), "q", queries):
            assert ids(out) == "abc" and [d.score for d in out["documents"]] == [1, 1 / 2, 1 / 3]
            assert (out["note"], out["degraded"]) == ("", [])


def test_ranks_are_fused_and_the_question_weighs_as_much_as_all_others():
    shelf = Shelf({"q": "ab", "v1": "xb", "v2": "xb", "v3": "x"})
    for out in both(MultiQueryRetriever(shelf), "q", ["v1", "v2", "v3", "V1"]):
        assert ids(out) == "bax"
        assert out["note"] == "question: 2, query_1: 2, query_2: 2, query_3: 1"
    alone = MultiQueryRetriever(shelf, question_weight=0)
    assert {ids(out) for out in both(alone, "q", ["v1", "v2", "v3"])} == {"xba"}


def test_scores_for_another_text_are_not_passed_off_as_the_questions():
    for out in both(MultiQueryRetriever(Shelf({"q": "ab", "v": "bx"})), "q", ["v"]):
        ranks = {d.id: d.meta["ranks"] for d in out["documents"]}
        assert ranks["b"]["dense"] == {"rank": 2, "score": 0.5, "of": "q"}
        assert "dense" not in ranks["x"] and ranks["x"]["query_1"]["rank"] == 2
        assert [d.score for d in out["documents"]] == sorted((d.score for d in out["documents"]), reverse=True)


def test_each_part_has_its_share():
    shelf = Shelf({"q": "abcdef", "v1": "abc", "v2": "xyz"})
    for out in both(MultiQueryRetriever(shelf, merge="share", top_k=6), "q", ["v1", "v2"]):
        assert ids(out) == "axbcyd"


def test_the_vector_takes_the_place_of_the_questions_own():
    shelf = Shelf({"q": "ab", "vector": "xa"})
    for out in both(MultiQueryRetriever(shelf), "q", None, [0.5, 0.5]):
        assert ids(out) == "axb"
    assert ("q", None, [0.5, 0.5]) in shelf.asked
    assert [ids(out) for out in both(MultiQueryRetriever(shelf), "q", None, [])] == ["ab", "ab"]


def test_whoever_asks_is_known_in_every_thread_and_the_filters_go_along():
    shelf = Shelf({"q": "a"}, pause_s=0.01)
    both(MultiQueryRetriever(shelf, max_concurrent=3), "q", ["v1", "v2"], None, {"field": "meta.x"})
    assert shelf.who == [READER] * 6 and {filters["field"] for _, filters, _ in shelf.asked} == {"meta.x"}


@pytest.mark.parametrize("most", [1, 2])
def test_so_many_at_once_and_no_more(most):
    shelf = Shelf({"q": "a"}, pause_s=0.03)
    both(MultiQueryRetriever(shelf, max_concurrent=most), "q", ["v1", "v2", "v3", "v4"])
    assert shelf.most == most


def test_a_further_query_that_fails_costs_only_itself():
    shelf = Shelf({"q": "ab", "v1": RuntimeError("secret detail"), "tired": "bc"})
    for out in both(MultiQueryRetriever(shelf), "q", ["v1", "tired"]):
        assert ids(out) == "bac"
        assert [entry["reason"] for entry in out["degraded"]] == ["nothing was retrieved for 'v1': RuntimeError", "tired"]
    broken = MultiQueryRetriever(Shelf({"q": ValueError("no index"), "v1": "a"}))
    with pytest.raises(ValueError, match="no index"):
        broken.run("q", ["v1"])
    with pytest.raises(ValueError, match="no index"):
        asyncio.run(broken.run_async("q", ["v1"]))


def test_it_loads_from_yaml_with_its_retriever():
    text = """
components:
  several:
    type: components.retrievers.multi_query_retriever.MultiQueryRetriever
    init_parameters:
      retriever:
        type: components.retrievers.hybrid_retriever.HybridRetriever
        init_parameters:
          document_store:
            type: components.document_stores.sakshya_document_store.SakshyaDocumentStore
            init_parameters: {}
          top_k: 7
      merge: share
connections: []
"""
    loaded = Pipeline.loads(text, allowed_modules=["components.*"])
    node = loaded.get_component("several")
    assert (node.merge, node.retriever.top_k) == ("share", 7)
    again = Pipeline.loads(loaded.dumps(), allowed_modules=["components.*"]).get_component("several")
    assert (again.merge, again.retriever.top_k, again.max_concurrent) == ("share", 7, 2)


def test_nothing_found_is_nothing():
    assert fused_queries({"question": [], "query_1": []}, 1, 60, 5) == [] and shared_places({"question": [], "query_1": []}, 5) == []


@pytest.mark.parametrize("value", [{"top_k": 0}, {"merge": "sum"}, {"question_weight": -1}, {"max_concurrent": 0}, {"max_concurrent": 17}])
def test_values_out_of_range_are_refused(value):
    with pytest.raises(ValueError, match=next(iter(value))):
        MultiQueryRetriever(Shelf(), **value)
