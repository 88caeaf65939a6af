from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import shapely

from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.contract import ACTIVITY, NORMALIZED, about
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.staged import Staged
from mrv_assets_tests.builders import PROJECT_TOML, SOURCE_COLUMNS, box, csv_bytes, good_case, ingested, project
from mrv_assets_tests.plots import activity, normalized_table

PLOT = "POLYGON ((-93.2 45.1, -93.1 45.1, -93.1 45.2, -93.2 45.2, -93.2 45.1))"
ARC = "CURVEPOLYGON (CIRCULARSTRING (-93.2 45.1, -93.1 45.1, -93.1 45.2, -93.2 45.2, -93.2 45.1))"
LAND = (-93.5, 45.0, -93.0, 45.4)
OWN = PROJECT_TOML.replace(
    'geometry = "boundary"',
    'geometry = "{kind}"\n{columns}declared_crs = "EPSG:4326"\ndeclared_because = "the sender says so"',
).replace('"electricity.csv"\nformat = "csv"', '"plots"\nformat = "{format}"')
POLICY = '\n[source.quarantine]\nmax_share = "{share}"\nbecause = "the sender mends them by May"\n'
WKT = OWN.format(kind="wkt", columns='geometry_column = "outline"\n', format="csv")
LONLAT = OWN.format(kind="lonlat", columns='lon_column = "x"\nlat_column = "y"\n', format="csv")
GEOJSON = OWN.format(kind="record", columns="", format="geojson")


def row(**changes: str) -> dict[str, str]:
    """Return the cells of one source row, good but for the changes."""
    cells = dict(zip(SOURCE_COLUMNS, ("a", "27003", "electricity.delivered", "2021", "2.5", "MWh"), strict=True))
    return {**cells, "outline": PLOT, "x": "-93.2", "y": "45.1"} | changes


def delivered(*rows: dict[str, str], of: str = WKT, share: str | None = "0.5") -> Staged:
    """Ingest a CSV of these rows for a project that may set aside this share of them."""
    data = csv_bytes([tuple(cells.values()) for cells in rows], columns=tuple(rows[0]))
    return ingested(data, of=project(of + (POLICY.format(share=share) if share else "")))


def feature(geometry: dict[str, Any] | None = None, **changes: object) -> dict[str, object]:
    """Return one feature of a source, good but for the changes."""
    properties: dict[str, object] = {**row(), "quantity": 2.5, **changes}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def judged(asset: Asset, staged: Staged, upstream: Staged | None = None) -> dict[str, GateOutcome]:
    """Return what the gates of an asset say of a content."""
    case = replace(good_case(asset), staged=staged)
    if upstream is not None:
        case = replace(case, upstream={Asset.ACTIVITY: upstream.table})
    return {outcome.gate: outcome for outcome in judge_all(asset, case)}


def refused_by(*rows: dict[str, str]) -> list[str]:
    """Return the gates that refuse these rows of a project that may set nothing aside, raised or judged."""
    try:
        staged = delivered(*rows, share=None)
    except GateError as error:
        return [error.gate]
    gates = red(judged(Asset.ACTIVITY, staged))
    # The contract as a whole is asked again by Great Expectations, last.
    return gates if gates == ["expectations_met"] else [gate for gate in gates if gate != "expectations_met"]


def red(outcomes: dict[str, GateOutcome]) -> list[str]:
    """Return the gates that did not pass."""
    return [gate for gate, outcome in outcomes.items() if not outcome.passed]


