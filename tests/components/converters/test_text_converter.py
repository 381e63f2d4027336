import io
from typing import cast

import docx
import pytest
from haystack import Document, Pipeline
from haystack.dataclasses import ByteStream

from components.converters.html_cleaning import clean_html
from components.converters.text_converter import TextConverter
from components.failure import Failure
from components.routers.content_sniffer import DOCX

META = {"file_name": "leave_policy.x", "uri": "kb/leave_policy.x", "tenant": "t", "access": ["hr"], "source_id": "s"}


def convert(data: bytes | str, mime: str):
    source = ByteStream(data.encode() if isinstance(data, str) else data, mime_type=mime, meta=dict(META))
    out = TextConverter().run([source])
    assert not out["failed"], out["failed"]
    (document,) = cast(list[Document], out["documents"])
    assert document.content is not None
    blocks = [(b["kind"], b.get("level"), document.content[b["start"] : b["end"]]) for b in document.meta["blocks"]]
    return document, blocks


HTML = """<html lang="en-GB"><head><title>Page title</title><style>p{}</style><script>alert(1)</script></head><body>
<nav><a href="/">Home</a></nav><header>Site name</header><main>
<h1>Leave</h1><p>Staff get <b>twenty</b> days<br>a year.</p><h2>Sick leave</h2><ul><li>First<ul><li>Nested</li></ul></li><li>Second</li></ul>
<h3>Rates</h3><table><tr><th>Grade</th><th>Days</th></tr><tr><td>A</td><td>20</td></tr></table>
<pre><code>def f(x):
    return 1</code></pre><ol start="3"><li>three</li><li>four</li></ol>
<p style="display: none">hidden one</p><p hidden>hidden two</p><!-- comment --></main></body></html>"""


def test_html_structure():
    document, blocks = convert(HTML, "text/html")
    assert blocks == [
        ("heading", 1, "Leave"),
        ("paragraph", None, "Staff get twenty days a year."),
        ("heading", 2, "Sick leave"),
        ("list", None, "- First\n  - Nested\n- Second"),
        ("heading", 3, "Rates"),
        ("table", None, "Grade | Days\nA | 20"),
        ("code", None, "def f(x):\n    return 1"),
        ("list", None, "3. three\n4. four"),
    ]
    assert (document.meta["title"], document.meta["language"], document.meta["mime_type"]) == ("Leave", "en", "text/html")
    assert {key: document.meta[key] for key in META} == META


def test_a_mixed_encoding_is_told():
    document, _ = convert("UTF8 Grüße ".encode() + "und latin Grüße".encode("latin-1"), "text/plain")
    assert document.content == "UTF8 Grüße und latin Grüße"
    assert document.meta["notices"] == ["the encoding is mixed: bytes that are not UTF-8 were read as Windows-1252"]


def test_html_title_without_heading():
    assert convert("<html><title>Page title</title><body><p>Words.</p></body></html>", "text/html")[0].meta["title"] == "Page title"


def test_a_heading_in_the_header_of_an_article_stays():
    _, blocks = convert("<html><body><article><header><h1>Leave</h1></header><p>Words here.</p></article></body></html>", "text/html")
    assert blocks[0] == ("heading", 1, "Leave")


@pytest.mark.parametrize("style", ["display:none", "visibility: hidden", "font-size:0px", "opacity:0"])
def test_hidden_styles(style):
    page = clean_html(f'<html><body><p style="{style}">secret word</p><p style="font-size:0.9em">kept</p></body></html>')
    assert page.root.text_content().split() == ["kept"]
    assert page.hidden_words == 2


def test_html_declares_one_encoding_and_has_another():
    document, _ = convert('<html><head><meta charset="iso-8859-1"></head><body><p>Grüße €</p></body></html>', "text/html")
    assert document.content == "Grüße €"


MARKDOWN = """---
title: Front title
---
# Leave

Staff get *twenty* days
per year.

## Sick leave

- First
  - Nested
- Second

| Grade | Days |
|---|---|
| A | 20 |

```python
def f(x):

    return 1
```

1. one
2. two
"""


