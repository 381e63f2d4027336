import io
import zipfile
from typing import Any

import docx
import pytest
from haystack import Pipeline
from haystack.dataclasses import ByteStream

from components.routers.content_sniffer import ACCEPTED
from components.routers.content_type_router import ContentTypeRouter
from components.routers.file_types import DOCX, EPUB, ODS, ODT, PPTX, RTF, XLSB, XLSX


def route(data: bytes, name: str) -> tuple[str, Any]:
    out = ContentTypeRouter().run([ByteStream(data, meta={"file_name": name, "uri": name, "tenant": "t"})])
    (where,) = [key for key, value in out.items() if value]
    return where, out[where][0]


def docx_bytes(text: str = "Leave policy") -> bytes:
    document, buffer = docx.Document(), io.BytesIO()
    document.add_paragraph(text)
    document.save(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "name", "where", "mime"),
    [
        (b"plain words", "a.txt", "text", "text/plain"),
        (b"plain words", "noextension", "text", "text/plain"),
        (b"# Title", "a.md", "text", "text/markdown"),
        (b"<!DOCTYPE html><html><body>x</body></html>", "a.html", "text", "text/html"),
        ("Grüße".encode("utf-16"), "a.txt", "text", "text/plain"),
        (docx_bytes(), "a.docx", "text", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (b"From: a@b.c\nSubject: hi\n\nbody", "a.eml", "text", "message/rfc822"),
        (b"%PDF-1.4\n...", "a.pdf", "pdf", "application/pdf"),
        (b"a,b\n1,2\n", "a.csv", "records", "text/csv"),
        (b"a\tb\n1\t2\n", "a.tsv", "records", "text/tab-separated-values"),
        (b"a;b\n1;2\n3;4\n", "noextension", "records", "text/csv"),
        (b'[{"a": 1}]', "a.json", "records", "application/json"),
        (b'{"a": 1}\n{"a": 2}\n', "a.jsonl", "records", "application/jsonl"),
        (b'{"a": 1}\n{"a": 2}\n', "a.json", "records", "application/jsonl"),
        (b'{"a": 1}\n{broken\n42\n[1,2]\n', "a.jsonl", "records", "application/jsonl"),
        (b'broken\n42\n{"a": "<html>"}\n', "a.ndjson", "records", "application/jsonl"),
    ],
)
def test_routes_by_content(data, name, where, mime):
    found, source = route(data, name)
    assert (found, source.mime_type, source.meta["mime_type"]) == (where, mime, mime)
    assert "content_mismatch" not in source.meta
    assert source.meta["tenant"] == "t"


@pytest.mark.parametrize(
    ("data", "name", "where", "mime"),
    [
        (b"plain words", "report.pdf", "text", "text/plain"),
        (b"%PDF-1.4\n...", "report.txt", "pdf", "application/pdf"),
        (docx_bytes(), "old.doc.pdf", "text", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (b'[{"a": 1}]', "table.csv", "records", "application/json"),
    ],
)
def test_a_wrong_extension_is_reported_and_overruled(data, name, where, mime):
    found, source = route(data, name)
    assert (found, source.mime_type) == (where, mime)
    assert mime in source.meta["content_mismatch"]
    assert "\n" not in source.meta["content_mismatch"]


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"", "a.txt", "empty"),
        (b" \n\n", "a.txt", "empty"),
        (b"\x1f\x8b\x08" + b"\0" * 60, "a.gz", "application/gzip"),
        (bytes(range(256)) * 20, "a.bin", "binary"),
        (b"{broken", "a.json", "not valid JSON"),
        (b"\n{broken\n42\n", "a.jsonl", "no line is a JSON object: line 2: not valid JSON: Expecting property name"),
        (b"42\n{broken\n", "a.ndjson", "no line is a JSON object: line 1: a number, accepted: an object"),
        (b"PK\x03\x04broken", "a.docx", "damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "a.doc", "damaged"),
        (bytes(range(256)), "a.dat", ACCEPTED),
    ],
)
def test_what_nobody_reads_fails_with_a_reason(data, name, reason):
    found, item = route(data, name)
    assert found == "failed"
    assert item["source"] == name
    assert reason in item["reason"]
    assert "\n" not in item["reason"]


def packed(*names: str, **contents: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in {**dict.fromkeys(names, "x"), **contents}.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def office(main: str) -> bytes:
    return packed(**{"[Content_Types].xml": f'<Types><Override ContentType="{main}"/></Types>'})


_OOXML = "application/vnd.openxmlformats-officedocument."


@pytest.mark.parametrize(
    ("data", "name", "where", "mime"),
    [
        (office(f"{_OOXML}presentationml.slideshow.main+xml"), "a.ppsx", "text", PPTX),
        (office("application/vnd.ms-word.document.macroEnabled.main+xml"), "a.docm", "text", DOCX),
        (office("application/vnd.ms-excel.sheet.macroEnabled.main+xml"), "a.xlsm", "sheets", XLSX),
        (office("application/vnd.ms-excel.sheet.binary.macroEnabled.main"), "a.xlsb", "sheets", XLSB),
        (packed("META-INF/manifest.xml", mimetype=ODT), "a.odt", "text", ODT),
        (packed("META-INF/manifest.xml", mimetype=f"{ODS}-template"), "a.ots", "sheets", ODS),
        (packed("META-INF/container.xml", mimetype="application/epub+zip"), "a.epub", "text", EPUB),
        (b"{\\rtf1 words}", "a.rtf", "text", RTF),
        (b"<?xml version='1.0'?><a>x</a>", "a.xml", "text", "application/xml"),
        ("<?xml version='1.0' encoding='utf-16'?><a>x</a>".encode("utf-16"), "a.xml", "text", "application/xml"),
        (b"<?xml version='1.0'?><!-- c --><html><body>x</body></html>", "a.html", "text", "text/html"),
        (b"a: 1\nb: [2]\n", "a.yaml", "text", "application/yaml"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 60, "a.png", "images", "image/png"),
        (b"\xff\xd8\xff\xe0" + b"\0" * 60, "a.jpg", "images", "image/jpeg"),
        (b"From: a@b.c\nSubject: hi\nMIME-Version: 1.0\n\n<html>body</html>", "a.eml", "text", "message/rfc822"),
    ],
)
def test_routes_by_the_parts_of_a_file(data, name, where, mime):
    found, source = route(data, name)
    assert (found, source.mime_type) == (where, mime)
    assert "content_mismatch" not in source.meta


def test_a_zip_folder_and_encrypted_files_are_named():
    assert "folder of files" in route(packed("a.txt"), "a.zip")[1]["reason"]
    locked = packed(mimetype=ODT, **{"META-INF/manifest.xml": "<manifest:encryption-data/>"})
    assert "password" in route(locked, "a.odt")[1]["reason"]


def test_a_zip_bomb_is_refused_before_it_is_unpacked():
    buffer = io.BytesIO(docx_bytes())
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/media/big.bin", b"\0" * 30_000_000)
    found, item = route(buffer.getvalue(), "a.docx")
    assert found == "failed"
    assert "unpack" in item["reason"]


def test_one_bad_source_does_not_stop_the_rest():
    out = ContentTypeRouter().run([ByteStream(b""), ByteStream(b"words")])
    assert len(out["failed"]) == len(out["text"]) == 1


def test_yaml_round_trip(monkeypatch):
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("router", ContentTypeRouter())
    assert Pipeline.loads(pipeline.dumps()).get_component("router") is not None
