from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import shapely
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.contract import about
from mrv_assets.domain.staged import Staged
from mrv_assets_tests.builders import PROJECT_TOML, csv_bytes, ingested, project
from mrv_assets_tests.plots import normalized_table

OWN = (
    'geometry = "wkt"\ngeometry_column = "outline"\ndeclared_crs = "EPSG:4326"\ndeclared_because = "the sender says so"'
)
PROJECT = project(
    PROJECT_TOML.replace('geometry = "boundary"', OWN)
    + '\n[source.quarantine]\nmax_share = "0.9"\nbecause = "the sender mends them"\n'
)
LAND = (-93.5, 45.0, -93.0, 45.4)
COLUMNS = ("record_id", "county_fips", "activity", "year", "quantity", "unit", "outline")
ON_THE_WAY_IN: tuple[Mapping[str, str], ...] = (
    {"quantity": "1,000"},
    {"quantity": "-5"},
    {"quantity": "NaN"},
    {"quantity": ""},
    {"record_id": "8.91E+05"},
    {"record_id": " "},
    {"record_id": "twice"},
    {"year": "FY21"},
    {"activity": ""},
    {"unit": " "},
    {"outline": "POLYGON ((0 0"},
    {"outline": ""},
)
LATER: tuple[Mapping[str, str], ...] = (
    {"unit": "smoot"},
    {"outline": "POINT (-93.2 45.1)"},
    {"outline": "POLYGON ((2 45, 3 45, 3 46, 2 45))"},
    {"outline": "POLYGON ((-93.2 45.1, -93.1 45.2, -93.1 45.1, -93.2 45.2, -93.2 45.1))"},
)

Cells = Mapping[str, str]


@st.composite
def sources(draw: st.DrawFn) -> tuple[list[dict[str, str]], list[Cells]]:
    """Return rows of a source, and what was made wrong with each of them."""
    faults = draw(st.lists(st.just({}) | st.sampled_from(ON_THE_WAY_IN) | st.sampled_from(LATER), max_size=12))
    rows = []
    for number, fault in enumerate(faults):
        west, south = draw(st.floats(-93.4, -93.1)), draw(st.floats(45.05, 45.3))
        quantity = draw(st.floats(0.0, 1e12))
        cells = (f"r{number}", "27003", "electricity.delivered", "2021", repr(quantity), "MWh")
        plot = shapely.box(west, south, west + 0.01, south + 0.01).wkt
        rows.append(dict(zip(COLUMNS, (*cells, plot), strict=True)) | dict(fault))
    return rows, faults


def identities(staged: Staged) -> Counter[str | None]:
    """Return the ids of all rows, kept and set aside."""
    aside = [] if staged.quarantined is None else staged.quarantined.column("row_id").to_pylist()
    return Counter([*staged.table.column("row_id").to_pylist(), *aside])


def kept(
    rows: Sequence[Mapping[str, str]], faults: Sequence[Cells], *, bad: Sequence[Cells]
) -> list[Mapping[str, str]]:
    """Return the rows that nothing of `bad` was done to; an id that only one row has is no fault."""
    is_alone = Counter(row["record_id"] for row in rows)["twice"] == 1
    good = [r for r, f in zip(rows, faults, strict=True) if f not in bad or (is_alone and r["record_id"] == "twice")]
    return sorted(good, key=lambda row: row["record_id"])


@given(source=sources())
def test_every_row_is_kept_as_it_was_or_set_aside(source: tuple[list[dict[str, str]], list[Cells]]) -> None:
    """In both stages rows in = rows out + rows set aside, by their ids, and no kept row has another value."""
    rows, faults = source
    staged = ingested(csv_bytes([tuple(row.values()) for row in rows], columns=COLUMNS), of=PROJECT)
    assert identities(staged) == Counter(row["record_id"] for row in rows)
    expected = kept(rows, faults, bad=ON_THE_WAY_IN)
    assert staged.table.column("row_id").to_pylist() == [row["record_id"] for row in expected]
    assert staged.table.column("activity_qty").to_pylist() == [float(row["quantity"]) for row in expected]
    assert staged.table.column("unit").to_pylist() == [row["unit"] for row in expected]
    outlines = [shapely.from_wkb(wkb).wkt for wkb in staged.table.column("geometry").to_pylist()]
    assert outlines == [shapely.from_wkt(row["outline"]).wkt for row in expected]
    assert int(about(staged.table).get("rows_quarantined", "0")) == len(rows) - len(expected)

    later = normalized_table(staged.table, quarantine="0.9", land=LAND)
    assert identities(later) == Counter(row["record_id"] for row in expected)
    remaining = kept(rows, faults, bad=[*ON_THE_WAY_IN, *LATER])
    assert later.table.column("row_id").to_pylist() == [row["record_id"] for row in remaining]
    assert later.table.column("activity_qty").to_pylist() == [float(row["quantity"]) for row in remaining]
    assert set(later.table.column("unit").to_pylist()) <= {"megawatt_hour"}


@given(source=sources())
def test_good_rows_come_out_as_if_the_bad_ones_had_not_been_there(
    source: tuple[list[dict[str, str]], list[Cells]],
) -> None:
    """What is set aside changes no footprint and no area of another row."""
    rows, faults = source
    alone = [row for row, fault in zip(rows, faults, strict=True) if not fault]
    tables = [
        normalized_table(
            ingested(csv_bytes([tuple(row.values()) for row in part], columns=COLUMNS), of=PROJECT).table,
            quarantine="0.9",
            land=LAND,
        ).table
        for part in (rows, alone)
    ]
    names = {row["record_id"] for row in alone}
    among, by_themselves = (
        {row["row_id"]: row for row in table.to_pylist() if row["row_id"] in names} for table in tables
    )
    assert among == by_themselves
    assert set(among) == names
