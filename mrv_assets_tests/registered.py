"""What registries say of the planted forest, made up, and the forest as it was run, to attach it to.

What does not belong here: expected refusals (the tests of each room).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache

from mrv_assets.domain.issuance import SerialBlock
from mrv_assets.domain.registry import Ending, Issuance, Retirement
from mrv_assets.domain.registry_block import RegistryBlock
from mrv_assets.domain.registry_file import StatedIssuance
from mrv_assets.domain.registry_record import RegistryRecord
from mrv_assets.pipeline.world import World
from mrv_assets.storage.documents import documents_in, kept_document
from mrv_assets.storage.journal import Journal
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets_tests import planted_forest as forest
from mrv_assets_tests.world import TickingClock, memory_store, run_partition

NOW = datetime(2026, 6, 1, tzinfo=UTC)
TODAY = date(2026, 6, 1)
CREDITS = 3473
"""What the area-based rule set comes to for 2025."""

SERIES = "99999-VCS-VCU-999-VER-ZZ-14-99999-01012025-31122025-0"


def block(first: int, last: int, *, series: str = SERIES, registry: str = "verra") -> RegistryBlock:
    """Return a block, both ends in it."""
    return RegistryBlock(registry=registry, series=series, serials=SerialBlock(start=first, end=last))


def issuance(
    of: RegistryBlock,
    *,
    certificate: str = "c" * 64,
    period: str = "2025",
    project_id: str = "planted-forest",
    registry_project: str = "99999",
    rule_set: str = forest.AREA,
    vintage: tuple[date, date] = (date(2025, 1, 1), date(2025, 12, 31)),
    issued_on: date = date(2026, 2, 1),
) -> Issuance:
    """Return an issuance of a block."""
    return Issuance(
        project_id=project_id,
        period=period,
        certificate_sha256=certificate,
        rule_set=rule_set,
        block=of,
        registry_project=registry_project,
        vintage_first=vintage[0],
        vintage_last=vintage[1],
        issued_on=issued_on,
    )


def stated(
    of: RegistryBlock,
    *,
    certificate: str = "planted-forest 2025",
    registry_project: str = "99999",
    rule_set: str = forest.AREA,
    issued_on: date = date(2026, 2, 1),
) -> StatedIssuance:
    """Return an issuance of a block as a file states it, of the whole vintage."""
    return StatedIssuance(
        certificate=certificate,
        rule_set=rule_set,
        block=of,
        registry_project=registry_project,
        vintage_first=date(2025, 1, 1),
        vintage_last=date(2025, 12, 31),
        issued_on=issued_on,
    )


def retirement(
    of: RegistryBlock,
    *,
    on: date = date(2026, 3, 1),
    ending: Ending = Ending.RETIRED,
    beneficiary: str | None = "Buyer",
) -> Retirement:
    """Return a retirement of a block."""
    return Retirement(block=of, ending=ending, retired_on=on, reason="travel", beneficiary=beneficiary)


def recorded(
    entry: Issuance | Retirement, *, number: int = 1, prev: str | None = None, write_id: str = "w"
) -> RegistryRecord:
    """Return the record of an entry."""
    return RegistryRecord(
        number=number,
        prev=prev,
        entry=entry,
        recorded_by="somebody",
        recorded_utc="2026-06-01T00:00:00.000000+00:00",
        write_id=write_id,
    )


@cache
def forest_objects() -> Mapping[str, bytes]:
    """Return every object of a store in which the planted forest was run and reported; run once in a process."""
    world = forest.opened()
    run_partition(world, forest.KEY)
    return objects(world.store)


def objects(store: ObjectStore) -> dict[str, bytes]:
    """Return every object of a store."""
    return {key: data for key in store.list("") if (data := store.get(key)) is not None}


def world_over(store: ObjectStore, *, references: Mapping[str, bytes] | None = None) -> World:
    """Open the planted forest over a store, on a day on which its credits can have been issued and retired."""
    return World.over(
        store=store,
        references=memory_store(references or forest.references()),
        landing=memory_store(forest.landing()),
        clock=lambda: NOW,
    )


def forest_world() -> World:
    """Return a world of its own in which the planted forest is reported."""
    return world_over(memory_store(forest_objects()))


def told(store: ObjectStore) -> ObjectStore:
    """Tell the journal of every document of a store, as whoever forges records would."""
    documents = [kept_document(key, store.get(key) or b"") for key in documents_in(store)]
    Journal(store, TickingClock()).append("told", [], documents=documents)
    return store
