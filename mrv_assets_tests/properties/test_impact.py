"""A preview equals what the stages then do, to the last digit, for any quantities and factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from mrv_assets.domain.contract import NORMALIZED
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.factor_spans import FactorKey
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.pipeline.impact import factor_impact
from mrv_assets.pipeline.impact_applied import COLUMNS, Applied, Batch, told_of
from mrv_assets.pipeline.world import World
from mrv_assets.stages.aggregate import aggregate
from mrv_assets.stages.factor import apply_factors
from mrv_assets_tests.builders import release
from mrv_assets_tests.strategies import quantities
from mrv_assets_tests.unit.pipeline.two_releases import (
    ELECTRICITY,
    HEAT,
    METHANE,
    NEW,
    OLD,
    TREES,
    bump_world,
    ledger,
    reported,
)

KINDS = (("electricity.delivered", "MWh"), ("land_cover.tree", "km2"), ("heat.delivered", "MWh"), ("unknown", "MWh"))
UNITS = {"MWh": "megawatt_hour", "km2": "square_kilometer"}
_SMALL, _LARGE = 10**8, 10**13


@st.composite
def factors(draw: st.DrawFn, *, largest: int = _LARGE) -> list[Mapping[str, str]]:
    """Return a release of up to four rows, of up to so many millionths; small ones make no row too large."""
    values = st.integers(0, largest).map(lambda n: format(Decimal(n).scaleb(-6), "f"))
    rows = [row | {"ef_value": draw(values)} for row in (ELECTRICITY, METHANE, TREES, HEAT)]
    return [row for row in rows if row["gas"] != "CH4" or draw(st.booleans())]


def normalized(rows: Sequence[tuple[tuple[str, str], str, float]]) -> pa.Table:
    """Return a normalized table without footprints."""
    named = [
        {"row_id": f"r{n}", "activity_id": kind, "region": "US/MROW", "epoch": epoch, "activity_qty": quantity,
         "unit": UNITS[unit]}
        for n, ((kind, unit), epoch, quantity) in enumerate(rows)
    ]  # fmt: skip
    fields = [field for field in NORMALIZED.schema if field.name not in ("geometry", "area_ha")]
    return pa.table({field.name: pa.array([row[field.name] for row in named], field.type) for field in fields})


def as_the_stage(table: pa.Table, of: FactorRelease) -> tuple[str, pa.Table | None]:
    """Return the factored table, or the words of the refusal and none."""
    try:
        return "", apply_factors(table, release=of, where="here").table
    except Refusal as refusal:
        return str(refusal), None


_rows = st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(["2021", "2021-Q2"]), quantities), max_size=6)


@given(tables=st.lists(_rows, min_size=1, max_size=6), rows=factors())
def test_tables_that_are_quantified_together_come_out_as_one_by_one(
    tables: list[list[tuple[tuple[str, str], str, float]]], rows: list[Mapping[str, str]]
) -> None:
    """Tonnes by factor, and the words of a refusal, are those of the stages for each table alone."""
    of, wholes = release(rows), [normalized(table) for table in tables]
    batch = Batch(
        rows=pa.concat_tables([whole.select(COLUMNS) for whole in wholes]), lengths=[w.num_rows for w in wholes]
    )
    for whole, found in zip(wholes, Applied(of, None).to(batch, lambda number: wholes[number]), strict=True):
        refused, factored = as_the_stage(whole, of)
        if factored is None:
            assert isinstance(found, Refusal)
            assert str(told_of(found, "here")) == refused
            continue
        assert isinstance(found, dict)
        strata = aggregate(factored).table.to_pylist()
        total = Tonnes.sum(Tonnes(emissions=s["emissions_tco2e"], removals=s["removals_tco2e"]) for s in strata)
        assert Tonnes.sum(found.values()) == total
        keys = {FactorKey(activity_id=r["activity_id"], region=r["region"], unit=r["unit"]) for r in whole.to_pylist()}
        assert set(found) == keys


@settings(max_examples=6)
@given(
    before=factors(largest=_SMALL),
    after=factors(),
    amounts=st.lists(st.lists(quantities, min_size=1, max_size=3), min_size=2, max_size=3),
)
def test_a_preview_is_what_the_run_commits(
    before: list[Mapping[str, str]], after: list[Mapping[str, str]], amounts: list[list[float]]
) -> None:
    """Every partition, through the whole pipeline."""
    source = {
        f"p{number}": [
            f"r{row},p{number},2021{'-Q1' * (row % 2)},{KINDS[row % 3][0]},{KINDS[row % 3][1]},{quantity!r}"
            for row, quantity in enumerate(some)
        ]
        for number, some in enumerate(amounts)
    }
    world = reported(bump_world(before=before, after=after, source=source), tuple(source))
    impact = factor_impact(world, NEW, before=OLD)
    for one in impact.partitions:
        refused = _refused(world, one.key.project_id)
        assert (one.refusal is not None) is refused
        assert one.after == (None if refused else ledger(world, one.key))


def _refused(world: World, project: str) -> bool:
    try:
        reported(world, (project,), version=NEW)
    except Refusal:
        return True
    return False