FAULTS = [
    pytest.param({"quantity": "1,000"}, "quantity_valid", "quantity is no number", "activity_qty = '1,000'", id="text"),
    pytest.param(
        {"quantity": "1e400"}, "quantity_valid", "quantity would become another amount", "'1e400'", id="too large"
    ),
    pytest.param({"quantity": "-5"}, "quantity_valid", "quantity is no amount", "activity_qty = '-5'", id="negative"),
    pytest.param({"quantity": "NaN"}, "quantity_valid", "quantity is no amount", "activity_qty = 'NaN'", id="NaN"),
    pytest.param({"quantity": "inf"}, "quantity_valid", "quantity is no amount", "activity_qty = 'inf'", id="infinite"),
    pytest.param({"quantity": ""}, "quantity_valid", "quantity is no amount", "activity_qty = ''", id="no quantity"),
    pytest.param({"quantity": "NA"}, "quantity_valid", "quantity is no amount", "activity_qty = 'NA'", id="NA"),
    pytest.param({"record_id": "8.91E+05"}, "row_ids_unique", "no id of its own", "'2.5'", id="id as a number"),
    pytest.param({"record_id": "3-Apr"}, "row_ids_unique", "no id of its own", "'2.5'", id="id as a date"),
    pytest.param({"record_id": " "}, "row_ids_unique", "no id of its own", "'2.5'", id="blank id"),
    pytest.param({"year": "FY21"}, "epochs_in_period", "not a canonical period", "epoch = 'FY21'", id="epoch"),
    pytest.param({"year": ""}, "epochs_in_period", "not a canonical period", "epoch = ''", id="no epoch"),
    pytest.param({"activity": ""}, "expectations_met", "row says no activity_id", "activity_id = ''", id="no activity"),
    pytest.param(
        {"activity": " \t"}, "expectations_met", "row says no activity_id", "unit = 'MWh'", id="blank activity"
    ),
    pytest.param({"unit": ""}, "expectations_met", "row says no unit", "unit = ''", id="no unit"),
    pytest.param({"unit": "  "}, "expectations_met", "row says no unit", "unit = '  '", id="blank unit"),
    pytest.param(
        {"outline": "POLYGON ((0 0, 1"}, "geometry_present", "a geometry that is not empty", "unit = 'MWh'", id="WKT"
    ),
    pytest.param({"outline": ARC}, "geometry_present", "a geometry that is not empty", "unit = 'MWh'", id="curve"),
    pytest.param(
        {"outline": ""}, "geometry_present", "a geometry that is not empty", "unit = 'MWh'", id="no footprint"
    ),
]


@pytest.mark.parametrize(("changes", "gate", "reason", "given"), FAULTS)
def test_a_row_that_cannot_be_taken_is_set_aside(changes: dict[str, str], gate: str, reason: str, given: str) -> None:
    """It is kept with its line, id, gate, reason and values; the others go on, and the gates are green."""
    staged = delivered(row(record_id="good"), row(**changes), row(record_id="z"))
    assert staged.table.column("row_id").to_pylist() == ["good", "z"]
    assert staged.quarantined is not None
    [aside] = staged.quarantined.to_pylist()
    assert (aside["row"], aside["row_id"], aside["gate"]) == (3, changes.get("record_id", "a"), gate)
    assert reason in aside["reason"]
    assert given in aside["given"]
    assert (staged.evidence["rows_in"], staged.evidence["rows_quarantined"]) == ("3", "1")
    outcomes = judged(Asset.ACTIVITY, staged)
    assert red(outcomes) == []
    assert outcomes["rows_accounted"].observed.endswith("1 set aside (33.3333%), because the sender mends them by May")


@pytest.mark.parametrize(("changes", "gate", "reason", "given"), FAULTS)
def test_without_a_policy_the_same_row_refuses_the_partition(
    changes: dict[str, str],
    gate: str,
    reason: str,  # noqa: ARG001 # of the same table
    given: str,  # noqa: ARG001
) -> None:
    """The default is to refuse, at the stage or at the gate, by the same gate that it would be set aside for."""
    assert refused_by(row(record_id="good"), row(**changes), row(record_id="z")) == [gate]


