"""`mrv factors list`, `show` and `diff`: what is shown of releases, of broken ones too, and of published files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mrv_assets.cli.app import app
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.released import RELEASED
from mrv_assets_tests.chains import FOREST, chained_files
from mrv_assets_tests.regions import EAST, WEST
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed
from mrv_assets_tests.unit.cli.factor_files import factor_files, hub_2021, hub_2024, imported, uk
from mrv_assets_tests.unit.cli.small_replay import environment
from mrv_assets_tests.unit.pipeline.located import Release

FAR = "POLYGON ((5 0, 6 0, 6 1, 5 1, 5 0))"
NEWEST, OLDER = "mrow-2025.05.20", "mrow-2024.06.24"


def words(text: str) -> str:
    """Return a text without its layout."""
    return " ".join(text.replace("│", " ").split())


def release_file(folder: Path, version: str, name: str) -> Path:
    """Return the path of a file of a release."""
    return folder / "reference" / "factors" / version / name


def pin(folder: Path, project: str, text: str) -> None:
    """Give a project pins and publication."""
    path = folder / "reference" / "projects" / f"{project}.toml"
    path.write_text(path.read_text(encoding="utf-8").replace('publication = "latest"', text), encoding="utf-8")


def test_every_release_is_listed_with_who_uses_it(mrv: Mrv, fresh_folder: Path) -> None:
    """The newest of a line is marked and used by those that follow the line, another by those that pin it."""
    pin(fresh_folder, "metc-anoka", f'publication = "pinned"\n[pins]\n2021 = "{OLDER}"\n')
    document = parsed(mrv(fresh_folder, "factors", "list", "--json"))
    by_version = {release["version"]: release for release in document["releases"]}
    assert list(by_version) == sorted(by_version)
    assert [version for version, release in by_version.items() if release["is_newest"]] == [NEWEST]
    assert len(by_version[NEWEST]["used_by_line"]) == 10
    assert by_version[OLDER]["used_by_pin"] == {"metc-anoka": ["2021"]}
    assert by_version[OLDER]["used_by_line"] == []
    shown = [" ".join(line.split()) for line in mrv(fresh_folder, "factors", "list").stdout.splitlines()]
    assert f"* {NEWEST} mrow 2025-05-20 ar6 57 {OLDER} 10 project(s) by line" in shown
    assert f"{OLDER} mrow 2024-06-24 ar6 6 mrow-2024.02.26 metc-anoka 2021" in shown


def test_one_line_is_listed(mrv: Mrv, fresh_folder: Path, tmp_path: Path) -> None:
    """--line leaves the others out, and a line without a release is refused with the ones there are."""
    mrv(fresh_folder, *imported(hub_2021(tmp_path), "epa-2021"))
    document = parsed(mrv(fresh_folder, "factors", "list", "--line", "epa", "--json"))
    assert [release["version"] for release in document["releases"]] == ["epa-2021"]
    result = mrv(fresh_folder, "factors", "list", "--line", "uk")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "expected one of epa, mrow" in words(result.stderr)


def edited(path: Path) -> None:
    """Change a number."""
    path.write_text(path.read_text(encoding="utf-8").replace("995.8", "895.8"), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "spoil", "code", "says"),
    [
        pytest.param("factors.csv", edited, 70, "a released factor file was changed", id="changed"),
        pytest.param("release.toml", Path.unlink, 70, "a released factor file is gone", id="gone"),
    ],
)
def test_a_release_that_is_not_the_released_one_hides_no_other(
    mrv: Mrv, fresh_folder: Path, name: str, spoil: object, code: int, says: str
) -> None:
    """It is shown with what is wrong, the others are listed, and the exit code is that of the worst."""
    assert callable(spoil)
    spoil(release_file(fresh_folder, "mrow-2024.02.01", name))
    result = mrv(fresh_folder, "factors", "list")
    assert result.exit_code == code
    assert NEWEST in result.stdout
    assert "Cannot be read: release mrow-2024.02.01" in result.stderr
    assert says in words(result.stderr)
    document = json.loads(mrv(fresh_folder, "factors", "list", "--json").stdout)
    assert len(document["releases"]) == 4
    assert document["broken"]["release mrow-2024.02.01"]["family"] == "tampering"


def test_a_malformed_release_or_project_hides_no_other(mrv: Mrv, fresh_folder: Path) -> None:
    """What was never released well is a refusal, code 1."""
    draft = release_file(fresh_folder, "draft-1", "release.toml")
    draft.parent.mkdir()
    draft.write_text("version = ", encoding="utf-8")
    pin(fresh_folder, "metc-anoka", "")
    result = mrv(fresh_folder, "factors", "list")
    assert result.exit_code == 1
    assert NEWEST in result.stdout
    for name in ("release draft-1", "project metc-anoka"):
        assert f"Cannot be read: {name}" in result.stderr


def test_a_withdrawn_release_is_listed_as_such(mrv: Mrv, fresh_folder: Path) -> None:
    """The release that stands in its place is the newest, and the list says who withdrew it and why."""
    newest, before = "mrow-2025.05.20", "mrow-2024.06.24"
    file = fresh_folder / f"reference/factors/{newest}/withdrawn.toml"
    file.write_text('on = 2026-01-31\nby = "R. Reviewer"\nbecause = "wrong vintage"\n')
    document = parsed(mrv(fresh_folder, "factors", "list", "--json"))
    releases = {release["version"]: release for release in document["releases"]}
    assert (releases[newest]["is_newest"], releases[before]["is_newest"]) == (False, True)
    assert releases[newest]["withdrawn"] == f"{newest}, withdrawn on 2026-01-31 by R. Reviewer: wrong vintage"
    assert releases[before]["withdrawn"] is None
    text = " ".join(mrv(fresh_folder, "factors", "list").stdout.split())
    assert f"x {newest}, withdrawn on 2026-01-31 by R. Reviewer: wrong vintage" in text


def test_a_line_without_one_newest_release_is_told(mrv: Mrv, fresh_folder: Path) -> None:
    """Two releases that nothing supersedes are named, and neither is marked."""
    (fresh_folder / "reference" / "factors" / RELEASED).unlink()
    toml = release_file(fresh_folder, NEWEST, "release.toml")
    toml.write_text(toml.read_text(encoding="utf-8").replace(f'"{OLDER}"', '"mrow-2024.02.26"'), encoding="utf-8")
    result = mrv(fresh_folder, "factors", "list")
    assert result.exit_code == 0
    assert f"Line mrow has no single newest release: {OLDER}, {NEWEST}." in words(result.stdout)
    assert "\n*  " not in result.stdout


def test_reference_data_without_releases_says_how_to_make_one(mrv: Mrv, fresh_folder: Path) -> None:
    """An empty list is no error."""
    (fresh_folder / "reference" / "factors").rename(fresh_folder / "elsewhere")
    result = mrv(fresh_folder, "factors", "list")
    assert result.exit_code == 0
    assert "There is no factor release yet. `mrv factors import --help`" in result.stdout


def test_a_release_is_shown_with_its_factors(mrv: Mrv, fresh_folder: Path) -> None:
    """Head, digest, reason and every factor in t CO2e and by gas; what is not shown is counted."""
    text = words(mrv(fresh_folder, "factors", "show", OLDER).stdout)
    for said in (
        f"{OLDER}, Electricity, eGRID 2005 and 2021 MROW, AR6",
        "supersedes mrow-2024.02.26",
        "GWP set ar6",
        "rows 6, for 1 kind(s) of activity row",
        "reason The GWP set moves from AR5 to AR6",
        "electricity.delivered 2021 0.454899 CH4 0.107 lb US/MROW per MWh CO2 995.8 lb",
    ):
        assert said in text
    [factor] = parsed(mrv(fresh_folder, "factors", "show", OLDER, "--json"))["factors"]
    assert factor["unit"] == "megawatt_hour"
    pounds = Decimal("995.8") + Decimal("0.107") * Decimal("27.9") + Decimal("0.015") * 273
    assert Decimal(factor["spans"][1]["tco2e_per_unit"]) == pounds * Decimal("0.00045359237")


def test_a_large_release_is_limited(mrv: Mrv, fresh_folder: Path, tmp_path: Path) -> None:
    """The first twenty are shown and the rest counted; --all, an activity or a region choose."""
    labels = [f"Gas {number}" for number in range(30)]
    mrv(fresh_folder, *imported(uk(tmp_path, 2021, *labels), "uk-2021", line="uk", form="uk-conversion"))
    shown = mrv(fresh_folder, "factors", "show", "uk-2021").stdout
    assert "and 12 more: --all shows them" in shown
    assert shown.count("GB per") == 20
    assert "Source of all: UK Government GHG Conversion Factors" in words(shown)
    assert mrv(fresh_folder, "factors", "show", "uk-2021", "--all").stdout.count("GB per") == 32
    chosen = mrv(fresh_folder, "factors", "show", "uk-2021", "--activity", "GAS-7", "--region", "GB").stdout
    assert chosen.count("GB per") == 1
    none = mrv(fresh_folder, "factors", "show", "uk-2021", "--region", "US")
    assert (none.exit_code, "No factor of uk-2021 is for US." in none.stdout) == (0, True)


def test_an_unknown_release_is_refused_with_the_known_ones(mrv: Mrv, fresh_folder: Path) -> None:
    """Also for a difference."""
    for arguments in (("show", "mrow-1"), ("diff", OLDER, "mrow-1")):
        result = mrv(fresh_folder, "factors", *arguments)
        assert (result.exit_code, result.stdout) == (1, "")
        assert f"{OLDER}, {NEWEST}" in words(result.stderr)


def test_a_moved_gwp_set_is_told(mrv: Mrv, fresh_folder: Path) -> None:
    """What both releases have comes before what only one has."""
    text = words(mrv(fresh_folder, "factors", "diff", "mrow-2024.02.26", OLDER).stdout)
    assert "GWP set ar5 → ar6: CO2e moves where no gas does" in text
    change = "electricity.delivered CO2e 0.454849 t 0.454899 t +0.011 % US/MROW per MWh CH4 0.107 lb 0.107 lb 0 2021"
    assert change in text
    assert text.index(change) < text.index("0.830530 t new")


def test_a_difference_is_limited_and_all_of_it_is_there(mrv: Mrv, fresh_folder: Path) -> None:
    """Seventeen years that are new are counted; --all shows and --json holds each."""
    assert "and 2 more: --all shows them" in mrv(fresh_folder, "factors", "diff", OLDER, NEWEST).stdout
    assert mrv(fresh_folder, "factors", "diff", OLDER, NEWEST, "--all").stdout.count("new") == 17
    document = parsed(mrv(fresh_folder, "factors", "diff", OLDER, NEWEST, "--json"))
    assert document["counts"] == {
        "unchanged": 0,
        "changed": 1,
        "removed": 0,
        "added": 0,
        "renaming_candidates": 0,
    }
    [changed] = document["changed"]
    assert [step["before"] is None for step in changed["steps"]].count(True) == 17
    assert document["published_keys"] is None


def test_two_files_are_compared_by_factor_and_by_published_key(mrv: Mrv, fresh_folder: Path, tmp_path: Path) -> None:
    """Nothing is released for it, and the publisher's keys are named."""
    before = factor_files(fresh_folder)
    files = (str(hub_2021(tmp_path)), str(hub_2024(tmp_path)), "--format", "epa-hub")
    text = words(mrv(fresh_folder, "factors", "diff", *files).stdout)
    assert "hub-2021.xlsx → hub-2024.xlsx" in text
    assert "CO2 1098.4 lb 936.485 lb -14.741 %" in text
    assert "10 vanished" in text
    document = parsed(mrv(fresh_folder, "factors", "diff", *files, "--json"))
    assert len(document["published_keys"]["vanished"]) == 10
    assert any("Puerto Rico" in key for key in document["published_keys"]["vanished"])
    [changed] = document["changed"]
    gases = {gas["gas"]: gas["percent"] for gas in changed["steps"][0]["gases"]}
    assert gases == {"CH4": "0.000000000", "CO2": "-14.740986890", "N2O": "0.000000000"}
    assert factor_files(fresh_folder) == before


