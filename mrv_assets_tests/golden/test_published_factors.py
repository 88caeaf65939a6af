"""The published workbooks themselves: what a release made of them holds, and what changed from year to year."""

from __future__ import annotations

from functools import cache

import pytest

from mrv_assets.domain.factors import GwpSet
from mrv_assets.importers.checked import checked
from mrv_assets.importers.comparison import activities_changed, compared
from mrv_assets.importers.draft import DraftRelease, Effect
from mrv_assets.importers.epa_hub import import_epa_hub
from mrv_assets.importers.uk_conversion import import_uk_conversion
from mrv_assets.importers.uk_totals import MISSED
from mrv_assets_tests.world import PUBLIC_DATA, REFERENCE_DATA

UK = PUBLIC_DATA / "uk-conversion-factors" / "raw"
HUBS = PUBLIC_DATA / "epa-factors" / "hub"

pytestmark = pytest.mark.skipif(
    not (UK.is_dir() and HUBS.is_dir()),
    reason="the public data sets are not here: no ../shared/data/uk-conversion-factors or epa-factors",
)

UK_YEARS = ("2016", "2018", "2021", "2022", "2023")


@cache
def gwp(name: str) -> GwpSet:
    """Return a GWP set of the reference data."""
    return GwpSet.parse(name, (REFERENCE_DATA / "gwp" / f"{name}.csv").read_bytes())


@cache
def uk(year: str) -> DraftRelease:
    """Return the checked draft of a flat file, which parses as a release under its own set."""
    (path,) = UK.glob(f"{year}_*.xlsx")
    draft = import_uk_conversion(path.read_bytes(), where=path.name)
    return checked(draft, gwp(draft.gwp_set))


@cache
def epa(year: str, gwp_set: str | None = None) -> DraftRelease:
    """Return the checked draft of a hub."""
    path = HUBS / f"ghg-emission-factors-hub-{year}.xlsx"
    draft = import_epa_hub(path.read_bytes(), where=path.name, gwp_set=gwp_set)
    return checked(draft, gwp(draft.gwp_set))


def left_out(draft: DraftRelease) -> dict[str, int]:
    """Return how many rows were left out by reason."""
    return {note.reason: note.count for note in draft.notes if note.effect is Effect.LEFT_OUT}


@pytest.mark.parametrize(
    ("year", "gwp_set", "rows", "listed", "file_rows"),
    [
        ("2016", "ar4", 1989, 2236, 5483),
        ("2018", "ar4", 2389, 2712, 6967),
        ("2021", "ar4", 2435, 2788, 7606),
        ("2022", "ar4", 2577, 3203, 8038),
        ("2023", "ar5", 2587, 3209, 8039),
    ],
)
def test_every_row_of_a_flat_file_is_taken_or_left_out(
    year: str, gwp_set: str, rows: int, listed: int, file_rows: int
) -> None:
    """Rows taken and rows left out are the rows of the file; 2023 is the first that is weighted with AR5."""
    draft = uk(year)
    assert (draft.gwp_set, len(draft.rows), len(draft.published_keys)) == (gwp_set, rows, listed)
    assert rows + sum(left_out(draft).values()) == file_rows
    assert {row.basis for row in draft.rows} == {f"CO2e:{gwp_set}"}


def test_what_a_flat_file_leaves_out_is_counted_by_reason() -> None:
    """The file of 2021 has every kind of row that is no factor."""
    assert left_out(uk("2021")) == {
        "part of a total: checked against it, no factor of its own": 3798,
        "energy in kWh, no greenhouse gas": 513,
        "part of a total that is not listed or has no value": 459,
        "total without a value": 351,
        "biogenic CO2 outside of scopes, reported apart from every total": 46,
        "total without a number: '< 1'": 2,
        "greenhouse gas label '`' says no gas": 1,
        "mark of the end": 1,
    }


@pytest.mark.parametrize(("year", "missed"), [("2016", 0), ("2018", 10), ("2021", 13), ("2022", 3), ("2023", 0)])
def test_parts_that_miss_their_total_are_named(year: str, missed: int) -> None:
    """The publisher rounds totals and parts by themselves; no miss is more than 0.1 % and refuses the file."""
    assert sum(note.count for note in uk(year).notes if note.reason == MISSED) == missed


