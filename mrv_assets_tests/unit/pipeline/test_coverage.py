"""From the epochs of a source file to the periods that its project reports."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace

import openpyxl
import pytest

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.project import Project
from mrv_assets.domain.reporting import Reporting
from mrv_assets.domain.source import MAPPED_COLUMNS, GeometrySource, SourceFormat
from mrv_assets.pipeline.coverage import SourceEpochs, coverage
from mrv_assets_tests.world import csv_bytes, project_toml

MONTHS = [f"2021-{month:02d}" for month in range(1, 13)]
DAYS = [f"2021-02-{day:02d}_2021-02-{day:02d}" for day in range(1, 29)]


@pytest.mark.parametrize(
    ("reporting", "epochs", "whole", "partial", "unusable"),
    [
        pytest.param("year", [], [], [], [], id="nothing"),
        pytest.param("year", ["2021"], ["2021"], [], [], id="a year"),
        pytest.param("year", ["2022", "2021"], ["2021", "2022"], [], [], id="two years"),
        pytest.param("year", MONTHS, ["2021"], [], [], id="twelve months"),
        pytest.param("year", MONTHS[:-1], [], ["2021"], [], id="eleven months"),
        pytest.param("year", [*MONTHS[:5], *MONTHS[6:]], [], ["2021"], [], id="a month in the middle is missing"),
        pytest.param("year", ["2021-Q1", "2021-Q2", "2021-Q3", "2021-Q4"], ["2021"], [], [], id="four quarters"),
        pytest.param("year", ["2021", "2021-03"], ["2021"], [], [], id="a year and a month of it"),
        pytest.param("year", ["2021-01-01_2021-08-31", "2021-07-01_2021-12-31"], ["2021"], [], [], id="overlapping"),
        pytest.param("year", ["2021-01-01_2021-12-30"], [], ["2021"], [], id="a day is missing at the end"),
        pytest.param("year", ["2021-01-02_2021-12-31"], [], ["2021"], [], id="a day is missing at the start"),
        pytest.param(
            "year", ["2021-04-01_2022-03-31", "2023"], ["2023"], [], ["2021-04-01_2022-03-31"], id="fiscal year"
        ),
        pytest.param("quarter", MONTHS[:5], ["2021-Q1"], ["2021-Q2"], [], id="quarters of months"),
        pytest.param("quarter", ["2021"], [], [], ["2021"], id="a year reported by quarter"),
        pytest.param("month", MONTHS[:2], ["2021-01", "2021-02"], [], [], id="months"),
        pytest.param("month", DAYS, ["2021-02"], [], [], id="every day of February"),
        pytest.param("month", DAYS[:-1], [], ["2021-02"], [], id="all but one"),
        pytest.param("month", ["2021-Q1", "2021-04"], ["2021-04"], [], ["2021-Q1"], id="a quarter among months"),
        pytest.param("year", ["", "21", "2021-13", "2021"], ["2021"], [], ["", "2021-13", "21"], id="no periods"),
    ],
)
def test_a_period_is_whole_when_every_day_of_it_is_covered(
    reporting: str, epochs: list[str], whole: list[str], partial: list[str], unusable: list[str]
) -> None:
    """Epochs count for the reporting period they lie in; one across an edge counts for none and is named."""
    found = coverage(epochs, Reporting(reporting))
    assert (list(found.whole), list(found.partial), list(found.unusable)) == (whole, partial, unusable)


def project(**what: object) -> Project:
    """Return a project whose rows carry its id."""
    return Project.parse(project_toml("anoka", where={"project": "anoka"}, **what), where="project")  # type: ignore[arg-type]


def covered_periods(data: bytes, of: Project) -> tuple[str, ...]:
    """Return the epochs of one project in a file."""
    return SourceEpochs(data).of(of)


ROWS = ["1,anoka,2021-Q2,7", "2,anoka,2021-Q1,x", "3,anoka,2021-Q2,", "4,carver,2022,7"]


def test_the_epochs_are_those_of_the_project_alone() -> None:
    """Each is told once, in order; a quantity that a run will refuse does not keep the epochs from being read."""
    assert covered_periods(csv_bytes("row_id,project,epoch,activity_qty", ROWS), project()) == ("2021-Q1", "2021-Q2")


YEARS = (["project", "epoch"], ["anoka", 2021], ["anoka", 2022], ["carver", 2023])


def workbook(*rows: Sequence[object]) -> bytes:
    """Return a workbook of these rows."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def features() -> bytes:
    """Return GeoJSON whose years are numbers."""
    made = [
        {
            "type": "Feature",
            "properties": {"project": name, "epoch": year},
            "geometry": {"type": "Point", "coordinates": [0, 0]},
        }
        for name, year in (("anoka", 2021), ("anoka", 2022), ("carver", 2023))
    ]
    return json.dumps({"type": "FeatureCollection", "features": made}).encode()


