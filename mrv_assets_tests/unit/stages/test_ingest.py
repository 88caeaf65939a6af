from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import shapely

from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.errors import ContractError, GateError
from mrv_assets.domain.partition import Asset
from mrv_assets_tests.builders import (
    ANOKA,
    PROJECT_TOML,
    SOURCE_COLUMNS,
    csv_bytes,
    good_case,
    ingested,
    project,
    wkt_project,
)

UNTAGGED = project(PROJECT_TOML.replace("declared_crs", "# declared_crs").replace("declared_because", "# because"))
PLOT_COLUMNS = (*SOURCE_COLUMNS, "outline")


def row(**changes: str) -> tuple[str, ...]:
    """Return the cells of one source row."""
    cells = {
        "record_id": "a",
        "county_fips": "27003",
        "activity": "electricity.delivered",
        "year": "2021",
        "quantity": "2.5",
        "unit": "MWh",
    }
    return tuple({**cells, **changes}.values())


def plots(*outlines: str) -> bytes:
    """Return a source whose rows bring their own outlines."""
    return csv_bytes(
        [(*row(record_id=f"p{number}"), text) for number, text in enumerate(outlines)], columns=PLOT_COLUMNS
    )


def test_rows_of_the_project_whose_epoch_lies_in_the_period_are_selected() -> None:
    """Other projects and other periods are left out; what was there is counted."""
    staged = ingested()
    assert staged.table.column("row_id").to_pylist() == ["a-2021", "b-2021", "c-2021"]
    assert staged.evidence == {
        "source_format": "csv",
        "source_rows": "5",
        "project_rows": "4",
        "selected_rows": "3",
        "source_periods": "2020,2021,2021-Q1",
        "footprint": "area",
        "geometry": "boundary",
        "overlaps_because": "",
        "crs": "EPSG:4269",
        "crs_declared_because": "the publisher's other files are NAD83",
        "edges": "planar",
        "rows_in": "3",
        "rows_quarantined": "0",
        "quarantine_max_share": "0",
        "quarantine_because": "",
    }
    assert staged.quarantined is None


def test_cells_stay_as_they_were_written() -> None:
    """Ids keep their zeros and exponents, units their spelling, constants fill their column."""
    ids = ["0042", "1914310000010100016", "3-4", "891e3"]
    table = ingested(csv_bytes([row(record_id=i, unit="megawatt_hour") for i in ids])).table
    assert table.column("row_id").to_pylist() == ids
    assert table.column("unit").to_pylist() == ["megawatt_hour"] * 4
    assert table.column("region").to_pylist() == ["US/MROW"] * 4


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4437787.2208569858", 4437787.2208569858),
        ("1e-7", 1e-7),
        ("+.5", 0.5),
        ("5.", 5.0),
        ("-5", -5.0),
        ("", None),
        ("NA", None),
        ("inf", math.inf),
        ("-Infinity", -math.inf),
    ],
)
def test_quantity_is_the_binary64_nearest_to_its_text(text: str, value: float | None) -> None:
    """Numbers are read as given, empty and NA as null; infinities pass on to the gate."""
    assert ingested(csv_bytes([row(quantity=text)])).table.column("activity_qty").to_pylist() == [value]


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("NaN", "nan"),
        ("nan", "nan"),
        ("", "null"),
        ("NA", "null"),
        ("inf", "infinite"),
        ("-inf", "negative"),
        ("-5", "negative"),
    ],
    ids=["NaN", "nan", "empty", "NA", "inf", "-inf", "negative"],
)
def test_poison_in_a_quantity_reaches_the_gate_and_turns_it_red(text: str, metric: str) -> None:
    """A poisoned quantity never becomes 0: it is staged as it is and `quantity_valid` counts it."""
    case = replace(good_case(Asset.ACTIVITY), staged=ingested(csv_bytes([row(quantity=text), row(record_id="b")])))
    red = {outcome.gate: outcome for outcome in judge_all(Asset.ACTIVITY, case) if not outcome.passed}
    assert list(red) == ["quantity_valid", "expectations_met"]
    assert red["quantity_valid"].metrics[metric] == 1


