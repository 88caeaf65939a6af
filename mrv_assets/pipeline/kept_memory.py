"""What looks at the landing place remember in the home, for whoever has no cursor in Dagster to remember it by.

It saves reading source files again and decides nothing; the file may be removed at any time. What does not belong
here: what is remembered (landing_memory).
"""

from __future__ import annotations

from pathlib import Path

from mrv_assets.pipeline.delivered import LandingRound
from mrv_assets.pipeline.landing_memory import Memory
from mrv_assets.pipeline.world import World
from mrv_assets.storage.small_file import read_file, replace_file


class KeptMemory:
    """The memory of one home."""

    def __init__(self, home: Path) -> None:
        self._path = home / "landing-memory.json"

    def read(self) -> str | None:
        """Return what was remembered, None for nothing."""
        data = read_file(self._path)
        return None if data is None else data.decode(errors="replace")

    def write(self, text: str) -> None:
        """Remember this instead."""
        if text != self.read():
            replace_file(self._path, text.encode())


def one_round(world: World, kept: KeptMemory) -> LandingRound:
    """Go through the landing place for about twenty seconds at most, and remember what was found."""
    landing = LandingRound(world, Memory.parse(kept.read()))
    for _ in landing.deliveries():
        pass
    kept.write(landing.memory.to_text())
    return landing


def every_round(world: World, kept: KeptMemory) -> LandingRound:
    """Go through the landing place until every source file was seen, however long that takes."""
    landing = one_round(world, kept)
    while landing.left:
        landing = one_round(world, kept)
    return landing
