"""A model's words go out as they come under the policy `annotate` alone, in no form that is rendered; the checked answer has the last word."""

import asyncio
import json
from pathlib import Path

import pytest
from haystack import Pipeline, component
from haystack.dataclasses import StreamingChunk
from hypothesis import given
from hypothesis import strategies as st

from app.graphs import Graph
from app.serving import raw_stream
from app.serving.chat_routes import drafted, raw_chunks
from app.serving.limits import Slots
from app.serving.query_routes import stream
from app.serving.raw_stream import Piece, RawText, same_text, streams_raw
from app.serving.served_graph import ServedGraph
from components.answer import Answer, Citation, Status
from components.generators.answer_generator import RESTART


@component
class Writer:
    """Streams the words of the question, as a chat model would."""

    @component.output_types(text=str)
    async def run_async(self, question: str, streaming_callback=None) -> dict:
        for word in question.split(" "):
            if streaming_callback:
                meta = {RESTART: "HTTP 500"} if word == "RESTART" else {}
                streaming_callback(StreamingChunk(content="" if meta else f"{word} ", meta=meta))
        return {"text": question}

    @component.output_types(text=str)
    def run(self, question: str, streaming_callback=None) -> dict:
        raise NotImplementedError


@component
class Checker:
    """Stands for the grounding check: what stands behind => is its answer."""

    def __init__(self, policy: str = "annotate") -> None:
        self.policy = policy

    @component.output_types(answer=Answer)
    def run(self, text: str) -> dict:
        kept = text.rsplit("RESTART", maxsplit=1)[-1].rsplit("=>", maxsplit=1)[-1].strip()
        if kept == "fail":
            return {"answer": Answer(status=Status.FAILED, question="q", answer="")}
        cited = Citation(n=1, source_id="s", title="T", uri="u", quote="q", char_start=0, char_end=1)
        return {"answer": Answer(status=Status.ANSWERED, question="q", answer=kept, citations=[cited])}


def served(policy: str | None, monkeypatch) -> ServedGraph:
    monkeypatch.setattr(raw_stream, "GROUNDING", f"{Checker.__module__}.Checker" if policy else "nobody.Nothing")
    pipeline = Pipeline()
    pipeline.add_component("writer", Writer())
    pipeline.add_component("checker", Checker(policy or "annotate"))
    pipeline.connect("writer.text", "checker.text")
    graph = Graph("query", Path("query.yml"), "query", pipeline, {"question": ["writer.question"]}, {"answer": "checker.answer"}, "1")
    return ServedGraph(graph)


def events(graph: ServedGraph, question: str) -> list[tuple[str, dict]]:
    async def collect():
        return [part async for part in stream(graph, Slots(1, 1, 1), {"question": question})]

    found = []
    for part in asyncio.run(collect()):
        name, data = part.decode().strip().split("\n", 1)
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def completion(graph: ServedGraph, question: str) -> tuple[str, list[dict]]:
    async def collect():
        items = drafted(graph, Slots(1, 1, 1), {"question": question})
        return [part async for part in raw_chunks("m", await anext(items), items, counted=True)]

    parts = [part.decode().removeprefix("data: ").strip() for part in asyncio.run(collect())]
    assert parts.pop() == "[DONE]"
    chunks = [json.loads(part) for part in parts]
    return "".join(c["delta"].get("content") or "" for chunk in chunks for c in chunk.get("choices", [])), chunks


@pytest.mark.parametrize("policy", ["drop", "regenerate", "decline", "", None])
def test_under_any_other_policy_only_checked_sentences_go_out(policy, monkeypatch):
    found = events(served(policy, monkeypatch), "A secret draft. => Checked. [1]")
    assert not {"token", "restart"} & {name for name, _ in found}
    assert [data["text"] for name, data in found if name == "sentence"] == ["Checked. [1]"]
    assert all("secret" not in json.dumps(data) for _, data in found)