def test_doubled_row_id_reaches_the_gate_and_turns_it_red() -> None:
    """Two rows under one id are staged as they are, for `row_ids_unique` to name."""
    case = replace(good_case(Asset.ACTIVITY), staged=ingested(csv_bytes([row(), row()])))
    assert [o.gate for o in judge_all(Asset.ACTIVITY, case) if not o.passed] == ["row_ids_unique", "expectations_met"]


@pytest.mark.parametrize("text", ["9007199254740993", "1e-400", "1e400"])
def test_text_that_would_become_another_amount_is_refused_by_row(text: str) -> None:
    """A quantity that a binary64 changes is refused with its row and digits, and is not called no number."""
    says = rf"quantity would become another amount.*found '{text}' in 1 row\(s\), the first is row 3: 'b'"
    with pytest.raises(GateError, match=says) as caught:
        ingested(csv_bytes([row(), row(record_id="b", quantity=text)]))
    assert caught.value.gate == "quantity_valid"


@pytest.mark.parametrize("text", ["1,000", " 1", "1 ", "12 MWh", "0x10", "1_000", "null", "१२", "--1", "1e", "."])
def test_text_that_is_no_number_is_refused_by_row(text: str) -> None:
    """A quantity with separators, units or spaces is refused with its row, never cleaned."""
    says = rf"expected a number such as 12.5.*found {re.escape(repr(text))}.* in 1 row\(s\), the first is row 3: 'b'"
    with pytest.raises(GateError, match=says) as caught:
        ingested(csv_bytes([row(), row(record_id="b", quantity=text)]))
    assert caught.value.gate == "quantity_valid"


def test_a_byte_order_mark_is_not_part_of_the_first_header() -> None:
    """The file with a UTF-8 byte order mark says the same as the file without."""
    assert ingested(b"\xef\xbb\xbf" + csv_bytes()).table.equals(ingested().table)


def test_line_ends_blank_lines_and_quotes_do_not_matter() -> None:
    """CRLF, a blank last line and quoted cells with commas and line ends read as one would think."""
    data = csv_bytes().replace(b"\n", b"\r\n") + b"\r\n"
    assert ingested(data).table.equals(ingested().table)
    spoken = ingested(csv_bytes([row(record_id="a, the\nfirst")])).table
    assert spoken.column("row_id").to_pylist() == ["a, the\nfirst"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(
            b"",
            "missing activity, county_fips, quantity, record_id, unit, year; the header is empty",
            id="empty file",
        ),
        pytest.param(
            csv_bytes(columns=("record_id", "county_fips", "activity", "year", "MWh", "unit")),
            "missing quantity",
            id="missing mapped column",
        ),
        pytest.param(
            csv_bytes(columns=("record_id", "fips", "activity", "year", "quantity", "unit")),
            "missing county_fips",
            id="missing selecting column",
        ),
        pytest.param(
            csv_bytes(columns=("record_id", "county_fips", "activity", "year", "unit", "unit")),
            "twice: unit",
            id="header twice",
        ),
        pytest.param(csv_bytes([row(), row()[:-1]]), "line 3.*expected 6 cells.*found 5 cells", id="short row"),
        pytest.param(csv_bytes([(*row(), "")]), "line 2.*expected 6 cells.*found 7 cells", id="long row"),
    ],
)
def test_file_that_is_no_table_is_refused(data: bytes, says: str) -> None:
    """A file without the mapped columns in every row turns `columns_present` red, whoever's rows are at fault."""
    with pytest.raises(GateError, match=says) as caught:
        ingested(data)
    assert caught.value.gate == "columns_present"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(
            csv_bytes([row(unit="MW\u00b7h")]).decode().encode("latin-1"),
            "line 2.*expected text in utf-8; found byte 0xB7",
            id="Latin-1",
        ),
        pytest.param(
            csv_bytes() + b'x,27003,"open', "line 7.*expected a closing quote; found a quoted cell", id="open quote"
        ),
        pytest.param(
            csv_bytes() + b'x,27003,"a"b,2021,1,MWh\n', "line 7.*found a quote in the middle", id="text after a quote"
        ),
    ],
)
def test_file_that_is_not_what_it_is_declared_to_be_is_refused(data: bytes, says: str) -> None:
    """Bytes that are no CSV in the declared encoding turn `source_readable` red, with the line at fault."""
    with pytest.raises(GateError, match=says) as caught:
        ingested(data)
    assert caught.value.gate == "source_readable"


