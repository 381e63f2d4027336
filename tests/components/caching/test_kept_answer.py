from __future__ import annotations

from pathlib import Path

import pytest
from haystack import Document

from components.access.principal import Principal, acting_as
from components.answer import Answer, Degraded, Evidence, Status
from components.caching.answer_cache import AnswerCache
from components.caching.kept_answer import KeptAnswer, NotForCache
from components.caching.question_vectors import QuestionVectors
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from evaluation.cache_trials import Vectors, trials

ANN = Principal("ann", ("legal",))
QUESTION = "How many days?"


def written(store: SakshyaDocumentStore, name: str = "one", access: str = "legal") -> None:
    meta = {"tenant": "default", "access": [access], "source_id": name, "kind": "chunk"}
    with acting_as(Principal.system()):
        store.write_documents([Document(id=name, content="Twenty days.", embedding=[1.0, 0.0], meta=meta)])
        store.commit()


@pytest.fixture
def store() -> SakshyaDocumentStore:
    made = SakshyaDocumentStore(location=":memory:", index="kept", embedding_dim=2)
    written(made)
    return made


@pytest.fixture
def cache(tmp_path: Path) -> AnswerCache:
    return AnswerCache(tmp_path / "answers.sqlite", 10)


def answer(**changes: object) -> Answer:
    shown = Evidence(n=1, id="one", source_id="one", title="", text="Twenty days.", char_start=0, char_end=12)
    return Answer(status=Status.ANSWERED, question=QUESTION, answer="Twenty days. [1]", evidence=[shown]).model_copy(update=changes)


def asked(cache: AnswerCache, store: SakshyaDocumentStore, principal: Principal = ANN, **given: object) -> tuple[KeptAnswer, Answer | None, str]:
    kept = KeptAnswer(cache, store, str(given.pop("identity", "graph")), QUESTION, given)
    with acting_as(principal):
        return kept, *kept.find()


def keep(cache: AnswerCache, store: SakshyaDocumentStore, given: Answer, principal: Principal = ANN) -> str:
    kept, found, note = asked(cache, store, principal)
    assert (found, note) == (None, "miss")
    with acting_as(principal):
        return kept.keep(given)


def test_an_answer_is_found_again_by_whoever_has_the_same_rights(cache: AnswerCache, store: SakshyaDocumentStore) -> None:
    assert keep(cache, store, answer()) == "kept"
    _, found, note = asked(cache, store, Principal("bob", ("legal",)))
    assert found == answer()
    assert note.startswith("hit: an answer of ")
    for other in (Principal("ann"), Principal("ann", ("legal", "hr")), Principal("ann", ("legal",), "other"), Principal("ann", is_admin=True)):
        assert asked(cache, store, other)[1] is None


@pytest.mark.parametrize("given", [{"top_k": 3}, {"as_of": "2024-01-01"}, {"filters": {"field": "meta.title"}}, {"identity": "another"}])
def test_other_inputs_and_graphs_find_nothing(cache: AnswerCache, store: SakshyaDocumentStore, given: dict[str, object]) -> None:
    keep(cache, store, answer())
    assert asked(cache, store, **given)[1] is None
    assert asked(cache, store, top_k=None)[1] is not None


def test_each_commit_ends_every_entry(cache: AnswerCache, store: SakshyaDocumentStore) -> None:
    keep(cache, store, answer())
    written(store, "two", "hr")
    assert asked(cache, store)[1] is None


def test_an_index_made_anew_with_the_same_version_is_another(cache: AnswerCache, store: SakshyaDocumentStore) -> None:
    keep(cache, store, answer())
    again = SakshyaDocumentStore(location=":memory:", index="kept", embedding_dim=2)
    written(again)
    assert again.index_version() == store.index_version()
    assert asked(cache, again)[1] is None


