"""`mrv show` and rows that were set aside: how many, which, and that they are the sealed ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets.domain.contract import QUARANTINE
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.pipeline.figures import live_figures
from mrv_assets.pipeline.world import World
from mrv_assets.report.aside import FIRST, rows_aside
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed
from mrv_assets_tests.unit.cli.small_replay import settings_of
from mrv_assets_tests.world import run_partition

HEADER = "record_id,county_fips,county,state,year,mwh_delivered,data_source"
ANOKA = ("metc-anoka", "2021")
BAD = 22
WHY = "the sender corrects it next year"


@pytest.fixture
def aside(fresh_folder: Path) -> Path:
    """A deployment with one partition, for which 22 of 25 rows were set aside."""
    project = fresh_folder / "reference" / "projects" / "metc-anoka.toml"
    allowed = f'\n[source.quarantine]\nmax_share = "0.9"\nbecause = "{WHY}"\n'
    project.write_text(project.read_text(encoding="utf-8") + allowed, encoding="utf-8")
    landing = fresh_folder / "home" / "landing"
    landing.mkdir(parents=True)
    quantities = [*range(-1, -BAD - 1, -1), 1, 2, 3]
    rows = [f"row-{n},27003,Anoka,Minnesota,2021,{quantity},Utility report" for n, quantity in enumerate(quantities)]
    (landing / "electricity.csv").write_text("\n".join([HEADER, *rows, ""]), encoding="utf-8")
    key = PartitionKey(project_id="metc-anoka", period="2021", factor_version="mrow-2025.05.20")
    run_partition(World.open(settings_of(fresh_folder)), key)
    return fresh_folder


def test_rows_set_aside_are_shown(mrv: Mrv, aside: Path) -> None:
    """How many rows were set aside and why they may, and the first twenty with id, gate and reason."""
    result = mrv(aside, "show", "activity", *ANOKA)
    assert result.exit_code == 0, result.stderr
    assert "Set aside: 22 row(s) of 25 (88.00%), the first 20" in result.stdout
    assert f"The project allows it, because {WHY}" in result.stdout
    assert "checked: rows set aside are those that the table was made without" in result.stdout
    table = result.stdout.partition("Set aside:")[2].partition("The project")[0]
    assert table.count("quantity_valid") == 20
    assert "row-19" in table
    assert "row-20" not in table
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_json_has_all_rows_set_aside(mrv: Mrv, aside: Path) -> None:
    """--json is complete: every row with its number in the file, its gate, its reason and what it said."""
    document = parsed(mrv(aside, "show", "activity", *ANOKA, "--json"))
    rows = document["quarantine"]
    assert [row["row_id"] for row in rows] == [f"row-{number}" for number in range(BAD)]
    assert set(rows[0]) == {column.name for column in QUARANTINE.columns}
    assert (rows[0]["row"], rows[0]["gate"]) == (2, "quantity_valid")
    assert document["record"]["quarantine"]["rows"] == BAD


def test_a_certificate_shows_how_many_rows_were_set_aside(mrv: Mrv, aside: Path) -> None:
    """What a figure rests on is told with the rows that it does not rest on."""
    result = mrv(aside, "show", "certificate", *ANOKA)
    [line] = [line for line in result.stdout.splitlines() if line.split()[:3] == ["activity", "3", "22"]]
    assert line
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_without_rows_set_aside_nothing_is_said(mrv: Mrv, folder: Path) -> None:
    """A table that was made of all rows is shown without a word about others."""
    assert "Set aside" not in mrv(folder, "show", "activity", *ANOKA).stdout
    assert parsed(mrv(folder, "show", "activity", *ANOKA, "--json"))["quarantine"] == []


def test_other_rows_than_the_sealed_ones_are_never_shown(mrv: Mrv, aside: Path) -> None:
    """Rows set aside that are not those of the record stop the command with exit code 70."""
    sha256 = parsed(mrv(aside, "show", "activity", *ANOKA, "--json"))["record"]["quarantine"]["blob"]["sha256"]
    [blob] = [path for path in (aside / "home" / "store" / "blobs").rglob("*") if sha256 in path.name]
    blob.chmod(0o644)
    blob.write_bytes(blob.read_bytes()[:-1] + b"?")
    assert sha256_hex(blob.read_bytes()) != sha256
    result = mrv(aside, "show", "activity", *ANOKA)
    assert (result.exit_code, result.stdout) == (70, "")


def test_the_rows_behind_a_figure_are_found_by_its_certificate(aside: Path) -> None:
    """A page gets the count, the share and the first rows of every asset that set some aside."""
    world = World.open(settings_of(aside))
    [figure] = live_figures(world.slots, project_id="metc-anoka", period="2021")
    [found] = rows_aside(world.slots, figure)
    assert (found.asset, found.count, found.rows_in, str(found.percent)) == (Asset.ACTIVITY, BAD, 25, "88.00")
    assert found.because == WHY
    assert len(found.rows) == FIRST
