"""What an Office file in the XML format carries beside its text: macros, and declarations of entities that no Office program writes."""

from __future__ import annotations

import io
import re
import zipfile

_DOCTYPE = re.compile(rb"<!DOCTYPE", re.IGNORECASE)
_WIDE_DOCTYPE = re.compile("<!DOCTYPE".encode("utf-16-le") + b"|" + "<!DOCTYPE".encode("utf-16-be"), re.IGNORECASE)
_HEAD = 4096  # bytes; a declaration stands before the first element


def package_notices(data: bytes) -> list[str]:
    """Notices of a docx, pptx or xlsx file.

    :param data: the file, whose unpacked size is already checked.
    """
    notices: list[str] = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        if any(name.endswith("vbaProject.bin") for name in names):
            notices.append("it holds macros, which were not run")
        declaring = []
        for name in names:
            if name.endswith((".xml", ".rels")):
                with archive.open(name) as part:
                    head = part.read(_HEAD)
                if _DOCTYPE.search(head) or _WIDE_DOCTYPE.search(head):
                    declaring.append(name)
        if declaring:
            notices.append(f"{', '.join(declaring)[:200]} declares a document type; its entities were not resolved")
    return notices
