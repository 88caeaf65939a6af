"""What holds of every row that may fall back to the factor of another region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.contract import FACTORED
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.fallback import Fallback, Level
from mrv_assets.domain.partition import Asset
from mrv_assets.stages.factor import apply_factors
from mrv_assets_tests.builders import WHERE, release, table_of

# Few regions, so that rows and factors meet; some are prefixes of others by letters but not by path.
_REGIONS = st.lists(st.sampled_from(["US", "USA", "MN", "p"]), min_size=1, max_size=4).map("/".join)
_DECLARABLE = (Level.STATE, Level.COUNTRY, Level.GLOBAL)
_LEVELS = st.sets(st.sampled_from(_DECLARABLE)).map(lambda chosen: tuple(x for x in _DECLARABLE if x in chosen))
_PUBLISHED = st.sets(_REGIONS | st.just("GLOBAL"), max_size=6).map(sorted)


def factored(
    regions: Sequence[str], published: Sequence[str], levels: Sequence[Level], order: Sequence[int]
) -> pa.Table:
    """Apply factors of the published regions, 1 t for the first and so on, to rows of these regions in this order.

    A factor of an activity that no row is of makes it a release when nothing else is published.
    """
    factors: list[Mapping[str, str]] = [{"activity_id": "other"}]
    factors += [{"region": r, "ef_value": str(n), "numerator_unit": "t"} for n, r in enumerate(published, 1)]
    usual = {"activity_id": "electricity.delivered", "epoch": "2021", "unit": "megawatt_hour", "activity_qty": 1.0}
    rows = [{"row_id": f"r{n:03d}", "region": regions[n], **usual} for n in order]
    fallback = Fallback(levels=levels, max_share=Decimal(1), because="a test") if levels else None
    return apply_factors(
        table_of(Asset.NORMALIZED, rows), release=release(factors), where=WHERE, fallback=fallback
    ).table


def expected(region: str, published: Sequence[str], levels: Sequence[Level]) -> tuple[str, str] | None:
    """Return region and level of the factor that a row should have, told without the platform's code."""
    parts = region.split("/")
    around = {Level.STATE: "/".join(parts[:2]), Level.COUNTRY: parts[0], Level.GLOBAL: "GLOBAL"}
    for level, name in [("own", region), *((level.value, around[level]) for level in levels)]:
        if name in published:
            return name, "own" if name == region else level
    return None


@given(
    regions=st.lists(_REGIONS, min_size=1, max_size=12), published=_PUBLISHED, levels=_LEVELS, seed=st.integers(0, 99)
)
def test_every_row_has_the_nearest_factor_once_or_all_are_refused(
    regions: list[str], published: list[str], levels: Sequence[Level], seed: int
) -> None:
    """Its own where it is published, whatever else is; the table is the same for any order of the rows."""
    straight = list(range(len(regions)))
    wanted = [expected(region, published, levels) for region in regions]
    if None in wanted:
        missing = {region for region, found in zip(regions, wanted, strict=True) if found is None}
        with pytest.raises(GateError, match=rf"activity has no factor.*found {len(missing)}: "):
            factored(regions, published, levels, straight)
        return
    table = factored(regions, published, levels, straight)
    assert table.column("row_id").to_pylist() == [f"r{n:03d}" for n in straight]
    found = zip(table["factor_region"].to_pylist(), table["factor_level"].to_pylist(), strict=True)
    assert list(found) == wanted
    assert table["emissions_tco2e"].to_pylist() == [published.index(name) + 1 for name, _ in filter(None, wanted)]
    shuffled = list(straight)
    Random(seed).shuffle(shuffled)
    assert FACTORED.digest(factored(regions, published, levels, shuffled)) == FACTORED.digest(table)


@given(regions=st.lists(_REGIONS, min_size=1, max_size=12), levels=_LEVELS)
def test_a_fallback_never_overrides_an_exact_match(regions: list[str], levels: Sequence[Level]) -> None:
    """Where every region has a factor, a declaration changes no row."""
    published, order = sorted({*regions, "GLOBAL", "US", "US/MN"}), range(len(regions))
    declared, exact = factored(regions, published, levels, order), factored(regions, published, (), order)
    assert declared.equals(exact)
    assert set(declared["factor_level"].to_pylist()) == {"own"}
