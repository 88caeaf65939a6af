"""One bit flipped in one stored object: whoever reads it says so and names it, and so does fsck."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from mrv_assets.domain.errors import Tampering
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.pipeline.world import World
from mrv_assets.storage.posix_files import Files
from mrv_assets.storage.slot_paths import parse_record_key
from mrv_assets_tests.faults.figures import world_at
from mrv_assets_tests.faults.line import Injury, Line, State, summed
from mrv_assets_tests.faults.subjects import Platform

KINDS = {"blob": "blobs/", "record": "commits/", "journal entry": "journal/entries/"}


def every_object(kind: str, scratch: Path, *, flips: int, seed: int) -> Line:
    """Flip one bit in each object of a kind, `flips` times over, and see who notices.

    Noticed means: reading the object raises Tampering that names it, and fsck has a breach at its key.
    """
    root = scratch / "store"
    platform = Platform()
    platform.prepare(root)
    platform.advance(root, Files())
    injuries = list(_injuries(root, KINDS[kind], flips, random.Random(seed)))
    return summed(f"one bit flipped in a {kind}", injuries, shown=f"{len(injuries) // flips} objects, read and fsck")


def _injuries(root: Path, folder: str, flips: int, bits: random.Random) -> Iterator[Injury]:
    keys = list(world_at(root).store.list(folder))
    for key in keys * flips:
        path = root / key
        sound = path.read_bytes()
        damaged = bytearray(sound)
        damaged[bits.randrange(len(sound))] ^= 1 << bits.randrange(8)
        path.write_bytes(damaged)
        is_noticed = _is_read_as_damaged(world_at(root), key) and _is_named_by_fsck(world_at(root), key)
        path.write_bytes(sound)
        yield Injury(seen=State.OLD if is_noticed else State.TORN, breaches=0, changed=0, is_healed=is_noticed)


def _is_read_as_damaged(world: World, key: str) -> bool:
    try:
        _read(world, key)
    except Tampering as error:
        return key.rpartition("/")[2].partition(".")[0] in str(error) or key in str(error)
    return False


def _read(world: World, key: str) -> None:
    """Read the object as the platform does when it needs it."""
    if key.startswith(KINDS["journal entry"]):
        list(world.journal.entries())
        return
    parsed = parse_record_key(key)
    if parsed is not None:
        world.slots.record(*parsed)
        return
    for slot, newest in world.slots.list_slots():
        for generation in range(1, newest + 1):
            record = world.slots.record(slot, generation)
            if record.blob.sha256 in key:
                world.slots.load_bytes(record)


def _is_named_by_fsck(world: World, key: str) -> bool:
    return any(breach.key == key for breach in check_store(world).breaches)
