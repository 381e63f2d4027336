"""Text formats to documents: txt, md, html, docx, eml, msg."""

from __future__ import annotations

import io
import re
from typing import Any

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.decoding import decode
from components.converters.file_converter import FileConverter
from components.converters.html_cleaning import clean_html
from components.converters.outcome import Parts, UnreadableError, build_document, first_heading, one_line
from components.converters.plain_text import plain_text_parts
from components.converters.unstructured_elements import element_parts, make_offline
from components.routers.content_sniffer import DOCX, sniff

_LANGUAGES = [""]  # no guessing of the language: slow, and wrong on short elements
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)


def read(source: ByteStream) -> list[Document]:
    """Read a source by its `mime_type`, as the router sets it; it is found by content where absent.

    :raises UnreadableError: no visible text, or damaged in a way that the parser names.
    """
    make_offline()
    meta = source.meta or {}
    mime_type = source.mime_type or meta.get("mime_type") or sniff(source.data, str(meta.get("file_name") or "")).mime_type
    reader = {DOCX: _docx, "message/rfc822": _mail, "application/vnd.ms-outlook": _outlook}.get(mime_type)
    if reader:
        parts, title, language = reader(source.data)
    else:
        text, _ = decode(source.data)
        parts, title, language = {"text/html": _html, "text/markdown": _markdown}.get(mime_type, _plain)(text)
    if not any(text.strip() for text, _ in parts):
        raise UnreadableError("no text: the file holds no visible words")
    return [build_document(source, parts, title=title, mime_type=mime_type, language=language)]


@component
class UnstructuredConverter(FileConverter):
    """Reads text formats with `unstructured`, on this machine.

    Haystack's `UnstructuredFileConverter` only calls the hosted API, and its own converters return bare text: headings, tables and
    pages are lost before a splitter can use them.

    Two formats take another way, after comparing on small samples. Plain text: `partition_text` strips indentation, makes a
    title of every short line and joins lines of code, so paragraphs are told apart in `plain_text.py`. Markdown:
    `partition_md` makes a heading of front matter and flattens lists indented by two spaces, so `markdown-it-py` (CommonMark with
    tables) renders it and the HTML goes the common way. HTML is cleaned first, since `partition_html` keeps hidden elements.

    ```python
    out = UnstructuredConverter().run([ByteStream(b"# Leave\\n\\nTwenty days.", mime_type="text/markdown")])
    out["documents"][0].meta["title"]  # 'Leave'
    ```
    """

    read = staticmethod(read)
    modules = ("unstructured.partition.html", "unstructured.partition.docx", "unstructured.partition.email", "unstructured.partition.msg", "docx")

    def __init__(self, timeout_s: float = 120.0, max_memory_mb: int = 1024) -> None:
        """Create a converter.

        :param timeout_s: seconds that reading one source may take, more than 0.
        :param max_memory_mb: megabytes that it may take, 64 or more.
        :raises ValueError: a value out of range.
        """
        FileConverter.__init__(self, timeout_s=timeout_s, max_memory_mb=max_memory_mb)


Read = tuple[Parts, str, str | None]


def _plain(text: str) -> Read:
    parts = plain_text_parts(text)
    return parts, first_heading(parts[:1]), None  # a heading further down is a chapter, not the title


def _markdown(text: str) -> Read:
    from markdown_it import MarkdownIt

    title = ""
    front = _FRONT_MATTER.match(text)
    if front:
        text = text[front.end() :]
        named = re.search(r"(?m)^title:[ \t]*(.+)$", front.group(1))
        title = named.group(1).strip().strip("\"'") if named else ""
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    parts, _, _ = _html(f"<html><body>{html}</body></html>")
    return parts, first_heading(parts) or title, None


def _html(text: str) -> Read:
    from unstructured.partition.html import partition_html

    cleaned, title, language = clean_html(text)
    if not re.sub(r"<title>.*?</title>|<[^>]+>", "", cleaned, flags=re.DOTALL | re.IGNORECASE).strip():
        raise UnreadableError("no text: the page holds no visible words")
    parts = element_parts(partition_html(text=cleaned, languages=_LANGUAGES))
    return parts, first_heading(parts) or title, language


def _docx(data: bytes) -> Read:
    import docx
    from unstructured.partition.docx import partition_docx

    sniff(data, "x.docx")  # refuses an archive that would unpack to a huge size
    document = docx.Document(io.BytesIO(data))
    titles = frozenset(one_line(p.text) for p in document.paragraphs if p.style is not None and p.style.name == "Title" and p.text.strip())
    parts = element_parts(partition_docx(file=io.BytesIO(data), languages=_LANGUAGES), titles=titles)
    properties = document.core_properties
    language = re.match(r"[A-Za-z]{2,3}(?![A-Za-z])", properties.language or "")
    return parts, first_heading(parts) or _own_title(properties.title), language.group(0).lower() if language else None


def _own_title(title: str | None) -> str:
    """A core property as title, unless it is what a program puts there by itself."""
    words = one_line(title or "")
    return "" if re.match(r"(?i)word document|untitled|document ?\d*$|microsoft word", words) else words


def _mail(data: bytes) -> Read:
    import email.header
    import email.policy

    from unstructured.partition.email import partition_email

    if b"\0" in data[:200]:  # UTF-16
        data = decode(data)[0].encode()
    message = email.message_from_bytes(data, policy=email.policy.default)
    fields = {name: one_line(str(message.get(name) or "")) for name in ("Subject", "From", "To", "Cc", "Date")}
    body = element_parts(partition_email(file=io.BytesIO(data), languages=_LANGUAGES), headings=False)
    return _with_fields(fields, body)


def _outlook(data: bytes) -> Read:
    from unstructured.partition.msg import partition_msg

    elements: list[Any] = partition_msg(file=io.BytesIO(data), languages=_LANGUAGES)
    first = elements[0].metadata if elements else None
    fields = {
        "Subject": one_line(getattr(first, "subject", None) or ""),
        "From": ", ".join(getattr(first, "sent_from", None) or []),
        "To": ", ".join(getattr(first, "sent_to", None) or []),
    }
    return _with_fields(fields, element_parts(elements, headings=False))


def _with_fields(fields: dict[str, str], body: Parts) -> Read:
    """The mail's own fields as a first paragraph: who wrote when is what questions about mail ask."""
    if not any(text.strip() for text, _ in body):
        raise UnreadableError("no text: the message has no readable body (it may be encrypted)")
    head = "\n".join(f"{name}: {value}" for name, value in fields.items() if value)
    return [(head, {"kind": "paragraph"}), *body], fields.get("Subject", ""), None
