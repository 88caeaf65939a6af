"""The files that an auditor has: a bundle, a list of keys, published checkpoints, a proof, a folder of blobs.

What does not belong here: checking what they say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from mrv_assets.domain.bundle import SCHEMA, Bundle
from mrv_assets.domain.consistency import ConsistencyProof
from mrv_assets.domain.dsse import Envelope
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.trust import Trust
from mrv_assets.verify.reader import Blobs, Growth

_SHA256 = re.compile(r"[0-9a-f]{64}")


def read_bundle(path: Path) -> Bundle:
    """Read a bundle. Raises ContractError for a file of something else, BrokenChain for a damaged one."""
    data = _read(path, "a certificate, as `mrv certificate --out FILE` writes it")
    if SCHEMA.encode() not in data:
        raise _refused(path, f"a certificate of schema {SCHEMA}", "another file")
    return Bundle.from_bytes(data, where=str(path))


def read_trust(path: Path) -> Trust:
    """Read a list of keys. Raises ContractError when it cannot be read or is malformed."""
    return Trust.parse(_read(path, "a trust file, as `mrv keys trust --out FILE` writes it"), where=str(path))


def read_checkpoints(paths: Sequence[Path]) -> tuple[Envelope, ...]:
    """Read published checkpoints. Raises ContractError for a missing file, BrokenChain for another one."""
    return tuple(Envelope.from_bytes(_read(path, "a checkpoint").rstrip(b"\n"), where=str(path)) for path in paths)


def growth_of(path: Path | None) -> Growth | None:
    """Return what the proof in a file shows, None without a file. Raises as `read_checkpoints`."""
    if path is None:
        return None
    proof = ConsistencyProof.from_bytes(_read(path, "a consistency proof").rstrip(b"\n"), where=str(path))
    return lambda first, second: proof.nodes if (first, second) == (proof.first, proof.second) else None


def blobs_in(folder: Path | None) -> Blobs | None:
    """Return what finds blobs in a folder by the sha256 in their names, at any depth; None without a folder.

    Raises ContractError when it is none.
    """
    if folder is None:
        return None
    if not folder.is_dir():
        raise _refused(folder, "a folder of blobs, such as `blobs/` of a store", "no folder")
    found = {path.name[:64]: path for path in folder.rglob("*") if _SHA256.match(path.name) and path.is_file()}
    return lambda sha256: found[sha256].read_bytes() if sha256 in found else None


def _read(path: Path, expected: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _refused(path, expected, str(error.strerror or error)) from error


def _refused(path: Path, expected: str, found: str) -> ContractError:
    return ContractError(
        "file cannot be used", where=str(path), expected=expected, found=found, remedy="name the right file"
    )
