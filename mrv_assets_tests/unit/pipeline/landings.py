"""A small landing place: a clock to move, a store whose files have the age they should, and runs that are told.

What does not belong here: Dagster (end_to_end).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from mrv_assets.domain.partition import PartitionKey
from mrv_assets.pipeline.asking import Attempts, Decision, Mark
from mrv_assets.pipeline.landing import look_at_landing
from mrv_assets.pipeline.world import World
from mrv_assets.storage.object_store import ObjectInfo, ObjectStore
from mrv_assets_tests.passing_store import PassingStore
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore
from mrv_assets_tests.world import committed_references, csv_bytes, memory_store, project_toml, run_partition

NEWEST = "mrow-2025.05.20"
START = datetime(2023, 6, 1, tzinfo=UTC)
HEADER = "row_id,project,epoch,activity_qty"


def rows(*texts: str) -> bytes:
    """Return a source of rows `project epoch quantity`."""
    cells = [text.split() for text in texts]
    return csv_bytes(HEADER, [f"{n},{','.join(row)}" for n, row in enumerate(cells)])


DELIVERY = rows("anoka 2021 7", "anoka 2022 8", "carver 2021 5")


def projects(*ids: str, reporting: str = "year", **what: object) -> dict[str, bytes]:
    """Return project files whose rows carry their id."""
    files = {}
    for project_id in ids:
        toml = project_toml(project_id, where={"project": project_id}, **what)  # type: ignore[arg-type]
        files[f"projects/{project_id}.toml"] = f'reporting = "{reporting}"'.encode() + toml
    return files


@dataclass
class HandClock:
    """A clock that moves when it is told to, and by `step` each time it is read."""

    now: datetime = START
    step: timedelta = timedelta()

    def __call__(self) -> datetime:
        self.now += self.step
        return self.now


class Aged(PassingStore):
    """A store whose files were all last changed at `modified`, whenever the test wrote them."""

    modified = START - timedelta(days=1)

    def describe(self, key: str) -> ObjectInfo | None:
        found = super().describe(key)
        return None if found is None else replace(found, modified=self.modified)


@dataclass
class Runs:
    """Runs that the test tells of."""

    under_way: set[PartitionKey] = field(default_factory=set)
    ended: dict[tuple[PartitionKey, Mark], Attempts] = field(default_factory=dict)

    def is_under_way(self, key: PartitionKey) -> bool:
        return key in self.under_way

    def attempts(self, key: PartitionKey, mark: Mark) -> Attempts:
        return self.ended.get((key, mark), Attempts())


class Place:
    """A world with a landing place, and the memory that one look hands to the next."""

    def __init__(
        self,
        files: Mapping[str, bytes] | None = None,
        *,
        references: dict[str, bytes] | None = None,
        landing: ObjectStore | None = None,
    ) -> None:
        self.clock, self.runs = HandClock(), Runs()
        aged = Aged(memory_store({"source.csv": DELIVERY} if files is None else files))
        self.landing = FaultyStore(landing or aged)
        self.references = memory_store(
            committed() | (projects("anoka", "carver") if references is None else references)
        )
        self.store = memory_store()
        self.memory: str | None = None
        self.reads: list[str] = []
        """The keys that looks have read, one for each time; the runs read as well, and are not counted."""

    @property
    def world(self) -> World:
        """The world, opened anew as every look does."""
        return World.over(store=self.store, references=self.references, landing=self.landing, clock=self.clock)

    def deliver(self, data: bytes, path: str = "source.csv") -> None:
        """Let a file arrive."""
        self.landing.inner.replace(path, data)

    def look(self) -> Decision:
        """Look once, and remember."""
        self.landing.calls.clear()
        decision = look_at_landing(self.world, self.runs, self.memory)
        self.reads += [path for operation, path in self.landing.calls if operation == "fetch"]
        self.memory = decision.memory
        return decision

    def asked(self) -> list[str]:
        """Look once and return the partitions that are asked for."""
        return [str(request.key) for request in self.look().requests]

    def run(self, *, is_told: bool = True) -> list[str]:
        """Look once and carry out what is asked for; tell of the runs unless they were somebody else's."""
        requests = self.look().requests
        for request in requests:
            began = self.tick()
            run_partition(self.world, request.key)
            if is_told:
                told = Attempts(count=request.attempt, last=self.tick(), succeeded=began)
                self.runs.ended[request.key, request.mark] = told
        return [str(request.key) for request in requests]

    def fail(self, *, times: int = 1) -> None:
        """Look once and tell that what is asked for failed, the last time just now."""
        for request in self.look().requests:
            self.runs.ended[request.key, request.mark] = Attempts(count=times, last=self.clock.now)

    def tick(self, **passed: float) -> datetime:
        """Let time pass, a second unless it is said otherwise."""
        self.clock.now += timedelta(**passed) if passed else timedelta(seconds=1)
        return self.clock.now


def committed() -> dict[str, bytes]:
    """Return the committed reference data without its projects."""
    return {key: data for key, data in committed_references().items() if not key.startswith("projects/")}


def key(project_id: str, period: str, version: str = NEWEST) -> PartitionKey:
    """Name a partition."""
    return PartitionKey(project_id=project_id, period=period, factor_version=version)


def named(keys: Iterable[PartitionKey]) -> list[str]:
    """Return partitions as they are told."""
    return [str(one) for one in keys]