def test_annotate_passes_words_on_before_the_answer(monkeypatch):
    found = events(served("annotate", monkeypatch), "It opens at 7. [1]")
    names = [name for name, _ in found]
    assert "".join(data["text"] for name, data in found if name == "token").strip() == "It opens at 7. [1]"
    assert names.count("token") > 2 and names.index("token") < names.index("sentence") < names.index("answer") and names[-1] == "answer"


def test_a_reply_that_is_no_answer_is_not_passed_on(monkeypatch):
    assert "token" not in [name for name, _ in events(served("annotate", monkeypatch), "NOT_IN_EVIDENCE")]


def test_a_restart_takes_back_what_came(monkeypatch):
    found = events(served("annotate", monkeypatch), "Half of RESTART Whole. [1]")
    at = [name for name, _ in found].index("restart")
    assert found[at][1] == {"reason": "HTTP 500"}
    assert "".join(data["text"] for name, data in found[at:] if name == "token").strip() == "Whole. [1]"


def test_a_completion_of_an_unchanged_draft_adds_the_sources_alone(monkeypatch):
    text, chunks = completion(served("annotate", monkeypatch), "It opens at 7. [1]")
    assert text.startswith("It opens at 7. [1]") and text.count("opens") == 1 and "Sources:" in text
    assert chunks[-2]["sakshya"]["answer"] == "It opens at 7. [1]" and chunks[-1]["usage"]["total_tokens"] == 0


def test_a_completion_says_what_the_check_changed(monkeypatch):
    text, _ = completion(served("annotate", monkeypatch), "It opens at 6. => It opens at 7. [1]")
    assert "After checking:\n\nIt opens at 7. [1]" in text
    text, _ = completion(served("annotate", monkeypatch), "Half RESTART Whole. [1]")
    assert "is void" in text and "After checking" not in text


def test_a_failure_after_the_first_word_ends_the_stream_as_an_error(monkeypatch):
    _, chunks = completion(served("annotate", monkeypatch), "Some words => fail")
    assert chunks[-1]["error"]["status"] == 500


HOSTILE = [
    "![x](https://e.example/?q=1)",
    "![x][r] and [r]: https://e.example/?q=1",
    "<img src=https://e.example/?q=1>",
    "[here](https://e.example/?q=1)",
    "https://e.example/?q=1",
]


@pytest.mark.parametrize("hostile", HOSTILE)
@given(cuts=st.lists(st.integers(1, 6), min_size=1, max_size=40))
def test_no_address_image_or_element_goes_out_however_it_is_cut(hostile, cuts):
    text, raw, said, at = f"It opens {hostile} at 7 [1].", RawText(), "", 0
    for size in [*cuts, *[7] * len(text)]:
        said += raw.take(text[at : at + size])
        at += size
    said += raw.end()
    assert "e.example" not in said and "![" not in said and "<" not in said
    assert said.startswith("It opens ") and said.endswith("at 7 [1].")


@given(st.lists(st.text(alphabet="ab [1].\n", max_size=8), max_size=20))
def test_plain_text_comes_whole(pieces):
    raw = RawText()
    said = "".join([*(raw.take(piece) for piece in pieces), raw.end()])
    whole = "".join(pieces)
    assert said == whole or not whole.strip()


def test_what_never_ends_is_not_held_for_ever():
    raw = RawText()
    assert len(raw.take("x [" + "a" * 5000)) > 5000


def test_same_text_hears_numbers_and_not_spaces():
    assert same_text("So it is [1].", "So it is. [1]") and not same_text("So it is [2].", "So it is. [1]")


def test_the_graphs_here_say_no_policy_or_a_known_one():
    import yaml

    for path in (Path(__file__).parents[3] / "pipelines").glob("query*.yml"):
        for part in yaml.safe_load(path.read_text())["components"].values():
            if part["type"] == raw_stream.GROUNDING:
                assert part["init_parameters"].get("policy", "drop") in {"annotate", "drop", "regenerate", "decline"}
    assert Piece("x").restart == "" and callable(streams_raw)
