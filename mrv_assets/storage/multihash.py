"""Checksums that name their own algorithm: the multihash text of STAC's `file:checksum`.

What does not belong here: what a wrong checksum means (stac).
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

_HEX = re.compile(r"(?:[0-9a-f]{2})+")
# Code of the multiformats table, and hashlib's name. MD5 is left out: two files of one MD5 are easily made.
_ALGORITHMS = {
    0x11: ("sha1", "sha1"),
    0x12: ("sha2-256", "sha256"),
    0x13: ("sha2-512", "sha512"),
    0x14: ("sha3-512", "sha3_512"),
    0x15: ("sha3-384", "sha3_384"),
    0x16: ("sha3-256", "sha3_256"),
    0x17: ("sha3-224", "sha3_224"),
    0x20: ("sha2-384", "sha384"),
}
_REFUSED = {0x00: "identity", 0x1E: "blake3", 0xD5: "md5", 0xB220: "blake2b-256", 0xB240: "blake2b-512"}
# No multihash of a known algorithm has this length.
_PLAIN_SHA256 = 64
KNOWN = ", ".join(sorted(name for name, _ in _ALGORITHMS.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Multihash:
    """A checksum and the algorithm that it was made with."""

    algorithm: str
    digest: str

    @classmethod
    def parse(cls, text: str) -> Multihash:
        """Read a multihash in lower-case hex. Raises ValueError that says what is wrong with it."""
        if not _HEX.fullmatch(text):
            raise ValueError("text that is not lower-case hex")
        if len(text) == _PLAIN_SHA256:
            raise ValueError("64 hex digits without the name of an algorithm; a sha256 is written with 1220 before it")
        data = bytes.fromhex(text)
        code, rest = _varint(data)
        if code not in _ALGORITHMS:
            raise ValueError(f"the algorithm {_REFUSED.get(code, f'0x{code:x}')}")
        size, digest = _varint(rest)
        name, ours = _ALGORITHMS[code]
        if not size == len(digest) == hashlib.new(ours, usedforsecurity=False).digest_size:
            raise ValueError(f"{name} of {len(digest)} bytes, said to be {size}")
        return cls(algorithm=name, digest=digest.hex())

    @classmethod
    def of(cls, data: bytes, algorithm: str) -> Multihash:
        """Compute the checksum of `data` with one of the known algorithms."""
        ours = next(ours for name, ours in _ALGORITHMS.values() if name == algorithm)
        return cls(algorithm=algorithm, digest=hashlib.new(ours, data, usedforsecurity=False).hexdigest())

    def __str__(self) -> str:
        return f"{self.algorithm} {self.digest}"


def _varint(data: bytes) -> tuple[int, bytes]:
    """Read an unsigned varint; return it with the bytes behind it."""
    value = 0
    for index, byte in enumerate(data[:9]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, data[index + 1 :]
    raise ValueError("a multihash that is cut off")
