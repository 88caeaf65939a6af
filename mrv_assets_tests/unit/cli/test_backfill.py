"""Planning a window, carrying it, and reading its manifest, as an operator does it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mrv_assets_tests.unit.cli.conftest import Mrv, parsed

COUNTIES = ("-p", "metc-anoka", "-p", "metc-carver")


def test_a_plan_of_what_is_reported_skips_it_and_says_so_in_one_line(mrv: Mrv, folder: Path) -> None:
    """With --all each partition is listed with why it is left as it is."""
    told = mrv(folder, "plan", "2021", "-p", "metc-anoka")
    assert told.exit_code == 0, told.stderr
    assert told.stdout == "1 partitions: 0 to run, 1 to skip, 0 blocked\n"
    every = mrv(folder, "plan", "2021", "-p", "metc-anoka", "--all").stdout
    assert "inputs unchanged" in every


def test_a_plan_before_anything_was_delivered_says_blocked_and_fits_a_terminal(mrv: Mrv, fresh_folder: Path) -> None:
    """The table is at most a hundred columns wide, JSON says what stands in the way, and the exit code is 1."""
    told = mrv(fresh_folder, "plan", "2021", *COUNTIES)
    assert max(map(len, told.stdout.splitlines())) <= 100
    assert "2 partitions: 0 to run, 0 to skip, 2 blocked" in told.stdout
    asked = mrv(fresh_folder, "plan", "2021", *COUNTIES, "--json")
    assert (told.exit_code, asked.exit_code) == (1, 1)
    found = json.loads(asked.stdout)["partitions"]
    assert [one["action"] for one in found] == ["blocked", "blocked"]
    assert all(one["reason"].startswith("activity: source file is missing") for one in found)


def test_a_plan_of_a_forced_backfill_names_the_cause(mrv: Mrv, folder: Path) -> None:
    """What would be computed is told by cause, with what is to be done about each of the six assets."""
    assert "1 to run: forced" in mrv(folder, "plan", "2021", "-p", "metc-anoka", "--force").stdout
    [one] = parsed(mrv(folder, "plan", "2021", "-p", "metc-anoka", "--force", "--json"))["partitions"]
    assert (one["action"], one["causes"], len(one["assets"])) == ("run", ["forced"], 6)


def test_a_backfill_of_what_is_reported_skips_it_and_keeps_a_manifest(
    mrv: Mrv, own_folder: Path, tmp_path: Path
) -> None:
    """Nothing moves; the manifest is listed, and shown by the beginning of its run id, as text and as Markdown."""
    done = parsed(mrv(own_folder, "backfill", "2021", "-p", "metc-anoka", "--json"))
    assert done["counts"] == {"committed": 0, "skipped": 1, "refused": 0}
    assert (done["total"]["moved"], done["total"]["delta_tco2e"]) == (0, "0.000000000")
    [listed] = parsed(mrv(own_folder, "manifest", "--json"))
    assert (listed["run_id"], listed["sha256"]) == (done["run_id"], done["sha256"])
    assert done["run_id"][:8] in mrv(own_folder, "manifest").stdout
    page = tmp_path / "manifest.md"
    shown = mrv(own_folder, "manifest", done["run_id"][:8], "--markdown", str(page))
    assert "1 partitions: 0 committed  1 skipped  0 refused" in shown.stdout
    assert page.read_text().startswith("**1 partitions**: 0 committed, 1 skipped, 0 refused.")
    assert mrv(own_folder, "fsck").exit_code == 0


def test_a_backfill_that_was_refused_in_part_says_which_and_ends_with_1(mrv: Mrv, own_folder: Path) -> None:
    """A year without rows is refused with its remedy, and the other one is carried all the same."""
    done = mrv(own_folder, "backfill", "1999,2021", "-p", "metc-anoka", "--force", "--summary", "--chunk-size", "1")
    assert done.exit_code == 1
    assert "2 partitions: 0 committed  1 skipped  1 refused" in done.stdout
    assert "metc-anoka 1999" in done.stdout
    assert "deliver the period's rows" in " ".join(done.stdout.split())
    assert max(map(len, done.stdout.splitlines())) <= 100


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(("plan", "202101"), "period is not in canonical form", id="no window"),
        pytest.param(("backfill", "2022..2021"), "a range that runs forwards", id="backwards"),
        pytest.param(("backfill", "2021", "-p", "a|b"), "project_id is not a canonical id", id="no project id"),
        pytest.param(("manifest", "nobody"), "run has no manifest", id="no such run"),
        pytest.param(("manifest", "nobody", "--plot", "x.gif"), "picture is of no known kind", id="no picture"),
    ],
)
def test_what_is_asked_wrongly_is_refused_with_a_remedy(
    mrv: Mrv, folder: Path, arguments: tuple[str, ...], says: str
) -> None:
    """Nothing is run, and the panel says what to write."""
    done = mrv(folder, *arguments)
    assert done.exit_code == 1
    told = " ".join(done.stderr.replace("│", " ").split())
    assert says in told
    assert "remedy" in told


def test_without_a_backfill_the_list_says_how_to_run_one(mrv: Mrv, folder: Path) -> None:
    """An empty list is a sentence, not an empty table."""
    assert mrv(folder, "manifest").stdout == ("No backfill has come to its end yet. `mrv backfill WINDOW` runs one.\n")
