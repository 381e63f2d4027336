"""Text recognition of one page image: PP-OCRv6 run by `rapidocr`, whose wheel carries the models; nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from components.converters import ocr_ink
from components.converters.isolation import WORKERS

DETECTION_SIDE = 1280  # pixels of the longer side that the detector sees; 2000 took three times as long and found no more lines
SMALL_SIDE = 700  # pixels; a smaller picture is enlarged before it is read
SAMPLE = 6  # lines that tell which way up a page is
MODELS = {"Det": "PP-OCRv6_det_small.onnx", "Rec": "PP-OCRv6_rec_small.onnx", "Cls": "ch_ppocr_mobile_v2.0_cls_mobile.onnx"}


@dataclass(slots=True)
class Seen:
    """A word as it was recognised: its text, its ends in pixels from the left edge of the upright page, and the width of its strokes."""

    text: str
    x0: float
    x1: float
    stroke: float = 0.0


@dataclass(slots=True)
class SeenLine:
    """A line, or a cell of one: words from left to right, in pixels of the upright page.

    :param base: height of its base line.
    :param size: type size, told by the height of its letters.
    :param confidence: from 0 to 1: what the recogniser gives its characters on the average, times the part of the ink that stands at one of
        them. A recogniser that does not know a script passes over most letters and is sure of the few marks that it does know.
    """

    words: list[Seen]
    base: float
    size: float
    confidence: float

    @property
    def text(self) -> str:
        """Its words with single spaces."""
        return " ".join(word.text for word in self.words)

    @property
    def width(self) -> float:
        """From its first word to its last, in pixels."""
        return self.words[-1].x1 - self.words[0].x0


@dataclass(slots=True)
class SeenPage:
    """What was recognised on an image.

    :param width: of the upright page, in pixels; `height` likewise.
    :param turned: degrees clockwise by which the page was turned to stand upright: 0, 90, 180 or 270.
    :param unread: width of what looks like lines and gave no character, in pixels.
    """

    width: int
    height: int
    turned: int = 0
    lines: list[SeenLine] = field(default_factory=list)
    unread: float = 0.0

    @property
    def confidence(self) -> float:
        """Of its lines, each weighed by its width, those that gave nothing among them; 0 where there is none."""
        return sum(line.confidence * line.width for line in self.lines) / max(self.extent, 1.0)

    @property
    def extent(self) -> float:
        """Width of all that looks like lines, in pixels."""
        return sum(line.width for line in self.lines) + self.unread


@lru_cache(maxsize=1)
def _engine() -> Any:
    """The models, loaded once in a process. Their files are named, so that none is ever looked for elsewhere."""
    import rapidocr

    folder = Path(rapidocr.__file__).parent / "models"
    return rapidocr.RapidOCR(
        params={
            **{f"{part}.model_path": str(folder / name) for part, name in MODELS.items()},
            "Global.log_level": "critical",
            "Global.max_side_len": 1_000_000,
            "Det.limit_type": "max",
            "Det.limit_side_len": DETECTION_SIDE,
            "Rec.rec_batch_num": 2,  # lines of one batch are padded to the longest; larger ones take memory and save no time
            "EngineConfig.onnxruntime.intra_op_num_threads": max(1, (os.cpu_count() or 1) // WORKERS),
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def recognise(image: np.ndarray) -> SeenPage:
    """Recognise the text of an image, whichever way up it is.

    :param image: height × width × 3, 8 bits, in the order red, green, blue.
    """
    import cv2

    image = np.ascontiguousarray(image[:, :, ::-1])
    side = max(image.shape[:2])
    scale = min(3.0, SMALL_SIDE / side) if side < SMALL_SIDE else 1.0
    if scale > 1:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    boxes = detect(image)
    turned = 0
    if len(boxes) and _stands_on_its_side(boxes):
        image, turned = np.ascontiguousarray(np.rot90(image, 3)), 90
        boxes = detect(image)
    if len(boxes) and _is_upside_down(image, boxes, sure=turned == 0):
        image, turned = np.ascontiguousarray(np.rot90(image, 2)), turned + 180
        boxes = detect(image)
    page = SeenPage(round(image.shape[1] / scale), round(image.shape[0] / scale), turned)
    if not len(boxes):
        return page
    crops = [crop(image, box) for box in boxes]
    found = read_crops(crops)
    boxes = _straightened(boxes, image.shape[1] / 2, image.shape[0] / 2)
    for box, picture, (text, confidence, places) in zip(boxes, crops, found, strict=True):
        if text.strip():
            page.lines.append(_scaled(_line(box, picture, text, confidence, places), scale))
        else:
            page.unread += picture.shape[1] / scale
    return page


def detect(image: np.ndarray) -> np.ndarray:
    """Find the lines of text.

    :param image: in the order blue, green, red.
    :returns: n × 4 × 2: corners of each line's box, from the upper left one clockwise.
    """
    boxes = _engine()(image, use_det=True, use_cls=False, use_rec=False).boxes
    return np.zeros((0, 4, 2), dtype=np.float32) if boxes is None else np.asarray(boxes, dtype=np.float32)


def read_crops(crops: Sequence[np.ndarray]) -> list[tuple[str, float, list[float]]]:
    """Recognise pictures of single lines.

    :returns: of each the text, the confidence, and where each character that is no space stands, as a part of the width from 0 to 1.
    """
    engine = _engine()
    engine.update_params(return_word_box=True)
    result = engine.recognize_txt(list(crops))
    out = []
    for text, score, info in zip(result.txts, result.scores, result.word_results, strict=True):
        columns = [column for word in info.word_cols for column in word] if info else []
        width = (info.line_txt_len if info else 0) or 1.0
        out.append((text, float(score), [min((column + 0.5) / width, 1.0) for column in columns]))
    return out


def crop(image: np.ndarray, box: np.ndarray) -> np.ndarray:
    """The picture of one line, straightened."""
    import cv2

    width = max(4, round(float(max(np.linalg.norm(box[0] - box[1]), np.linalg.norm(box[3] - box[2])))))
    height = max(4, round(float(max(np.linalg.norm(box[0] - box[3]), np.linalg.norm(box[1] - box[2])))))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(box.astype(np.float32), target)
    return cv2.warpPerspective(image, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE, flags=cv2.INTER_CUBIC)


def _sizes(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.ptp(boxes[:, :, 0], axis=1), np.ptp(boxes[:, :, 1], axis=1)


def _stands_on_its_side(boxes: np.ndarray) -> bool:
    """Whether most text runs up or down, by the length of its boxes."""
    width, height = _sizes(boxes)
    return float(height[height > 1.5 * width].sum()) > 1.5 * float(width[width > 1.5 * height].sum())


def _is_upside_down(image: np.ndarray, boxes: np.ndarray, sure: bool) -> bool:
    """Whether the longest lines read better turned by half a turn.

    :param sure: the page most likely stands upright: then lines are read only if the direction classifier doubts that.
    """
    width, height = _sizes(boxes)
    longest = sorted(range(len(boxes)), key=lambda n: -min(width[n], 20 * height[n]))[:SAMPLE]
    crops = [crop(image, boxes[n]) for n in longest if width[n] > 1.2 * height[n]]
    if not crops:
        return False
    if sure:
        _, found = _engine().cls_and_rotate(crops)
        turned = sum(score if label == "180" else -score for label, score in found.cls_res)
        if turned < -0.3 * len(crops):
            return False
    upright = np.mean([score for _, score, _ in read_crops(crops)])
    turned = np.mean([score for _, score, _ in read_crops([np.ascontiguousarray(np.rot90(c, 2)) for c in crops])])
    return bool(turned > upright)


def _straightened(boxes: np.ndarray, x: float, y: float) -> np.ndarray:
    """Boxes turned about a point so that most lines are level."""
    width, height = _sizes(boxes)
    long = boxes[width > 4 * height]
    if len(long) < 2:
        return boxes
    steps = long[:, 1] - long[:, 0]
    angle = float(np.median(np.arctan2(steps[:, 1], steps[:, 0])))
    cos, sin = np.cos(-angle), np.sin(-angle)
    centred = boxes - np.array([x, y])
    return np.stack([centred[:, :, 0] * cos - centred[:, :, 1] * sin + x, centred[:, :, 0] * sin + centred[:, :, 1] * cos + y], axis=2)


def _line(box: np.ndarray, picture: np.ndarray, text: str, confidence: float, places: list[float]) -> SeenLine:
    """Words of a line with their places: characters' places from the recogniser, ends of words from the ink between them."""
    left, right = float(box[[0, 3], 0].mean()), float(box[[1, 2], 0].mean())
    top, bottom = float(box[[0, 1], 1].mean()), float(box[[3, 2], 1].mean())
    ink = ocr_ink.ink_of(picture)
    base, size = ocr_ink.base_and_size(ink, text)
    step = (right - left) / picture.shape[1]
    words = []
    for word, (start, end) in zip(text.split(), ocr_ink.word_ends(ink, text, places), strict=True):
        stroke = ocr_ink.stroke_width(ink[:, int(start) : max(int(end), int(start) + 1)])
        words.append(Seen(word, left + start * step, left + end * step, stroke))
    ratio = (bottom - top) / picture.shape[0]
    return SeenLine(words, top + base * ratio, size * ratio, confidence * ocr_ink.explained(ink, places, size))


def _scaled(line: SeenLine, scale: float) -> SeenLine:
    if scale != 1:
        line.base, line.size = line.base / scale, line.size / scale
        for word in line.words:
            word.x0, word.x1 = word.x0 / scale, word.x1 / scale
    return line