def put(folder: Path, version: str, files: Mapping[str, bytes]) -> None:
    """Release files under a version, unlisted."""
    target = folder / "reference" / "factors" / version
    target.mkdir()
    for name, data in files.items():
        (target / name).write_bytes(data)


def test_the_coefficients_that_moved_a_chain_are_told(mrv: Mrv, fresh_folder: Path) -> None:
    """Name, old and new value beside the change of the product."""
    denser = [{**row, "value": "0.5"} if row["name"] == "wood-density" else row for row in FOREST]
    put(fresh_folder, "forest-1", chained_files(version="forest-1"))
    put(fresh_folder, "forest-2", chained_files(coefficients=denser, version="forest-2"))
    text = words(mrv(fresh_folder, "factors", "diff", "forest-1", "forest-2").stdout)
    assert "wood-density 0.4 → 0.5" in text
    assert "+25.000 %" in text
    document = parsed(mrv(fresh_folder, "factors", "diff", "forest-1", "forest-2", "--json"))
    [gas] = document["changed"][0]["steps"][0]["gases"]
    units = {"numerator_unit": "metric_ton of stems", "denominator_unit": "meter ** 3 of stem wood"}
    assert gas["coefficients"] == [
        {"name": "wood-density", "before": {"value": "0.4", **units}, "after": {"value": "0.5", **units}}
    ]
    assert document["regions"] is None


