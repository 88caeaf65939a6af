"""Late figures: told once to each target, again when they were in time meanwhile or the memory of it is lost."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from mrv_assets.alerts.late import tell_late
from mrv_assets.domain.errors import StoreUnavailable, Transient
from mrv_assets.pipeline.freshness import Freshness, Missing, Why
from mrv_assets.storage.cursors import Cursors
from mrv_assets_tests.unit.alerts.files import WEBHOOK, alerts, environment
from mrv_assets_tests.unit.openlineage.endpoint import Endpoint

TODAY = date(2026, 4, 10)


def project(name: str, *periods: str) -> Freshness:
    """Return a project of which these years are missing, each due at the end of March."""
    missing = tuple(
        Missing(period=year, due=date(int(year) + 1, 3, 31), why=Why.NO_DELIVERY, detail="source.csv is not there")
        for year in periods
    )
    return Freshness(project_id=name, last_reported=None, next_period="2026", next_due=None, missing=missing)


def tell(server: Endpoint, folder: Path, *found: Freshness, table: str = WEBHOOK, since: str = "2025-01-01") -> int:
    """Tell a webhook what is late."""
    configured = alerts(folder, table, since=since, env=environment(server.url))
    [target] = configured.targets
    return tell_late(target, found, today=TODAY, since=configured.since, folder=folder / "alerts")


def test_a_late_figure_is_told_once(server: Endpoint, tmp_path: Path) -> None:
    """With its day and why; one that is not due yet is not told."""
    assert tell(server, tmp_path, project("anoka", "2025", "2026")) == 1
    assert tell(server, tmp_path, project("anoka", "2025", "2026")) == 0
    [message] = server.taken
    assert message["title"] == "Figure is late: anoka 2025, due 2026-03-31"
    assert message["lines"] == ["anoka 2025: due 2026-03-31, 10 days late; no delivery (source.csv is not there)"]
    assert message["facts"]["late"][0]["days_late"] == 10


def test_several_are_one_message_and_a_new_one_is_told_alone(server: Endpoint, tmp_path: Path) -> None:
    """What was told is not told again with it."""
    assert tell(server, tmp_path, project("anoka", "2024", "2025")) == 2
    assert tell(server, tmp_path, project("anoka", "2024", "2025"), project("carver", "2025")) == 1
    assert [message["title"] for message in server.taken] == [
        "2 figures are late",
        "Figure is late: carver 2025, due 2026-03-31",
    ]


def test_an_outage_is_no_telling(server: Endpoint, tmp_path: Path) -> None:
    """The next tick tells it."""
    server.answers = [503]
    with pytest.raises(StoreUnavailable, match="alert could not be delivered"):
        tell(server, tmp_path, project("anoka", "2025"))
    assert tell(server, tmp_path, project("anoka", "2025")) == 1


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\xff", None])
def test_a_memory_that_is_lost_or_damaged_tells_again(server: Endpoint, tmp_path: Path, data: bytes | None) -> None:
    """Rather than never, under the same id."""
    tell(server, tmp_path, project("anoka", "2025"))
    [file] = (tmp_path / "alerts" / "told").iterdir()
    file.unlink() if data is None else file.write_bytes(data)
    assert tell(server, tmp_path, project("anoka", "2025")) == 1
    assert server.taken[0] == server.taken[1]


def test_a_figure_that_becomes_late_again_is_told_again(server: Endpoint, tmp_path: Path) -> None:
    """One that was withdrawn, for instance; a project that was not looked at is remembered meanwhile."""
    both = (project("anoka", "2025"), project("carver", "2025"))
    assert tell(server, tmp_path, *both) == 2
    assert tell(server, tmp_path, project("anoka")) == 0
    assert tell(server, tmp_path, *both) == 1
    assert server.taken[1]["title"] == "Figure is late: anoka 2025, due 2026-03-31"


def test_what_was_due_before_the_day_is_not_told(server: Endpoint, tmp_path: Path) -> None:
    """Nor anything to a target that is told other kinds."""
    assert tell(server, tmp_path, project("anoka", "2025"), since="2026-04-01") == 0
    assert tell(server, tmp_path, project("anoka", "2025"), table=WEBHOOK + 'alerts = ["failure"]') == 0
    assert server.taken == []


def test_two_at_once_take_turns(server: Endpoint, tmp_path: Path) -> None:
    """The second says so, and tells nothing."""
    held = Cursors(tmp_path / "alerts", store="late figures").held("ops")
    with held, pytest.raises(Transient, match="another delivery to this target is at work"):
        tell(server, tmp_path, project("anoka", "2025"))
