"""A small place where factors are released and withdrawn, and partitions are asked for and run.

What does not belong here: Dagster (end_to_end).
"""

from __future__ import annotations

from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.asking import Decision
from mrv_assets.pipeline.bump import look_at_factors
from mrv_assets.pipeline.run import Run
from mrv_assets_tests.unit.pipeline.landings import NEWEST, Place, committed, key, projects, rows
from mrv_assets_tests.world import committed_references, memory_store, run_partition

FIRST, WRONG, OLD, MIDDLE = "mrow-2024.02.01", "mrow-2024.02.06", "mrow-2024.02.26", "mrow-2024.06.24"
LINE = (FIRST, WRONG, OLD, MIDDLE, NEWEST)
"""The committed releases of the line, each superseding the one before it."""

WITHDRAWN = b'on = 2026-01-31\nby = "R. Reviewer"\nbecause = "the vintage is the wrong one"\n'


class Bench(Place):
    """Anoka and Carver with activity in 2021, and the releases of the line up to one of them."""

    def __init__(self, *, newest: str = OLD, projects_toml: dict[str, bytes] | None = None) -> None:
        files = projects("anoka", "carver") if projects_toml is None else projects_toml
        super().__init__({"source.csv": rows("anoka 2021 7", "carver 2021 5")}, references=files)
        known = LINE[: LINE.index(newest) + 1]
        self.references = memory_store(
            {
                path: data
                for path, data in (committed() | files).items()
                if not path.startswith("factors/") or path.split("/")[1] in known
            }
        )

    def look(self) -> Decision:
        """Look once, and remember."""
        decision = look_at_factors(self.world, self.runs, self.memory)
        self.memory = decision.memory
        return decision

    def release(self, *versions: str) -> None:
        """Release committed factors."""
        for path, data in committed_references().items():
            if path.startswith(tuple(f"factors/{version}/" for version in versions)):
                self.references.replace(path, data)

    def withdraw(self, version: str, data: bytes = WITHDRAWN) -> None:
        """Withdraw a release."""
        self.references.replace(f"factors/{version}/withdrawn.toml", data)

    def say(self, project_id: str, **what: object) -> None:
        """Replace a project file."""
        for path, data in projects(project_id, **what).items():  # type: ignore[arg-type]
            self.references.replace(path, data)

    def report(self, version: str = OLD, *project_ids: str) -> None:
        """Run 2021 of both projects, or of some, before anybody looks."""
        for project_id in project_ids or ("anoka", "carver"):
            run_partition(self.world, key(project_id, "2021", version))
        self.tick()

    def until(self, partition: PartitionKey, last: Asset) -> None:
        """Run a partition as far as one asset, and end there."""
        run = Run(self.world, run_id="partly")
        for asset in list(Asset)[: list(Asset).index(last) + 1]:
            run.advance(asset, partition)
        run.close()

    def live(self) -> dict[str, str]:
        """Return the factor version that the ledger shows for 2021, by project."""
        slots = self.world.slots
        found = {slot.project_id: slots.current(slot) for slot, _ in slots.list_slots(asset=Asset.LEDGER)}
        return {name: record.pins["factor_version"] for name, record in found.items() if record is not None}


def both(version: str) -> list[str]:
    """Return the two partitions of a version as they are told."""
    return [str(key(name, "2021", version)) for name in ("anoka", "carver")]


def ledger(project_id: str) -> Slot:
    """Name the ledger slot of 2021."""
    return Slot.of(Asset.LEDGER, key(project_id, "2021"))
