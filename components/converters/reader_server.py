"""Imported first by the fork server of `reader_context.py`, and by nothing else: it keeps that process small and silent."""

from __future__ import annotations

import os
import sys

from components.converters.reader_process import silence

silence()
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # the children read beside the embedding; they must not take its cores
for module in ("torch", "transformers", "sentence_transformers"):
    sys.modules[module] = None  # pyright: ignore[reportArgumentType]  haystack and spacy import them where they can: half of time and memory, for nothing
