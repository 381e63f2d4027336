import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from haystack import Document, Pipeline
from hypothesis import given
from hypothesis import strategies as st

from components.access.principal import Principal, acting_as
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from components.routers.chat_question_filters import ChatQuestionFilters, conditions_of
from components.routers.question_filters import QuestionFilters
from components.routers.question_phrases import is_name, phrases, without
from config.settings import settings

ADMIN, READER = Principal(user="admin", is_admin=True), Principal(user="reader")
FILES = {
    "leave.docx": ("Leave", "application/msword", "2024-03-01", ["public"]),
    "handbook-2023.pdf": ("Staff Handbook", "application/pdf", "2020-01-01", ["public"]),
    "bnss_sections.jsonl": ("bnss_sections.jsonl", "application/jsonl", "2020-01-01", ["public"]),
    "case.docx": ("Secret Case", "application/msword", "2024-03-01", ["legal"]),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    opened = SakshyaDocumentStore(path=str(tmp_path_factory.mktemp("phrases")), index="phrases", embedding_dim=2)
    documents = []
    for name, (title, mime, modified, access) in FILES.items():
        meta = {"source_id": name, "container_id": name, "uri": f"/d/{name}", "file_name": name, "title": title, "mime_type": mime}
        meta |= {"modified_at": modified, "heading_path": ["Sick leave"], "access": access, "tenant": "default"}
        documents += [Document(id=f"c-{name}", content="text", embedding=[1.0, 0.0], meta={**meta, "kind": "chunk"})]
        documents += [Document(id=f"s-{name}", meta={**meta, "kind": "source"})]
    with acting_as(ADMIN):
        opened.write_documents(documents)
    yield opened
    opened.shutdown()


def left(store, out, principal=READER):
    with acting_as(principal):
        return sorted(d.meta["file_name"] for d in store.filter_documents(out["filters"]) if d.meta["kind"] == "chunk")


@pytest.mark.parametrize(
    ("question", "files", "asked"),
    [
        ("How long is sick leave in leave.docx?", ["leave.docx"], "How long is sick leave?"),
        ("According to the file leave.docx, how long is sick leave?", ["leave.docx"], "how long is sick leave?"),
        ("What does the law say on arrest under the BNSS?", ["bnss_sections.jsonl"], None),
        ("What is the dress code in the 2023 handbook?", ["handbook-2023.pdf"], None),
        ("What is the dress code in the Staff Handbook of the firm?", ["handbook-2023.pdf"], None),
        ("What is the dress code in the pdf?", ["handbook-2023.pdf"], None),
        ('Under the heading "Sick leave", how long is it?', ["bnss_sections.jsonl", "handbook-2023.pdf", "leave.docx"], None),
    ],
)
def test_phrases_become_filters(store, question, files, asked):
    with acting_as(READER):
        out = QuestionFilters(store).run(question)
    assert left(store, out) == files
    assert out["note"].startswith("from the question: ")
    assert "of 3 sources" in out["note"]
    if asked:
        assert out["question"] == asked


def test_times_of_documents(store):
    found = phrases("What changed in last week's report, and in the minutes from May 2024?")
    assert [p.condition for p in found] == ["modified_at=last week", "modified_at=2024-05"]
    with acting_as(READER):
        out = QuestionFilters(store).run("What stands in last week's report on gateways?")
    assert out["filters"] is None
    assert out["note"] == 'not applied: "in last week\'s report": it leaves nothing'


def test_a_day_in_force_and_the_callers_own(store):
    with acting_as(READER):
        node = QuestionFilters(store)
        out = node.run("What is the fine for theft as of 1 March 2024?")
        assert (out["as_of"], out["question"]) == ("2024-03-01", "What is the fine for theft?")
        assert node.run("Fine for theft as of 2024-03-01?", as_of="2020-01-01")["as_of"] == "2020-01-01"


@pytest.mark.parametrize(
    "question",
    [
        "How many tickets were opened in the last 30 days?",
        "What happened last week?",
        "How long is sick leave?",
        "What is the punishment under the old law?",
        "What must be in the report?",
        "Is leave in the handbook?",
        "What is due in 30 days of the invoice?",
        "Who may see a case under the rules?",
        "",
    ],
)
def test_what_is_not_plainly_a_place_is_left_alone(store, question):
    with acting_as(READER):
        out = QuestionFilters(store).run(question)
    assert (out["question"], out["filters"], out["note"]) == (question, None, "")
    assert out["skipped"]


def test_a_source_of_others_is_not_known_and_a_callers_filter_stays(store):
    with acting_as(READER):
        node = QuestionFilters(store)
        assert node.run("What is in case.docx today?")["filters"] is None
        given_ = {"field": "meta.file_name", "operator": "==", "value": "handbook-2023.pdf"}
        out = node.run("How long is sick leave in leave.docx?", filters=given_)
        assert out["filters"] == given_
        assert "it leaves nothing" in out["note"]
        assert QuestionFilters(store, enabled=False).run("x in leave.docx")["skipped"] == "not enabled"
    with acting_as(Principal(user="l", groups=("legal",))):
        assert left(store, QuestionFilters(store).run("What is in case.docx today?"), Principal(user="l", groups=("legal",))) == ["case.docx"]


class BrokenStore:
    def peek(self, *_, **__):
        raise ConnectionError("no route")


def test_an_index_that_cannot_be_asked_is_said():
    out = QuestionFilters(BrokenStore()).run("Sick leave in leave.docx?")
    assert out["filters"] is None
    assert "no route" in out["degraded"][0]["reason"]


@given(st.text(max_size=80))
def test_any_question_is_read(text):
    found = phrases(text, [{"file_name": "a.md", "title": "A B", "container_id": "a"}])
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
    assert isinstance(without(text, found), str)


def test_names():
    act = {"title": "The Bharatiya Nyaya Sanhita, 2023", "file_name": "act.pdf"}
    assert is_name("BNS", act)
    assert not is_name("bns", act)
    assert is_name("Bharatiya Nyaya Sanhita, 2023", act)
    assert not is_name("Sanhita", act)


# --- the variant with a chat model


@pytest.fixture
def chat(monkeypatch):
    """An OpenAI-compatible endpoint that replies with `chat.reply`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            server.asked.append(body["messages"][-1]["content"])
            message = {"role": "assistant", "content": server.reply}
            data = json.dumps(
                {
                    "id": "1",
                    "object": "chat.completion",
                    "created": 1,
                    "model": "m",
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                }
            )
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(data.encode())

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.reply = [], "[]"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("SAKSHYA_CHAT_MODEL", "m")
    monkeypatch.setenv("SAKSHYA_CHAT_URL", f"http://127.0.0.1:{server.server_port}/v1")
    settings.cache_clear()
    yield server
    server.shutdown()
    server.server_close()


def test_a_models_conditions_are_checked_as_a_users(store, chat):
    chat.reply = '```json\n["source=leave.docx", "colour=red"]\n```'
    with acting_as(READER):
        out = ChatQuestionFilters(store).run("How long is sick leave in the leave file?")
    assert left(store, out) == ["leave.docx"]
    assert "not applied: colour=red: no document that you may read has a field" in out["note"]
    assert "opponent" not in chat.asked[0]


@pytest.mark.parametrize("reply", ["", "I think it is a PDF.", "{}", '{"a": 1}', "[1]", '["nonsense"]', json.dumps(["a=1"] * 9), "[" * 5000])
def test_nonsense_gives_no_filter_and_is_said(store, chat, reply):
    chat.reply = reply
    with acting_as(READER):
        out = ChatQuestionFilters(store).run("How long is sick leave?", filters={"field": "meta.kind", "operator": "==", "value": "chunk"})
    assert out["filters"] == {"field": "meta.kind", "operator": "==", "value": "chunk"}
    assert "no filter was read from the question" in out["degraded"][0]["reason"]


def test_a_model_cannot_widen(store, chat):
    chat.reply = '["access=legal", "source=case.docx"]'
    with acting_as(READER):
        out = ChatQuestionFilters(store).run("What is in the case?")
    assert out["filters"] is None
    assert out["note"].count("it leaves nothing") == 2


def test_without_a_model_it_passes_through_and_a_dead_one_is_said(store, monkeypatch):
    with acting_as(READER):
        assert ChatQuestionFilters(store).run("x")["skipped"] == "no model"
        monkeypatch.setenv("SAKSHYA_CHAT_MODEL", "m")
        monkeypatch.setenv("SAKSHYA_CHAT_URL", "http://127.0.0.1:9/v1")
        settings.cache_clear()
        assert "no connection" in ChatQuestionFilters(store).run("x")["degraded"][0]["reason"]


def test_conditions_of_and_round_trip(store):
    assert conditions_of(" [] ") == []
    with pytest.raises(ValueError, match="timeout_s"):
        ChatQuestionFilters(store, timeout_s=0)
    pipeline = Pipeline()
    pipeline.add_component("rules", QuestionFilters(store))
    pipeline.add_component("chat", ChatQuestionFilters(store))
    pipeline.connect("rules.filters", "chat.filters")
    text = pipeline.dumps()
    assert Pipeline.loads(text).dumps() == text
