"""Every published row of the Twin Cities inventory, through the whole pipeline, against the tonnes that were published.

The region is one project: a partition holds the rows of its eleven counties in a year, and a stratum is a sum of
eleven. That this is what the counties report as eleven projects is shown for a year of each kind.

The public data set lies beside the project on the machines of its maintainers; elsewhere these tests skip, and
`test_committed_samples` keeps an oracle for each kind of row.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import polars as pl
import pytest

from mrv_assets_tests.golden.twin_cities import METC, factored_rows, inventory, ledger_totals, region_wide, report

pytestmark = pytest.mark.skipif(
    not METC.is_dir(), reason="the public data set is not here: no ../shared/data/metc-twin-cities"
)

ROW_TOLERANCE = Decimal("1e-9")
"""Relative. The published figures are binary floats of 17 digits."""

TOTAL_TOLERANCE = Decimal("0.17")
"""t CO2e. The final county table rounds each of at most 33 rows a year to 0.01 t."""

LAND_COVER_STATES = [
    pytest.param("2025-03-11__1131a992", "metc-landcover-2025.03.11", "2564635.39", id="first"),
    pytest.param("2025-04-07__c7b3ce02", "metc-landcover-2025.04.07", "2565323.52", id="grassland-area-corrected"),
    pytest.param("2025-08-27__0090481f", "metc-landcover-2025.08.27", "1722006.24", id="wetland-factor-corrected"),
]


def _text(name: str) -> pl.DataFrame:
    return pl.read_csv(METC / name, infer_schema=False)


def _county_activity(name: str) -> pl.DataFrame:
    return _text(name).select(
        pl.concat_str("county_name", pl.lit(" "), "year").alias("row_id"),
        pl.col("county_name").alias("county"),
        "year",
        pl.col("activity").alias("activity_qty"),
        pl.col("value_emissions").alias("published"),
    )


def _land_cover(state: str) -> pl.DataFrame:
    table = _text(f"versions/county_sequestration_published__{state}.csv")
    cover = "land_cover_type" if "land_cover_type" in table.columns else "source"
    return table.select(
        pl.concat_str("county_name", pl.lit(" "), "inventory_year", pl.lit(" "), cover).alias("row_id"),
        pl.col("county_name").alias("county"),
        pl.col("inventory_year").alias("year"),
        pl.col("area").alias("activity_qty"),
        pl.concat_str(pl.lit("land_cover."), pl.col(cover).str.to_lowercase()).alias("activity_id"),
        pl.col("sequestration_potential").str.strip_prefix("-").alias("published"),
    )


def _partitions(rows: pl.DataFrame) -> list[tuple[str, str]]:
    return sorted(set(rows.select("county", "year").iter_rows()))


def _assert_rows(rows: pl.DataFrame, quantified: dict[str, dict[str, Decimal]], column: str) -> None:
    assert sorted(quantified) == sorted(rows["row_id"])
    far = {
        row_id: (quantified[row_id][column], published)
        for row_id, published in rows.select("row_id", "published").iter_rows()
        if abs(quantified[row_id][column] - Decimal(published)) > ROW_TOLERANCE * Decimal(published)
    }
    assert far == {}


def _published_totals(category: str, source: str = "") -> dict[str, Decimal]:
    table = _text("csv/published_county_emissions_energy_nature.csv").filter(
        (pl.col("category") == category) & pl.col("source").str.contains(source, literal=True)
    )
    return {
        year: sum((Decimal(value) for value in values), Decimal(0))
        for (year,), values in (
            (group, frame["value_emissions"].to_list()) for group, frame in table.group_by("emissions_year")
        )
    }


def _assert_totals(ours: dict[str, Decimal], published: dict[str, Decimal], *, years: int) -> None:
    assert len(published) == years
    far = {y: (ours[y], total) for y, total in published.items() if abs(ours[y] - total) > TOTAL_TOLERANCE}
    assert far == {}


def test_all_207_electricity_rows_equal_the_published_tonnes() -> None:
    """MWh x eGRID rate of the year x AR6 potentials gives every published row to 1e-9 and every yearly total."""
    rows = region_wide(_county_activity("csv/county_elec_activity.csv"))
    assert rows.height == 207
    world = inventory("electricity", rows)
    report(world, "electricity", _partitions(rows), "mrow-2025.05.20")
    quantified = factored_rows(world, "electricity", _partitions(rows), "mrow-2025.05.20")
    _assert_rows(rows, quantified, "emissions_tco2e")
    ours = {year: total["emissions_tco2e"] for year, total in ledger_totals(world).items()}
    _assert_totals(ours, _published_totals("Electricity"), years=19)


def test_all_209_natural_gas_rows_equal_the_published_tonnes() -> None:
    """Mcf x EPA factors x AR6 potentials gives every published row to 1e-9 and every yearly total."""
    rows = region_wide(_county_activity("csv/county_natgas_activity.csv"))
    assert rows.height == 209
    world = inventory("natural_gas", rows)
    report(world, "natural_gas", _partitions(rows), "metc-gas-2025")
    quantified = factored_rows(world, "natural_gas", _partitions(rows), "metc-gas-2025")
    _assert_rows(rows, quantified, "emissions_tco2e")
    ours = {year: total["emissions_tco2e"] for year, total in ledger_totals(world).items()}
    _assert_totals(ours, _published_totals("Building Fuel", "natural gas"), years=19)


@pytest.mark.parametrize(("state", "factor_version", "total_2021"), LAND_COVER_STATES)
def test_all_1210_land_cover_rows_equal_the_published_removals(
    state: str, factor_version: str, total_2021: str
) -> None:
    """Area x factor gives every published removal to 1e-9, in the removals column, in each published state."""
    rows = region_wide(_land_cover(state))
    assert rows.height == 1210
    world = inventory("land_cover", rows)
    report(world, "land_cover", _partitions(rows), factor_version)
    quantified = factored_rows(world, "land_cover", _partitions(rows), factor_version)
    _assert_rows(rows, quantified, "removals_tco2e")
    totals = ledger_totals(world)
    assert {year: total["emissions_tco2e"] for year, total in totals.items() if total["emissions_tco2e"]} == {}
    assert round(totals["2021"]["removals_tco2e"], 2) == Decimal(total_2021)


def test_the_latest_removals_equal_the_final_county_table() -> None:
    """Every yearly total of the last published land cover state equals the final county table, sign turned."""
    rows = region_wide(_land_cover("2025-08-27__0090481f")).filter(pl.col("year") >= "2005")
    world = inventory("land_cover", rows)
    report(world, "land_cover", _partitions(rows), "metc-landcover-2025.08.27")
    ours = {year: -total["removals_tco2e"] for year, total in ledger_totals(world).items()}
    _assert_totals(ours, _published_totals("Sequestration"), years=18)


@pytest.mark.parametrize(
    ("kind", "read", "source", "factor_version"),
    [
        ("electricity", _county_activity, "csv/county_elec_activity.csv", "mrow-2025.05.20"),
        ("natural_gas", _county_activity, "csv/county_natgas_activity.csv", "metc-gas-2025"),
        ("land_cover", _land_cover, "2025-08-27__0090481f", "metc-landcover-2025.08.27"),
    ],
    ids=["electricity", "natural-gas", "land-cover"],
)
def test_eleven_counties_report_together_what_the_region_reports(
    kind: str, read: Callable[[str], pl.DataFrame], source: str, factor_version: str
) -> None:
    """As projects of their own, the counties have the same rows to the last digit and the same sum in the ledger."""
    counties = read(source).filter(pl.col("year") == "2021")
    assert len(_partitions(counties)) == 11
    by_county, by_region = (_reported(kind, rows, factor_version) for rows in (counties, region_wide(counties)))
    assert by_county == by_region


def _reported(kind: str, rows: pl.DataFrame, factor_version: str) -> tuple[object, object]:
    """Return emissions and removals of every row, and of every year in the ledger."""
    world = inventory(kind, rows)
    report(world, kind, _partitions(rows), factor_version)
    quantified = factored_rows(world, kind, _partitions(rows), factor_version)
    tonnes = {row_id: (row["emissions_tco2e"], row["removals_tco2e"]) for row_id, row in quantified.items()}
    assert len(tonnes) == rows.height
    return tonnes, ledger_totals(world)
