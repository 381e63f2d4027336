"""Files as people have them: each becomes text that a search finds, or is refused for its true reason. `real_files.yml` says which."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from haystack import Document
from haystack.dataclasses import ByteStream

from app.graphs import load_graph
from app.indexing import index_paths
from app.store import graph_store
from components.access.principal import Principal, acting_as
from components.converters import record_converter, sheet_converter, text_converter
from components.converters.outcome import UnreadableError
from components.document_stores.sakshya_document_store import SakshyaDocumentStore
from components.routers.content_sniffer import UnsupportedError
from components.routers.content_type_router import ContentTypeRouter
from config.settings import settings
from tests.app.test_evaluating import without_dense

FOLDER = (Path(__file__).parents[2] / "../shared/data/documents/real").resolve()
EXPECTED: dict[str, dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "real_files.yml").read_text(encoding="utf-8"))
READ: dict[str, Any] = {
    "text": text_converter.read,
    "sheets": sheet_converter.read,
    "records": lambda source: record_converter.read(source, columns={})[0],
}
LEAST_SHARE = 0.95

needs_files = pytest.mark.skipif(not FOLDER.is_dir(), reason="the real files are not on this machine")


def squeezed(text: str) -> str:
    return " ".join(text.split()).casefold()


def faults_of(name: str, documents: list[Document]) -> list[str]:
    """What the text of a file lacks."""
    texts = [squeezed(document.content or "") for document in documents]
    faults = []
    if not any(squeezed(EXPECTED[name]["find"]) in text for text in texts):
        faults.append(f"{name}: {EXPECTED[name]['find']!r} is not in its text")
    row = [squeezed(cell) for cell in EXPECTED[name].get("row", [])]
    lines = [squeezed(line) for document in documents for line in (document.content or "").split("\n")]
    if row and not any(all(cell in line for cell in row) for line in [*lines, *texts[1:]]) and not _in_one_block(documents, row):
        faults.append(f"{name}: no row shows {row}")
    return faults


def _in_one_block(documents: list[Document], row: list[str]) -> bool:
    blocks = (squeezed((d.content or "")[b["start"] : b["end"]]) for d in documents for b in d.meta.get("blocks", []) if b["kind"] == "paragraph")
    return any(all(cell in block for cell in row) for block in blocks)


def test_the_table_covers_every_file():
    if not FOLDER.is_dir():
        pytest.skip("the real files are not on this machine")
    assert sorted(EXPECTED) == sorted(path.name for path in FOLDER.iterdir())


@needs_files
def test_text_records_and_sheets_hold_what_a_person_reads():
    """Every file but PDFs, images, archives and what LibreOffice reads, by the converters alone."""
    faults: list[str] = []
    router = ContentTypeRouter()
    for name, wanted in EXPECTED.items():
        if wanted.get("needs") or name.endswith((".pdf", ".zip", "peace-1225p.txt")):
            continue
        routed = router.run([ByteStream((FOLDER / name).read_bytes(), meta={"file_name": name, "path": name, "uri": name})])
        (route, (source,)) = next((route, cast(list[ByteStream], found)) for route, found in routed.items() if found)
        assert route != "failed", source
        try:
            documents = READ[route](source)
        except (UnreadableError, UnsupportedError) as error:
            if wanted.get("refused", "\0") not in str(error):
                faults.append(f"{name}: refused: {error}")
            continue
        faults += [f"{name}: not refused"] if "refused" in wanted else faults_of(name, documents)
    assert faults == []


@needs_files
def test_a_wrong_extension_is_reported():
    router = ContentTypeRouter()
    named = {}
    for name in ("unstructured__language-docs__eng_spa_mult.doc", "unstructured__language-docs__eng_spa_mult.ppt", "unstructured__fake-email.txt"):
        out = router.run([ByteStream((FOLDER / name).read_bytes(), meta={"file_name": name})])
        named[name] = cast(list[ByteStream], out["text"])[0].meta["content_mismatch"]
    assert all(notice.startswith(f"named {Path(name).suffix}, but the content is ") for name, notice in named.items())


@pytest.mark.long
@needs_files
def test_a_search_finds_what_a_person_reads(tmp_path, monkeypatch):
    """The whole folder through the default graphs without their dense legs, which would embed two books here, phrase by phrase."""
    monkeypatch.setenv("SAKSHYA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("SAKSHYA_DEADLINE_S", "300")
    settings.cache_clear()
    try:
        index = without_dense(tmp_path, "index", {"sparse_embedder.documents": "changes.new"})
        report, results = _indexed_and_searched(index, without_dense(tmp_path, "query", {}))
    finally:
        settings.cache_clear()
        SakshyaDocumentStore.shutdown_all()
    for name, result in results.items():
        print(f"{result:10} {name}")
    readable = [name for name, wanted in EXPECTED.items() if "find" in wanted]
    found = [name for name in readable if results[name] == "found"]
    assert len(found) >= LEAST_SHARE * len(readable), [(name, results[name]) for name in readable if name not in found]
    reasons = {Path(failure["source"]).name.partition("#")[0]: failure["reason"] for failure in report["failed"]}
    for name, wanted in EXPECTED.items():
        if "refused" in wanted:
            assert wanted["refused"] in reasons.get(name, ""), name
    unnamed = {name for name in readable if results[name] == "missing"} - reasons.keys()
    assert not unnamed, f"neither found nor named: {sorted(unnamed)}"


def _indexed_and_searched(index_graph: str, query_graph: str) -> tuple[dict[str, Any], dict[str, str]]:
    indexing, query = load_graph(index_graph, phase="indexing"), load_graph(query_graph, phase="query", only=["documents"])
    report = index_paths(lambda v: indexing.run(v)["report"], [FOLDER], store=graph_store(indexing), graph_version=indexing.version)
    results: dict[str, str] = {}
    office = shutil.which("soffice") is not None
    with acting_as(Principal(user="test")):
        for name, wanted in EXPECTED.items():
            if "refused" in wanted:
                results[name] = "refused"
            elif wanted.get("needs") == "office" and not office:
                results[name] = "no office"
            else:
                results[name] = "found" if _is_found(query, name, wanted["find"]) else "missing"
    return report, results


def _is_found(query: Any, name: str, phrase: str) -> bool:
    one_file = {"field": "meta.file_name", "operator": "==", "value": name}
    for filters in (None, one_file):
        documents = query.run({"question": phrase, "filters": filters, "top_k": 20})["documents"]
        if any(Path(d.meta["uri"].partition("#")[0]).name == name and squeezed(phrase) in squeezed(d.content or "") for d in documents):
            return True
    return False