def test_markdown_structure():
    document, blocks = convert(MARKDOWN, "text/markdown")
    assert blocks == [
        ("heading", 1, "Leave"),
        ("paragraph", None, "Staff get twenty days per year."),
        ("heading", 2, "Sick leave"),
        ("list", None, "- First\n  - Nested\n- Second"),
        ("table", None, "Grade | Days\nA | 20"),
        ("code", None, "def f(x):\n\n    return 1"),
        ("list", None, "1. one\n2. two"),
    ]
    assert document.meta["title"] == "Leave"


def test_plain_text_keeps_every_word_and_indentation():
    text = "LEAVE POLICY\n\nStaff get twenty days\nper year.\n\n    def f(x):\n        return 1\n\n- one\n- two\n\nScope\n=====\nShort line\n"
    document, blocks = convert(text, "text/plain")
    assert blocks == [
        ("heading", 1, "LEAVE POLICY"),
        ("paragraph", None, "Staff get twenty days\nper year."),
        ("code", None, "    def f(x):\n        return 1"),
        ("list", None, "- one\n- two"),
        ("heading", 1, "Scope"),
        ("paragraph", None, "Short line"),
    ]
    assert document.meta["title"] == "LEAVE POLICY"


def test_title_falls_back_to_the_file_name():
    assert convert("Words only.", "text/plain")[0].meta["title"] == "Leave policy"


def word(build) -> bytes:
    document, buffer = docx.Document(), io.BytesIO()
    build(document)
    document.save(buffer)
    return buffer.getvalue()


def test_docx_structure():
    def build(document):
        document.core_properties.title = "Core title"
        document.add_heading("Handbook", 0)
        document.add_heading("Leave", 1)
        document.add_paragraph("Staff get twenty days per year.")
        document.add_heading("Sick leave", 2)
        document.add_paragraph("first", style="List Bullet")
        document.add_paragraph("second", style="List Bullet")
        table = document.add_table(2, 2)
        for row, values in zip(table.rows, (("Grade", "Days"), ("A", "20")), strict=True):
            for cell, value in zip(row.cells, values, strict=True):
                cell.text = value
        document.sections[0].header.paragraphs[0].text = "Running head"

    document, blocks = convert(word(build), DOCX)
    assert blocks == [
        ("header", None, "Running head"),
        ("title", None, "Handbook"),
        ("heading", 1, "Leave"),
        ("paragraph", None, "Staff get twenty days per year."),
        ("heading", 2, "Sick leave"),
        ("list", None, "- first\n- second"),
        ("table", None, "Grade | Days\nA | 20"),
    ]
    assert document.meta["title"] == "Handbook"


def test_docx_core_title():
    def build(document):
        document.core_properties.title = "Core title"
        document.add_paragraph("Words only.")

    assert convert(word(build), DOCX)[0].meta["title"] == "Core title"


def test_mail():
    document, blocks = convert(
        "From: asha@example.org\nTo: b@example.org\nSubject: Leave\nMIME-Version: 1.0\n\nTwenty days, as agreed.\n", "message/rfc822"
    )
    assert document.meta["title"] == "Leave"
    assert blocks[0][2] == "Subject: Leave\nFrom: asha@example.org\nTo: b@example.org"
    assert "Twenty days" in (document.content or "")


@pytest.mark.parametrize(
    ("data", "mime", "reason"),
    [
        (b"", "text/plain", "no text"),
        (b"<html><title>T</title><body><script>x</script></body></html>", "text/html", "no text"),
        (word(lambda d: None), DOCX, "no text"),
        (b"PK\x03\x04broken", DOCX, "damaged"),
        (bytes(range(256)) * 10, "text/plain", "binary"),
    ],
)
def test_failures_have_their_reason(data, mime, reason):
    out = TextConverter().run([ByteStream(data, mime_type=mime, meta={"uri": "kb/a"}), ByteStream(b"fine", mime_type="text/plain")])
    (failed,) = cast(list[Failure], out["failed"])
    assert failed["source"] == "kb/a"
    assert reason in failed["reason"]
    assert "\n" not in failed["reason"]
    assert len(out["documents"]) == 1


def test_yaml_round_trip(monkeypatch):
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("converter", TextConverter())
    assert Pipeline.loads(pipeline.dumps()).get_component("converter") is not None
