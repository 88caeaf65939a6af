"""A platform home of its own in a temporary folder: store, reference data, landing folder and Dagster's instance.

What does not belong here: worlds in memory (world).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mrv_assets.pipeline.world import World
from mrv_assets.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """A home folder and the settings that point into it."""

    settings: Settings
    environment: Mapping[str, str]

    @classmethod
    def create(cls, folder: Path, *, references: Mapping[str, bytes], landing: Mapping[str, bytes]) -> Home:
        """Lay out a home with its own reference data and landing files."""
        environment = {
            "MRV_HOME": str(folder / "home"),
            "MRV_REFERENCE": str(folder / "reference"),
            "MRV_LANDING": str(folder / "landing"),
        }
        for root, files in (("reference", references), ("landing", landing)):
            for key, data in files.items():
                write(folder / root / key, data)
        return cls(settings=Settings.from_env(environment), environment=environment)

    def world(self) -> World:
        """Open the stores of this home."""
        return World.open(self.settings)

    def land(self, path: str, data: bytes) -> None:
        """Let a source file arrive."""
        write(Path(self.environment["MRV_LANDING"]) / path, data)

    def refer(self, key: str, data: bytes) -> None:
        """Put a reference file in place."""
        write(Path(self.environment["MRV_REFERENCE"]) / key, data)

    def stored(self) -> dict[str, bytes]:
        """Return every stored object by key, but the journal, which remembers refusals and skips."""
        root = self.settings.home / "store"
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file() and path.relative_to(root).parts[0] not in ("journal", "probe")
        }


def write(path: Path, data: bytes) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
