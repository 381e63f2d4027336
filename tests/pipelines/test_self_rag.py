"""query_self over the real engine: every way out of a round, and never one round more."""

import pytest

from app.checking.check import check_graph
from app.errors import GraphError
from app.graphs import load_graph
from components.answer import Status
from config.settings import settings
from tests.pipelines.conftest import ROOT
from tests.pipelines.town import OWN, asked, index, stages, variant
from tests.scripted_chat import scripted_chat

TOWEL = "What does a towel cost at the town pool?"
RIGHT, WRONG = "A towel costs 3 euros [1].", "A towel costs 9 euros [1]."


@pytest.fixture(autouse=True, scope="module")
def town(tmp_path_factory, own_index):
    folder = tmp_path_factory.mktemp("town")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SAKSHYA_DATA_DIR", str(folder / "index"))
        patch.delenv("SAKSHYA_CHAT_MODEL", raising=False)
        settings.cache_clear()
        index(folder / "own", OWN)
        yield folder
    settings.cache_clear()


def reflections(answer):
    return [stage.note or "" for stage in answer.trace if stage.name == "reflection"]


def script(answers, query="opening hours of the town pool", useful="yes"):
    """One reply after the other to the prompts for an answer, the last for all further ones, and one to each of the other prompts."""
    left = list(answers)

    def reply(prompt):
        if "Write one other search query" in prompt:
            return query
        if "Does the answer tell what the question asks for?" in prompt:
            return useful
        return left.pop(0) if len(left) > 1 else left[0]

    return reply


def answer_prompts(chat):
    return [prompt for prompt in chat.prompts if prompt.startswith("You answer a question")]


def test_the_graph_is_sound_and_drawn():
    assert [str(p) for p in check_graph(ROOT / "pipelines" / "query_self.yml")] == []
    assert (ROOT / "docs" / "graphs" / "query_self.svg").is_file()


def test_without_a_chat_model_a_good_answer_goes_out_and_what_is_not_there_is_declined():
    graph = load_graph("query_self", phase="query")
    answer = asked(graph, TOWEL)
    assert answer.status is Status.ANSWERED and "3 euros" in answer.answer and len(reflections(answer)) == 1
    assert reflections(answer)[0].startswith("round 1 of 3: relevance: ") and reflections(answer)[0].endswith(": accept")
    for question in ("What is 2+2?", "Who composed the opera about the lighthouse keeper?"):
        declined = asked(graph, question)
        assert declined.status is Status.DECLINED and declined.citations == [] and "retriever" in stages(declined)
        assert reflections(declined)[-1].endswith(": decline") and len(reflections(declined)) <= 3
    assert graph.run({"question": TOWEL})["answer"].answer == answer.answer  # the other way to run it


def test_only_small_talk_goes_unasked():
    answer = asked(load_graph("query_self", phase="query"), "Hello, when does the town pool open?")
    assert "retriever" in stages(answer)
    hello = asked(load_graph("query_self", phase="query"), "Hello!")
    assert [s.name for s in hello.trace] == ["rewrite", "needed", "settled", "numbering"]
    assert hello.status is Status.DECLINED and hello.answer.startswith("Hello. I am Sakshya.") and hello.citations == []


def test_claims_that_do_not_hold_go_back_with_the_verdicts(monkeypatch):
    with scripted_chat(script([WRONG, RIGHT]), monkeypatch) as chat:
        answer = asked(load_graph("query_self", phase="query"), TOWEL)
    assert answer.status is Status.ANSWERED and answer.answer == "A towel costs 3 euros. [1]"
    first, second = reflections(answer)
    assert "support: 0 of 1 claims" in first and first.endswith(": write again") and second.endswith(": accept")
    written, again = answer_prompts(chat)
    assert "these claims of it did not hold" in again and "9 euros is not in the cited passage" in again and WRONG[:20] not in written
    assert len([s for s in answer.trace if s.name == "retriever"]) == 1 and answer.usage.calls == 2


@pytest.mark.parametrize("most", [1, 2, 3])
def test_the_round_after_the_last_never_comes(most, town, monkeypatch):
    with scripted_chat(script([WRONG]), monkeypatch) as chat:
        answer = asked(variant(town, "query_self", reflection__max_rounds=most), TOWEL)
    assert len(answer_prompts(chat)) == most == len(reflections(answer))
    assert reflections(answer)[-1].endswith(": drop what does not hold")
    assert answer.status is Status.DECLINED and "9 euros" not in answer.answer


def test_what_was_not_found_is_searched_for_in_other_words(town, monkeypatch):
    graph = "query_self"
    replies = ["NOT_IN_EVIDENCE", RIGHT]
    with scripted_chat(script(replies, query="town pool towel euros"), monkeypatch) as chat:
        narrow = variant(town, graph, retriever__top_k=1, retriever__leg_top_k=1)
        answer = asked(narrow, "How much is a library card for what one dries oneself with?")
    notes = reflections(answer)
    assert notes[0].endswith("nothing is answered: search again")
    assert [s.note for s in answer.trace if s.name == "round"][1] == "round 2: search for: town pool towel euros"
    assert len(answer_prompts(chat)) >= 2 and "A towel costs" in answer_prompts(chat)[1]


def test_the_same_passages_again_end_it(monkeypatch):
    with scripted_chat(script(["NOT_IN_EVIDENCE"]), monkeypatch) as chat:
        answer = asked(load_graph("query_self", phase="query"), TOWEL)
    assert answer.status is Status.DECLINED and len(answer_prompts(chat)) == 2
    assert reflections(answer)[-1].startswith("round 2 of 3") and reflections(answer)[-1].endswith("decline")


@pytest.mark.parametrize("reply", [500, "", "word " * 20_000, b"<html>busy</html>"])
def test_a_chat_model_that_fails_leaves_the_evidence_itself(reply, monkeypatch):
    with scripted_chat([reply], monkeypatch):
        answer = asked(load_graph("query_self", phase="query"), TOWEL)
    assert answer.status in (Status.ANSWERED, Status.DECLINED) and len(reflections(answer)) <= 3
    assert answer.status is Status.DECLINED or "3 euros" in answer.answer


def test_a_judge_of_usefulness_is_asked_and_needed(town, monkeypatch):
    settings.cache_clear()
    with pytest.raises(GraphError, match="reflection: SAKSHYA_CHAT_MODEL is not set"):
        variant(town, "query_self", reflection__usefulness="chat")
    with scripted_chat(script([RIGHT], useful="No, it does not."), monkeypatch):
        answer = asked(variant(town, "query_self", reflection__usefulness="chat"), TOWEL)
    assert answer.status is Status.DECLINED and "usefulness: no, says the chat model" in reflections(answer)[0]
