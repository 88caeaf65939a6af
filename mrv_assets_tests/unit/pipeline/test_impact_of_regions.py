"""A preview for projects whose rows the release places by their footprints, held against what the bump then does."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.pipeline.impact import factor_impact
from mrv_assets.pipeline.world import World
from mrv_assets.stages.factor import apply_factors
from mrv_assets_tests.unit.pipeline.located import KEY, NEW, OLD, Release, located_world, refused_by
from mrv_assets_tests.unit.pipeline.two_releases import by_factor, ledger, reported, stored
from mrv_assets_tests.world import memory_store, run_partition

ROWS = ("north,2021,10,-93.25,45.3", "border,2021,10,-93.25,45.2", "south,2021,10,-93.25,45.1")


def halves(border: str) -> dict[str, str]:
    """Return two regions, one north and one south of a latitude."""
    return {
        "n": f"POLYGON ((-94 {border}, -93 {border}, -93 46, -94 46, -94 {border}))",
        "s": f"POLYGON ((-94 44, -93 44, -93 {border}, -94 {border}, -94 44))",
    }


FIRST = Release(factors={"n": "1", "s": "2"}, regions=halves("45.2"))
MOVED = Release(factors={"n": "1.5", "s": "3"}, regions=halves("45.25"))


def test_rows_are_placed_in_the_regions_of_each_release() -> None:
    """The row between both borders is in the south of the newer release only, and its tonnes are named so."""
    world = located_world(memory_store(), before=FIRST, after=MOVED, rows=ROWS)
    run_partition(world, KEY[OLD])
    before = stored(world.store)
    [one] = factor_impact(world, NEW, before=OLD).partitions
    assert stored(world.store) == before
    moves = {key.region: (move.before.emissions, move.after.emissions) for key, move in one.factors.items()}
    assert moves == {"n": (Decimal(20), Decimal(15)), "s": (Decimal(20), Decimal(60))}
    run_partition(world, KEY[NEW])
    assert (one.before, one.after) == (Tonnes(emissions=Decimal(40)), ledger(world, KEY[NEW]))
    assert {key: move.after for key, move in one.factors.items()} == by_factor(world, KEY[NEW])


@pytest.mark.parametrize(
    ("after", "gate", "says"),
    [
        pytest.param(
            replace(MOVED, regions={"s": halves("45.25")["s"]}),
            "regions_located",
            r"1 row\(s\) outside of all: 'north'",
            id="nowhere",
        ),
        pytest.param(replace(MOVED, regions={}), "regions_located", "without regions.parquet", id="no regions"),
        pytest.param(replace(MOVED, factors={"n": "1"}), "factors_matched", "electricity.delivered s ", id="no factor"),
    ],
)
def test_a_release_that_cannot_place_the_rows_is_refused_in_the_words_of_the_stage(
    after: Release, gate: str, says: str
) -> None:
    """The preview tells of the partition that a run would make, and the run is refused by the same gate."""
    world = located_world(memory_store(), before=FIRST, after=after, rows=ROWS)
    run_partition(world, KEY[OLD])
    [one] = factor_impact(world, NEW).partitions
    with pytest.raises(GateError, match=says) as raised:
        as_the_stage(world)
    assert str(one.refusal) == str(raised.value)
    assert (one.after, one.factors) == (None, {})
    assert refused_by(world, KEY[NEW]) == gate


def as_the_stage(world: World) -> None:
    """Apply the newer release to the stored normalized table."""
    record = world.slots.current(Slot.of(Asset.NORMALIZED, KEY[OLD]))
    assert record is not None
    apply_factors(
        world.slots.load_table(record),
        release=world.references.factor_release(NEW),
        spatial=world.references.project("anoka").crs,
        where=str(Slot.of(Asset.FACTORED, KEY[NEW])),
    )


def test_projects_that_say_their_region_are_previewed_beside() -> None:
    """Each project under its own terms, though all of them rest on the same releases."""
    world = located_world(memory_store(), before=FIRST, after=MOVED, rows=ROWS, others=("carver", "scott"))
    reported(world, ("anoka", "carver", "scott"), version=OLD)
    impact = factor_impact(world, NEW, before=OLD)
    assert [one.key.project_id for one in impact.partitions] == ["anoka", "carver", "scott"]
    for one in impact.partitions:
        assert refused_by(world, one.key) is None
        assert one.after == ledger(
            world, PartitionKey(project_id=one.key.project_id, period="2021", factor_version=NEW)
        )
