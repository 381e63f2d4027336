"""Documents with pictures of text, made here with the libraries that write them."""

import base64
import io

import docx
import pptx
import pytest
from haystack.dataclasses import ByteStream
from PIL import Image, ImageDraw, ImageFont

from components.converters.text_converter import read
from components.routers.file_types import DOCX, PPTX


def picture(text: str, size: tuple[int, int] = (640, 80)) -> io.BytesIO:
    image = Image.new("RGB", size, "white")
    ImageDraw.Draw(image).text((15, 20), text, font=ImageFont.load_default(30), fill="black")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    buffer.seek(0)
    return buffer


def shown(data: bytes, mime_type: str, ocr_time_s: float = 60.0):
    (document,) = read(ByteStream(data, mime_type=mime_type, meta={"file_name": "file"}), ocr_time_s=ocr_time_s)
    return [(document.content[b["start"] : b["end"]], b.get("page"), bool(b.get("from_image"))) for b in document.meta["blocks"]], document.meta


def word_file() -> bytes:
    document = docx.Document()
    document.add_paragraph("The label on the box:")
    document.add_picture(picture("Keep away from open fire"))
    document.add_picture(picture("x", (60, 60)))
    document.add_paragraph("All labels are white.")
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_the_text_of_a_picture_stands_where_the_picture_does():
    blocks, meta = shown(word_file(), DOCX)
    assert [(text, from_image) for text, _, from_image in blocks] == [
        ("The label on the box:", False),
        ("Keep away from open fire", True),
        ("All labels are white.", False),
    ]
    assert meta["notices"] == ["the text of 1 picture was read by OCR"]


def test_pictures_can_be_passed_over():
    blocks, meta = shown(word_file(), DOCX, ocr_time_s=0)
    assert len(blocks) == 2
    assert "notices" not in meta


def test_slides_keep_the_page_of_a_picture():
    presentation = pptx.Presentation()
    for text in ("Pump on the left", "Valve on the right"):
        slide = presentation.slides.add_slide(presentation.slide_layouts[5])
        slide.shapes.title.text = f"Slide: {text[:5]}"
        slide.shapes.add_picture(picture(text), 0, 2_000_000)
    buffer = io.BytesIO()
    presentation.save(buffer)
    blocks, _ = shown(buffer.getvalue(), PPTX)
    assert blocks == [
        ("Slide: Pump", 1, False),
        ("Pump on the left", 1, True),
        ("Slide: Valve", 2, False),
        ("Valve on the right", 2, True),
    ]


def test_data_uris_of_a_page():
    data = base64.b64encode(picture("Open from nine to five").getvalue()).decode()
    blocks, _ = shown(f"<html><body><p>Hours</p><img src='data:image/png;base64,{data}'></body></html>".encode(), "text/html")
    assert ("Open from nine to five", None, True) in blocks


@pytest.mark.parametrize("broken", ["data:image/png;base64," + "A" * 300, "data:image/png;base64," + "A" * 301])
def test_a_broken_picture_takes_nothing_with_it(broken):
    blocks, _ = shown(f"<html><body><p>Hours</p><img src='{broken}'></body></html>".encode(), "text/html")
    assert blocks == [("Hours", None, False)]
