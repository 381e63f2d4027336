"""Handing work to the server that holds the embedded index: it has one opener, and while `sakshya serve` runs that is the server.

The lock file names the server's address. The key lies beside it, in a file that only the server's user reads, so that the same user needs to set
nothing; anyone else sets `SAKSHYA_API_KEY` to an administrator's key. Sources keep the identity, access and times that a run without the server
would give them: what the graph would read of a file is read here and sent.
"""

from __future__ import annotations

import fcntl
import json
import stat
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from app.errors import SakshyaError, UsageError
from components.access.principal import Principal, current_principal
from components.answer import Answer
from components.routers.source_meta import UNREAD
from config.settings import settings

if TYPE_CHECKING:
    from haystack.dataclasses import ByteStream

    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

KEY_FILE = "server.key"
"""Beside the lock of an embedded index: the key of the command line, readable by the server's user alone."""
MEGABYTE = 1_000_000
CONNECT_S = 5.0


def find_server() -> RemoteServer | None:
    """The server that holds the embedded index of the settings; None where nobody does, or the index is on a Qdrant server.

    :raises SakshyaError: there is one, and no key for it.
    """
    here = settings()
    if here.qdrant_url:
        return None
    folder = here.index_dir.expanduser().resolve()
    url = _holder(folder)
    if not url:
        return None
    if here.api_key:
        return RemoteServer(url, here.api_key.get_secret_value())
    try:
        return RemoteServer(url, (folder / KEY_FILE).read_text(encoding="ascii").strip())
    except (OSError, UnicodeDecodeError):
        raise SakshyaError(f"the index is held by the server at {url}: set SAKSHYA_API_KEY to an administrator's key, or stop the server") from None


def _holder(folder: Path) -> str | None:
    """The address in the lock file, where a process holds the lock and serves."""
    from components.document_stores.index_lock import LOCK_FILE, read_holder

    try:
        with (folder / LOCK_FILE).open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        url = read_holder(folder).get("url")
        return url if isinstance(url, str) and url.startswith("http://") else None
    except OSError:
        return None
    return None  # the lock was free, and is again: closing the file gives it back


def wait_for_index(tell: Callable[[], None], patience_s: float = 1.0, poll_s: float = 0.3) -> None:
    """Wait while another command holds the embedded index of the settings; return at once where nobody does, or a server, which takes the work.

    :param tell: called once, when it has been held for `patience_s` seconds.
    """
    from components.document_stores.index_lock import is_held

    here = settings()
    folder = here.index_dir.expanduser().resolve()
    told, started = False, time.monotonic()
    while not here.qdrant_url and is_held(folder) and not _holder(folder):
        if not told and time.monotonic() - started >= patience_s:
            told = True
            tell()
        time.sleep(poll_s)


class RemoteServer:
    """A running server, as the command line calls it."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self._key = url, key

    def _post(self, path: str, **request: Any) -> Any:
        """The reply's JSON.

        :raises SakshyaError: the server is not reached, or refuses; 413 raises ValueError, so that a batch is sent in smaller parts.
        """
        import httpx

        try:
            with httpx.Client(timeout=httpx.Timeout(None, connect=CONNECT_S), trust_env=False) as client:  # indexing takes what it takes
                reply = client.post(f"{self.url}/internal/{path}", headers={"X-API-Key": self._key}, **request)
                data = reply.json()
        except (httpx.HTTPError, ValueError) as error:
            raise SakshyaError(f"the server at {self.url} holds the index and gave no answer: {type(error).__name__}") from None
        if reply.is_success:
            return data
        detail = data.get("detail") if isinstance(data, dict) else None
        if reply.status_code == 413:
            raise ValueError(f"the server at {self.url} refuses it: {detail}")
        kind = UsageError if reply.status_code in {404, 422} else SakshyaError
        raise kind(f"the server at {self.url}: {detail or f'HTTP {reply.status_code}'}")

    def store(self) -> SakshyaDocumentStore:
        """The store of the server, for what the command line does with it."""
        return cast("SakshyaDocumentStore", RemoteStore(self._post))

    def indexer(self, graph: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
        """What `index_paths` runs: reads the files of a batch and has the server's graph index them."""

        def run(values: dict[str, Any]) -> dict[str, Any]:
            metas, files = [], []
            for source, meta in zip(values["sources"], values["meta"], strict=True):
                data, read = _read_source(source, meta)
                metas.append({**read, **meta})
                files.append(("files", (str(len(files)), data)))
            part = ("meta", ("meta.json", json.dumps(metas, default=str).encode()))
            form = {"graph": graph, "who": json.dumps(_who(current_principal()))}
            return self._post("index", data=form, files=[part, *files])

        return run

    def ask(self, graph: str, question: str, *, principal: Principal, **values: Any) -> Answer:
        """As `app.query.ask`."""
        return Answer.model_validate(self._post("ask", json={"who": _who(principal), "graph": graph, "question": question, **values}))

    def prompt(self, graph: str, question: str, *, principal: Principal, **values: Any) -> dict[str, Any]:
        """As `app.query.prompt`."""
        return self._post("prompt", json={"who": _who(principal), "graph": graph, "question": question, **values})

    def search(self, graph: str, question: str, *, principal: Principal, **values: Any) -> dict[str, Any]:
        """As `app.query.search`."""
        return self._post("search", json={"who": _who(principal), "graph": graph, "question": question, **values})


