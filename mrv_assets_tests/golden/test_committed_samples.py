"""Quoted published figures of every kind of row, in the project itself: they need no data from outside."""

from __future__ import annotations

from decimal import Decimal

import polars as pl
import pytest

from mrv_assets_tests.golden.twin_cities import factored_rows, inventory, ledger_totals, report
from mrv_assets_tests.world import GOLDEN

ROW_TOLERANCE = Decimal("1e-9")
"""Relative. The published figures are binary floats of 17 digits."""

REMOVAL_CHAIN = [
    pytest.param("metc-landcover-2025.03.11", "2564635.39", id="first"),
    pytest.param("metc-landcover-2025.04.07", "2565323.52", id="grassland-area-corrected"),
    pytest.param("metc-landcover-2025.08.27", "1722006.24", id="wetland-factor-corrected"),
]


def _quoted(name: str, **equal: str) -> pl.DataFrame:
    rows = pl.read_csv(GOLDEN / name, infer_schema=False).filter(**equal)
    return rows.with_columns(pl.concat_str("county", pl.lit(" "), "year", pl.lit(" "), "activity_id").alias("row_id"))


def _assert_equal(rows: pl.DataFrame, kind: str, factor_version: str, column: str) -> dict[str, dict[str, Decimal]]:
    partitions = sorted(set(rows.select("county", "year").iter_rows()))
    world = inventory(kind, rows)
    report(world, kind, partitions, factor_version)
    quantified = factored_rows(world, kind, partitions, factor_version)
    published = {row_id: Decimal(tonnes) for row_id, tonnes in rows.select("row_id", "published_tco2e").iter_rows()}
    assert quantified.keys() == published.keys()
    far = {
        row_id: (quantified[row_id][column], tonnes)
        for row_id, tonnes in published.items()
        if abs(quantified[row_id][column] - tonnes) > ROW_TOLERANCE * tonnes
    }
    assert far == {}
    return ledger_totals(world)


@pytest.mark.parametrize(
    ("kind", "factor_version", "quoted", "column"),
    [
        pytest.param("electricity", "mrow-2024.02.01", 2, "emissions_tco2e", id="electricity-ar5"),
        pytest.param("electricity", "mrow-2024.02.06", 2, "emissions_tco2e", id="electricity-wrong-vintage"),
        pytest.param("electricity", "mrow-2024.06.24", 3, "emissions_tco2e", id="electricity-ar6"),
        pytest.param("electricity", "mrow-2025.05.20", 10, "emissions_tco2e", id="electricity-time-series"),
        pytest.param("natural_gas", "metc-gas-2025", 8, "emissions_tco2e", id="natural-gas"),
        pytest.param("land_cover", "metc-landcover-2025.08.27", 5, "removals_tco2e", id="land-cover"),
    ],
)
def test_quoted_figures_come_out_to_the_last_published_digit(
    kind: str, factor_version: str, quoted: int, column: str
) -> None:
    """Every quoted row of a kind equals its published tonnes to 1e-9, in the column of its flux."""
    rows = _quoted("published_samples.csv", kind=kind, factor_version=factor_version)
    assert rows.height == quoted
    _assert_equal(rows, kind, factor_version, column)


@pytest.mark.parametrize(("factor_version", "total"), REMOVAL_CHAIN)
def test_the_removal_chain_appears_in_the_removals_column(factor_version: str, total: str) -> None:
    """Removals of 2021 over 11 counties: 2,564,635.39, then 2,565,323.52, then 1,722,006.24 t, never as emissions."""
    rows = _quoted("removal_chain_2021.csv", factor_version=factor_version)
    totals = _assert_equal(rows, "land_cover", factor_version, "removals_tco2e")["2021"]
    assert round(totals["removals_tco2e"], 2) == Decimal(total)
    assert totals["emissions_tco2e"] == 0
