"""What the faults are done to: the platform, and a control that writes in place, behind one seam.

The control is here so that the harness can be seen to catch something. What does not belong here: the faults.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Protocol

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import MrvError
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World
from mrv_assets.storage.posix_files import Files
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.published import is_published
from mrv_assets_tests.faults.checked import Health, checked
from mrv_assets_tests.faults.figures import LEDGER, NEW, NEW_MWH, NEW_T, OLD, OLD_T, reported, sealed, world_at
from mrv_assets_tests.faults.line import State
from mrv_assets_tests.world import run_partition


class Subject(Protocol):
    """Something that keeps a figure in a folder and can move it from old to new.

    `refusal` is how it says that the disk failed; anything else that it raises is a fault of its own.
    """

    @property
    def refusal(self) -> type[Exception]: ...

    def prepare(self, root: Path) -> None:
        """Report the old figure."""
        ...

    def advance(self, root: Path, files: Files) -> None:
        """Report the new figure, through these file system calls."""
        ...

    def seen(self, root: Path) -> State:
        """Read everything that is current, as a reader would who trusts nothing."""
        ...

    def is_whole(self, root: Path) -> bool:
        """Tell whether the new figure is reported, once, with all that belongs to it."""
        ...

    def check(self, root: Path) -> Health:
        """Count what is wrong with what is stored."""
        ...

    def sealed(self, root: Path) -> Mapping[str, str]:
        """Return the digest of everything that may never change again."""
        ...


# Three assets have a slot for each of the two releases, the other three share one.
_SLOTS = 9


class Platform:
    """The platform's own path from one source and release to the next.

    The partition walks through `stages` under fault; the others were run before.
    """

    refusal: type[Exception] = MrvError

    def __init__(self, stages: Sequence[Asset] = tuple(Asset)) -> None:
        self._stages = stages

    def prepare(self, root: Path) -> None:
        run_partition(world_at(root), OLD, run_id="old")
        _walk(world_at(root, mwh=NEW_MWH), [asset for asset in Asset if asset not in self._stages], run_id="before")

    def advance(self, root: Path, files: Files) -> None:
        _walk(world_at(root, files=files, mwh=NEW_MWH), self._stages, run_id=f"new-{uuid.uuid4().hex}")

    def seen(self, root: Path) -> State:
        world = world_at(root)
        try:
            for slot, _ in world.slots.list_slots():
                for record in world.slots.history(slot):
                    world.slots.load_bytes(record)
            return state_of(reported(world))
        except MrvError:
            return State.TORN

    def is_whole(self, root: Path) -> bool:
        return is_reported_once(world_at(root))

    def check(self, root: Path) -> Health:
        return checked(world_at(root))

    def sealed(self, root: Path) -> Mapping[str, str]:
        return sealed(PosixStore(root))


def _walk(world: World, stages: Sequence[Asset], *, run_id: str) -> None:
    """Walk the partition of the new release through stages, and end with the journal entry as a run does."""
    run = Run(world, run_id=run_id)
    try:
        for asset in stages:
            run.advance(asset, NEW)
    finally:
        run.close()


def is_reported_once(world: World) -> bool:
    """Tell whether every slot has a generation for each of its contents and no more, and the new figure is shown."""
    histories = {slot: world.slots.history(slot) for slot, _ in world.slots.list_slots()}
    is_once = all(len(records) == _contents(slot) for slot, records in histories.items())
    if len(histories) != _SLOTS or not is_once or reported(world) != NEW_T:
        return False
    return is_published(world.store, LEDGER, world.slots.load_bytes(histories[LEDGER][-1]))


def _contents(slot: Slot) -> int:
    """Return how many contents a slot has had: two where the releases share it, one where each has its own."""
    return 1 if slot.asset.depends_on_factors else 2


def state_of(tonnes: Decimal | None) -> State:
    """Tell the old figure from the new one and from anything else."""
    return {OLD_T: State.OLD, NEW_T: State.NEW}.get(tonnes or Decimal(0), State.TORN)


class InPlace:
    """The control: one file for the figure and one for its digest, written over in place, as a simple script would."""

    refusal: type[Exception] = OSError

    def prepare(self, root: Path) -> None:
        root.mkdir()
        self._write(root, Files(), OLD_T)

    def advance(self, root: Path, files: Files) -> None:
        self._write(root, files, NEW_T)

    def seen(self, root: Path) -> State:
        try:
            content, digest = (root / "figure.json").read_bytes(), (root / "digest").read_text()
            tonnes = Decimal(json.loads(content)["tonnes"])
        except (OSError, ValueError, KeyError):
            return State.TORN
        return state_of(tonnes) if sha256_hex(content) == digest else State.TORN

    def is_whole(self, root: Path) -> bool:
        return self.seen(root) is State.NEW

    def check(self, root: Path) -> Health:
        return Health(breaches=int(self.seen(root) is State.TORN), completed=0)

    def sealed(self, root: Path) -> Mapping[str, str]:
        return {path.name: sha256_hex(path.read_bytes()) for path in root.iterdir() if path.name == "history"}

    def _write(self, root: Path, files: Files, tonnes: Decimal) -> None:
        content = json.dumps({"tonnes": str(tonnes), "rows": ["r"] * 200}).encode()
        for name, data in (("figure.json", content), ("digest", sha256_hex(content).encode())):
            if (root / name).exists():
                files.unlink(root / name)
            descriptor = files.open_new(root / name)
            half = len(data) // 2
            for part in (data[:half], data[half:]):
                files.write(descriptor, memoryview(part))
            files.sync(descriptor)
            files.close(descriptor)