@pytest.mark.parametrize("data", [csv_bytes([]), csv_bytes([row(year="2019")])], ids=["header only", "other period"])
def test_source_without_rows_of_the_period_is_an_empty_table_and_red(data: bytes) -> None:
    """No rows make an empty table with its types; the gate says so, not an exception."""
    staged = ingested(data)
    assert staged.table.schema.equals(ingested().table.schema)
    outcomes = judge_all(Asset.ACTIVITY, replace(good_case(Asset.ACTIVITY), staged=staged))
    assert "rows_present" in {outcome.gate for outcome in outcomes if not outcome.passed}


@pytest.mark.parametrize("epoch", ["2021-3", "", "FY21", "2021-01-01_2021-12-31", "2021.0"])
def test_unreadable_epoch_anywhere_in_the_project_is_refused(epoch: str) -> None:
    """A row whose epoch cannot be read could belong to the period, so it is not passed over."""
    with pytest.raises(GateError, match="epoch is not a canonical period") as caught:
        ingested(csv_bytes([row(), row(record_id="b", year=epoch)]))
    assert caught.value.gate == "epochs_in_period"


def test_unreadable_epoch_of_another_project_does_not_matter() -> None:
    """Rows of other projects are not read beyond the columns that select them."""
    assert ingested(csv_bytes([row(), row(county_fips="27019", year="FY21", quantity="?")])).rows == 1


@pytest.mark.parametrize(
    ("epoch", "period"), [("2021", "2021-Q1"), ("2020-12-01_2021-01-31", "2021"), ("2021-Q1", "2021-03")]
)
def test_epoch_across_the_edge_of_the_period_is_refused(epoch: str, period: str) -> None:
    """A quantity is not split between periods: an epoch lies in the period or apart from it."""
    with pytest.raises(GateError, match=rf"epochs that lie in {period}.*'{epoch}'") as caught:
        ingested(csv_bytes([row(year=epoch)]), period=period)
    assert caught.value.gate == "epochs_in_period"


def test_every_row_takes_the_project_boundary() -> None:
    """The footprint is the boundary as given, little-endian ISO WKB in the declared CRS."""
    staged = ingested()
    (wkb,) = set(staged.table.column("geometry").to_pylist())
    assert shapely.from_wkb(wkb).equals(shapely.box(-93.5, 45.0, -93.0, 45.4))
    assert wkb.hex().startswith("0103000000")
    assert staged.crs == "EPSG:4269"


