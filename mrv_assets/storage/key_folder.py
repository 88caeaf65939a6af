"""The folder of keys: private keys, each in a file of its own, and `trust.toml` with the public ones.

Every change is made under a lock. A private key is written before it is listed, so what a crash leaves is a key that
nothing was signed with; the next `init` or `rotate` takes it up. What does not belong here: signing.
"""

from __future__ import annotations

import fcntl
import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from mrv_assets.domain.errors import ContractError, listed
from mrv_assets.domain.trust import Trust, TrustedKey, utc_instant
from mrv_assets.storage.object_store import TEMPORARY
from mrv_assets.storage.private_keys import (
    private_name,
    public_bytes,
    read_private_key,
    require_private_folder,
    sync_folder,
    write_private_key,
)

TRUST = "trust.toml"


@dataclass(frozen=True, slots=True)
class KeyFolder:
    """A folder of keys that may not be there yet. It is for one user: mode 700.

    Own keys are those whose private file is here; `trust.toml` may list keys of others beside them.
    """

    path: Path

    def trust(self) -> Trust:
        """Return the public keys, none where there is no file. Raises ContractError for a malformed file."""
        with _told(self.path):
            file = self.path / TRUST
            data = file.read_bytes() if file.exists() else b""
        return Trust.parse(data, where=str(self.path / TRUST))

    def init(self, owner: str, now: datetime) -> TrustedKey:
        """Make the first key, valid from `now` on, and return it; a key that can sign already stays as it is.

        A private key that a crash left unlisted is listed. Raises ContractError when keys are listed of which none can
        sign here, for an owner whom nobody can read, and for a folder that others may look into.
        """
        with self._changing():
            trust = self.trust()
            if (key := self.current(trust, now)) is not None:
                return key
            if trust.keys:
                raise self._begun_before(trust)
            return self._listed_anew(trust, owner, now)

    def rotate(self, owner: str | None, now: datetime) -> TrustedKey:
        """Make another key, valid from `now` on, end the ones before it at the same instant, and return it.

        The owner stays when it is None. Private keys that have ended stay in their files and are not used again. Where
        no private key is here (it is in the environment), the keys of the owner are ended. Raises ContractError when
        there is nothing to rotate, the owner cannot be told, or the clock is behind the key.
        """
        with self._changing():
            trust = self.trust()
            if not trust.keys:
                raise self._nothing_to_rotate()
            mine = [key for key in trust.keys if self.has_private(key)]
            name = owner or self._owner(mine or trust.keys)
            before = [key for key in mine or trust.keys if mine or key.owner == name]
            ended = [self._ended(key, now) for key in before if not key.is_ended(instant_text(now))]
            by_id = {key.key_id: key for key in (*trust.keys, *ended)}
            return self._listed_anew(Trust(keys=tuple(by_id.values())), name, now)

    def current(self, trust: Trust, now: datetime) -> TrustedKey | None:
        """Return the newest key that counts at `now` and whose private file is here, None for none."""
        usable = [key for key in trust.keys if key.is_valid_at(instant_text(now)) and self.has_private(key)]
        return max(usable, key=_begin) if usable else None

    def private_key(self, now: datetime) -> Ed25519PrivateKey | None:
        """Return the private key to sign with at `now`; where none counts, one that does not, for the caller to refuse.

        None where no key was ever made. Raises ContractError when keys are listed and no private file is here, and for
        a folder or file that is not private.
        """
        trust, files = self.trust(), self.private_files()
        if not files:
            if trust.keys:
                raise self._gone(trust)
            return None
        with _told(self.path):
            require_private_folder(self.path)
        mine = sorted((key for key in trust.keys if self.has_private(key)), key=_begin)
        key = self.current(trust, now) or (mine[-1] if mine else None)
        return read_private_key(self.private_path(key) if key else files[0])

    def private_path(self, key: TrustedKey) -> Path:
        """Return where the private half of a key is, whether it is there or not."""
        return self.path / private_name(key.key_id)

    def has_private(self, key: TrustedKey) -> bool:
        """Tell whether there is a file for the private half of a key, usable or not."""
        return os.path.lexists(self.private_path(key))

    def private_files(self) -> Sequence[Path]:
        """Return the files of private keys, by name."""
        with _told(self.path):
            return sorted(self.path.glob("*.pem"))

    def unlisted(self) -> Sequence[Path]:
        """Return the files of private keys that `trust.toml` does not list: what a crash left, or a stranger put."""
        names = {private_name(key.key_id) for key in self.trust().keys}
        return [file for file in self.private_files() if file.name not in names]

    def _listed_anew(self, trust: Trust, owner: str, now: datetime) -> TrustedKey:
        # Looked at before anything is written: an owner who is refused leaves no key behind.
        private = self._left_behind() or Ed25519PrivateKey.generate()
        begin = instant_text(now)
        key = TrustedKey.of(public_bytes(private), owner=owner, valid_from_utc=begin, where="--owner")
        if not self.has_private(key):
            write_private_key(self.path, private)
        _replace(self.path / TRUST, Trust(keys=(*trust.keys, key)).to_toml())
        return key

    def _left_behind(self) -> Ed25519PrivateKey | None:
        left = self.unlisted()
        if len(left) > 1:
            raise _refused(
                self.path,
                expected=f"at most one private key that {TRUST} does not list",
                found=listed([file.name for file in left]),
                remedy="take away those that are not yours; restore trust.toml if it was lost",
            )
        return read_private_key(left[0]) if left else None

    def _owner(self, keys: Sequence[TrustedKey]) -> str:
        owners = sorted({key.owner for key in keys})
        if len(owners) == 1:
            return owners[0]
        raise _refused(
            self.path, expected="one owner", found=listed(owners), remedy="say whose the new key is with --owner"
        )

    def _ended(self, key: TrustedKey, now: datetime) -> TrustedKey:
        if key.is_before(instant_text(now)) or key.valid_from_utc == instant_text(now):
            raise _refused(
                self.path,
                expected=f"a clock after {key.valid_from_utc}, from when on the key {key.key_id[:16]} counts",
                found=instant_text(now),
                remedy="set the clock of this machine right; the key before would end before it began",
            )
        return replace(key, valid_until_utc=instant_text(now))

    def _begun_before(self, trust: Trust) -> ContractError:
        return _refused(
            self.path,
            expected=f"a folder without keys, or one in which a key of {TRUST} can sign",
            found=f"{len(trust.keys)} listed, of which none counts now with its private key here",
            remedy="`mrv keys list` shows them; `mrv keys rotate` makes another key; or put the private key back",
        )

    def _nothing_to_rotate(self) -> ContractError:
        return _refused(
            self.path, expected=f"a key in {TRUST}", found="none", remedy="`mrv keys init` makes the first one"
        )

    def _gone(self, trust: Trust) -> ContractError:
        return _refused(
            self.path,
            expected=f"the private key of one of the {len(trust.keys)} keys in {TRUST}",
            found="no private key here or in MRV_SIGNING_KEY; it would be unsigned from now on",
            remedy="put it back, set MRV_SIGNING_KEY, or `mrv keys rotate`; or point MRV_KEYS elsewhere",
        )

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the folder alone, made and private, without what a writer left that died."""
        with _told(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.mkdir(mode=0o700, exist_ok=True)
            sync_folder(self.path.parent)
            require_private_folder(self.path)
            descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                for half in self.path.glob(f"{TEMPORARY}*"):
                    half.unlink()
                yield
            finally:
                os.close(descriptor)


def instant_text(now: datetime) -> str:
    """Write an aware instant as trust files have it: UTC, to the microsecond, with a Z."""
    if now.tzinfo is None:
        raise ValueError(f"the clock must give aware instants, not {now!r}")
    return now.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _begin(key: TrustedKey) -> datetime:
    return utc_instant(key.valid_from_utc, where=key.key_id)


def _replace(path: Path, data: bytes) -> None:
    half = path.with_name(f"{TEMPORARY}{uuid.uuid4().hex}")
    try:
        with half.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)
    sync_folder(path.parent)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _refused(
            Path(error.filename or path),
            expected="a folder that this process may read and write, with space left",
            found=str(error.strerror or error),
            remedy="correct it and run the same command again; what it left is taken up",
        ) from error


def _refused(path: Path, *, expected: str, found: str, remedy: str) -> ContractError:
    return ContractError("folder of keys is refused", where=str(path), expected=expected, found=found, remedy=remedy)