@pytest.mark.parametrize("change", ["revoked", "removed", "edited", "added"])
def test_a_change_that_is_not_committed_yet_ends_the_entry(cache: AnswerCache, store: SakshyaDocumentStore, change: str) -> None:
    keep(cache, store, answer())
    ours = {"field": "meta.source_id", "operator": "==", "value": "one"}
    with acting_as(Principal.system()):
        if change == "removed":
            store.delete_by_filter(ours)
        elif change == "added":
            meta = {"tenant": "default", "access": ["legal"], "source_id": "two", "kind": "chunk"}
            store.write_documents([Document(id="two", content="Thirty days.", embedding=[1.0, 0.0], meta=meta)])
        else:
            store.set_meta(ours, {"access": ["hr"]} if change == "revoked" else {"valid_to": "2020-01-01"})
    assert asked(cache, store)[1] is None


def test_the_evidence_is_looked_at_whatever_the_card_says(cache: AnswerCache, store: SakshyaDocumentStore, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(cache, store, answer())
    monkeypatch.setattr(store, "_renew_state", lambda: None)
    with acting_as(Principal.system()):
        store.set_meta({"field": "meta.source_id", "operator": "==", "value": "one"}, {"access": ["hr"]})
    _, found, note = asked(cache, store)
    assert (found, note) == (None, "miss: what the kept answer rests on has changed")
    assert cache.state().entries == 0


@pytest.mark.parametrize(
    ("given", "note"),
    [
        (answer(status=Status.FAILED), "not kept: failed"),
        (answer(degraded=[Degraded(stage="ranker", reason="slow")]), "not kept: degraded"),
        (answer(evidence=[answer().evidence[0].model_copy(update={"id": "gone"})]), "not kept: its evidence is not all in the index"),
    ],
)
def test_what_is_not_kept(cache: AnswerCache, store: SakshyaDocumentStore, given: Answer, note: str) -> None:
    assert keep(cache, store, given) == note
    assert asked(cache, store)[1] is None


def test_declined_is_kept(cache: AnswerCache, store: SakshyaDocumentStore) -> None:
    assert keep(cache, store, answer(status=Status.DECLINED, evidence=[])) == "kept"


def test_an_index_that_changed_while_the_answer_was_made(cache: AnswerCache, store: SakshyaDocumentStore) -> None:
    kept, _, _ = asked(cache, store)
    written(store, "two")
    with acting_as(ANN):
        assert kept.keep(answer()) == "not kept: the index or the day changed meanwhile"


@pytest.mark.parametrize(
    ("principal", "given"),
    [(ANN, {"history": [{"role": "user"}]}), (Principal.system(), {}), (ANN, {"identity": ""}), (ANN, {"other": object()})],
)
def test_questions_that_are_none_for_the_cache(
    cache: AnswerCache, store: SakshyaDocumentStore, principal: Principal, given: dict[str, object]
) -> None:
    with pytest.raises(NotForCache):
        asked(cache, store, principal, **given)


def test_no_wrong_hit_with_the_packaged_model(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path / "answers.sqlite", 1000, Vectors(QuestionVectors()))
    counts = trials(150, cache, seed=1)
    assert counts.wrong == 0
    assert counts.hits > 20
    assert counts.reworded > 5


def test_the_trials_find_wrong_hits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("components.caching.answer_cache.question_form", lambda question: ())
    monkeypatch.setattr(AnswerCache, "_cosine", lambda *_: 1.0)
    vectors = QuestionVectors()
    monkeypatch.setattr(vectors, "vector", lambda question: [1.0])
    monkeypatch.setattr(AnswerCache, "_packed", lambda *_: {})
    assert trials(150, AnswerCache(tmp_path / "answers.sqlite", 1000, vectors), seed=1).wrong > 0


def test_a_question_that_the_model_does_not_read_whole_has_no_vector() -> None:
    vectors = QuestionVectors()
    assert vectors.vector("चोरी की सज़ा क्या है?") is None
    assert vectors.vector("word " * 300) is None
    assert vectors.vector("What is the penalty for theft?") is not None
