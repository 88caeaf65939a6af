"""`mrv alerts` and `mrv freshness`: what they print, in JSON and for people, and their exit codes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mrv_assets.cli.terminal import DONE, REFUSED, TRY_AGAIN
from mrv_assets_tests.unit.alerts.files import SECRET, WEBHOOK, environment, mail
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed
from mrv_assets_tests.unit.cli.small_replay import PARTITIONS
from mrv_assets_tests.unit.openlineage.endpoint import Endpoint, endpoint


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """An endpoint that is asked without a proxy, whose URL is in the environment."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with endpoint() as served:
        for name, value in environment(served.url).items():
            monkeypatch.setenv(name, value)
        yield served


def configure(folder: Path, *tables: str) -> None:
    """Write the alerts file of a deployment."""
    (folder / "home" / "alerts.toml").write_text("\n".join(["since = 2026-01-01", *tables]))


def test_a_test_message_goes_to_every_target(mrv: Mrv, own_folder: Path, server: Endpoint) -> None:
    """And moves no cursor."""
    configure(own_folder, WEBHOOK)
    result = mrv(own_folder, "alerts", "test")
    assert (result.exit_code, result.stdout) == (DONE, "ops: took the test message\n")
    assert [message["kind"] for message in server.taken] == ["test"]
    assert not (own_folder / "home" / "alerts").exists()


def test_a_target_that_is_away_stops_no_other(mrv: Mrv, own_folder: Path, server: Endpoint) -> None:
    """The exit code is that of the gravest failure, and nothing shows a secret."""
    configure(own_folder, mail(9), WEBHOOK)
    result = mrv(own_folder, "alerts", "test", "--json")
    assert result.exit_code == TRY_AGAIN
    assert len(server.taken) == 1
    assert SECRET not in result.output
    assert "alert target mail" in result.stderr


def test_the_status_says_whether_secrets_are_set_and_what_is_behind(
    mrv: Mrv, own_folder: Path, server: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names no secret."""
    configure(own_folder, WEBHOOK, mail(25, user="mrv"))
    monkeypatch.delenv("MRV_ALERT_PASSWORD")
    result = mrv(own_folder, "alerts", "status", "--json")
    assert [(one["target"], one["secret"], one["behind"]) for one in parsed(result)["targets"]] == [
        ("ops", "set", PARTITIONS),
        ("mail", "not set", PARTITIONS),
    ]
    shown = mrv(own_folder, "alerts", "status").stdout
    assert "journal up to" in shown
    assert SECRET not in result.output + shown
    assert server.taken == []


def test_no_file_is_said_with_what_to_do(mrv: Mrv, own_folder: Path) -> None:
    """For both commands."""
    for command in ("test", "status"):
        result = mrv(own_folder, "alerts", command)
        assert result.exit_code == REFUSED
        assert "docs/runbooks/automation.md" in result.stderr


def test_freshness_is_a_table_that_fits_a_terminal(mrv: Mrv, own_folder: Path) -> None:
    """And the same in JSON; nothing is late where nobody named a day."""
    result = mrv(own_folder, "freshness", "--strict")
    assert result.exit_code == DONE
    assert "No figure is late." in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100
    document = parsed(mrv(own_folder, "freshness", "--json"))
    assert {"project_id", "last_reported", "next_period", "next_due", "missing"} == document["projects"][0].keys()


def test_a_late_figure_turns_strict_red(mrv: Mrv, own_folder: Path) -> None:
    """Only then does the exit code say so; a project that is not there is refused."""
    [project, *_] = sorted((own_folder / "reference" / "projects").glob("*.toml"))
    project.write_text(project.read_text() + '\n[reporting_due]\ndays = 0\nsince = "2000"\n')
    named = project.stem
    assert mrv(own_folder, "freshness", named).exit_code == DONE
    strict = mrv(own_folder, "freshness", named, "--strict")
    assert strict.exit_code == REFUSED
    assert "figures are late." in strict.stdout
    assert mrv(own_folder, "freshness", "nobody").exit_code == REFUSED
