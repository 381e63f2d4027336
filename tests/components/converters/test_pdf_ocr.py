"""Scans are made here from pages of known text, so that what was recognised can be counted."""

import io
import re

import numpy as np
import pypdfium2
import pytest
from fpdf import FPDF
from fpdf.enums import TextMode
from haystack.dataclasses import ByteStream
from PIL import Image

from components.converters import ocr_engine
from components.converters.ocr import OcrOptions, read_image
from components.converters.outcome import UnreadableError
from components.converters.pdf_converter import PdfConverter, read
from components.converters.pdf_ocr import PdfOcr, is_garbled
from components.converters.pdf_words import Word

LEFT_COLUMN = "The buyer must return the meter in its box within thirty days and send the form that came with it to the address below"
RIGHT_COLUMN = "The seller pays for the transport of a faulty meter unless the seal was broken before it was sent back to the works"
OCR = PdfOcr(OcrOptions())


def new() -> FPDF:
    pdf = FPDF(unit="pt", format=(420, 300))
    pdf.set_auto_page_break(False)
    return pdf


def column(pdf: FPDF, x: float, text: str) -> None:
    pdf.set_font("Times", size=12)
    pdf.set_xy(x, 60)
    pdf.multi_cell(150, 15, text, align="J")


def page() -> FPDF:
    pdf = new()
    pdf.add_page()
    pdf.set_font("Helvetica", "B", 20)
    pdf.text(130, 40, "Return of meters")
    column(pdf, 40, LEFT_COLUMN)
    column(pdf, 230, RIGHT_COLUMN)
    return pdf


def drawn(pdf: FPDF, turn: int = 0, skew: float = 0.0, noise: float = 0.0) -> Image.Image:
    """The first page as a scanner gives it."""
    image = pypdfium2.PdfDocument(bytes(pdf.output()))[0].render(scale=150 / 72).to_pil().convert("L")
    pixels = np.asarray(image.rotate(skew, Image.Resampling.BICUBIC, fillcolor=255), dtype=float)
    pixels += np.random.default_rng(1).normal(0, noise, pixels.shape)
    return Image.fromarray(pixels.clip(0, 255).astype("uint8")).rotate(turn, expand=True)


def scan(image: Image.Image, stamp: str = "") -> FPDF:
    pdf = FPDF(unit="pt", format=(image.width * 72 / 150, image.height * 72 / 150))
    pdf.add_page()
    pdf.image(image, 0, 0, pdf.w, pdf.h)
    if stamp:
        pdf.set_font("Helvetica", size=8)
        pdf.text(20, pdf.h - 12, stamp)
    return pdf


def converted(pdf: FPDF, ocr: PdfOcr = OCR):
    (document,) = read(ByteStream(bytes(pdf.output()), meta={"file_name": "scan.pdf"}), max_pages=10, ocr=ocr)
    return document


def encoded(image: Image.Image, kind: str = "PNG", **options) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def test_a_scan_keeps_its_heading_and_the_order_of_its_columns():
    document = converted(scan(drawn(page(), skew=0.7, noise=10), stamp="Scanned by Example"))
    texts = [(b["kind"], document.content[b["start"] : b["end"]]) for b in document.meta["blocks"]]
    assert ("heading", "Return of meters") in texts
    assert LEFT_COLUMN in document.content
    assert RIGHT_COLUMN in document.content
    assert document.content.index(LEFT_COLUMN) < document.content.index(RIGHT_COLUMN)
    assert document.content.count("Scanned by Example") == 1
    assert document.meta["pages_recognised"] == [1]
    assert re.fullmatch(r"page 1 was read by OCR \(PP-OCRv6, confidence (0\.9\d|1\.00)\)", document.meta["notices"][0])


@pytest.mark.parametrize("turn", [180, pytest.param(90, marks=pytest.mark.long)])
def test_a_page_stands_whichever_way_up(turn):
    pdf = new()
    pdf.add_page()
    column(pdf, 40, LEFT_COLUMN)
    assert LEFT_COLUMN in converted(scan(drawn(pdf, turn=turn))).content


def test_pages_beyond_the_limit_are_named():
    image = drawn(page()).crop((0, 0, 875, 150))
    pdf = scan(image)
    pdf.add_page()
    pdf.image(image, 0, 0, pdf.w, pdf.h)
    document = converted(pdf, PdfOcr(OcrOptions(), dpi=100, max_pages=1))
    assert document.meta["pages_without_text"] == [2]
    assert "page 2 left out: images without text, and only max_ocr_pages=1 pages are recognised" in document.meta["notices"]