@pytest.mark.parametrize(
    ("changes", "gate"),
    [
        pytest.param({"quantity": None}, "quantity_valid", id="quantity"),
        pytest.param({"record_id": None}, "row_ids_unique", id="id"),
        pytest.param({"year": None}, "epochs_in_period", id="epoch"),
        pytest.param({"geometry": None}, "geometry_present", id="geometry"),
        pytest.param({"activity": None}, "expectations_met", id="activity"),
        pytest.param({"unit": None}, "expectations_met", id="unit"),
    ],
)
def test_a_null_is_a_reason_to_be_set_aside(changes: dict[str, None], gate: str) -> None:
    """In a format with nulls, a null counts like an empty cell of a CSV file."""
    here = box(-93.2, 45.1, -93.1, 45.2)
    features = [feature(here, record_id="good"), feature(**{"geometry": here, **changes}), feature(here, record_id="z")]
    data = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    staged = ingested(data, of=project(GEOJSON + POLICY.format(share="0.5")))
    assert staged.table.column("row_id").to_pylist() == ["good", "z"]
    assert staged.quarantined is not None
    assert staged.quarantined.select(["row", "gate"]).to_pylist() == [{"row": 2, "gate": gate}]
    assert red(judged(Asset.ACTIVITY, staged)) == []


@pytest.mark.parametrize("place", ["", " ", None])
def test_a_row_without_a_region_is_set_aside(place: str | None) -> None:
    """Nobody knows which factor is meant."""
    of = GEOJSON.replace('region = "US/MROW"\n', "").replace('unit = "unit"\n', 'unit = "unit"\nregion = "place"\n')
    here = box(-93.2, 45.1, -93.1, 45.2)
    features = [feature(here, record_id="good", place="US/MROW"), feature(here, place=place)]
    data = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    staged = ingested(data, of=project(of + POLICY.format(share="0.5")))
    assert staged.quarantined is not None
    [aside] = staged.quarantined.to_pylist()
    assert (aside["row_id"], aside["gate"]) == ("a", "expectations_met")
    assert aside["reason"].startswith("row says no region")
    assert red(judged(Asset.ACTIVITY, staged)) == []


@pytest.mark.parametrize("of", [WKT, LONLAT, GEOJSON], ids=["wkt", "lonlat", "record"])
def test_what_a_row_said_is_kept_without_its_footprint(of: str) -> None:
    """The outline of a county would fill the screen; everything else stands there in the order of the contract."""
    rows = [row(record_id="good"), row(quantity="?")]
    here = box(-93.2, 45.1, -93.1, 45.2)
    collection = {"type": "FeatureCollection", "features": [feature(here, **cells) for cells in rows]}
    staged = (
        ingested(json.dumps(collection).encode(), of=project(of + POLICY.format(share="0.5")))
        if of is GEOJSON
        else delivered(*rows, of=of)
    )
    assert staged.quarantined is not None
    assert staged.quarantined.column("given").to_pylist() == [
        "activity_id = 'electricity.delivered'; region = 'US/MROW'; epoch = '2021'; activity_qty = '?'; unit = 'MWh'"
    ]


@pytest.mark.parametrize(
    ("x", "y"),
    [
        pytest.param("-93,2", "45.1", id="other mark"),
        pytest.param("", "45.1", id="none"),
        pytest.param("-93.2", "45N", id="text"),
    ],
)
def test_coordinates_that_are_none_set_a_row_aside(x: str, y: str) -> None:
    """A point needs two numbers."""
    staged = delivered(row(record_id="good"), row(x=x, y=y), of=LONLAT)
    assert staged.table.column("row_id").to_pylist() == ["good"]
    assert staged.quarantined is not None
    assert staged.quarantined.column("gate").to_pylist() == ["geometry_present"]
    assert red(judged(Asset.ACTIVITY, staged)) == []


def test_every_row_of_a_repeated_id_is_set_aside() -> None:
    """Nobody can tell which of them is the one that is meant."""
    staged = delivered(row(), row(record_id="good"), row(quantity="3"), row(record_id="z"))
    assert staged.table.column("row_id").to_pylist() == ["good", "z"]
    assert staged.quarantined is not None
    assert staged.quarantined.column("row").to_pylist() == [2, 4]
    assert red(judged(Asset.ACTIVITY, staged)) == []


