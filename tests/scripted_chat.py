"""A local OpenAI-compatible endpoint whose replies a test scripts: texts, errors, delays, nonsense."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from components.generators import chat_endpoint
from config.settings import settings

MODEL = "scripted"
Reply = str | int | float | bytes
"""A text; an int is an HTTP status; a float seconds of silence before an empty reply; bytes are sent as they are."""
Script = Callable[[str], Reply] | Sequence[Reply]
"""From the prompt (all messages, a line each) to the reply; or one reply after the other, the last for all further calls."""


@dataclass
class ScriptedChat:
    """What was asked, in order: all messages of a call as one text, and the whole requests."""

    script: Script
    prompts: list[str] = field(default_factory=list)
    requests: list[dict] = field(default_factory=list)
    release: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, request: dict) -> Reply:
        prompt = "\n".join(str(message["content"]) for message in request["messages"])
        with self.lock:
            self.requests.append(request)
            self.prompts.append(prompt)
            number = len(self.prompts)
        return self.script(prompt) if callable(self.script) else self.script[min(number, len(self.script)) - 1]


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        chat: ScriptedChat = self.server.chat  # pyright: ignore[reportAttributeAccessIssue]
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = chat.reply(request)
        status = 200
        if isinstance(reply, bool | int):
            status, body = int(reply), json.dumps({"error": {"message": "scripted"}}).encode()
        elif isinstance(reply, bytes):
            body = reply
        else:
            if isinstance(reply, float):
                chat.release.wait(reply)
                reply = ""
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
            usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            completion = {"id": "c", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice], "usage": usage}
            body = json.dumps(completion).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client gave up first

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def scripted_chat(script: Script, monkeypatch: pytest.MonkeyPatch, **more: object) -> Iterator[ScriptedChat]:
    """Serve the script, and make it the chat model of the settings; `timeout_s=0.3` and the like set `SAKSHYA_CHAT_TIMEOUT_S` …"""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    chat = ScriptedChat(script)
    server.chat = chat  # pyright: ignore[reportAttributeAccessIssue]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    values = {"url": f"http://127.0.0.1:{server.server_port}/v1", "model": MODEL, **more}
    for name, value in values.items():
        monkeypatch.setenv(f"SAKSHYA_CHAT_{name.upper()}", str(value))
    monkeypatch.setattr(chat_endpoint, "FIRST_WAIT_S", 0.02)
    settings.cache_clear()
    try:
        yield chat
    finally:
        chat.release.set()
        server.shutdown()
        server.server_close()
        thread.join()