@pytest.mark.parametrize(
    ("year", "published"),
    [("2016", "0.41205"), ("2018", "0.28307"), ("2021", "0.21233"), ("2022", "0.19338"), ("2023", "0.207074")],
)
def test_uk_electricity_is_what_was_published(year: str, published: str) -> None:
    """Grid electricity, kg CO2e per kWh; 2023 is published with all digits of its calculation."""
    stem = "uk-electricity/electricity-generated/electricity-uk"
    (row,) = [row for row in uk(year).rows if row.activity_id in (stem, f"{stem}/2020", f"{stem}/kwh")]
    assert row.denominator_unit == "kWh"
    assert f"{float(row.ef_value):.6f}".rstrip("0") == published
    assert year == "2023" or row.ef_value == published


@pytest.mark.parametrize(
    ("older", "newer", "vanished", "new", "ids_vanished", "ids_new"),
    [
        ("2016", "2018", 185, 661, 12, 412),
        ("2018", "2021", 59, 135, 74, 120),
        ("2021", "2022", 770, 1185, 506, 648),
        ("2022", "2023", 228, 234, 24, 34),
    ],
)
def test_keys_that_vanish_and_come_are_named(
    older: str, newer: str, vanished: int, new: int, ids_vanished: int, ids_new: int
) -> None:
    """Published keys letter by letter; ids hold where only case, spaces, brackets or the scope changed."""
    keys, ids = compared(uk(older), uk(newer)), activities_changed(uk(older), uk(newer))
    assert (len(keys.vanished), len(keys.new)) == (vanished, new)
    assert (len(ids.vanished), len(ids.new)) == (ids_vanished, ids_new)


@pytest.mark.parametrize(
    ("year", "gwp_set", "own", "rows"),
    [("2021", None, "ar4", 1120), ("2024", None, "ar5", 973), ("2024", "ar4", "ar4", 1156)],
)
def test_both_hubs_make_a_release(year: str, gwp_set: str | None, own: str, rows: int) -> None:
    """Every table that has factors is there; the waste of 2024 is there under AR4 only."""
    draft = epa(year, gwp_set)
    assert (draft.gwp_set, len(draft.rows)) == (own, rows)
    prefixes = {row.activity_id.split("/")[0] for row in draft.rows}
    assert len(prefixes) == 11 if own == "ar4" else 10
    assert ("waste" in prefixes) is (own == "ar4")


@pytest.mark.parametrize(
    ("year", "counts"),
    [
        ("2021", {"no factor published: NA": 185, "unit 'ton-mile' does not say which ton": 12}),
        ("2024", {"weighted with ar4, the release is under ar5": 183}),
    ],
)
def test_what_a_hub_leaves_out_is_counted_by_reason(year: str, counts: dict[str, int]) -> None:
    """Two tables of potentials, 15 empty cells of kraft pulping liquor, and what the year brings."""
    assert left_out(epa(year)) == {
        "table of global warming potentials, no factors": 2,
        "no factor published: empty": 15,
        **counts,
    }


@pytest.mark.parametrize(
    ("activity_id", "region", "unit", "in_2021", "in_2024"),
    [
        ("electricity.delivered", "US/MROW", "MWh", "1098.4", "936.485"),
        ("electricity.delivered", "US/CAMX", "MWh", "453.2", "497.443"),
        ("electricity.delivered", "US/RFCW", "MWh", "1067.7", "1000.053"),
        ("electricity.delivered", "US", "MWh", "884.2", "823.149"),
        ("stationary-combustion/natural-gas/natural-gas", "US", "MBtu_it", "53.06", "53.06"),
        ("stationary-combustion/natural-gas/natural-gas", "US", "scf", "0.05444", "0.05444"),
        ("mobile-combustion-co2/motor-gasoline", "US", "US_liquid_gallon", "8.78", "8.78"),
        ("mobile-combustion-co2/liquefied-natural-gas-lng", "US", "US_liquid_gallon", "4.5005492", "4.5"),
        ("steam-and-heat/steam-and-heat", "US", "MBtu_it", "66.33", "66.33"),
        ("transportation-and-distribution/light-duty-truck", "US", "mile", "0.464", "0.40545567265964"),
    ],
)
def test_co2_of_the_hubs_is_what_was_published(
    activity_id: str, region: str, unit: str, in_2021: str, in_2024: str
) -> None:
    """The same key in both editions, each with its own value."""
    for year, value in (("2021", in_2021), ("2024", in_2024)):
        (row,) = [
            row
            for row in epa(year).rows
            if (row.activity_id, row.region, row.denominator_unit, row.gas) == (activity_id, region, unit, "CO2")
        ]
        assert row.ef_value == value
