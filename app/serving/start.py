"""Starting the server: load and warm every graph, open the index, and only then the port."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import re
import secrets
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.checking.check import check_graph
from app.checking.problem import Level
from app.errors import SakshyaError, UsageError, one_line
from app.graphs import Graph, NotEquippedError, load_graph
from app.remote import KEY_FILE
from app.serving.application import NAMES_TAKEN, Graphs
from app.serving.keys import SETTING, Keys, digest
from components.access.principal import Principal
from config.settings import Settings, home

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Names that can be part of a path as they are."""


class BrokenGraphsError(SakshyaError):
    """Graphs that cannot be served. The message is `check`'s lines."""


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def check_bind(host: str, keys: Keys) -> None:
    """Refuse to open a server without keys to other machines.

    :raises UsageError: the address is not a loopback one and there are no keys.
    """
    if not keys and not is_loopback(host):
        raise UsageError(f"--host {host} is reachable from other machines, so {SETTING} must be set; without keys the server binds 127.0.0.1 only")


def bind(host: str, port: int) -> socket.socket:
    """The socket, bound but not listening yet: whoever connects is refused until the graphs are loaded.

    :raises UsageError: the address or the port cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except (OSError, OverflowError) as error:
        bound.close()
        raise UsageError(f"cannot bind {host}:{port}: {getattr(error, 'strerror', None) or error}") from None
    return bound


def load_all(said: Callable[[str], None] = lambda _: None) -> Graphs:
    """Load and warm every graph of `pipelines/`, one after the other; Hayhooks' parallel start races on a lazy import.

    :raises BrokenGraphsError: with every fault of every graph.
    """
    from app.serving.served_graph import ServedGraph

    files = sorted((home() / "pipelines").glob("*.yml"))
    faults = [str(p) for file in files for p in check_graph(_near(file)) if p.level is Level.ERROR]
    faults += [f"{_near(file)}: a graph cannot be named {file.stem!r}: the server has that path" for file in files if file.stem in NAMES_TAKEN]
    faults += [f"{_near(file)}: a graph that is served is named with letters, digits, _ and -" for file in files if not NAME.fullmatch(file.stem)]
    if not files:
        faults = [f"{home() / 'pipelines'}: there is no graph"]
    if faults:
        raise BrokenGraphsError("\n".join(faults))
    graphs = Graphs()
    for file in files:
        said(f"loading {file.stem}")
        try:
            graph = load_graph(str(file))
        except NotEquippedError as error:
            said(f"{file.stem} is not served: {one_line(error)}")
            continue
        if graph.phase == "indexing":
            _close_paths(graph)
            graph.warm_up()
            graphs.indexing[graph.name] = graph
        else:
            graph.warm_up()
            found = load_graph(str(file), only=["documents"]) if "documents" in graph.outputs else None
            if found:
                found.warm_up()
            graphs.served[graph.name] = ServedGraph(graph, found)
    return graphs


def _near(file: Path) -> Path:
    return file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file


def _close_paths(graph: Graph) -> None:
    """A served graph reads no file of its machine, whatever its YAML says; the doors pass bytes only."""
    for _, component in graph.pipeline.walk():
        if hasattr(component, "allow_paths"):
            setattr(component, "allow_paths", False)  # noqa: B010  only some components have it


def write_key(folder: Path) -> tuple[Path, Keys]:
    """A new key for the command line of this machine's user, in a file that only this user reads."""
    folder.mkdir(parents=True, exist_ok=True)
    path, key = folder / KEY_FILE, secrets.token_urlsafe(32)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(key)
    return path, Keys({digest(key): Principal(user="command-line", is_admin=True)})


def run(graphs: Graphs, bound: socket.socket, here: Settings, keys: Keys, *, said: Callable[[str], None] = lambda _: None) -> None:
    """Serve until the process is told to stop; then running requests and the running batch get `SAKSHYA_SHUTDOWN_S` to finish.

    :raises SakshyaError: a graph does not answer a first query, or the index is held by another process.
    """
    import uvicorn

    from app.serving.application import build
    from app.store import default_store, graph_store
    from components.document_stores.index_lock import IndexLockedError

    everything = [*(g.graph for g in graphs.served.values()), *graphs.indexing.values()]
    store = next((found for graph in everything if (found := graph_store(graph))), None) or default_store()
    try:
        store.declare_server(None)  # takes the lock of an embedded index
    except IndexLockedError as error:
        raise SakshyaError(str(error)) from None
    embedded = store.embedded
    key_path, system_key = write_key(Path(store.where)) if embedded else (None, Keys({}))
    host, port = bound.getsockname()[:2]
    reached = f"[{host}]" if ":" in host else host
    url = f"http://{reached if host not in {'0.0.0.0', '::'} else '127.0.0.1'}:{port}"  # noqa: S104

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            if self.started:
                await asyncio.to_thread(store.declare_server, url)
                said(f"serving {', '.join(sorted([*graphs.served, *graphs.indexing]))} at {url}")

    previous = signal.signal(signal.SIGTERM, _leave)  # uvicorn raises the signal again when it is done: the rest is still ours to do
    try:
        first_query(graphs)
        app = build(graphs, here, keys, system_key)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            log_level="warning",  # what matters of its start is said, with the address
            server_header=False,
            timeout_graceful_shutdown=here.shutdown_s,
            h11_max_incomplete_event_size=64_000,
            ws="none",
            proxy_headers=False,
        )
        Server(config).run([bound])
    except KeyboardInterrupt:
        pass  # asked for, and everything that ran is finished
    finally:
        signal.signal(signal.SIGTERM, previous)
        if key_path:
            key_path.unlink(missing_ok=True)
        store.shutdown()


def _leave(_signal: int, _frame: Any) -> None:
    raise SystemExit(0)


def first_query(graphs: Graphs) -> None:
    """One real query through each query graph: what is made at the first use is made now.

    :raises SakshyaError: a graph does not answer.
    """
    from app.serving.health import Readiness

    parts = asyncio.run(Readiness(graphs.served).parts())
    if wrong := {name: said for name, said in parts.items() if said != "ok"}:
        raise SakshyaError("; ".join(f"graph {name!r} is loaded, but {said}" for name, said in wrong.items()))
