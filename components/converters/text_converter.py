"""Text formats to documents: txt, md, html, xml, yaml, docx, pptx, odt, rtf, epub, eml, msg; doc, ppt and odp by way of LibreOffice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from haystack import Document, component
from haystack.dataclasses import ByteStream

from components.converters.decoding import read_text
from components.converters.extracted import Extracted
from components.converters.file_converter import FileConverter
from components.converters.html_reader import read_html, read_markdown
from components.converters.mail_reader import read_mail, read_outlook
from components.converters.old_office import TARGETS, convert_old
from components.converters.outcome import UnreadableError, build_document
from components.converters.pandoc_reader import FORMATS, to_html
from components.converters.picture_text import add_picture_text
from components.converters.plain_text import read_code, read_plain, read_yaml
from components.converters.slide_reader import read_slides
from components.converters.word_reader import read_word
from components.converters.xml_reader import read_xml
from components.preprocessors.code_languages import code_language
from components.routers.container_types import zip_type
from components.routers.content_sniffer import sniff
from components.routers.file_types import DOCX, EPUB, MAIL, MSG, ODP, ODT, PPTX

_OF_TEXT: dict[str, Callable[[str], Extracted]] = {
    "text/html": read_html,
    "text/markdown": read_markdown,
    "application/xml": read_xml,
    "application/yaml": read_yaml,
}
_OF_OFFICE: dict[str, Callable[[bytes], Extracted]] = {DOCX: read_word, PPTX: read_slides}
_WITH_PICTURES = {DOCX, PPTX, "text/html", ODT, ODP, EPUB}
_OF_MAIL: dict[str, Callable[[bytes, list[str]], Extracted]] = {MAIL: read_mail, MSG: read_outlook}


def read(source: ByteStream, *, program_timeout_s: float = 90.0, ocr_time_s: float = 0.0) -> list[Document]:
    """Read a source by its `mime_type`, as the router sets it; it is found by content where absent.

    :param program_timeout_s: seconds that pandoc or LibreOffice may take.
    :param ocr_time_s: seconds after which no further picture in the document is looked at for text; 0: none is.
    :raises UnreadableError: no visible text, or damaged in a way that the parser names.
    """
    meta = dict(source.meta or {})
    attachments = meta.pop("attachments", [])  # names, from the unpacker
    source = replace(source, meta=meta)
    mime_type = str(source.mime_type or meta.get("mime_type") or sniff(source.data, str(meta.get("file_name") or "")).mime_type)
    if mime_type == "text/plain" and code_language(str(meta.get("file_name") or "")) is not None:
        found = _read_text(source.data, read_code)
    else:
        found = _extracted(source.data, mime_type, attachments, program_timeout_s)
        if ocr_time_s and mime_type in _WITH_PICTURES:
            add_picture_text(found, source.data, mime_type, time_s=ocr_time_s)
    if not any(text.strip() for text, _ in found.parts):
        raise UnreadableError("no text: the file holds no visible words" + "".join(f"; {notice}" for notice in found.notices))
    notices = [*meta.get("notices", []), *found.notices]
    return [build_document(source, found.parts, title=found.title, mime_type=mime_type, language=found.language, notices=notices or None)]


def _extracted(data: bytes, mime_type: str, attachments: list[str], timeout_s: float) -> Extracted:
    if mime_type in TARGETS:
        extension = TARGETS[mime_type][0]
        data, mime_type = convert_old(data, mime_type, timeout_s=timeout_s)
        found = _extracted(data, mime_type, attachments, timeout_s)
        found.notices.append(f"the {extension} file was read by way of LibreOffice")
        return found
    if mime_type in _OF_OFFICE:
        zip_type(data)  # refuses an archive that would unpack to a huge size
        return _OF_OFFICE[mime_type](data)
    if mime_type in FORMATS:
        return read_html(to_html(data, mime_type, timeout_s=timeout_s))
    if mime_type in _OF_MAIL:
        return _OF_MAIL[mime_type](data, attachments)
    return _read_text(data, _OF_TEXT.get(mime_type, read_plain))


def _read_text(data: bytes, reader: Callable[[str], Extracted]) -> Extracted:
    text, notices = read_text(data)
    found = reader(text)
    return replace(found, notices=[*notices, *found.notices])


@component
class TextConverter(FileConverter):
    """Reads text formats on this machine, each with the library that keeps most of it.

    Haystack's own converters return bare text: headings, tables and pages are lost before a splitter can use them.
    `unstructured`, which its `UnstructuredFileConverter` calls over the network, was measured beside each reader here
    (`test_readers_lose_nothing.py`). It stands on the same libraries, `python-docx`, `python-pptx`, `lxml`, `pandoc` and `python-oxmsg`, and
    loses what they hold: numbers of headings and lists, footnotes, text boxes, notes, captions, merged cells. It also shows what is
    hidden.

    ```python
    out = TextConverter().run([ByteStream(b"# Leave\\n\\nTwenty days.", mime_type="text/markdown")])
    out["documents"][0].meta["title"]  # 'Leave'
    ```
    """

    read = staticmethod(read)
    modules = ("docx", "pptx", "lxml.html", "markdown_it", "oxmsg", "pypandoc", "ftfy")

    def __init__(self, timeout_s: float = 240.0, max_memory_mb: int = 3072, ocr: bool = True) -> None:
        """Create a converter.

        :param timeout_s: seconds that reading one source may take, more than 0. pandoc and LibreOffice get three eighths of
            it, pictures two fifths.
        :param max_memory_mb: megabytes that it may take, 64 or more. LibreOffice has a limit of its own, 4096; recognition takes some 1000.
        :param ocr: whether the text of pictures in docx, pptx, odt, odp, epub and html is read.
        :raises ValueError: a value out of range.
        """
        FileConverter.__init__(self, timeout_s=timeout_s, max_memory_mb=max_memory_mb)
        self.ocr = ocr

    def options(self) -> dict[str, float]:
        """Keyword arguments of the read function."""
        return {"program_timeout_s": 0.375 * self.timeout_s, "ocr_time_s": 0.4 * self.timeout_s if self.ocr else 0.0}