def test_the_uncertainty_of_a_chain_is_shown_as_one_figure(mrv: Mrv, fresh_folder: Path) -> None:
    """At 95 %, in per cent and in JSON as a part; unknown while a coefficient of the chain states none."""
    cells = {"rel_uncertainty": "0", "confidence_level": "0.95", "distribution": "normal"}
    known = [{**cells, **row} | ({"rel_uncertainty": "0.15"} if row["value"] == "0.47" else {}) for row in FOREST]
    put(fresh_folder, "forest-1", chained_files(version="forest-1"))
    put(fresh_folder, "forest-2", chained_files(coefficients=known, version="forest-2"))
    shown = {"forest-1": ("uncertainty unknown", None), "forest-2": ("± 18.0278 % at 95 %", "0.180278")}
    for version, (text, part) in shown.items():
        assert text in words(mrv(fresh_folder, "factors", "show", version).stdout)
        [factor] = parsed(mrv(fresh_folder, "factors", "show", version, "--json"))["factors"]
        [gas] = factor["spans"][0]["gases"]
        assert gas["chain"]["rel_uncertainty_95"] == part
        assert [one["name"] for one in gas["chain"]["coefficients"]][:2] == ["wood-density", "biomass-expansion"]
        assert gas["chain"]["coefficients"][-1]["value"] == "11/3"
    plain = parsed(mrv(fresh_folder, "factors", "show", OLDER, "--json"))["factors"][0]["spans"][0]["gases"][0]
    assert plain["chain"] is None


