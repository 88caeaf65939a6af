from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mrv_assets.cli.data_docs import write_data_docs
from mrv_assets.domain.errors import ContractError, DigestMismatch
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.figures import live_figures
from mrv_assets.pipeline.world import World
from mrv_assets.report.data_docs import table_page, tables_behind
from mrv_assets_tests.unit.cli.small_replay import environment, settings_of

ANOKA = ("metc-anoka", "2021")
TABLES = ("activity", "normalized", "factored", "aggregated", "ledger")
Write = Callable[..., tuple[int, Any]]


@pytest.fixture
def write(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Write:
    """Write the docs of the small replay and return the exit code with the summary."""
    for name, value in environment(folder).items():
        monkeypatch.setenv(name, value)

    def run(out: Path, project: str | None = None, period: str | None = None) -> tuple[int, Any]:
        code = write_data_docs(project, period, out, as_json=True)
        return code, json.loads(capsys.readouterr().out)

    return run


def files(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of each file below a folder, by name."""
    return {
        str(p.relative_to(folder)): (p.stat().st_size, p.stat().st_mtime_ns) for p in folder.rglob("*") if p.is_file()
    }


def test_every_table_behind_every_live_figure_has_a_page(write: Write, folder: Path, tmp_path: Path) -> None:
    """Five tables a figure, all met, each linked from the index and named by the digest that the ledger rests on."""
    code, summary = write(tmp_path / "docs")
    world = World.open(settings_of(folder))
    figures = live_figures(world.slots, project_id=None, period=None)
    assert (code, summary["is_met"]) == (0, True)
    assert [(t["project_id"], t["period"], t["asset"]) for t in summary["tables"]] == [
        (figure.project_id, figure.period, asset) for figure in figures for asset in TABLES
    ]
    index = (tmp_path / "docs" / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'href="([^"]+)"', index) == [table["page"] for table in summary["tables"]]
    for table in summary["tables"]:
        text = (tmp_path / "docs" / table["page"]).read_text(encoding="utf-8")
        assert table["content_digest"] in text
        assert table["expectations"] > 0
        assert table["faults"] == []


def test_the_store_is_only_read(write: Write, folder: Path, tmp_path: Path) -> None:
    """Writing the docs leaves every file of store, reference data and landing as it was."""
    before = files(folder / "home" / "store") | files(folder / "reference")
    write(tmp_path / "docs", *ANOKA)
    assert files(folder / "home" / "store") | files(folder / "reference") == before


def test_a_project_and_a_period_choose_what_is_documented(write: Write, tmp_path: Path) -> None:
    """Only the tables behind the chosen figures are written; pages of an earlier, larger choice go."""
    write(tmp_path / "docs", "metc-anoka")
    assert (tmp_path / "docs" / "metc-anoka" / "2022" / "ledger.html").is_file()
    _, summary = write(tmp_path / "docs", *ANOKA)
    pages = {str(path.relative_to(tmp_path / "docs")) for path in (tmp_path / "docs").rglob("*.html")}
    assert pages == {"index.html", *(table["page"] for table in summary["tables"])}
    assert len(summary["tables"]) == len(TABLES)


@pytest.mark.parametrize("listed", [None, "not json", "5"], ids=["no list", "no JSON", "a number"])
def test_a_folder_of_somebody_else_is_refused(write: Write, tmp_path: Path, listed: str | None) -> None:
    """A folder with files that this command did not write stays as it is."""
    (tmp_path / "notes.txt").write_text("mine")
    if listed is not None:
        (tmp_path / ".mrv-data-docs.json").write_text(listed)
    with pytest.raises(ContractError, match="folder holds what this command did not write"):
        write(tmp_path, *ANOKA)
    assert sorted(path.name for path in tmp_path.glob("[!.]*")) == ["notes.txt"]


def test_a_forged_list_removes_nothing_elsewhere(write: Write, tmp_path: Path) -> None:
    """Only files in the folder are taken away, whatever its list names."""
    (tmp_path / "important").write_text("mine")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / ".mrv-data-docs.json").write_text('["../important", "/etc/important"]')
    write(tmp_path / "docs", *ANOKA)
    assert (tmp_path / "important").read_text() == "mine"


def test_a_file_is_no_folder(write: Write, tmp_path: Path) -> None:
    """A file of that name is refused and kept."""
    (tmp_path / "docs").write_text("mine")
    with pytest.raises(ContractError, match="folder holds what this command did not write"):
        write(tmp_path / "docs", *ANOKA)
    assert (tmp_path / "docs").read_text() == "mine"


@pytest.mark.parametrize("place", ["home/store", "home/store/docs", "home/landing/docs", "reference/docs"])
def test_a_place_of_the_platform_is_refused(write: Write, folder: Path, place: str) -> None:
    """Docs are never written into store, landing or reference data."""
    with pytest.raises(ContractError, match="folder lies in a place of the platform"):
        write(folder / place, *ANOKA)
    assert not (folder / place / "index.html").exists()


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (("metc-anoka", "1999"), "there is nothing to document"),
        (("metc-nowhere", None), "metc-nowhere"),
    ],
    ids=["a period without a figure", "an unknown project"],
)
def test_nothing_to_document_is_said(
    write: Write, tmp_path: Path, chosen: tuple[str, str | None], message: str
) -> None:
    """A choice without a live figure is refused before a folder is made."""
    with pytest.raises(ContractError, match=message):
        write(tmp_path / "docs", *chosen)
    assert not (tmp_path / "docs").exists()


def test_a_table_that_its_record_does_not_seal_is_no_table_to_document(folder: Path) -> None:
    """A stored table with another content digest than its record raises instead of being shown."""
    world = World.open(settings_of(folder))
    figure = live_figures(world.slots, project_id="metc-anoka", period="2021")[0]
    for record in tables_behind(world.slots, figure):
        with pytest.raises(DigestMismatch, match="table does not say what its record seals"):
            table_page(world.slots, figure, replace(record, content_digest="0" * 64))


def test_a_table_judged_under_other_evidence_is_shown_as_not_met(folder: Path) -> None:
    """Footprints of a table whose record says that the project has none are faults on its page."""
    world = World.open(settings_of(folder))
    figure = live_figures(world.slots, project_id="metc-anoka", period="2021")[0]
    records = {record.slot.asset: record for record in tables_behind(world.slots, figure)}
    assert tuple(records) == tuple(Asset(name) for name in TABLES)
    bare = replace(records[Asset.ACTIVITY], evidence={"footprint": "none"})
    page = table_page(world.slots, figure, bare)
    assert any("expect_column_values_to_be_null" in fault for fault in page.faults)
    assert "not proven to keep its contract" in page.html
