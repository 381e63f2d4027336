"""Office files that are encrypted with a password: Word, Excel and PowerPoint, the old binary ones too."""

from __future__ import annotations

import io
from typing import Any

from components.converters.outcome import locked


def is_locked(data: bytes) -> bool:
    """Whether an OLE2 file is an encrypted Office file. A damaged one is not."""
    try:
        return bool(_office_file(data).is_encrypted())
    except Exception:  # noqa: BLE001  msoffcrypto lets through whatever a damaged file makes olefile raise
        return False


def unlocked(data: bytes, passwords: tuple[str, ...]) -> bytes:
    """The decrypted file.

    :raises UnreadableError: no password opens it.
    """
    for password in passwords:
        out = io.BytesIO()
        try:
            file = _office_file(data)
            file.load_key(password=password, verify_password=True)
            file.decrypt(out)
        except Exception:  # noqa: BLE001, S112  a wrong password shows in many ways
            continue
        return out.getvalue()
    raise locked("the Office file", passwords)


def _office_file(data: bytes) -> Any:
    import msoffcrypto

    return msoffcrypto.OfficeFile(io.BytesIO(data))
