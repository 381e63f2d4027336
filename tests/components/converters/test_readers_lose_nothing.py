"""The readers beside `unstructured` on the same small files: every word that it keeps is kept here, and some that it loses."""

import functools
import io
import re
from collections.abc import Iterable
from typing import Any

import docx
import pptx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from pptx.util import Inches

from components.converters.html_reader import read_html
from components.converters.mail_reader import read_mail
from components.converters.slide_reader import read_slides
from components.converters.word_reader import read_word

HTML = """<html><body><h1>Leave</h1><figure><figcaption>Figure one shows growth</figcaption></figure>
<details><summary>Details</summary><p>Within details</p></details><div>Before<div>middle</div>after</div>
<table><tr><th>Grade</th><th>Days</th></tr><tr><td>A</td><td>20</td></tr></table><p>Twenty days.</p></body></html>"""
MAIL = b"From: a@example.org\nSubject: Leave\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n" + HTML.encode()


def words(texts: Iterable[str]) -> set[str]:
    return set(re.findall(r"\w+", " ".join(texts)))


@functools.cache
def offline() -> None:
    """`unstructured` looks for a model on the net; a blank pipeline with a sentence splitter is enough here."""
    import spacy
    from unstructured.nlp import tokenize

    def blank() -> Any:
        pipeline = spacy.blank("en")
        pipeline.add_pipe("sentencizer")
        return pipeline

    tokenize._load_spacy_model = blank


def word_file() -> bytes:
    document, buffer = docx.Document(), io.BytesIO()
    document.add_heading("Leave", 1)
    document.add_paragraph("Twenty days.", style="List Bullet")
    document.add_table(1, 2).cell(0, 0).text = "Grade"
    inserted = f"<w:p {nsdecls('w')}><w:ins><w:r><w:t>Inserted words.</w:t></w:r></w:ins></w:p>"
    control = f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p><w:r><w:t>Controlled words.</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    for xml in (inserted, control):
        document.element.body.insert(2, parse_xml(xml))
    document.save(buffer)
    return buffer.getvalue()


def slide_file() -> bytes:
    presentation, buffer = pptx.Presentation(), io.BytesIO()
    slide: Any = presentation.slides.add_slide(presentation.slide_layouts[5])
    slide.shapes.title.text = "Leave"
    slide.shapes.add_textbox(Inches(1), Inches(3), Inches(2), Inches(1)).text_frame.text = "Twenty days"
    slide.notes_slide.notes_text_frame.text = "Spoken words"
    presentation.save(buffer)
    return buffer.getvalue()


@pytest.mark.long
@pytest.mark.parametrize(
    ("module", "read", "data", "lost"),
    [
        ("html", lambda data: read_html(data.decode()), HTML.encode(), {"growth", "Within"}),
        ("docx", read_word, word_file(), {"Inserted", "Controlled"}),
        ("pptx", read_slides, slide_file(), {"Spoken"}),
        ("email", lambda data: read_mail(data, []), MAIL, {"growth"}),
    ],
)
def test_nothing_is_lost(module, read, data, lost):
    import importlib

    offline()
    partition = getattr(importlib.import_module(f"unstructured.partition.{module}"), f"partition_{module}")
    theirs = words(element.text for element in partition(file=io.BytesIO(data), languages=[""]))
    ours = words(text for text, _ in read(data).parts)
    assert theirs <= ours
    assert lost <= ours - theirs
