"""Certificates as they are handed out: a small signed store with two factor releases, a rotation and a second journal.

What does not belong here: altering them (tamperings).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from mrv_assets.domain.bundle import Bundle
from mrv_assets.domain.dsse import Envelope
from mrv_assets.domain.merkle import consistency_proof, leaf_hash
from mrv_assets.domain.trust import Trust
from mrv_assets.pipeline.bundling import bundle_of
from mrv_assets.pipeline.certificates import certificate_of
from mrv_assets.pipeline.world import World
from mrv_assets.storage.journal import CHECKPOINT, entry_number
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.verify.bundle import verify_bundle
from mrv_assets.verify.reader import AtHand, Reader
from mrv_assets.verify.verification import Verification
from mrv_assets_tests.signing import FIRST, SECOND, key_id, signed_by, trusted
from mrv_assets_tests.unit.pipeline.bumps import FIRST as OLDER
from mrv_assets_tests.unit.pipeline.bumps import MIDDLE as NEWER
from mrv_assets_tests.unit.pipeline.landings import committed, key, projects, rows
from mrv_assets_tests.world import memory_store, run_partition

NOW = "2026-06-01T00:00:00+00:00"
_CLOCK = datetime.fromisoformat("2026-03-01T00:00:00+00:00")


class Fixed:
    """A signer with a key that the test holds."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.key_id = key_id(key)

    def sign(self, payload_type: str, payload: bytes) -> Envelope:
        return signed_by(self._key, payload=payload, payload_type=payload_type)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A bundle as somebody shows it to a reader, and what the reader has."""

    bundle: Bundle
    reader: Reader
    at_hand: AtHand

    def verify(self) -> Verification:
        return verify_bundle(self.bundle, where="file", reader=self.reader, at_hand=self.at_hand)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A store in which partitions were run, by whom they were signed, and what a reader of it trusts."""

    world: World

    def run(self, project_id: str, version: str, *, run_id: str) -> None:
        run_partition(self.world, key(project_id, "2021", version), run_id=run_id)

    def signed_by(self, signer: Ed25519PrivateKey | None) -> Place:
        """Return the same store, whose next runs sign with another key."""
        return Place(world=_world(self.world.store, signer))

    def copied(self, is_kept: Callable[[str], bool]) -> Place:
        """Return a copy of the store with some of its objects."""
        kept = {key: self.world.store.get(key) or b"" for key in self.world.store.list("") if is_kept(key)}
        return Place(world=_world(memory_store(kept), FIRST))

    def rolled_back(self, *, to: int) -> Place:
        """Return a copy of the store whose journal ends with this entry, and does not know that there was more."""
        found = self.copied(lambda key: entry_number(key) <= to and key != CHECKPOINT)
        found.world.journal.catch_up()
        return found

    def bundle(self, project_id: str = "anoka", version: str = OLDER) -> Bundle:
        return bundle_of(self.world, certificate_of(self.world.slots, project_id, "2021", version))

    def checkpoint(self) -> Envelope:
        found = self.world.journal.checkpoint().envelope
        assert found is not None
        return found

    def leaves(self) -> list[bytes]:
        journal = self.world.journal
        return [leaf_hash(journal.raw(number)) for number in range(1, journal.size() + 1)]

    def growth(self, first: int, second: int) -> Sequence[bytes] | None:
        return consistency_proof(self.leaves()[:second], first)

    def blob(self, sha256: str) -> bytes | None:
        return self.world.store.get(f"blobs/{sha256[:2]}/{sha256}.parquet")

    def shown(self, project_id: str = "anoka", version: str = OLDER, *, trust: Trust | None = None) -> Shown:
        """Return a bundle with everything at hand."""
        reader = Reader(trust=trust or Trust(keys=(trusted(FIRST), trusted(SECOND))), now_utc=NOW)
        at_hand = AtHand(blobs=self.blob, outside=(self.checkpoint(),), growth=self.growth)
        return Shown(bundle=self.bundle(project_id, version), reader=reader, at_hand=at_hand)


def unsigned_reader() -> Reader:
    """Return a reader who takes what nobody has signed."""
    return Reader(trust=None, now_utc=NOW, allow_unsigned=True)


def place(signer: Ed25519PrivateKey | None = FIRST, *, quarantine: bool = False) -> Place:
    """Return Anoka and Carver under the older release, and Anoka under the newer one."""
    found = Place(world=_world(memory_store(), signer, quarantine=quarantine))
    for number, (project_id, version) in enumerate((("anoka", OLDER), ("carver", OLDER), ("anoka", NEWER)), start=1):
        found.run(project_id, version, run_id=f"run-{number}")
    return found


@cache
def whole() -> Place:
    """Return the signed place, made once; only for reading."""
    return place()


@cache
def set_aside() -> Place:
    """Return a place in which a row was set aside, made once; only for reading."""
    return place(quarantine=True)


def _world(store: ObjectStore, signer: Ed25519PrivateKey | None, *, quarantine: bool = False) -> World:
    files = projects("anoka", "carver")
    delivered = ["anoka 2021 7", "anoka 2021 8", "carver 2021 5"]
    if quarantine:
        policy = b'\n[source.quarantine]\nmax_share = "0.5"\nbecause = "meters that do not count"\n'
        files = {name: data + policy for name, data in files.items()}
        delivered[1] = "anoka 2021 -8"
    return World.over(
        store=store,
        references=memory_store(committed() | files),
        landing=memory_store({"source.csv": rows(*delivered)}),
        clock=lambda: _CLOCK,
        signer=Fixed(signer) if signer else None,
    )


def with_checkpoint(shown: Shown, *published: Envelope) -> Shown:
    """Return what a reader sees who has these published checkpoints."""
    return replace(shown, at_hand=replace(shown.at_hand, outside=published))
