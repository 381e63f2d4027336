"""Sealing of what is kept: only who asks the same question with the same rights of the same index can name an entry and read it."""

from __future__ import annotations

import hashlib
import hmac
import os
import zlib

NONCE_BYTES = 12
MAX_PLAIN_BYTES = 4_000_000


class SealError(ValueError):
    """A sealed text that is not whole, or was sealed for another secret."""


def name_of(secret: bytes, what: bytes = b"name") -> bytes:
    """What an entry is filed under: nothing of the secret can be read from it."""
    return hmac.digest(secret, b"sakshya answer cache 1: " + what, "sha256")


def secret_of(*parts: str) -> bytes:
    """One secret from parts, none of which can run into the next.

    >>> secret_of("ab", "c") == secret_of("a", "bc")
    False
    """
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big") + raw)
    return digest.digest()


def seal(secret: bytes, plain: bytes) -> bytes:
    """Compress and encrypt (AES-256-GCM)."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(NONCE_BYTES)
    return nonce + AESGCM(name_of(secret, b"key")).encrypt(nonce, zlib.compress(plain, 1), None)


def unseal(secret: bytes, sealed: bytes) -> bytes:
    """What was sealed.

    :raises SealError: it is damaged, or was sealed with another secret.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        packed = AESGCM(name_of(secret, b"key")).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], None)
        return zlib.decompressobj().decompress(packed, MAX_PLAIN_BYTES)
    except (InvalidTag, ValueError, zlib.error) as error:
        raise SealError("an entry of the answer cache cannot be read") from error
