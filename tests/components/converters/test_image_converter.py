"""Through the children that read files, with their limits."""

import io

import pytest
from haystack import Pipeline
from haystack.dataclasses import ByteStream
from PIL import Image, ImageDraw, ImageFont

from components.converters.image_converter import ImageConverter


def png(text: str) -> bytes:
    image = Image.new("RGB", (700, 90), "white")
    ImageDraw.Draw(image).text((20, 25), text, font=ImageFont.load_default(32), fill="black")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def test_images_become_documents_or_failures_each_for_itself():
    sources = [
        ByteStream(png("Visitors ring the bell"), meta={"uri": "kb/door.png", "file_name": "door.png"}, mime_type="image/png"),
        ByteStream(b"\x89PNG\r\n\x1a\n", meta={"uri": "kb/broken.png"}),
    ]
    out = ImageConverter().run(sources)
    (document,) = out["documents"]
    assert document.content == "Visitors ring the bell"
    assert document.meta["title"] == "Door"
    assert document.meta["mime_type"] == "image/png"
    assert "page" not in document.meta["blocks"][0]
    assert document.meta["notices"][0].startswith("the image was read by OCR (PP-OCRv6, confidence ")
    assert [(f["source"], "damaged" in f["reason"]) for f in out["failed"]] == [("kb/broken.png", True)]


def test_yaml_round_trip(monkeypatch):
    pipeline = Pipeline()
    pipeline.add_component("images", ImageConverter(languages=["hi"], min_confidence=0.5))
    again = Pipeline.loads(pipeline.dumps()).get_component("images")
    assert again.languages == ["hi"]
    assert again.min_confidence == 0.5


@pytest.mark.parametrize("wrong", [{"languages": ["?"]}, {"min_confidence": -1}, {"timeout_s": 0}, {"max_memory_mb": 1}])
def test_knobs_are_validated(wrong):
    with pytest.raises(ValueError, match="is not accepted"):
        ImageConverter(**wrong)
