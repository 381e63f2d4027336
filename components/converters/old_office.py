"""Old binary Office files, by way of LibreOffice where it is installed."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from components.converters.outcome import UnreadableError
from components.converters.programs import run_program
from components.routers.file_types import DOC, DOCX, ODP, PPT, PPTX

TARGETS = {DOC: ("doc", "docx", DOCX, "Writer"), PPT: ("ppt", "pptx", PPTX, "Impress"), ODP: ("odp", "pptx", PPTX, "Impress")}
"""Type to: its extension, the extension and the type that it becomes, and the part of LibreOffice that does it."""
_MEMORY_MB = 4096


def office_program() -> str | None:
    """The path of LibreOffice, where it is installed."""
    return shutil.which("soffice") or shutil.which("libreoffice")


def convert_old(data: bytes, mime_type: str, *, timeout_s: float) -> tuple[bytes, str]:
    """Convert a doc, ppt or odp file to docx or pptx with a profile of its own: no macros, no settings, no recovery of other files.

    :returns: the file and its type.
    :raises UnreadableError: LibreOffice is not installed, cannot read it, or takes too long.
    """
    extension, target, target_type, module = TARGETS[mime_type]
    program = office_program()
    if program is None:
        raise UnreadableError(
            f"{extension} files are read by way of LibreOffice, which is not installed: install its {module} "
            f"(on Debian: apt install libreoffice-{module.lower()}), or save the file as {target}"
        )
    with tempfile.TemporaryDirectory(prefix="office-") as name:
        folder = Path(name)
        source, output = folder / f"source.{extension}", folder / "out"
        source.write_bytes(data)
        output.mkdir()
        command = [
            program,
            f"-env:UserInstallation={(folder / 'profile').as_uri()}",
            *("--headless", "--invisible", "--nologo", "--norestore", "--nolockcheck", "--nodefault"),
            *("--convert-to", target, "--outdir", str(output), str(source)),
        ]
        run_program(command, timeout_s=timeout_s, folder=folder, max_memory_mb=_MEMORY_MB)
        made = output / f"source.{target}"
        if not made.is_file():
            raise UnreadableError(f"LibreOffice cannot read the {extension} file: it is damaged or encrypted with a password, or {module} is missing")
        return made.read_bytes(), target_type
