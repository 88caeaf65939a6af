"""Figures that only ever go up by one tonne, for faults that last: a reader knows at once what it must never see.

What does not belong here: killing and reading (storm) and engines of others (globs).
"""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Protocol

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets_tests.faults.checked import Health, checked
from mrv_assets_tests.faults.figures import MWH, OLD, reported, sealed, world_at
from mrv_assets_tests.world import run_partition


class Ratchet(Protocol):
    """Something that keeps a figure in a folder and raises it, one tonne at a time."""

    def figure(self, root: Path) -> Decimal:
        """Read the figure as a reader would who trusts nothing. Whatever it raises counts as a torn figure."""
        ...

    def raise_once(self, root: Path) -> None:
        """Report one tonne more; on an empty folder the first figure."""
        ...

    def check(self, root: Path) -> Health:
        """Count what is wrong with what is stored."""
        ...

    def sealed(self, root: Path) -> dict[str, str]:
        """Return the digest of everything that may never change again."""
        ...


def raise_forever(ratchet: Ratchet, root: Path) -> None:
    """Raise the figure until somebody ends this process."""
    for _ in count():
        ratchet.raise_once(root)


class PlatformRatchet:
    """Whole runs of a partition: each finds a source that says one MWh more, at 1 t for each MWh."""

    def __init__(self, period: str = OLD.period) -> None:
        self.key: PartitionKey = replace(OLD, period=period)
        self.slot = Slot.of(Asset.LEDGER, self.key)

    def figure(self, root: Path) -> Decimal:
        tonnes = reported(world_at(root), self.slot)
        if tonnes is None:
            raise LookupError("no figure")
        return tonnes

    def raise_once(self, root: Path) -> None:
        tonnes = reported(world_at(root), self.slot)
        mwh = MWH if tonnes is None else tonnes + 1
        run_partition(world_at(root, mwh=mwh), self.key, run_id=f"{self.key.period} at {mwh:f}")

    def check(self, root: Path) -> Health:
        return checked(world_at(root))

    def sealed(self, root: Path) -> dict[str, str]:
        return sealed(PosixStore(root))


class InPlaceRatchet:
    """The control: one file, written over in place, with its digest at the end."""

    def figure(self, root: Path) -> Decimal:
        content, _, digest = (root / "figure.json").read_bytes().rpartition(b"\n")
        if sha256_hex(content).encode() != digest:
            raise ValueError("digest")
        return Decimal(json.loads(content)["tonnes"])

    def raise_once(self, root: Path) -> None:
        root.mkdir(exist_ok=True)
        try:
            tonnes = self.figure(root) + 1
        except (OSError, ValueError):
            tonnes = MWH
        content = json.dumps({"tonnes": str(tonnes), "rows": ["r" * 100] * 5000}).encode()
        with (root / "figure.json").open("wb", buffering=4096) as file:
            file.write(content)
            file.write(b"\n" + sha256_hex(content).encode())

    def check(self, root: Path) -> Health:
        try:
            self.figure(root)
        except (OSError, ValueError):
            return Health(breaches=1, completed=0)
        return Health(breaches=0, completed=0)

    def sealed(self, root: Path) -> dict[str, str]:
        return {path.name: sha256_hex(path.read_bytes()) for path in root.glob("history-*")}
