"""Archives and mails into the files that they hold."""

from __future__ import annotations

from dataclasses import replace

from haystack import component
from haystack.dataclasses import ByteStream

from components.chunk import source_id
from components.converters import isolation
from components.converters.outcome import UnreadableError, failure, source_name
from components.failure import Failure
from components.routers.container_members import Limits, Member, Unpacked
from components.routers.unpacking import may_hold_others, unpack
from config.settings import settings

MEGABYTE = 1_000_000


@component
class ContainerUnpacker:
    """Adds the files of zip archives and the attachments of mails to the sources; opens encrypted Office files with the passwords of the settings.

    Haystack has no part for it. Nothing is written to disk, and every limit is checked before anything is unpacked; it is done in a child process,
    as all reading is.

    A member is a source of its own: its uri is that of the container, `#` and its path in it (behind a further `#` the path in an inner container),
    and its life goes by the container's. A mail stays a source beside its attachments; of an archive only its members are passed on.

    ```python
    archive = ByteStream(data, meta={"path": "a.zip", "uri": "a.zip", "tenant": "default", "alias": "", "container_id": "…"})
    [source.meta["uri"] for source in ContainerUnpacker().run([archive])["sources"]]  # ['a.zip#reports/may.pdf', 'a.zip#readme.md']
    ```
    """

    def __init__(
        self,
        max_members: int = 1000,
        max_depth: int = 3,
        max_unpacked_mb: int = 200,
        max_ratio: int = 100,
        min_inline_image_kb: int = 30,
        timeout_s: float = 120.0,
        max_memory_mb: int = 1024,
    ) -> None:
        """Create an unpacker.

        :param max_members: files of one source, those of inner containers included; 1 or more.
        :param max_depth: containers inside each other; 1 unpacks none that is in another one.
        :param max_unpacked_mb: megabytes of all files of one source; 1 or more.
        :param max_ratio: how many times its packed size an archive may unpack to, counted from 10 MB; 2 or more.
        :param min_inline_image_kb: kilobytes from which an image that a mail shows in its text is a member; smaller ones are logos. 0 or more.
        :param timeout_s: seconds that unpacking one source may take, more than 0.
        :param max_memory_mb: megabytes of memory that it may take, 64 or more.
        :raises ValueError: a value out of range.
        """
        for name, value, least in (
            ("max_members", max_members, 1),
            ("max_depth", max_depth, 1),
            ("max_unpacked_mb", max_unpacked_mb, 1),
            ("max_ratio", max_ratio, 2),
            ("min_inline_image_kb", min_inline_image_kb, 0),
            ("max_memory_mb", max_memory_mb, 64),
        ):
            if value < least:
                raise ValueError(f"{name}={value!r} is not accepted: {least} or more")
        if not timeout_s > 0:
            raise ValueError(f"timeout_s={timeout_s!r} is not accepted: seconds, more than 0")
        self.max_members = max_members
        self.max_depth = max_depth
        self.max_unpacked_mb = max_unpacked_mb
        self.max_ratio = max_ratio
        self.min_inline_image_kb = min_inline_image_kb
        self.timeout_s = timeout_s
        self.max_memory_mb = max_memory_mb
        isolation.preload(("components.routers.unpacking",))

    @component.output_types(sources=list[ByteStream], failed=list[Failure], notices=list[Failure])
    def run(self, sources: list[ByteStream]) -> dict[str, list[ByteStream] | list[Failure]]:
        """Unpack what is a container; everything else passes as it is.

        :param sources: sources with meta from the intake node.
        :returns: `sources`, each container's members in its place, those of a mail behind it; a mail's meta `attachments` lists their names.
            `failed`: containers (by uri) and members (`uri#path`) that cannot be read. `notices`: what was renamed or left out.
        """
        limits = Limits(
            self.max_members, self.max_depth, self.max_unpacked_mb * MEGABYTE, self.max_ratio, inline_image_bytes=self.min_inline_image_kb * 1000
        )
        suspects = [place for place, source in enumerate(sources) if may_hold_others(source.data, _file_name(source))]
        results = isolation.run_isolated(
            unpack,
            [(sources[place],) for place in suspects],
            {"limits": limits, "passwords": settings().passwords} if suspects else {},
            timeout_s=self.timeout_s,
            max_memory_mb=self.max_memory_mb,
        )
        found: dict[int, Unpacked | UnreadableError] = dict(zip(suspects, results, strict=True))
        passed: list[ByteStream] = []
        failed: list[Failure] = []
        notices: list[Failure] = []
        for place, source in enumerate(sources):
            unpacked = found.get(place)
            if unpacked is None:
                passed.append(source)
                continue
            if isinstance(unpacked, UnreadableError):
                failed.append(failure(source, unpacked))
                continue
            passed += _sources(source, unpacked)
            name = source_name(source)
            failed += (failure(f"{name}#{member}", reason) for member, reason in unpacked.failed)
            notices += (failure(name, notice) for notice in unpacked.notices)
            if not (unpacked.has_text or unpacked.members or unpacked.failed):
                failed.append(failure(source, "no file is in the archive"))
        return {"sources": passed, "failed": failed, "notices": notices}


def _file_name(source: ByteStream) -> str:
    meta = source.meta or {}
    return str(meta.get("file_name") or meta.get("path") or meta.get("uri") or "")


def _sources(source: ByteStream, unpacked: Unpacked) -> list[ByteStream]:
    names = [*(member.name for member in unpacked.members), *(name for name, _ in unpacked.failed)]
    passed: list[ByteStream] = []
    if unpacked.has_text:
        meta = {**source.meta, **_attachments(names, "")}
        passed.append(replace(source, data=unpacked.data or source.data, meta=meta))
    for member in unpacked.members:
        stream = _member(source, member)
        stream.meta.update(_attachments(names, f"{member.name}#"))
        passed.append(stream)
    return passed


def _attachments(names: list[str], prefix: str) -> dict[str, list[str]]:
    """The names directly in a container, as a meta field where there are any."""
    inside = list(dict.fromkeys(name[len(prefix) :].partition("#")[0] for name in names if name.startswith(prefix)))
    return {"attachments": inside} if inside else {}


def _member(source: ByteStream, member: Member) -> ByteStream:
    """The member as a source: the container's meta but for what names it; the container's title is not the member's."""
    meta = {key: value for key, value in source.meta.items() if key not in ("title", "mime_type")}
    path = f"{meta.get('path') or meta.get('file_name') or meta.get('uri') or ''}#{member.name}"
    meta["uri"] = f"{source_name(source)}#{member.name}"
    meta["path"] = path
    meta["file_name"] = member.name.rpartition("#")[2].rpartition("/")[2]
    meta["source_id"] = source_id(str(meta.get("tenant") or "default"), str(meta.get("alias") or ""), path)
    return ByteStream(data=member.data, meta=meta)
