"""Whatever was certified is made again to the last bit, in place and from its kit."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.compared import State
from mrv_assets.pipeline.kit import make_kit
from mrv_assets.pipeline.kit_archive import zipped
from mrv_assets.pipeline.kit_world import open_kit
from mrv_assets.pipeline.reperform import Verdict, reperform
from mrv_assets.pipeline.world import World
from mrv_assets_tests.forging import current, forge, with_cell
from mrv_assets_tests.strategies import ids, quantities
from mrv_assets_tests.unit.pipeline.small_store import ANOKA
from mrv_assets_tests.world import (
    committed_references,
    csv_bytes,
    memory_store,
    memory_world,
    project_toml,
    run_partition,
)

EPOCHS = st.sampled_from(["2021", "2021-Q1", "2021-07", "2021-03-05_2021-04-01"])
rows = st.dictionaries(ids, st.tuples(EPOCHS, quantities), min_size=1, max_size=8)
UNHURRIED = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])


def certified(activity: Mapping[str, tuple[str, float]]) -> World:
    """Return a world in which these rows were certified."""
    lines = [f"{row_id},{epoch},{quantity!r}" for row_id, (epoch, quantity) in activity.items()]
    world = memory_world(
        references=committed_references() | {"projects/anoka.toml": project_toml("anoka")},
        landing=memory_store({"source.csv": csv_bytes("row_id,epoch,activity_qty", lines)}),
    )
    run_partition(world, ANOKA)
    return world


@UNHURRIED
@given(rows)
def test_what_was_certified_is_made_again(activity: Mapping[str, tuple[str, float]]) -> None:
    """Every table, record and the statement, in place and from the files of the kit alone; kits do not vary."""
    world = certified(activity)
    record = current(world, Asset.CERTIFICATE, ANOKA)
    kit = make_kit(world, record)
    opened = open_kit(kit.files)
    for found in (reperform(world, record), reperform(opened.world, opened.record)):
        assert found.verdict is Verdict.SAME
        assert [one.recomputed for one in found.assets] == [one.sealed for one in found.assets]
    assert zipped(make_kit(world, record).files) == zipped(kit.files)


@UNHURRIED
@given(rows, st.data())
def test_a_forged_row_is_the_one_that_is_named(activity: Mapping[str, tuple[str, float]], data: st.DataObject) -> None:
    """Whichever row, and however small the lie: its key, its column and both values."""
    world = certified(activity)
    row = data.draw(st.integers(0, len(activity) - 1))
    lie = data.draw(st.decimals(0, 10**9, places=9))
    honest = world.slots.load_table(current(world, Asset.FACTORED, ANOKA))
    before = honest.column("emissions_tco2e")[row].as_py()
    record = forge(world, ANOKA, tables={Asset.FACTORED: with_cell("emissions_tco2e", row, lie)})
    found = reperform(world, record)
    [factored] = [one for one in found.assets if one.asset is Asset.FACTORED]
    if lie == before:
        assert factored.state is State.EQUAL
        return
    assert found.verdict is Verdict.DIFFERS
    assert factored.difference is not None
    [cell] = factored.difference.cells
    assert (cell.key, cell.column) == ((honest.column("row_id")[row].as_py(),), "emissions_tco2e")
    assert (Decimal(cell.sealed), Decimal(cell.recomputed)) == (lie, before)
    assert factored.difference.tonnes == before - lie