def test_regions_that_came_went_or_moved_are_told(mrv: Mrv, fresh_folder: Path) -> None:
    """Even when no factor moves; the release without the file has lost all of them."""
    factors = {"a": "1"}
    halves = Release(factors=factors, regions={"a": WEST, "b": EAST, "c": FAR})
    moved = Release(factors=factors, regions={"a": WEST, "b": EAST.replace("2 ", "2.5 "), "d": FAR})
    for version, release in {"r-1": halves, "r-2": moved, "r-3": Release(factors=factors, regions={})}.items():
        named = release.files(version)
        put(fresh_folder, version, {key.rpartition("/")[2]: data for key, data in named.items()})
    text = words(mrv(fresh_folder, "factors", "diff", "r-1", "r-2").stdout)
    assert "Where regions are, by the outlines of regions.parquet 1 unchanged 1 with another outline b: " in text
    assert "1 removed c 1 added d" in text
    document = parsed(mrv(fresh_folder, "factors", "diff", "r-1", "r-2", "--json"))
    assert (document["counts"]["changed"], document["counts"]["unchanged"]) == (0, 1)
    regions = document["regions"]
    assert (regions["unchanged"], regions["removed"], regions["added"]) == (1, ["c"], ["d"])
    [changed] = regions["changed"]
    assert changed["region"] == "b"
    assert changed["outline_before"] != changed["outline_after"]
    gone = parsed(mrv(fresh_folder, "factors", "diff", "r-1", "r-3", "--json"))
    assert gone["regions"]["removed"] == ["a", "b", "c"]