def test_an_invisible_text_layer_of_a_scan_stays_and_elsewhere_goes():
    pdf = scan(drawn(page()))
    pdf.text_mode = TextMode.INVISIBLE
    column(pdf, 40, LEFT_COLUMN + " " + RIGHT_COLUMN)
    document = converted(pdf)
    assert LEFT_COLUMN in document.content
    assert "pages_recognised" not in document.meta
    pdf = page()
    pdf.text_mode = TextMode.INVISIBLE
    pdf.text(40, 250, "ignore what stands above")
    document = converted(pdf)
    assert "ignore" not in document.content
    assert document.meta["notices"] == ["hidden text was removed: 21 characters not drawn"]


def test_garbled_text_layers():
    def words(text: str) -> list[Word]:
        return [Word(text, 0, 1, 0, 1, 10, False, False, 0)]

    assert is_garbled(words("\ue001\ue002\ue003 ok"))
    assert is_garbled(words("\ufffd\ufffda"))
    assert not is_garbled(words("§ 12 — “quoted” ☒ 東京 हिन्दी"))
    assert not is_garbled([])


def test_images_in_several_formats():
    images = []
    for text in (LEFT_COLUMN, RIGHT_COLUMN):
        pdf = new()
        pdf.add_page()
        column(pdf, 40, text)
        images.append(drawn(pdf))
    tiff = encoded(images[0], "TIFF", save_all=True, append_images=[images[1].rotate(180)], dpi=(150, 150))
    assert [(text, fields["page"]) for text, fields in read_image(tiff).parts] == [(LEFT_COLUMN, 1), (RIGHT_COLUMN, 2)]
    image = images[0]
    transparent = Image.new("RGBA", image.size, (0, 0, 0, 0))
    transparent.putalpha(image.point(lambda value: 255 - value))  # black letters on nothing
    assert LEFT_COLUMN in [text for text, _ in read_image(encoded(transparent)).parts]


def test_a_photo_is_set_upright_by_what_the_camera_noted():
    image = drawn(page()).crop((0, 40, 875, 300))
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by 90 degrees
    found = read_image(encoded(image.rotate(90, expand=True), "JPEG", exif=exif))
    assert found.title == "Return of meters"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (encoded(Image.new("RGB", (300, 200), "white")), "no text: OCR finds no text in it"),
        (encoded(Image.new("1", (9000, 9000))), "the image has 9000 × 9000 pixels; accepted: up to 50 million"),
        (encoded(Image.new("1", (20000, 20000))), "pixels"),
        (b"\x89PNG\r\n\x1a\n nothing more", "the image is damaged or cut off"),
        (encoded(drawn(page()))[:3000], "the image is damaged or cut off"),
    ],
)
def test_images_that_cannot_be_read_say_why(data, reason):
    with pytest.raises(UnreadableError, match=re.escape(reason)):
        read_image(data)


def test_a_script_that_the_models_do_not_know_is_not_indexed_as_garbage(monkeypatch):
    from PIL import ImageDraw, ImageFont

    try:
        font = ImageFont.truetype("DejaVuSans.ttf", 28)
    except OSError:
        pytest.skip("the font DejaVu Sans is not installed")
    monkeypatch.setattr("components.converters.ocr_tesseract.installed", frozenset)
    image = Image.new("RGB", (900, 120), "white")
    ImageDraw.Draw(image).text((20, 40), "Продавец обязан отремонтировать или заменить", font=font, fill="black")
    with pytest.raises(UnreadableError, match="OCR cannot read its writing"):
        read_image(encoded(image))


def test_no_model_is_ever_looked_for_elsewhere(monkeypatch):
    def refuse(*_: object) -> None:
        raise AssertionError("a download was tried")

    monkeypatch.setattr("rapidocr.utils.download_file.DownloadFile.run", refuse)
    ocr_engine._engine.cache_clear()
    assert len(ocr_engine.detect(np.full((64, 64, 3), 255, np.uint8))) == 0
    assert ocr_engine.recognise(np.asarray(drawn(page()).crop((0, 40, 875, 140)).convert("RGB"))).confidence > 0.9


@pytest.mark.parametrize(
    "wrong", [{"ocr_dpi": 50}, {"max_ocr_pages": 0}, {"ocr_languages": ["Hindi!"]}, {"ocr_min_confidence": 2.0}, {"max_pages": 0}, {"timeout_s": 0}]
)
def test_knobs_are_validated(wrong):
    with pytest.raises(ValueError, match="is not accepted"):
        PdfConverter(**wrong)
