from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from mrv_assets_tests.unit.cli.conftest import Mrv, parsed
from mrv_assets_tests.unit.cli.small_replay import AR6, EGRID_2021, EGRID_2022, tonnes


def test_the_ledger_shows_figures_in_tonnes_with_separators(mrv: Mrv, folder: Path) -> None:
    """`mrv ledger` shows each live figure with emissions, removals, net, factor version and generation."""
    result = mrv(folder, "ledger", "--project", "metc-anoka", "--period", "2021")
    row = next(line for line in result.stdout.splitlines() if "metc-anoka" in line)
    assert row.split() == ["metc-anoka", "2021", "1,207,315.814", "0.000", "1,207,315.814", "mrow-2025.05.20", "6"]


def test_the_ledger_fits_100_columns(mrv: Mrv, folder: Path) -> None:
    """No line of `mrv ledger` is longer than 100 columns, also with --history."""
    for arguments in (["ledger"], ["ledger", "--history"]):
        assert max(map(len, mrv(folder, *arguments).stdout.splitlines())) <= 100


def test_the_ledger_json_holds_exact_tonnes_as_text(mrv: Mrv, folder: Path) -> None:
    """`mrv ledger --json` gives every figure to 1e-9 t as text, equal to an independent computation."""
    figures = {(f["project_id"], f["period"]): f for f in parsed(mrv(folder, "ledger", "--json"))["figures"]}
    expected = tonnes("2025-05-20", "metc-pierce", "2022", EGRID_2022, AR6)
    assert len(figures) == 6
    assert figures["metc-pierce", "2022"]["net_tco2e"] == format(expected, "f")
    assert figures["metc-pierce", "2022"]["generation"] == 1


def test_totals_add_up_exactly(mrv: Mrv, folder: Path) -> None:
    """The total of an inventory is the exact sum of its figures."""
    inventories = parsed(mrv(folder, "ledger", "--json"))["inventories"]
    small = next(row for row in inventories if (row["inventory"], row["period"]) == ("small", "2021"))
    expected = sum(
        tonnes("2025-05-20", project, "2021", EGRID_2021, AR6)
        for project in ("metc-anoka", "metc-ramsey", "metc-pierce")
    )
    assert Decimal(small["net_tco2e"]) == expected
    assert small["is_complete"] is True


def test_an_incomplete_inventory_names_who_is_missing(mrv: Mrv, folder: Path) -> None:
    """A total that lacks projects is called incomplete, with the names of those that are missing."""
    text = mrv(folder, "ledger", "--period", "2021").stdout
    twin_cities = re.sub(r"\s+", " ", text.partition("Inventories")[2].partition("twin-cities")[2])
    assert "INCOMPLETE: 3 of 11 projects; missing metc-carver, metc-chisago, metc-dakota" in twin_cities
    inventories = parsed(mrv(folder, "ledger", "--json"))["inventories"]
    row = next(row for row in inventories if (row["inventory"], row["period"]) == ("twin-cities", "2021"))
    assert row["is_complete"] is False
    assert len(row["missing"]) == 8


def test_a_project_filter_leaves_the_inventory_total_alone(mrv: Mrv, folder: Path) -> None:
    """Looking at one project does not make its inventory look incomplete."""
    document = parsed(mrv(folder, "ledger", "--project", "metc-pierce", "--period", "2021", "--json"))
    assert [figure["project_id"] for figure in document["figures"]] == ["metc-pierce"]
    assert {row["inventory"]: row["is_complete"] for row in document["inventories"]} == {
        "small": True,
        "twin-cities": False,
    }


def test_history_shows_every_generation_with_its_cause(mrv: Mrv, folder: Path) -> None:
    """`mrv ledger --history` names old, new and cause of each generation of a figure."""
    document = parsed(mrv(folder, "ledger", "--history", "--project", "metc-anoka", "--period", "2021", "--json"))
    [figure] = document["figures"]
    assert [g["generation"] for g in figure["generations"]] == [1, 2, 3, 4, 5, 6]
    assert [g["causes"][0] for g in figure["generations"][:4]] == [
        "first figure",
        "factor release mrow-2024.02.01 → mrow-2024.02.06",
        "factor release mrow-2024.02.06 → mrow-2024.02.26",
        "factor release mrow-2024.02.26 → mrow-2024.06.24",
    ]
    assert figure["generations"][3]["causes"][1] == "GWP set ar5 → ar6"
    assert figure["generations"][4]["causes"] == ["source file electricity.csv 3b9f37f05aef → 67c7e2f48653"]
    assert figure["generations"][0]["before_tco2e"] is None
    assert figure["generations"][1]["before_tco2e"] == figure["generations"][0]["net_tco2e"]
    assert figure["generations"][5]["delta_tco2e"] == "0.000000000"


def test_an_empty_ledger_says_what_to_do(mrv: Mrv, fresh_folder: Path) -> None:
    """A ledger without a figure is no error, and the words say how to get one."""
    for arguments in (["ledger"], ["ledger", "--history"]):
        result = mrv(fresh_folder, *arguments)
        assert result.exit_code == 0
        assert "Nothing is reported yet. `mrv demo`" in result.stdout


def test_looking_leaves_no_trace_in_the_store(mrv: Mrv, fresh_folder: Path) -> None:
    """Commands that only look create no store."""
    for arguments in (["ledger"], ["status"], ["ledger", "--history"]):
        assert mrv(fresh_folder, *arguments).exit_code == 0
    assert not (fresh_folder / "home" / "store").exists()


@pytest.mark.parametrize("arguments", [["ledger"], ["ledger", "--history"]], ids=["live", "history"])
def test_a_period_in_another_form_is_refused(mrv: Mrv, folder: Path, arguments: list[str]) -> None:
    """A period that is not canonical is refused, not taken as one without figures."""
    result = mrv(folder, *arguments, "--period", "2021-1")
    assert result.exit_code == 1
    assert "period is not in canonical form" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--project", "metc-nobody"], 1, "reference file is missing"),
        (["--period", "1999"], 0, "No figure of any project in 1999 is reported yet."),
        (["--history", "--project", "metc-scott"], 0, "No figure of metc-scott is reported yet."),
    ],
    ids=["unknown project", "period without figures", "project without figures"],
)
def test_a_limit_that_finds_nothing_says_so(mrv: Mrv, folder: Path, arguments: list[str], code: int, says: str) -> None:
    """An unknown project is refused; a known one, or a period, that reports nothing is named."""
    result = mrv(folder, "ledger", *arguments)
    assert result.exit_code == code
    assert says in result.stdout + result.stderr
