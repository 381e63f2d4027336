"""What a zip archive or an OLE2 file is, by the parts it holds."""

from __future__ import annotations

import io
import re
import zipfile

from components.routers.file_types import DOC, DOCX, EPUB, MSG, ODP, ODS, ODT, PPT, PPTX, XLS, XLSB, XLSX, ZIP, UnsupportedError, unsupported

OLE2 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MAX_UNPACKED_BYTES = 200_000_000
MAX_RATIO = 100  # unpacked to packed; text in a real document packs to about a tenth
_MAIN_PARTS = (  # documents, templates and shows, with macros and without, have the same main part
    (re.compile(r"wordprocessingml\.(?:document|template)\.main\+xml|ms-word\.(?:document|template)\.macroEnabled\w*\.main\+xml"), DOCX),
    (
        re.compile(
            r"presentationml\.(?:presentation|template|slideshow)\.main\+xml|ms-powerpoint\.(?:presentation|template|slideshow)\.macroEnabled\.main\+xml"
        ),
        PPTX,
    ),
    (re.compile(r"spreadsheetml\.(?:sheet|template)\.main\+xml|ms-excel\.(?:sheet|template|addin)\.macroEnabled\.main\+xml"), XLSX),
    (re.compile(r"ms-excel\.sheet\.binary\.macroEnabled\.main"), XLSB),
)
_OPEN_DOCUMENT = {ODT: ODT, ODP: ODP, ODS: ODS, EPUB: EPUB, f"{ODT}-template": ODT, f"{ODP}-template": ODP, f"{ODS}-template": ODS}


def zip_type(data: bytes) -> str:
    """The type of an archive by what it holds: an Office or OpenDocument file, an epub, or `application/zip`.

    :raises UnsupportedError: a damaged archive, one that would unpack to too much, an encrypted or an unknown document.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            check_unpacked_size(archive, len(data))
            names = {entry.filename for entry in archive.infolist()}
            if "[Content_Types].xml" in names:
                return _office_type(archive.read("[Content_Types].xml").decode("utf-8", "replace"))
            if "mimetype" in names and ("META-INF/manifest.xml" in names or "META-INF/container.xml" in names):
                return _open_document_type(archive, names)
            return EPUB if "META-INF/container.xml" in names else ZIP
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise UnsupportedError("the file is a damaged zip archive (docx, xlsx, pptx, odt and epub files are such archives)") from error


def check_unpacked_size(archive: zipfile.ZipFile, size: int) -> None:
    """Refuse an archive that would unpack to too much, before anything is unpacked.

    :param size: bytes of the archive itself.
    :raises UnsupportedError: more than `MAX_UNPACKED_BYTES`, or more than `MAX_RATIO` times its packed size.
    """
    entries = archive.infolist()
    unpacked, packed = sum(e.file_size for e in entries), sum(e.compress_size for e in entries)
    if unpacked > MAX_UNPACKED_BYTES or (unpacked > 10_000_000 and unpacked > MAX_RATIO * max(packed, 1)):
        raise UnsupportedError(
            f"the archive would unpack to {unpacked / 1e6:.0f} MB from {size / 1e6:.1f} MB, which is refused; "
            f"accepted: up to {MAX_UNPACKED_BYTES // 1_000_000} MB and {MAX_RATIO} times the packed size"
        )


def _office_type(types: str) -> str:
    for pattern, mime_type in _MAIN_PARTS:
        if pattern.search(types):
            return mime_type
    if "visio" in types:
        raise unsupported("a Visio drawing")
    raise unsupported("this kind of Office file")


def _open_document_type(archive: zipfile.ZipFile, names: set[str]) -> str:
    stated = archive.read("mimetype").decode("ascii", "replace").strip()
    found = _OPEN_DOCUMENT.get(stated)
    if found is None:
        raise unsupported(f"the type {stated[:80]}")
    if "META-INF/manifest.xml" in names and b"encryption-data" in archive.read("META-INF/manifest.xml"):
        raise UnsupportedError("the OpenDocument file is encrypted with a password; save it without one")
    if "META-INF/encryption.xml" in names and b"EncryptedData" in archive.read("META-INF/encryption.xml"):
        fonts_only = re.findall(rb'CipherReference[^>]+URI="([^"]+)"', archive.read("META-INF/encryption.xml"))
        if not fonts_only or not all(re.search(rb"(?i)\.(?:otf|ttf|woff2?)$", name) for name in fonts_only):
            raise UnsupportedError("the book is encrypted (DRM) and cannot be read")
    return found


def ole2_type(data: bytes) -> str:
    """The type of an old binary Office file or an Outlook message, by its streams.

    :raises UnsupportedError: encrypted, damaged, or of another kind.
    """
    import olefile

    try:
        with olefile.OleFileIO(data) as file:
            top = {str(path[0]) for path in file.listdir(streams=True, storages=True)}
    except (OSError, ValueError, IndexError, RecursionError, MemoryError) as error:
        raise UnsupportedError(f"the old binary Office file is damaged: {error}") from error
    if {"EncryptedPackage", "EncryptionInfo"} & top or any("DataSpaces" in name for name in top):
        raise UnsupportedError("the Office file is encrypted with a password; save it without one")
    for stream, mime_type in (("WordDocument", DOC), ("Workbook", XLS), ("Book", XLS), ("PowerPoint Document", PPT)):
        if stream in top:
            return mime_type
    if any(name.startswith(("__substg1.0_", "__properties_version1.0")) for name in top):
        return MSG
    raise unsupported("this kind of old binary Office file")
