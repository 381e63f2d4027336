"""Text recognition by Tesseract, where it is installed: for scripts that the built-in models do not know."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import lru_cache
from io import BytesIO, StringIO
from statistics import median

import numpy as np

from components.converters.ocr_engine import Seen, SeenLine, SeenPage

SCRIPTS = {
    "Arabic": "ara fas urd pus uig",
    "Armenian": "hye",
    "Bengali": "ben asm",
    "Cyrillic": "rus ukr bul srp mkd bel kaz",
    "Devanagari": "hin mar nep san",
    "Ethiopic": "amh tir",
    "Georgian": "kat",
    "Greek": "ell grc",
    "Gujarati": "guj",
    "Gurmukhi": "pan",
    "Hangul": "kor",
    "Korean": "kor",
    "Hebrew": "heb yid",
    "Kannada": "kan",
    "Khmer": "khm",
    "Lao": "lao",
    "Malayalam": "mal",
    "Myanmar": "mya",
    "Oriya": "ori",
    "Sinhala": "sin",
    "Tamil": "tam",
    "Telugu": "tel",
    "Thai": "tha",
    "Tibetan": "bod",
}
"""Languages of each script that Tesseract's orientation and script detection can name, the most common first, in Tesseract's codes."""

CODES = {
    **{"am": "amh", "ar": "ara", "as": "asm", "be": "bel", "bg": "bul", "bn": "ben", "bo": "bod", "de": "deu", "el": "ell", "en": "eng"},
    **{"es": "spa", "fa": "fas", "fr": "fra", "gu": "guj", "he": "heb", "hi": "hin", "hy": "hye", "it": "ita", "ka": "kat", "kk": "kaz"},
    **{"km": "khm", "kn": "kan", "ko": "kor", "lo": "lao", "mk": "mkd", "ml": "mal", "mr": "mar", "my": "mya", "ne": "nep", "nl": "nld"},
    **{"or": "ori", "pa": "pan", "pl": "pol", "ps": "pus", "pt": "por", "ru": "rus", "sa": "san", "si": "sin", "sr": "srp", "ta": "tam"},
    **{"te": "tel", "th": "tha", "ti": "tir", "tr": "tur", "ug": "uig", "uk": "ukr", "ur": "urd", "vi": "vie", "yi": "yid"},
}
"""Tesseract's code of a language by its two-letter code (ISO 639-1)."""

_SCRIPT = re.compile(r"^Script: (\S+)", re.MULTILINE)
_TURN = re.compile(r"^Rotate: (\d+)", re.MULTILINE)
_TURN_SURE = re.compile(r"^Orientation confidence: ([\d.]+)", re.MULTILINE)


def code(language: str) -> str:
    """Tesseract's code: of a two-letter code, or the same where it is Tesseract's already (`hin`, `chi_sim`)."""
    return CODES.get(language.lower(), language)


@lru_cache(maxsize=1)
def installed() -> frozenset[str]:
    """Codes of the languages that Tesseract has here; none where it is not installed."""
    program = shutil.which("tesseract")
    if program is None:
        return frozenset()
    try:
        listed = subprocess.run([program, "--list-langs"], capture_output=True, text=True, timeout=20, check=True).stdout  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return frozenset()
    return frozenset(line.strip() for line in listed.splitlines()[1:] if line.strip())


def script_of(image: np.ndarray) -> tuple[str, int]:
    """The script of a page and the degrees clockwise by which it must be turned to stand upright.

    :returns: the script's name as in `SCRIPTS`, or `Latin`, `Han` and others; empty where it cannot be told.
    """
    if "osd" not in installed():
        return "", 0
    told = _run(image, ["--psm", "0", "-l", "osd"])
    script, turn, sure = _SCRIPT.search(told), _TURN.search(told), _TURN_SURE.search(told)
    turned = int(turn.group(1)) if turn and sure and float(sure.group(1)) >= 2 else 0
    return (script.group(1) if script else ""), turned


def recognise(image: np.ndarray, languages: list[str], dpi: int, turned: int = 0) -> SeenPage:
    """Recognise an image with Tesseract.

    :param image: height × width × 3, 8 bits, red, green, blue.
    :param languages: installed ones, in Tesseract's codes.
    :param dpi: pixels per inch, which Tesseract wants to know.
    :param turned: degrees clockwise, a multiple of 90, to turn the image by first.
    """
    image = np.ascontiguousarray(np.rot90(image, -turned // 90))
    page = SeenPage(image.shape[1], image.shape[0], turned)
    table = _run(image, ["--psm", "3", "--dpi", str(dpi), "-l", "+".join(languages), "tsv"])
    lines: dict[tuple[str, ...], list[dict[str, str]]] = {}
    rows = [row.split("\t") for row in StringIO(table).read().splitlines()]
    for row in rows[1:]:
        word = dict(zip(rows[0], row, strict=False))
        if word.get("level") == "5" and word.get("text", "").strip():
            lines.setdefault((word["block_num"], word["par_num"], word["line_num"]), []).append(word)
    page.lines = [_line(words) for words in lines.values()]
    return page


def _line(words: list[dict[str, str]]) -> SeenLine:
    seen = [Seen(w["text"].strip(), float(w["left"]), float(w["left"]) + float(w["width"])) for w in words]
    lengths = [len(word.text) for word in seen]
    confidence = sum(max(0.0, float(w["conf"])) * n for w, n in zip(words, lengths, strict=True)) / sum(lengths) / 100
    feet = median(float(w["top"]) + float(w["height"]) for w in words)
    height = max(float(w["height"]) for w in words)
    return SeenLine(sorted(seen, key=lambda word: word.x0), feet, height, confidence)


def _run(image: np.ndarray, arguments: list[str]) -> str:
    from PIL import Image

    buffer = BytesIO()
    Image.fromarray(image).convert("L").save(buffer, "PNG", compress_level=1)
    program = shutil.which("tesseract") or "tesseract"
    try:
        done = subprocess.run(  # noqa: S603
            [program, "-", "-", *arguments],
            input=buffer.getvalue(),
            capture_output=True,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""  # it found too little on the page to say anything, or cannot run
    return done.stdout.decode("utf-8", "replace")
