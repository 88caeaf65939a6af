"""Private keys as PEM: made, written once for their owner alone, and read back only if nobody else could read them.

No function keeps the text in a variable of a frame that raises, and no message repeats any of it. What does not belong
here: which key is the one to sign with (key_folder).
"""

from __future__ import annotations

import os
import stat
import uuid
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.trust import key_id_of
from mrv_assets.storage.object_store import TEMPORARY

_LARGEST = 1 << 16
_OTHERS = 0o077
_ANOTHER = "`mrv keys rotate` makes another key; an altered or exposed one is never used again"


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """Return the 32 bytes of the public key."""
    return key.public_key().public_bytes_raw()


def private_name(key_id: str) -> str:
    """Return the name of the file of a private key."""
    return f"{key_id[:16]}.pem"


def private_key_of(pem: bytes, *, where: str) -> Ed25519PrivateKey:
    """Read the text of a private key. Raises ContractError, which repeats none of it, unless it is Ed25519 in PEM."""
    key = _parsed(pem)
    del pem
    if isinstance(key, Ed25519PrivateKey):
        return key
    raise ContractError(
        "private key cannot be read",
        where=where,
        expected="an Ed25519 private key as PEM (PKCS8, without a password)",
        found=key,
        remedy="restore it as `mrv keys init` wrote it, with its line ends; or `mrv keys rotate` for another one",
    )


def write_private_key(folder: Path, key: Ed25519PrivateKey) -> None:
    """Write a key into its file, whole or not at all, never over another one, readable by its owner alone; durable.

    Raises OSError as the file system does.
    """
    target = folder / private_name(key_id_of(public_bytes(key)))
    half = folder / f"{TEMPORARY}{uuid.uuid4().hex}"
    try:
        descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o600)
            file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
            file.flush()
            os.fsync(descriptor)
        target.hardlink_to(half)
    finally:
        half.unlink(missing_ok=True)
    sync_folder(folder)


def read_private_key(path: Path) -> Ed25519PrivateKey:
    """Read the key of a file.

    Raises ContractError for a file that is a link, belongs to somebody else, may be read by others, holds no such key,
    or is named for another key.
    """
    key = private_key_of(_private_bytes(path), where=str(path))
    if path.name != private_name(key_id_of(public_bytes(key))):
        raise _refused(path, f"the key {path.stem}", f"the key {key_id_of(public_bytes(key))[:16]}", _ANOTHER)
    return key


def require_private_folder(folder: Path) -> None:
    """Raise ContractError unless a folder is this user's and nobody else may look into it."""
    status = folder.stat()
    if status.st_uid != os.geteuid():
        raise _of_another(folder, status.st_uid)
    if status.st_mode & _OTHERS:
        raise _open_to_others(folder, status.st_mode, 0o700)


def sync_folder(folder: Path) -> None:
    """Return when the names in a folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _parsed(pem: bytes) -> Ed25519PrivateKey | str:
    """Return the key, or what is wrong, in words of ours: those of the library might quote the text."""
    try:
        key = load_pem_private_key(pem, password=None)
    except TypeError:
        return "one that is locked with a password"
    except (ValueError, UnsupportedAlgorithm):
        return "text that is none"
    return key if isinstance(key, Ed25519PrivateKey) else "a key of another kind"


def _private_bytes(path: Path) -> bytes:
    if path.is_symlink():
        raise _refused(path, "the file itself", "a link to elsewhere", "put the file itself there, with mode 600")
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise _refused(path, "a file that can be read", str(error.strerror), "give it to this user") from error
    try:
        # Of the open file, so that it cannot be another one by the time that it is read.
        _require_private(path, os.fstat(descriptor))
        return os.read(descriptor, _LARGEST)
    finally:
        os.close(descriptor)


def _require_private(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _refused(path, "a file", "something else", _ANOTHER)
    if status.st_uid != os.geteuid():
        raise _of_another(path, status.st_uid)
    if status.st_mode & _OTHERS:
        raise _open_to_others(path, status.st_mode, 0o600)


def _of_another(path: Path, owner: int) -> ContractError:
    return _refused(
        path,
        f"the property of the user who runs this ({os.geteuid()})",
        f"user {owner}",
        "run the command as that user, or give it to this one with chown",
    )


def _open_to_others(path: Path, mode: int, wanted: int) -> ContractError:
    return _refused(
        path,
        f"mode {wanted:o}: for its owner alone",
        f"mode {stat.S_IMODE(mode):o}",
        f"`chmod {wanted:o} {path}`; if others may have read a private key, `mrv keys rotate` afterwards",
    )


def _refused(path: Path, expected: str, found: str, remedy: str) -> ContractError:
    return ContractError("private key is not used", where=str(path), expected=expected, found=found, remedy=remedy)
