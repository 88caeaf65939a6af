"""What was stored under an earlier contract is read by that contract for ever."""

from __future__ import annotations

import pytest

from mrv_assets.cli.checked import load_shown
from mrv_assets.domain.contract import CONTRACTS, FACTORED, about, contract_of
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.upstream import Upstream
from mrv_assets.pipeline.world import World
from mrv_assets.storage.breach import BreachKind
from mrv_assets.storage.parquet import to_parquet
from mrv_assets.storage.slots import Draft
from mrv_assets_tests.builders import good_case
from mrv_assets_tests.unit.pipeline.small_store import ANOKA, PASSED, world_over
from mrv_assets_tests.world import memory_store, run_partition

FACTORED_1_0 = contract_of(Asset.FACTORED, "mrv-factored-1.0.0")
SLOT = Slot.of(Asset.FACTORED, ANOKA)


def world_of_yesterday() -> tuple[World, GenerationRecord]:
    """Open a world with one factored table as the platform stored it before it said whose factor a row has."""
    world = world_over(memory_store())
    run = Run(world, run_id="run-0")
    for asset in (Asset.ACTIVITY, Asset.NORMALIZED):
        run.advance(asset, ANOKA)
    table = good_case(Asset.FACTORED).staged.table.drop_columns(["factor_region", "factor_level"])
    draft = Draft(
        slot=SLOT,
        content=to_parquet(table),
        media_type="application/vnd.apache.parquet",
        content_digest=FACTORED_1_0.digest(table),
        rows=table.num_rows,
        inputs_digest="0" * 64,
        inputs=(),
        upstream=(),
        pins={"contract": FACTORED_1_0.version},
        evidence={},
        gates=(PASSED,),
        reason="first content of the slot",
        run_id="run-0",
        expected=None,
    )
    record = world.slots.commit(draft).record
    run.close()
    return world, record


def test_contract_of_a_record_is_the_one_in_its_pins() -> None:
    """Version 1.0.0 of factored had neither the region nor the level of the factor; all else is read as today."""
    missing = [column.name for column in FACTORED.columns if column not in FACTORED_1_0.columns]
    assert missing == ["factor_region", "factor_level"]
    for contract in CONTRACTS:
        for version in (contract.version, "mrv-activity-1.0.0", None):
            assert contract_of(contract.asset, version) == contract


def test_digest_of_an_earlier_table_is_what_it_was() -> None:
    """Its content digest is the one that was sealed, which this was before the contract changed."""
    table = good_case(Asset.FACTORED).staged.table.drop_columns(["factor_region", "factor_level"])
    assert about(table) == {"crs_source": "EPSG:4269"}
    assert FACTORED_1_0.digest(table) == "e57dcd9894a091a0ee810793d122dde1d6c1f3c45ca1c8f739eccaebcafe5ac3"
    with pytest.raises((ContractError, KeyError)):
        FACTORED.digest(table)


def test_earlier_generation_is_sound_and_shown() -> None:
    """The check of the store finds no damage, and the table is shown with the digest that its record seals."""
    world, record = world_of_yesterday()
    # The test has committed past the journal.
    assert [breach.kind for breach in check_store(world).breaches] == [BreachKind.RECORD_NOT_IN_JOURNAL]
    assert "table has the content digest of its record" in load_shown(world, SLOT, record.generation).checks
    looked_at = Upstream(world.slots, record).looked_at()
    assert not isinstance(looked_at, bytes)
    assert looked_at.column_names == [column.name for column in FACTORED_1_0.columns]


def test_next_run_replaces_it_under_the_contract_of_today() -> None:
    """The earlier generation stays, and a new one says whose factor each row has."""
    world, record = world_of_yesterday()
    run_partition(world, ANOKA)
    current = world.slots.current(SLOT)
    assert current is not None
    assert (current.generation, current.prev, current.pins["contract"]) == (2, record.sha256, FACTORED.version)
    assert set(world.slots.load_table(current).column("factor_level").to_pylist()) == {"own"}
    assert world.slots.record(SLOT, 1) == record
