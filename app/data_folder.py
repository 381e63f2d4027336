"""The folder of the embedded index, before anything is written there: one line, instead of one for each document."""

from __future__ import annotations

import os
import tempfile

from app.errors import SakshyaError
from config.settings import settings


def require_writable_index() -> None:
    """Make the folder of the embedded index, and a file in it for a moment.

    :raises SakshyaError: that cannot be done; nothing where the index is on a Qdrant server.
    """
    if settings().qdrant_url:
        return
    folder = settings().index_dir.expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise SakshyaError(
            f"{folder}: the index cannot be written there: {reason} (SAKSHYA_DATA_DIR; accepted is a folder that can be written)"
        ) from None