@pytest.mark.parametrize(
    "boundary",
    [
        {},
        {"type": "Polygon"},
        {"type": "Polygon", "coordinates": []},
        {"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]},
        {"type": "Circle", "coordinates": [0, 0]},
        {"type": "Polygon", "coordinates": "POLYGON((0 0,1 0,1 1,0 0))"},
    ],
    ids=["nothing", "no coordinates", "empty", "open ring", "unknown type", "text"],
)
def test_malformed_boundary_is_refused(boundary: Mapping[str, Any]) -> None:
    """A boundary that is no geometry turns `geometry_present` red."""
    with pytest.raises(GateError, match=r"boundary boundaries/counties.geojson") as caught:
        ingested(boundary=boundary)
    assert caught.value.gate == "geometry_present"


def test_footprints_without_a_crs_are_refused() -> None:
    """An untagged file of a project that declares nothing has no CRS, also where a format has a default."""
    with pytest.raises(GateError, match="a CRS in the file or declared_crs in the project; found neither") as caught:
        ingested(of=UNTAGGED)
    assert caught.value.gate == "crs_declared"


def test_tag_of_the_boundary_file_is_a_declaration() -> None:
    """A tagged file needs no declaration in the project."""
    staged = ingested(of=UNTAGGED, boundary_crs="urn:ogc:def:crs:OGC:1.3:CRS84")
    assert staged.crs == "urn:ogc:def:crs:OGC:1.3:CRS84"
    assert staged.evidence["crs_declared_because"] == "the boundary file is tagged with it"


def test_tag_and_declaration_must_be_the_same_crs() -> None:
    """A file that says otherwise than the project is refused; another name of the same CRS is not."""
    with pytest.raises(
        GateError, match=r"that the project declares, EPSG:4269 \(NAD83\); found a file tagged EPSG:4326 \(WGS 84\)"
    ) as caught:
        ingested(boundary_crs="EPSG:4326")
    assert caught.value.gate == "crs_declared"
    assert ingested(boundary_crs="urn:ogc:def:crs:EPSG::4269").crs == "EPSG:4269"


@pytest.mark.parametrize(("crs", "says"), [("EPSG:1", "a CRS that PROJ knows"), ("EPSG:5773", "a Vertical CRS")])
def test_crs_that_cannot_place_a_footprint_is_refused(crs: str, says: str) -> None:
    """Unknown and vertical reference systems turn `crs_declared` red."""
    with pytest.raises(GateError, match=says) as caught:
        ingested(of=UNTAGGED, boundary_crs=crs)
    assert caught.value.gate == "crs_declared"


def test_rows_may_bring_their_own_outline() -> None:
    """WKT cells become WKB with their Z values; an empty cell is null and left to the gate."""
    flat, tall = "POLYGON ((0 0, 1 0, 1 1, 0 0))", "POLYGON Z ((0 0 5, 1 0 5, 1 1 5, 0 0 5))"
    staged = ingested(plots(flat, tall, ""), of=wkt_project(crs="EPSG:26915"))
    assert [wkb and shapely.from_wkb(wkb).wkt for wkb in staged.table.column("geometry").to_pylist()] == [
        flat,
        tall,
        None,
    ]
    assert (staged.crs, staged.evidence["crs_declared_because"]) == ("EPSG:26915", "the sender says so")


def test_outline_may_be_longer_than_the_csv_module_allows_by_default() -> None:
    """The outline of a large county is more than 128 KiB of text."""
    ring = [(math.cos(i / 8000), math.sin(i / 8000)) for i in range(8000)]
    text = shapely.Polygon(ring).wkt
    assert len(text) > 131_072
    assert ingested(plots(text), of=wkt_project(crs="EPSG:4326")).rows == 1


def test_outline_that_is_no_wkt_is_refused_by_row() -> None:
    """A text that cannot be read as geometry is refused with its row."""
    says = r"no WKT: 'POLYGON \(\(0 0, 1' in 1 row\(s\), the first is row 3: 'p1'"
    with pytest.raises(GateError, match=says) as caught:
        ingested(plots("POINT (1 1)", "POLYGON ((0 0, 1"), of=wkt_project(crs="EPSG:4326"))
    assert caught.value.gate == "geometry_present"


def test_outlines_need_the_declaration_of_the_source() -> None:
    """The CRS of the boundary file says nothing about outlines in the source."""
    with pytest.raises(GateError, match="found neither") as caught:
        ingested(plots("POINT (1 1)"), of=wkt_project(crs=None), boundary_crs="EPSG:4326")
    assert caught.value.gate == "crs_declared"


def test_a_file_of_another_format_is_refused() -> None:
    """A CSV file that the project declares to be a workbook is not read as what it happens to be."""
    with pytest.raises(
        GateError, match=r"expected a whole zip archive; found bytes that begin with b'record_i'"
    ) as caught:
        ingested(of=project(PROJECT_TOML.replace('format = "csv"', 'format = "xlsx"')))
    assert caught.value.gate == "source_readable"


def test_unknown_formats_are_refused() -> None:
    """A format that is not read is a fault of the project file."""
    with pytest.raises(ContractError, match="'dbase' is not a valid SourceFormat"):
        project(PROJECT_TOML.replace('format = "csv"', 'format = "dbase"'))


def test_an_empty_boundary_does_not_pass_as_a_footprint() -> None:
    """An empty geometry is refused, and a full one is not."""
    assert ingested(boundary=ANOKA).rows == 3
    with pytest.raises(GateError, match="found an empty geometry"):
        ingested(boundary={"type": "Polygon", "coordinates": []})
