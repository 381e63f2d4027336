"""What reaches the client below the guard."""

import threading

import pytest
from qdrant_client.http import models as rest

from components.access.access_filter import read_filter, tenant_filter
from components.access.principal import Principal, acting_as
from components.document_stores.guarded_client import GuardedClient

ASHA = Principal(user="asha", groups=("hr",), tenant="acme")
OWN = rest.Filter(must=[rest.FieldCondition(key="meta.n", match=rest.MatchValue(value=1))])


class Recorder:
    """A client that keeps what it was asked."""

    def collection_exists(self, collection_name):
        return True

    def query_points(self, **asked):
        self.asked = asked
        return rest.QueryResponse(points=[])


@pytest.fixture
def recorder():
    return Recorder()


@pytest.fixture
def guarded(recorder):
    with acting_as(ASHA):
        yield GuardedClient(recorder, hidden_id="0" * 32, write_lock=threading.RLock())


def seen(f):
    return rest.Filter(must=[rest.Filter(must=[read_filter(ASHA), f]) if f else read_filter(ASHA)], must_not=[rest.HasIdCondition(has_id=["0" * 32])])


def test_every_leg_of_a_fusion_is_narrowed_also_the_nested_ones(guarded, recorder):
    sparse = rest.SparseVector(indices=[1], values=[1.0])
    inner = rest.Prefetch(query=sparse, using="s", filter=OWN)
    guarded.query_points("c", query=rest.FusionQuery(fusion=rest.Fusion.RRF), prefetch=[rest.Prefetch(query=[1.0], using="d", prefetch=inner)])
    leg = recorder.asked["prefetch"][0]
    assert recorder.asked["query_filter"] == leg.filter == seen(None)
    assert leg.prefetch[0].filter == seen(OWN)
    assert leg.prefetch[0].params.idf.corpus == tenant_filter(ASHA)
    with pytest.raises(PermissionError, match="lookup_from"):
        guarded.query_points("c", query=[1.0], prefetch=rest.Prefetch(query=[1.0], lookup_from=rest.LookupLocation(collection="other")))
    with pytest.raises(PermissionError, match="query"):
        guarded.query_points("c", query=[1.0], prefetch=rest.Prefetch(query=rest.RecommendQuery(recommend=rest.RecommendInput(positive=[1]))))


def test_a_callers_corpus_only_narrows_the_statistics(guarded, recorder):
    asked = rest.SearchParams(idf=rest.IdfCorpusParams(corpus=OWN), hnsw_ef=7)
    guarded.query_points("c", query=rest.SparseVector(indices=[1], values=[1.0]), search_params=asked)
    params = recorder.asked["search_params"]
    assert params.hnsw_ef == 7 and params.idf.corpus == rest.Filter(must=[tenant_filter(ASHA), OWN])
    assert asked.idf.corpus == OWN


def test_unknown_parameters_are_refused_too(guarded):
    with pytest.raises(TypeError):
        guarded.query_points("c", query=[1.0], lookup_from="other")
    with pytest.raises(TypeError):
        guarded.count("c", exact=False)
