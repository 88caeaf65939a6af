"""The `mrv` command as a user starts it: a process of its own, a home of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mrv_assets.domain.partition import Asset
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.refusals import KEY, REFUSALS, SOUND_SOURCE, references

RUN = ("run", KEY.project_id, KEY.period, KEY.factor_version)


def _home(folder: Path) -> Home:
    return Home.create(folder, references=references(), landing={"source.csv": SOUND_SOURCE})


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, subprocess.CompletedProcess[str]]:
    """A home with one project and a sound source, and what `mrv run` answered there; only for reading."""
    home = _home(tmp_path_factory.mktemp("ran"))
    return home, _mrv(home, *RUN, "--json")


def _mrv(home: Home, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = "from mrv_assets.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, **home.environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_running_twice_commits_and_then_skips(
    ran: tuple[Home, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """`mrv run` exits with 0 both times; the second time every asset is skipped; JSON is all there is on stdout."""
    shutil.copytree(ran[0].settings.home.parent, tmp_path / "again")
    home = _home(tmp_path / "again")
    answers = [ran[1], _mrv(home, *RUN, "--json")]
    assert [answer.returncode for answer in answers] == [0, 0], answers[0].stderr
    outcomes = [{asset["outcome"] for asset in json.loads(answer.stdout)["assets"]} for answer in answers]
    assert outcomes == [{"committed"}, {"skipped"}]
    assert json.loads(_mrv(home, "ledger", "--json").stdout)["figures"][0]["factor_version"] == KEY.factor_version


def test_a_refused_partition_exits_with_1_and_says_what_to_do(tmp_path: Path) -> None:
    """The panel names the gate, the partition, what was expected and found, and the remedy; no traceback."""
    home = _home(tmp_path)
    defect = next(d for d in REFUSALS if d.gate == "factors_matched")
    home.land("source.csv", defect.source)
    refused = _mrv(home, *RUN)
    assert refused.returncode == 1
    for part in ("factors_matched", "factored anoka 2021", "expected", "found", "remedy", "electricity.deliverd"):
        assert part in refused.stderr + refused.stdout
    assert "Traceback" not in refused.stderr


def test_every_stage_of_a_run_is_logged_on_entry_and_exit_as_json(
    ran: tuple[Home, subprocess.CompletedProcess[str]],
) -> None:
    """Each stage logs what it consumes and pins when it starts, and outcome, rows, duration and gates when it ends."""
    home, answer = ran
    assert answer.returncode == 0, answer.stderr
    lines = (home.settings.logs / "mrv.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    started = {e["asset"]: e for e in events if e["event"] == "stage.started"}
    finished = {e["asset"]: e for e in events if e["event"] == "stage.finished"}
    assert set(started) == set(finished) == {asset.value for asset in Asset}
    for asset in Asset:
        assert {"inputs", "pins", "idempotency_key", "run_id"} <= set(started[asset.value])
        assert {"outcome", "rows", "duration_s", "gates", "reason"} <= set(finished[asset.value])
        assert set(finished[asset.value]["gates"].values()) == {True}
