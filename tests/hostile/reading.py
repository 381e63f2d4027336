"""Reading as the default indexing graph does it, up to the cleaner and the splitter, with the memory of the children watched."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any

import psutil
from haystack import Document

from app.graphs import load_graph
from tests.components.routers.containers import source


@dataclass
class Reading:
    """What became of one source.

    :param peak: bytes that a child held at its peak.
    """

    documents: list[Document] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    peak: int = 0

    @property
    def text(self) -> str:
        return "\n\n".join(document.content or "" for document in self.documents)

    @property
    def reason(self) -> str:
        return "; ".join(self.failed.values())


class Watch:
    """The most that any child of this process holds while it is open, in bytes, and the seconds that they all compute."""

    def __enter__(self) -> Watch:
        self.peak = 0
        self._computed: dict[int, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def computed(self) -> float:
        """Seconds of a processor."""
        return sum(self._computed.values())

    def _look(self) -> None:
        me = psutil.Process()
        while not self._stop.wait(0.02):
            for child in me.children(recursive=True):
                try:
                    self.peak = max(self.peak, child.memory_info().rss)
                    self._computed[child.pid] = sum(child.cpu_times()[:2])
                except psutil.Error:
                    continue


class Reader:
    """The nodes of the default graph that read."""

    def __init__(self) -> None:
        pipeline: Any = load_graph("index", phase="indexing").pipeline
        self.nodes = {name: pipeline.get_component(name) for name in pipeline.graph.nodes}
        self.converters = {
            receiver.partition(".")[0]: str(data["from_socket"].name)
            for _, receiver, data in pipeline.graph.edges(data=True)
            if _ == "router" and data["to_socket"].name == "sources"
        }
        for name in ("unpacker", "router", *self.converters):
            if hasattr(self.nodes[name], "warm_up"):
                self.nodes[name].warm_up()

    def read(self, name: str, data: bytes) -> Reading:
        """Read one source."""
        reading, started = Reading(), time.perf_counter()
        with Watch() as watch:
            unpacked = self.nodes["unpacker"].run([source(name, data)])
            routed = self.nodes["router"].run(unpacked["sources"])
            failed = [*unpacked["failed"], *routed["failed"]]
            for converter, route in self.converters.items():
                if routed[route]:
                    out = self.nodes[converter].run(routed[route])
                    reading.documents += out["documents"]
                    failed += out["failed"]
        reading.failed = {f["source"]: f["reason"] for f in failed}
        reading.seconds, reading.peak = time.perf_counter() - started, watch.peak
        return reading

    def chunks(self, documents: list[Document]) -> tuple[list[Document], dict[str, str]]:
        """Clean and split documents."""
        cleaned = self.nodes["cleaner"].run(documents)["documents"]
        out = self.nodes["splitter"].run(cleaned)
        return out["documents"], {f["source"]: f["reason"] for f in out["failed"]}
