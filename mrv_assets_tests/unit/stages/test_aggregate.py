from __future__ import annotations

import random
from collections.abc import Mapping
from decimal import Decimal

import pyarrow as pa

from mrv_assets.domain.contract import AGGREGATED
from mrv_assets.domain.partition import Asset
from mrv_assets.stages.aggregate import aggregate
from mrv_assets_tests.builders import good_case, table_of


def factored(*rows: Mapping[str, object]) -> pa.Table:
    """Return factored rows; a row says only in what it differs from an emission of nothing."""
    usual = {
        "activity_id": "electricity.delivered",
        "region": "US/MROW",
        "epoch": "2021",
        "activity_qty": 1.0,
        "unit": "megawatt_hour",
        "ef_value": Decimal(1),
        "flux": "emission",
        "emissions_tco2e": Decimal(0),
        "removals_tco2e": Decimal(0),
    }
    return table_of(Asset.FACTORED, [{"row_id": f"r{n}", **usual, **row} for n, row in enumerate(rows)])


def test_strata_are_activity_region_and_epoch() -> None:
    """Rows that agree in all three are summed, others are not."""
    staged = aggregate(good_case(Asset.FACTORED).staged.table)
    strata = staged.table.select(["activity_id", "region", "epoch", "rows"]).to_pylist()
    assert [tuple(stratum.values()) for stratum in strata] == [
        ("electricity.delivered", "US/MROW", "2021", 1),
        ("electricity.delivered", "US/MROW", "2021-Q1", 1),
        ("land_cover.tree", "US/MROW", "2021", 1),
    ]


def test_sums_do_not_depend_on_the_order_of_rows() -> None:
    """Shuffled rows in other chunks give the same digest, where float sums would differ from run to run."""
    draw = random.Random(49)
    rows = [{"emissions_tco2e": Decimal(draw.randrange(10**18)).scaleb(-9)} for _ in range(5000)]
    table = factored(*rows)
    expected = AGGREGATED.digest(aggregate(table).table)
    for _ in range(5):
        order = list(range(len(rows)))
        draw.shuffle(order)
        shuffled = table.take(order)
        chunks = [shuffled.slice(start, 777) for start in range(0, len(rows), 777)]
        assert AGGREGATED.digest(aggregate(pa.concat_tables(chunks)).table) == expected


def test_sum_keeps_the_last_decimal_beside_the_largest_row() -> None:
    """A thousand rows of 1e15 t and one of 1e-9 t add up to every digit; binary64 would lose nine of them."""
    rows = [{"emissions_tco2e": Decimal("1e15")}] * 1000 + [{"emissions_tco2e": Decimal("1e-9")}]
    (total,) = aggregate(factored(*rows)).table.column("emissions_tco2e").to_pylist()
    assert total == Decimal("1000000000000000000.000000001")


def test_emissions_and_removals_are_not_netted() -> None:
    """A stratum with both keeps both."""
    both = factored({"emissions_tco2e": Decimal(5)}, {"removals_tco2e": Decimal(7), "flux": "removal"})
    (stratum,) = aggregate(both).table.to_pylist()
    assert (stratum["emissions_tco2e"], stratum["removals_tco2e"], stratum["rows"]) == (5, 7, 2)


def test_null_tonnage_does_not_count_as_zero() -> None:
    """One null makes its stratum null, which `tonnage_valid` refuses; it is not left out of the sum."""
    (stratum,) = aggregate(factored({"emissions_tco2e": Decimal(5)}, {"emissions_tco2e": None})).table.to_pylist()
    assert (stratum["emissions_tco2e"], stratum["rows"]) == (None, 2)