def test_regions_that_cannot_be_read_hide_no_factor(mrv: Mrv, fresh_folder: Path) -> None:
    """What differs is shown, and the exit code is that of the refusal."""
    for version, value in (("r-1", "1"), ("r-2", "2")):
        release = Release(factors={"a": value}, regions={"a": WEST})
        files = {key.rpartition("/")[2]: data for key, data in release.files(version).items()}
        if version == "r-2":
            pinned = sha256_hex(files["regions.parquet"]).encode()
            files["regions.parquet"] = b"no Parquet"
            files["release.toml"] = files["release.toml"].replace(pinned, sha256_hex(b"no Parquet").encode())
        put(fresh_folder, version, files)
    result = mrv(fresh_folder, "factors", "diff", "r-1", "r-2")
    assert result.exit_code == 1
    assert "+100.000 %" in result.stdout
    assert "regions of the factor release cannot be used" in words(result.stderr)
    document = json.loads(mrv(fresh_folder, "factors", "diff", "r-1", "r-2", "--json").stdout)
    assert "r-2, regions.parquet" in document["regions"]["refusal"]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        pytest.param((), "a file is no release", id="no format"),
        pytest.param(("--format", "uk-conversion"), "front page has no year", id="another publisher"),
        pytest.param(("--format", "csv"), "a CSV does not say what it is", id="no set"),
    ],
)
def test_files_that_are_not_what_was_said_are_refused(
    mrv: Mrv, fresh_folder: Path, tmp_path: Path, more: Sequence[str], says: str
) -> None:
    """The remedy is an option."""
    result = mrv(fresh_folder, "factors", "diff", str(hub_2021(tmp_path)), str(hub_2024(tmp_path)), *more)
    assert (result.exit_code, result.stdout) == (1, "")
    assert says in words(result.stderr)


def test_a_file_that_is_not_there_and_a_set_of_a_release_are_refused(mrv: Mrv, fresh_folder: Path) -> None:
    """A release has its own set; only files are read under another."""
    missing = mrv(fresh_folder, "factors", "diff", "a.xlsx", "b.xlsx", "--format", "epa-hub")
    assert "No such file" in missing.stderr
    asked = mrv(fresh_folder, "factors", "diff", OLDER, NEWEST, "--gwp-set", "ar4")
    assert "a release has its GWP set" in asked.stderr
    assert (missing.exit_code, asked.exit_code) == (1, 1)


@pytest.mark.parametrize("width", [80, 100])
def test_everything_fits_a_terminal(fresh_folder: Path, tmp_path: Path, width: int) -> None:
    """No table is wider than the terminal; paths and what is to be copied are the only longer lines."""
    env = {**environment(fresh_folder), "COLUMNS": str(width), "TERM": "xterm-256color"}
    first, second = hub_2021(tmp_path), hub_2024(tmp_path)
    for arguments in (
        imported(first, "epa-2021"),
        imported(second, "epa-2024", "--supersedes", "epa-2021"),
        ("factors", "list"),
        ("factors", "show", "epa-2024", "--all"),
        ("factors", "diff", "epa-2021", "epa-2024", "--all"),
        ("factors", "diff", str(first), str(second), "--format", "epa-hub"),
    ):
        result = CliRunner().invoke(app, list(arguments), env=env, catch_exceptions=False)
        assert result.exit_code == 0
        shown = result.stdout.partition("Written: ")[0]
        assert max(map(len, shown.splitlines())) <= width


@pytest.mark.parametrize("command", ["import", "list", "show", "diff"])
def test_every_help_text_has_an_example(mrv: Mrv, tmp_path: Path, command: str) -> None:
    """`mrv factors COMMAND --help` shows an example of that command, and has --json."""
    result = mrv(tmp_path, "factors", command, "--help")
    assert result.exit_code == 0
    assert f"mrv factors {command} " in " ".join(result.stdout.partition("Example:")[2].split())
    assert "--json" in result.stdout