def test_rows_of_other_periods_and_projects_are_no_rows_that_came_in() -> None:
    """The share is of the partition's rows: neither a good file around them nor the faults of others count."""
    others = [row(record_id=f"o{n}", year="2020", quantity="?") for n in range(5)]
    others += [row(record_id=f"p{n}", county_fips="27019", quantity="?") for n in range(5)]
    staged = delivered(row(record_id="good"), row(quantity="?"), *others)
    assert (staged.evidence["rows_in"], staged.evidence["rows_quarantined"]) == ("2", "1")


def test_a_row_of_an_unreadable_epoch_counts_in_every_period() -> None:
    """It may belong to any of them, so each sets it aside."""
    rows = csv_bytes([tuple(r.values()) for r in (row(), row(record_id="u", year="?"))], columns=tuple(row()))
    for period in ("2020", "2021"):
        staged = ingested(rows, of=project(WKT + POLICY.format(share="0.5")), period=period)
        assert staged.quarantined is not None
        assert staged.quarantined.column("row_id").to_pylist() == ["u"]


def test_more_than_the_allowed_share_is_refused() -> None:
    """One row of three is more than 0.33 of them; the rows set aside are named by the stage all the same."""
    rows = (row(record_id="good"), row(quantity="?"), row(record_id="z"))
    outcomes = judged(Asset.ACTIVITY, delivered(*rows, share="0.33"))
    assert red(outcomes) == ["rows_accounted"]
    assert "3 rows in, 2 staged, 1 set aside (33.3333%)" in outcomes["rows_accounted"].observed
    assert red(judged(Asset.ACTIVITY, delivered(*rows, share="0.34"))) == []


def test_a_partition_of_nothing_but_faults_is_refused() -> None:
    """However much may be set aside, a figure needs a row."""
    staged = delivered(row(quantity="?"), row(record_id="b", quantity="?"), share="0.99")
    assert (staged.rows, staged.evidence["rows_quarantined"]) == (0, "2")
    assert {"rows_present", "rows_accounted"} <= set(red(judged(Asset.ACTIVITY, staged)))


def test_kept_rows_are_those_of_a_source_without_the_faults() -> None:
    """Setting a row aside changes nothing about the others."""
    good = [row(record_id="good"), row(record_id="z", quantity="7")]
    kept = delivered(good[0], row(quantity="?"), good[1]).table
    assert kept.equals(delivered(*good).table)


def test_another_quarantine_is_another_content() -> None:
    """The digest covers which rows were set aside and why, so that it is certified with the rows."""
    good = row(record_id="good")
    contents = {
        ACTIVITY.digest(delivered(*rows).table)
        for rows in ((good,), (good, row(quantity="?")), (good, row(quantity="-1")), (row(quantity="?"), good))
    }
    assert len(contents) == 4


TRIANGLE = "POLYGON ((-93.4 45.1, -93.3 45.1, -93.3 45.2, -93.4 45.1))"
BOW_TIE = "POLYGON ((-93.2 45.1, -93.1 45.2, -93.1 45.1, -93.2 45.2, -93.2 45.1))"
SQUARE_DEGREES = shapely.box(-93.2, 45.1, -93.19, 45.11)
BAD_FOOTPRINTS = [
    pytest.param(None, "geometry_present", id="null"),
    pytest.param(b"\x01\x02", "geometry_present", id="unreadable"),
    pytest.param("POINT (-93.2 45.1)", "geometry_present", id="point"),
    pytest.param(shapely.box(45.1, -93.2, 45.11, -93.19), "geometry_finite", id="swapped axes"),
    pytest.param(shapely.box(2.0, 45.1, 2.1, 45.2), "geometry_finite", id="elsewhere"),
    pytest.param(BOW_TIE, "geometry_repair_bounded", id="bow-tie"),
]


