"""A few texts, indexed with the real graphs into a folder of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.graphs import STORE_TYPE, load_graph
from app.indexing import index_paths
from app.sources import keeper

OFFICES = {
    "permits.txt": "Fishing permits\n\nFishing permits are given by the Lake Office. A permit costs 12 euros a year.",
    "lake.txt": "Lake Office\n\nIt looks after the waters of the district and sits in the old mill. It is headed by Mira Sand.",
    "forest.txt": "Forest Office\n\nIt sells firewood and marks trails. It is headed by Jon Berg.",
    "pool.txt": "Pool\n\nThe pool opens at 7 and closes at 21. Towels can be borrowed.",
    "leave.txt": "Annual leave\n\nAnnual leave is twenty days. Leave that is not taken by March lapses.",
    "library.txt": "Library\n\nThe library lends books for four weeks. The fine is 20 cents a day.",
    "parking.txt": "Parking\n\nParking is free for employees. Visitors pay 2 euros an hour.",
    "wifi.txt": "Guest network\n\nThe guest network needs a code, which the reception gives out for a day.",
}

_THINGS = ("water", "roads", "schools", "lamps", "bins", "parks", "bridges", "snow", "dogs", "taxis", "fairs", "maps")
BRIDGE = {
    "permits.md": "# Fishing permits\n\nFishing permits are given by the Zander Bureau. A permit costs 12 euros a year.",
    "zander.md": "# Zander Bureau\n\nMira Sand has led it since 2009. It sits in an old mill.",
    **{
        f"notice{i}.md": f"# Notice on {thing}\n\nThe office that gives permits for {thing} opens at 9. Ask for it at the desk."
        for i, thing in enumerate(_THINGS)
    },
}
"""The second document of `Who heads the office that gives fishing permits?` shares no word with it; a dozen others share most."""


def place(folder: Path) -> dict[str, Any]:
    """Parameters of a store in this folder, for `load_graph(store=…)`."""
    return {"path": str(folder / "index"), "index": "small"}


def store_of(folder: Path):
    """The store in this folder."""
    from components.document_stores.sakshya_document_store import SakshyaDocumentStore

    return SakshyaDocumentStore.from_dict({"type": STORE_TYPE, "init_parameters": place(folder)})


def write(folder: Path, texts: Mapping[str, str]) -> Path:
    """The texts as files of `folder/files`, those that are not among them left alone."""
    files = folder / "files"
    for name, text in texts.items():
        (files / name).parent.mkdir(parents=True, exist_ok=True)
        (files / name).write_text(text, encoding="utf-8")
    return files


class SmallCorpus:
    """Files in a folder and an index beside them. `index()` brings the index up to the files."""

    def __init__(self, folder: Path, texts: Mapping[str, str], graph: str = "index", **options: Any) -> None:
        self.folder = folder
        self.files = write(folder, texts)
        self.where = place(folder)
        self.graph = load_graph(graph, phase="indexing", store=self.where)
        self.store = store_of(folder)
        self.report = self.index(**options)

    def index(self, **options: Any) -> dict[str, Any]:
        return index_paths(
            lambda values: self.graph.run(values)["report"], [self.files], store=self.store, graph_version=self.graph.version, **options
        )

    def keeper(self, tenant: str = "default"):
        return keeper(tenant)
