"""Sends each source to the converter that reads it."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from haystack import component
from haystack.dataclasses import ByteStream

from components.converters.outcome import failure
from components.failure import Failure
from components.routers.content_sniffer import UnsupportedError, sniff
from components.routers.file_types import Route


@component
class ContentTypeRouter:
    """Routes sources by what they hold, not by what they are named.

    Haystack's `FileTypeRouter` believes the extension or a stated mime type, so a PDF named `.txt` would be indexed as its bytes.

    ```python
    router = ContentTypeRouter()
    out = router.run([ByteStream(b"# Leave", meta={"file_name": "leave.md"})])
    out["text"][0].mime_type  # 'text/markdown'
    ```
    """

    @component.output_types(
        text=list[ByteStream],
        pdf=list[ByteStream],
        records=list[ByteStream],
        sheets=list[ByteStream],
        images=list[ByteStream],
        failed=list[Failure],
    )
    def run(self, sources: list[ByteStream]) -> dict[str, list[ByteStream] | list[Failure]]:
        """Sort the sources.

        :param sources: sources with meta from the intake node.
        :returns: `text`, `pdf`, `records`, `sheets` and `images`, each source with `mime_type` set on itself and in its meta, and
            `content_mismatch` (one line) in the meta where the extension says something else; `failed`: what no converter reads, with
            the reason. A zip folder is among them: its files come here one by one.
        """
        routed: dict[str, list[ByteStream]] = {route: [] for route in get_args(Route)}
        failed: list[Failure] = []
        for source in sources:
            meta = dict(source.meta or {})
            name = str(meta.get("file_name") or meta.get("path") or meta.get("uri") or "")
            try:
                found = sniff(source.data, name)
            except UnsupportedError as error:
                failed.append(failure(source, error))
                continue
            meta["mime_type"] = found.mime_type
            if found.mismatch:
                meta["content_mismatch"] = found.mismatch
            routed[found.route].append(replace(source, meta=meta, mime_type=found.mime_type))
        return {**routed, "failed": failed}