@pytest.mark.parametrize(("shape", "gate"), BAD_FOOTPRINTS)
def test_a_footprint_that_cannot_be_used_is_set_aside(shape: str | bytes | shapely.Geometry | None, gate: str) -> None:
    """Normalising knows rows by their place in the activity table, and keeps the others in their order."""
    rows = activity(SQUARE_DEGREES, shape, TRIANGLE, crs="EPSG:4326")
    staged = normalized_table(rows, quarantine="0.5", land=LAND)
    assert staged.table.column("row_id").to_pylist() == ["r0", "r2"]
    assert staged.quarantined is not None
    [aside] = staged.quarantined.to_pylist()
    assert (aside["row"], aside["row_id"], aside["gate"]) == (2, "r1", gate)
    assert aside["given"] == (
        "activity_id = 'electricity.delivered'; region = 'US/MROW'; epoch = '2021'; activity_qty = '1'; unit = 'MWh'"
    )
    outcomes = judged(Asset.NORMALIZED, staged, Staged(content=rows))
    assert red(outcomes) == []
    assert outcomes["rows_conserved"].metrics["quarantined"] == 1
    with pytest.raises(GateError, match="'r1'") as caught:
        normalized_table(rows, land=LAND)
    assert caught.value.gate == gate


@pytest.mark.parametrize("unit", ["smoot", "ton", "", None])
def test_a_row_of_an_unknown_unit_is_set_aside(unit: str | None) -> None:
    """Only that row is, and its unit stands as it was given."""
    rows = activity(*[SQUARE_DEGREES] * 3, crs="EPSG:4326", columns={"unit": ["MWh", unit, "kWh"]})
    staged = normalized_table(rows, quarantine="0.5")
    assert staged.table.column("unit").to_pylist() == ["megawatt_hour", "kilowatt_hour"]
    assert staged.quarantined is not None
    [aside] = staged.quarantined.to_pylist()
    assert (aside["row_id"], aside["gate"]) == ("r1", "units_known")
    assert aside["given"].endswith(f"unit = {unit!r}")


def test_a_shared_footprint_that_cannot_be_used_sets_all_rows_aside() -> None:
    """A fault that is found once counts for every row that has the footprint."""
    staged = normalized_table(activity(*["POINT (1000 1000)"] * 4), quarantine="0.5")
    assert staged.rows == 0
    assert staged.quarantined is not None
    assert staged.quarantined.column("row").to_pylist() == [1, 2, 3, 4]


def test_evidence_is_of_the_rows_that_are_kept() -> None:
    """The areas of rows that were set aside are in no sum and in no largest difference."""
    alone = normalized_table(activity(SQUARE_DEGREES, crs="EPSG:4326"))
    both = normalized_table(
        activity(SQUARE_DEGREES, "POLYGON ((0 0, 1 1, 1 0, 0 1, 0 0))", crs="EPSG:4326"), quarantine="0.5"
    )
    for name in ("area_planar_ha", "area_geodesic_ha", "area_max_relative_difference", "repair_max_relative_change"):
        assert both.evidence[name] == alone.evidence[name]


@pytest.mark.parametrize(("share", "expected"), [("0.5", []), ("0.4", ["rows_conserved"])])
def test_the_share_counts_both_stages_together(share: str, expected: list[str]) -> None:
    """One row of four is set aside on the way in and one later: half of what the source had."""
    good = (row(record_id="good"), row(record_id="z", outline=TRIANGLE))
    rows = (*good, row(quantity="?"), row(record_id="m", outline="POINT (-93.2 45.1)"))
    first = delivered(*rows, share=share)
    second = normalized_table(first.table, quarantine=share, land=LAND)
    assert red(judged(Asset.ACTIVITY, first)) == []
    outcomes = judged(Asset.NORMALIZED, second, first)
    assert "set aside so far 50.0000% of the source rows" in outcomes["rows_conserved"].observed
    assert red(outcomes) == expected
    assert second.evidence["rows_quarantined_before"] == "1"
    assert about(second.table)["rows_quarantined"] == "1"


def test_normalising_after_another_quarantine_is_another_content() -> None:
    """Also here the digest covers what was set aside."""
    shape, other = SQUARE_DEGREES, shapely.box(-93.3, 45.1, -93.29, 45.11)
    contents = {
        NORMALIZED.digest(normalized_table(activity(*shapes, crs="EPSG:4326"), quarantine="0.9").table)
        for shapes in ((shape,), (shape, None), (shape, BOW_TIE), (shape, other))
    }
    assert len(contents) == 4
