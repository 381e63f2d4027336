"""What the process must be told before a graph is loaded."""

from __future__ import annotations

import logging
import os
import warnings
from pathlib import Path

from config.settings import Settings

ALLOWED_MODULES = ["components.*"]
"""Modules whose components a graph may name, besides Haystack's own and its integrations."""


def prepare(settings: Settings, *, verbose: bool = False) -> None:
    """Ask no model hub unless a setting names a hub model, and keep the libraries' logs for `verbose`."""
    models = [settings.embedding_model, settings.embedding_query_model, settings.ranker_model, settings.grounding_model]
    if all(model is None or model == "packaged" or Path(model).is_dir() for model in models):
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    logging.basicConfig(level=logging.INFO if verbose else logging.ERROR, format="%(levelname)s %(name)s: %(message)s")
    if not verbose:
        warnings.filterwarnings("ignore")
