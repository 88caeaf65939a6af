"""`mrv factors import`: what is written, what is shown before it is, and what is refused."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mrv_assets.cli.app import app
from mrv_assets.cli.factors_import_text import FILL_IN
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.factors import FACTOR_COLUMNS
from mrv_assets.domain.released import ReleasedDigests, parse_released
from mrv_assets.storage.opening import open_store
from mrv_assets.storage.references import ReferenceData
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed
from mrv_assets_tests.unit.cli.factor_files import factor_files, hub_2021, hub_2024, imported, uk
from mrv_assets_tests.unit.cli.small_replay import environment
from mrv_assets_tests.world import REFERENCE_DATA

LIST = "factors/RELEASED.toml"


def words(text: str) -> str:
    """Return a text without its layout."""
    return " ".join(text.replace("│", " ").split())


def test_an_import_writes_a_release_that_reads(mrv: Mrv, fresh_folder: Path, tmp_path: Path) -> None:
    """Two files and a line in the list are new, nothing else changes, and the release is what the file says."""
    before = factor_files(fresh_folder)
    result = mrv(fresh_folder, *imported(hub_2021(tmp_path), "epa-2021"))
    assert (result.exit_code, result.stderr) == (0, "")
    after = factor_files(fresh_folder)
    new = {"factors/epa-2021/release.toml", "factors/epa-2021/factors.csv"}
    assert set(after) - set(before) == new
    assert {key for key in before if after[key] != before[key]} == {LIST}
    assert after[LIST].startswith(before[LIST])
    toml, csv = (after[key] for key in sorted(new, reverse=True))
    listed = parse_released(after[LIST], where="list")["epa-2021"]
    assert listed == ReleasedDigests.of(release_toml=toml, factors_csv=csv)
    assert tomllib.loads(toml.decode())["sha256"] == sha256_hex(csv)
    release = ReferenceData(open_store(str(fresh_folder / "reference"))).factor_release("epa-2021")
    assert (release.line, release.gwp.name, str(release.published), release.supersedes) == (
        *("epa", "ar4", "2021-09-15"),
        None,
    )


def test_an_import_shows_what_is_taken_and_what_is_left_out(mrv: Mrv, fresh_folder: Path, tmp_path: Path) -> None:
    """Rows taken, rows left out by reason, what was written and the changelog entry are shown."""
    text = words(mrv(fresh_folder, *imported(hub_2021(tmp_path), "epa-2021")).stdout)
    for said in (
        "taken 21 rows, for 9 kind(s) of activity row",
        "left out 1",
        "1 no factor published: NA",
        "The first release of line epa",
        "Written: ",
        "## epa-2021, the first release of line epa",
        f"{FILL_IN} from `mrv factors impact epa-2021`",
    ):
        assert said in text


def test_a_next_edition_is_compared_with_the_one_it_supersedes(mrv: Mrv, fresh_folder: Path, tmp_path: Path) -> None:
    """The changed rate, what came and what went are shown and told in the changelog entry."""
    assert mrv(fresh_folder, *imported(hub_2021(tmp_path), "epa-2021")).exit_code == 0
    result = mrv(fresh_folder, *imported(hub_2024(tmp_path), "epa-2024", "--supersedes", "epa-2021"))
    text = words(result.stdout)
    for said in (
        "epa-2021 → epa-2024",
        "unchanged 3, of them 3 hold for other days",
        "CO2 1098.4 lb 936.485 lb -14.741 %",
        "## epa-2024, supersedes epa-2021",
        "Factors: 1 changed, 0 added, 5 removed, 3 unchanged.",
    ):
        assert said in text
    assert parsed(mrv(fresh_folder, "factors", "show", "epa-2024", "--json"))["supersedes"] == "epa-2021"


def test_a_dry_run_shows_the_same_and_writes_nothing(mrv: Mrv, fresh_folder: Path, tmp_path: Path) -> None:
    """Every file of the reference data stays as it is."""
    before = factor_files(fresh_folder)
    result = mrv(fresh_folder, *imported(hub_2021(tmp_path), "epa-2021", "--dry-run"))
    assert result.exit_code == 0
    assert factor_files(fresh_folder) == before
    assert "Nothing was written: this is a dry run." in result.stdout
    assert "## epa-2021" in result.stdout


def test_json_names_every_row_that_is_left_out(mrv: Mrv, fresh_folder: Path, tmp_path: Path) -> None:
    """--json has the head, the notes with every label, the entry and what was written."""
    document = parsed(mrv(fresh_folder, *imported(hub_2021(tmp_path), "epa-2021", "--json")))
    assert document["release"]["version"] == "epa-2021"
    assert document["taken"] == document["release"]["rows"] == 21
    [note] = document["notes"]
    assert (note["effect"], note["count"], len(note["labels"])) == ("left out", 1, 1)
    assert "LDPE" in note["labels"][0]
    assert document["comparison"] is None
    assert [Path(path).name for path in document["written"]] == ["release.toml", "factors.csv", "RELEASED.toml"]


def test_what_the_file_does_not_say_is_taken_from_the_options(mrv: Mrv, fresh_folder: Path, tmp_path: Path) -> None:
    """Title, day, days of validity and set are those that were asked for."""
    options = ("--title", "Ours", "--published", "2022-02-03", "--valid", "2022-01-01..2022-06-30", "--gwp-set", "ar4")
    assert mrv(fresh_folder, *imported(hub_2021(tmp_path), "epa-2021", *options)).exit_code == 0
    document = parsed(mrv(fresh_folder, "factors", "show", "epa-2021", "--json"))
    assert (document["title"], document["published"], document["gwp_set"]) == ("Ours", "2022-02-03", "ar4")
    spans = [span for factor in document["factors"] for span in factor["spans"]]
    assert {(span["valid_from"], span["valid_to"]) for span in spans} == {("2022-01-01", "2022-06-30")}


def plain_csv(folder: Path) -> Path:
    """Write the factors of a shipped release with another id."""
    path = folder / "own.csv"
    shipped = (REFERENCE_DATA / "factors" / "mrow-2024.02.01" / "factors.csv").read_text(encoding="utf-8")
    path.write_text(shipped.replace("electricity.delivered", "electricity.bought"), encoding="utf-8")
    assert shipped.startswith(",".join(FACTOR_COLUMNS))
    return path


CSV = ("--title", "Own meters", "--published", "2024-03-01", "--gwp-set", "ar5")


def test_a_csv_of_our_own_columns_makes_a_release(mrv: Mrv, fresh_folder: Path, tmp_path: Path) -> None:
    """With title, day and set it is taken as it is."""
    result = mrv(fresh_folder, *imported(plain_csv(tmp_path), "own-1", *CSV, line="own", form="csv"))
    assert (result.exit_code, result.stderr) == (0, "")
    assert parsed(mrv(fresh_folder, "factors", "list", "--line", "own", "--json"))["releases"][0]["rows"] == 3


@pytest.mark.parametrize(
    ("options", "says"),
    [
        pytest.param(CSV[2:], "a CSV does not say what it is.*no --title", id="no title"),
        pytest.param(CSV[:4], "a CSV does not say what it is.*no --gwp-set", id="no set"),
        pytest.param((*CSV[:2], *CSV[4:]), "does not say when it was published", id="no day"),
        pytest.param((*CSV, "--valid", "2021-01-01..2021-12-31"), "a CSV says for each row when it holds", id="valid"),
    ],
)
def test_a_csv_that_does_not_say_enough_is_refused(
    mrv: Mrv, fresh_folder: Path, tmp_path: Path, options: Sequence[str], says: str
) -> None:
    """Nothing is assumed about it."""
    _refused(mrv, fresh_folder, imported(plain_csv(tmp_path), "own-1", *options, line="own", form="csv"), says)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        pytest.param(("epa-2021", "--supersedes", "epa-2021"), "version is released already.*immutable", id="there"),
        pytest.param(("epa-2024",), "does not continue its line.*expected --supersedes epa-2021", id="no place"),
        pytest.param(("e/2",), "factor_version is not a canonical id", id="no id"),
        pytest.param(
            ("epa-2024", "--supersedes", "mrow-2025.05.20"), "does not continue its line", id="release of another line"
        ),
        pytest.param(("epa-2024", "--supersedes", "epa-2020"), "factor version is unknown", id="unknown release"),
        pytest.param(("epa-2024", "--published", "2024"), "day cannot be read.*--published", id="no day"),
        pytest.param(("epa-2024", "--valid", "2024"), "day cannot be read.*--valid", id="no days"),
        pytest.param(("epa-2024", "--valid", "2024-02-01..2024-01-01"), "validity runs backwards", id="backwards"),
        pytest.param(("epa-2024", "--gwp-set", "ar9"), "reference file is missing.*gwp/ar9", id="no set"),
        pytest.param(("epa-2024", "--reason", " "), "reason is empty", id="no reason"),
        pytest.param(("epa-2024", "--format", "uk-conversion"), "front page has no year", id="another publisher"),
    ],
)
def test_an_import_that_cannot_be_is_refused_and_leaves_nothing(
    mrv: Mrv, fresh_folder: Path, tmp_path: Path, more: Sequence[str], says: str
) -> None:
    """What is wrong, and the remedy, are in one panel; no file comes, goes or changes, and no half of a release."""
    assert mrv(fresh_folder, *imported(hub_2021(tmp_path), "epa-2021")).exit_code == 0
    version, *options = more
    if "--supersedes" not in options and says.startswith(("day", "valid", "ref", "reason", "front")):
        options += ["--supersedes", "epa-2021"]
    _refused(mrv, fresh_folder, imported(hub_2024(tmp_path), version, *options), says)


def test_a_version_that_was_once_released_is_refused(mrv: Mrv, fresh_folder: Path, tmp_path: Path) -> None:
    """A folder that is there without being a release, or a name that only the list knows, is not used again."""
    (fresh_folder / "reference" / "factors" / "epa-2021").mkdir()
    _refused(mrv, fresh_folder, imported(hub_2021(tmp_path), "epa-2021"), "version is released already")
    listing = fresh_folder / "reference" / LIST
    listing.write_text(listing.read_text(encoding="utf-8").replace("mrow-2024.02.01", "epa-gone"), encoding="utf-8")
    _refused(mrv, fresh_folder, imported(hub_2021(tmp_path), "epa-gone"), "version is released already")


def test_a_folder_that_may_not_be_written_to_is_refused(mrv: Mrv, fresh_folder: Path, tmp_path: Path) -> None:
    """What the file system says is shown, and no half of a release is left."""
    factors = fresh_folder / "reference" / "factors"
    factors.rename(factors.with_name("elsewhere"))
    factors.write_text("a file in the place of the folder")
    _refused(mrv, fresh_folder, imported(hub_2021(tmp_path), "epa-2021"), "release cannot be written.*Not a directory")


def test_an_object_store_is_not_written_to(fresh_folder: Path, tmp_path: Path) -> None:
    """A release is imported into a folder under review first."""
    env = {**environment(fresh_folder), "MRV_REFERENCE": "memory://references", "COLUMNS": "100"}
    result = CliRunner().invoke(app, imported(hub_2021(tmp_path), "epa-2021"), env=env, catch_exceptions=False)
    assert result.exit_code == 1
    assert "a release is not written to an object store" in result.stderr
    assert "a checkout of the reference data" in words(result.stderr)


def test_a_renamed_label_is_offered_when_an_edition_is_imported(mrv: Mrv, fresh_folder: Path, tmp_path: Path) -> None:
    """A flat file that only renames a label removes one factor, adds one, and says that they may be the same."""
    first, second = uk(tmp_path, 2021, "Natural gas"), uk(tmp_path, 2022, "Natural gas (100% mineral blend)")
    assert mrv(fresh_folder, *imported(first, "uk-2021", line="uk", form="uk-conversion")).exit_code == 0
    more = ("--supersedes", "uk-2021", "--json")
    result = mrv(fresh_folder, *imported(second, "uk-2022", *more, line="uk", form="uk-conversion"))
    comparison = parsed(result)["comparison"]
    assert comparison["counts"] == {
        "unchanged": 2,
        "changed": 0,
        "removed": 1,
        "added": 1,
        "renaming_candidates": 1,
    }
    [pair] = comparison["renaming_candidates"]
    assert pair["added"]["activity_id"] == "fuels/gaseous-fuels/natural-gas-100-pct-mineral-blend/gross-cv"


def _refused(mrv: Mrv, folder: Path, arguments: Sequence[str], says: str) -> None:
    before = factor_files(folder)
    result = mrv(folder, *arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert re.search(says, words(result.stderr)), result.stderr
    assert factor_files(folder) == before
    assert not list((folder / "reference").rglob(".tmp-*"))