def _who(principal: Principal) -> dict[str, Any]:
    return {"user": principal.user, "tenant": principal.tenant, "groups": list(principal.groups), "admin": principal.is_admin}


class RemoteStore:
    """The few methods of the store that the command line calls, each answered by the server for the current principal."""

    def __init__(self, post: Callable[..., Any]) -> None:
        self._post = post

    def _call(self, method: str, *args: Any) -> Any:
        return self._post("store", json={"who": _who(current_principal()), "method": method, "args": list(args)})["result"]

    def filter_documents(self, filters: dict[str, Any] | None = None, with_embeddings: bool = False) -> list[Any]:
        """Documents that match, without their vectors."""
        from haystack import Document

        return [Document.from_dict(data) for data in self._call("filter_documents", filters)]

    def count_documents_by_filter(self, filters: dict[str, Any]) -> int:
        """How many match."""
        return self._call("count_documents_by_filter", filters)

    def facet(self, field: str, filters: dict[str, Any] | None = None) -> dict[str, int]:
        """The values of a field, with how many points have each."""
        return self._call("facet", field, filters)

    def index_version(self) -> str:
        """Version of the index."""
        return self._call("index_version")

    def delete_by_filter(self, filters: dict[str, Any]) -> int:
        """Delete what matches."""
        return self._call("delete_by_filter", filters)

    def commit(self) -> None:
        """Count a committed batch."""
        self._call("commit")

    def flush(self) -> None:
        """Write everything to disk."""
        self._call("flush")

    def optimize_if_due(self) -> bool:
        """Nothing: the server sees to it after the job."""
        return False


def _read_source(source: str | Path | ByteStream, meta: Mapping[str, Any]) -> tuple[bytes, dict[str, Any]]:
    """The bytes of a source and what reading tells of it; one that cannot be read goes without bytes and with the reason."""
    if meta.get(UNREAD):
        return b"", {}
    if not isinstance(source, str | Path):
        return source.data, dict(source.meta)
    try:
        data, modified = read_file(Path(source))
    except ValueError as error:
        return b"", {UNREAD: str(error)}
    return data, {"modified_at": modified}


def read_file(path: Path) -> tuple[bytes, str]:
    """The bytes of a file, and when it was changed; what the intake of a graph would read of a path.

    :raises ValueError: it is missing, no regular file, unreadable, or larger than the setting allows; one line.
    """
    limit = settings().max_file_mb * MEGABYTE
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("not a regular file")
        if status.st_size > limit:
            raise ValueError(f"{status.st_size / MEGABYTE:.1f} MB is larger than SAKSHYA_MAX_FILE_MB={settings().max_file_mb}")
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from None
    if len(data) > limit:
        raise ValueError(f"more than SAKSHYA_MAX_FILE_MB={settings().max_file_mb} megabytes")
    return data, datetime.fromtimestamp(status.st_mtime, tz=UTC).isoformat(timespec="seconds")
