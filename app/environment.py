"""What the process must be told before Haystack, transformers and unstructured are imported."""

from __future__ import annotations

import logging
import os
import warnings

from config.settings import Settings

ALLOWED_MODULES = ["components.*"]
"""Modules whose components a graph may name, besides Haystack's own and its integrations."""

QUIET = {
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "HAYHOOKS_TELEMETRY_ENABLED": "False",
    "DO_NOT_TRACK": "1",
    "UNSTRUCTURED_DISABLE_NOTICE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_VERBOSITY": "error",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TQDM_DISABLE": "1",
}


def prepare(settings: Settings, *, verbose: bool = False) -> None:
    """Set the environment of this process: nothing phones home, and no model hub is asked unless a setting names a hub model.

    A variable that the user has set is left as it is.
    """
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    models = [settings.embedding_model, settings.embedding_query_model, settings.ranker_model, settings.grounding_model]
    if all(model is None or model == "packaged" or os.path.isdir(model) for model in models):  # noqa: PTH112
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    logging.basicConfig(level=logging.INFO if verbose else logging.ERROR, format="%(levelname)s %(name)s: %(message)s")
    if not verbose:
        warnings.filterwarnings("ignore")
