"""A held restatement, from the run that is held to the approval that reports it, as an operator meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.orchestration.instance import open_instance
from mrv_assets_tests.end_to_end.command import mrv, mrv_json
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.unit.pipeline.bumps import FIRST, WRONG
from mrv_assets_tests.unit.pipeline.landings import committed, key, projects, rows
from mrv_assets_tests.world import run_partition

BEFORE, AFTER = key("anoka", "2021", FIRST), key("anoka", "2021", WRONG)
NAMED = ("anoka", "2021", WRONG)
SAID = ("--by", "R. Reviewer", "--reason", "the vintage of 2019 is the right one")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home whose project publishes by approval, with a first figure."""
    files = committed() | projects("anoka", publication="approve")
    found = Home.create(tmp_path, references=files, landing={"source.csv": rows("anoka 2021 7")})
    run_partition(found.world(), BEFORE)
    return found


def _live(home: Home) -> list[str]:
    return [record.pins["factor_version"] for record in home.world().slots.history(Slot.of(Asset.LEDGER, BEFORE))]


def test_a_held_figure_is_shown_approved_and_reported(home: Home) -> None:
    """The list shows old, new, share and the command; the command reports it; history and Dagster show who and why."""
    held = mrv(home.environment, "run", *NAMED)
    assert held.exit_code == 0, held.stderr
    assert "held until it is approved" in " ".join(held.stdout.split())
    home.refer(
        "projects/anoka.toml", projects("anoka", publication="approve", pins={"2021": WRONG})["projects/anoka.toml"]
    )
    mrv(home.environment, "run", *NAMED)
    shown = mrv(home.environment, "ledger", "pending").stdout
    assert max(map(len, shown.splitlines()[:4])) <= 100
    assert "3.184     3.512" in shown
    assert "+10.318 %" in shown
    assert f"factor release {FIRST} → {WRONG}" in shown
    [pending] = mrv_json(home.environment, "ledger", "pending")["pending"]
    assert pending["command"].startswith(f"mrv ledger approve anoka 2021 {WRONG} --certificate ")
    assert "mrv ledger pending" in mrv(home.environment, "status").stdout
    assert _live(home) == [FIRST]
    answer = mrv(
        home.environment, "ledger", "approve", *NAMED, "--certificate", pending["new_certificate_sha256"][:12], *SAID
    )
    assert answer.exit_code == 0, answer.stderr
    assert answer.stdout.startswith("Approved by R. Reviewer: anoka 2021, net 3.183944921 → 3.512464638 t CO2e")
    assert _live(home) == [FIRST, WRONG]
    history = " ".join(mrv(home.environment, "ledger", "--history").stdout.split())
    assert "approved by R. Reviewer" in history
    [figure] = mrv_json(home.environment, "ledger", "--history")["figures"]
    assert [one["approved_by"] for one in figure["generations"]] == [None, "R. Reviewer"]
    with open_instance(home.settings) as instance:
        run = instance.get_runs(limit=1)[0]
        [record] = [
            event.asset_materialization
            for event in instance.all_logs(run.run_id)
            if event.asset_materialization and event.asset_materialization.asset_key.path == ["ledger"]
        ]
    assert record.metadata["approved_by"].value == "R. Reviewer"
    assert mrv_json(home.environment, "fsck")["breaches"] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param((*NAMED, "--certificate", "00", *SAID), "another certificate waits", id="another certificate"),
        pytest.param((*NAMED, "--by", " ", "--reason", "why"), "does not say who approves", id="nobody"),
        pytest.param(
            (*NAMED, "--by", "R. \udcff", "--reason", "why"), "holds what cannot be shown", id="byte that is not UTF-8"
        ),
        pytest.param((*NAMED, "--by", "R.\x1b[2K", "--reason", "why"), "character U+001B", id="control code"),
        pytest.param(("anoka", "2021", FIRST, *SAID), "nothing waits for an approval", id="what is reported"),
    ],
)
def test_what_does_not_wait_is_refused_and_nothing_moves(home: Home, arguments: tuple[str, ...], words: str) -> None:
    """The exit code is 1, the panel says why, and the ledger stays as it is."""
    run_partition(home.world(), AFTER)
    assert _live(home) == [FIRST]
    answer = mrv(home.environment, "ledger", "approve", *arguments)
    assert answer.exit_code == 1
    assert words in answer.stderr
    assert _live(home) == [FIRST]
