"""Two things that once happened to the published inventory, and the gates that catch them.

A revert on 2024-07-12 dropped the year 2005 from the source (18 rows became 9), and the two Wisconsin counties have no
electricity in 2023. Nothing failed then: a total just got smaller.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from mrv_assets.compliance.completeness import completeness
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.domain.project import Inventory
from mrv_assets_tests.golden.twin_cities import COUNTIES, METC, inventory, project_id, report
from mrv_assets_tests.world import TWIN_CITIES, run_partition

MINNESOTA = [county for county, fips in COUNTIES.items() if fips.startswith("27")]
WISCONSIN = [county for county, fips in COUNTIES.items() if fips.startswith("55")]
needs_public_data = pytest.mark.skipif(
    not METC.is_dir(), reason="the public data set is not here: no ../shared/data/metc-twin-cities"
)


def _renamed(table: pl.DataFrame, county: str, quantity: str) -> pl.DataFrame:
    return table.select(
        pl.concat_str(county, pl.lit(" "), "year").alias("row_id"),
        pl.col(county).alias("county"),
        "year",
        pl.col(quantity).alias("activity_qty"),
    )


def _published_18_rows() -> pl.DataFrame:
    """2005 and 2021 of the nine Minnesota counties, as published on 2024-07-03."""
    table = pl.read_csv(METC / "versions/county_elec_published__2024-07-03__c243ddf9.csv", infer_schema=False)
    return _renamed(table, "county", "total_mWh")


def _years_after_the_revert() -> list[str]:
    table = pl.read_csv(METC / "versions/county_elec_published__2024-07-12__9be14de3.csv", infer_schema=False)
    return sorted(set(table["year"]))


def _quoted_rows() -> pl.DataFrame:
    """2019 to 2022 of all eleven counties, as quoted in the example."""
    table = pl.read_csv(TWIN_CITIES / "landing/2025-05-20/electricity.csv", infer_schema=False)
    return _renamed(table, "county", "mwh_delivered")


def _rows_of_2023() -> pl.DataFrame:
    table = pl.read_csv(METC / "csv/county_elec_activity.csv", infer_schema=False)
    return _renamed(table, "county_name", "activity").filter(pl.col("year") == "2023")


@pytest.mark.parametrize(
    ("rows", "years", "lost", "version"),
    [
        pytest.param(
            _published_18_rows,
            _years_after_the_revert,
            "2005",
            "mrow-2025.05.20",
            id="the-revert-of-2024-07-12",
            marks=needs_public_data,
        ),
        pytest.param(_quoted_rows, lambda: ["2020", "2021", "2022"], "2019", "mrow-2025.05.20", id="quoted-rows"),
    ],
)
def test_a_source_that_lost_a_reported_year_is_refused_and_the_year_stays_reported(
    rows: Callable[[], pl.DataFrame], years: Callable[[], list[str]], lost: str, version: str
) -> None:
    """Running 2021 from a source without the lost year turns `source_keeps_periods` red and names the year."""
    whole = rows()
    world = inventory("electricity", whole)
    report(world, "electricity", [("Anoka", lost), ("Anoka", "2021")], version)
    reported = [slot.period for slot, _ in world.slots.list_slots(asset=Asset.LEDGER)]
    after = inventory("electricity", whole.filter(pl.col("year").is_in(years())), store=world.store)
    key = PartitionKey(project_id=project_id("electricity", "Anoka"), period="2021", factor_version=version)
    with pytest.raises(GateError, match=rf"source_keeps_periods.*lost since the last generation: {lost}"):
        run_partition(after, key)
    assert [slot.period for slot, _ in after.slots.list_slots(asset=Asset.LEDGER)] == reported


@pytest.mark.parametrize(
    ("rows", "year"),
    [
        pytest.param(_rows_of_2023, "2023", id="the-published-year-2023", marks=needs_public_data),
        pytest.param(lambda: _quoted_rows().filter(pl.col("county").is_in(MINNESOTA)), "2022", id="quoted-rows"),
    ],
)
def test_a_year_without_the_wisconsin_counties_is_not_a_total(rows: Callable[[], pl.DataFrame], year: str) -> None:
    """Nine counties report, two are refused for lack of rows, and `inventory_complete` is red and names both."""
    world = inventory("electricity", rows())
    report(world, "electricity", [(county, year) for county in MINNESOTA], "mrow-2025.05.20")
    for county in WISCONSIN:
        with pytest.raises(GateError, match="rows_present"):
            report(world, "electricity", [(county, year)], "mrow-2025.05.20")
    members = Inventory(
        id="twin-cities",
        title="Twin Cities",
        projects=tuple(project_id("electricity", county) for county in COUNTIES),
        periods=(year,),
    )
    reported = {(slot.project_id, slot.period) for slot, _ in world.slots.list_slots(asset=Asset.LEDGER)}
    outcome = completeness(members, year, reported)
    assert not outcome.passed
    assert (outcome.metrics["reported"], outcome.metrics["missing"]) == (9, 2)
    assert all(project_id("electricity", county) in outcome.observed for county in WISCONSIN)