@pytest.mark.parametrize(
    ("format_", "data"),
    [pytest.param("xlsx", workbook(*YEARS), id="xlsx"), pytest.param("geojson", features(), id="geojson")],
)
def test_epochs_that_are_numbers_are_told_by_their_digits(format_: str, data: bytes) -> None:
    """Formats with types of their own give the same periods as text does."""
    of = project()
    assert covered_periods(data, replace(of, source=replace(of.source, format=SourceFormat(format_)))) == (
        "2021",
        "2022",
    )


def test_a_source_without_rows_of_the_project_covers_nothing() -> None:
    """A header alone is a file that can be read."""
    assert covered_periods(csv_bytes("row_id,project,epoch,activity_qty", ROWS[3:]), project()) == ()


def test_an_epoch_that_is_the_same_for_all_rows_is_read_from_the_project() -> None:
    """A file for one period need not repeat it in every row."""
    of = project()
    source = replace(
        of.source,
        columns={ours: theirs for ours, theirs in of.source.columns.items() if ours != "epoch"},
        constants={**of.source.constants, "epoch": "2021"},
    )
    data = csv_bytes("row_id,project,activity_qty", ["1,anoka,7", "2,carver,7"])
    assert covered_periods(data, replace(of, source=source)) == ("2021",)
    assert covered_periods(csv_bytes("row_id,project,activity_qty", []), replace(of, source=source)) == ()


def test_a_source_without_the_columns_that_tell_is_refused() -> None:
    """Without the column of the project or of the epoch nobody knows what the file is about."""
    for header in ("row_id,project,activity_qty", "row_id,epoch,activity_qty"):
        with pytest.raises(GateError, match="source file does not have the mapped columns"):
            covered_periods(csv_bytes(header, []), project())


def of_one_year(format_: str, mapped: dict[str, str], outline: str | None = None) -> Project:
    """Return a project that the whole file is of, and whose rows are all of 2021, with these columns in the file."""
    of = Project.parse(project_toml("anoka"), where="project")
    source = replace(
        of.source,
        format=SourceFormat(format_),
        columns=mapped,
        constants={name: "1" for name in MAPPED_COLUMNS if name not in mapped} | {"epoch": "2021"},
        geometry=of.source.geometry if outline is None else GeometrySource.WKT,
        geometry_columns=() if outline is None else (outline,),
    )
    return replace(of, source=source)


HEADER = ["id", "q", "outline"]
MAPPED = {"row_id": "id", "activity_qty": "q"}


@pytest.mark.parametrize(
    ("mapped", "outline"),
    [
        pytest.param(MAPPED, None, id="id and quantity"),
        pytest.param({"row_id": "id"}, None, id="id"),
        pytest.param({}, "outline", id="a footprint and nothing else"),
    ],
)
@pytest.mark.parametrize("format_", ["csv", "xlsx"])
def test_a_file_that_tells_neither_project_nor_epoch_is_of_one_project_and_period(
    format_: str, mapped: dict[str, str], outline: str | None
) -> None:
    """It covers its period when it has a row, as a run would find it; a header alone covers nothing."""
    of = of_one_year(format_, mapped, outline)
    full, empty = (
        (workbook(HEADER, *rows) if format_ == "xlsx" else csv_bytes(",".join(HEADER), [",".join(r) for r in rows]))
        for rows in ([["a", "7", "POINT (0 0)"]], [])
    )
    assert covered_periods(full, of) == ("2021",)
    assert covered_periods(empty, of) == ()


def test_rows_are_counted_by_the_column_that_asks_least() -> None:
    """A quantity may be a number in a workbook, and an id that is one is told of by the run on its own page."""
    assert covered_periods(workbook(HEADER, [1, 7.5, ""]), of_one_year("xlsx", MAPPED)) == ("2021",)


def test_a_file_is_parsed_once_for_all_projects_that_map_it_alike() -> None:
    """Each gets its own epochs; a project with other columns has the file parsed again, and its refusal is its own."""
    data = csv_bytes("row_id,project,epoch,activity_qty,county", ["1,anoka,2021,7,x", "2,carver,2022,7,x"])
    anoka, carver = (
        Project.parse(project_toml(name, where={"project": name}), where=name) for name in ("anoka", "carver")
    )
    by_county = Project.parse(project_toml("x", where={"county": "x"}), where="x")
    astray = Project.parse(project_toml("y", where={"no such column": "x"}), where="y")
    epochs = SourceEpochs(data)
    assert [epochs.of(project) for project in (anoka, carver)] == [("2021",), ("2022",)]
    assert len(epochs._parsed) == 1
    with pytest.raises(GateError, match="no such column"):
        epochs.of(astray)
    assert epochs.of(by_county) == ("2021", "2022")
    assert len(epochs._parsed) == 2
