from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets.pipeline.world import World
from mrv_assets_tests import planted_forest as forest
from mrv_assets_tests.end_to_end.home import write
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed
from mrv_assets_tests.unit.cli.small_replay import settings_of
from mrv_assets_tests.world import run_partition

EXPECTED = forest.FOLDER / "expected.toml"
ASSESS = ("standards", "assess", "planted-forest", "2025")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo of the planted forest in a folder, run without Dagster; only for reading."""
    folder = tmp_path_factory.mktemp("planted")
    for root, files in (("reference", forest.references()), ("home/landing", forest.landing())):
        for path, data in files.items():
            write(folder / root / path, data)
    run_partition(World.open(settings_of(folder)), forest.KEY)
    return folder


def test_waterfalls_stand_side_by_side(mrv: Mrv, planted: Path) -> None:
    """One table with both programmes; the risk rating changes no tonnes and has no column."""
    result = mrv(planted, *ASSESS)
    assert result.exit_code == 0
    beside = result.stdout.partition("Side by side")[2].splitlines()
    assert beside[1].split() == [forest.AREA, "change", forest.GOLD, "change"]
    assert beside[-1].split() == ["credited", "3,473.000", "credited", "4,031.000"]


def test_one_waterfall_stands_beside_nothing(mrv: Mrv, planted: Path) -> None:
    """A single rule set has its own table only."""
    result = mrv(planted, *ASSESS, "--rule-set", forest.GOLD)
    assert result.exit_code == 0
    assert "Side by side" not in result.stdout


def test_what_is_as_expected_is_said(mrv: Mrv, planted: Path) -> None:
    """The committed file of the demo agrees line by line."""
    result = mrv(planted, *ASSESS, "--expect", str(EXPECTED))
    assert result.exit_code == 0
    assert "every line and control is as" in result.stdout
    assert parsed(mrv(planted, *ASSESS, "--expect", str(EXPECTED), "--json"))["differences"] == {}


def test_a_difference_is_named_and_ends_with_1(mrv: Mrv, planted: Path, tmp_path: Path) -> None:
    """The line with both amounts, on standard error, and in the JSON."""
    other = tmp_path / "other.toml"
    other.write_text(EXPECTED.read_text(encoding="utf-8").replace('"-1008"', '"-1007"'), encoding="utf-8")
    result = mrv(planted, *ASSESS, "--expect", str(other))
    assert result.exit_code == 1
    assert "gs-403@2.1 line gs403-buffer" in result.stderr
    assert "-1007 expected, -1008 found" in result.stderr
    assert "every line" not in result.stdout
    assert (
        '"gs-403@2.1 line gs403-buffer": "-1007 expected, -1008 found"'
        in mrv(planted, *ASSESS, "--expect", str(other), "--json").stdout
    )


def test_the_waterfalls_are_drawn(mrv: Mrv, planted: Path, tmp_path: Path) -> None:
    """Into the file that is named, as what its ending says."""
    for name, begins in (("forest.svg", b"<?xml"), ("forest.png", b"\x89PNG")):
        result = mrv(planted, *ASSESS, "--plot", str(tmp_path / name))
        assert result.exit_code == 0
        assert name in result.stdout.partition("drawn:")[2].replace("\n", "")
        assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["--plot", "forest.pdf"], "picture is of no known kind", id="kind of picture"),
        pytest.param(["--plot", "forest.svg", "--rule-set", forest.RISK], "nothing can be drawn", id="no tonnes"),
        pytest.param(["--expect", "nowhere.toml"], "file does not exist", id="no file"),
    ],
)
def test_what_cannot_be_done_is_refused(
    mrv: Mrv, planted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    """By name, and no picture is written."""
    monkeypatch.chdir(tmp_path)
    result = mrv(planted, *ASSESS, *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []
