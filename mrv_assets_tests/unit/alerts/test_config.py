"""The alerts file: what it may say, and that a mistake in it is refused with its place."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from mrv_assets.alerts.config import read_alerts
from mrv_assets.alerts.message import Kind
from mrv_assets.domain.errors import ContractError, Refusal
from mrv_assets_tests.unit.alerts.files import SECRET, SLACK, WEBHOOK, alerts, environment, mail


def test_no_file_is_no_alerts(tmp_path: Path) -> None:
    """Nobody has to configure any."""
    assert read_alerts(tmp_path / "alerts.toml", {}) is None


def test_a_file_names_targets_and_the_day_since_when_they_are_told(tmp_path: Path) -> None:
    """Each is told everything, unless it says what."""
    found = alerts(tmp_path, WEBHOOK, SLACK + 'alerts = ["late"]', mail(587), since="2026-12-01")
    assert found.since == date(2026, 12, 1)
    assert [target.name for target in found.targets] == ["ops", "chat", "mail"]
    assert [len(target.alerts) for target in found.targets] == [3, 1, 3]
    assert found.targets[1].alerts == {Kind.LATE}


def test_no_target_shows_its_secret(tmp_path: Path) -> None:
    """It shows the name of the variable."""
    env = environment("http://127.0.0.1:9")
    text = repr(alerts(tmp_path, WEBHOOK, SLACK, mail(587, user="mrv"), env=env))
    assert SECRET not in text
    assert env["MRV_ALERT_PASSWORD"] not in text
    assert "<secret in MRV_ALERT_OPS_URL>" in text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("since = [", "text that is no TOML", id="no TOML"),
        pytest.param("\udcff", "text that is no TOML", id="no UTF-8"),
        pytest.param("", "since is a day without quotes", id="no day"),
        pytest.param('since = "2026-12-01"', "since is a day without quotes", id="day in quotes"),
        pytest.param("since = 2026-12-01T00:00:00Z", "since is a day without quotes", id="an instant"),
        pytest.param("since = 2026-12-01\ntargets = 1", "unknown keys: targets", id="unknown key"),
        pytest.param(f"since = 2026-12-01\n{WEBHOOK}{WEBHOOK}", "two targets have one name", id="one name twice"),
        pytest.param(f"since = 2026-12-01\n{WEBHOOK}url = 'x'", "unknown keys: url; secrets are named", id="a secret"),
        pytest.param(
            "since = 2026-12-01\n" + WEBHOOK.replace("MRV_ALERT_OPS_URL", "https://hooks.example.org/s3cret-path"),
            "url_env is the name of an environment variable",
            id="a secret in the place of its name",
        ),
        pytest.param("since = 2026-12-01\n" + WEBHOOK.replace("webhook", "pager"), "webhook, slack, email", id="kind"),
        pytest.param("since = 2026-12-01\n" + WEBHOOK.replace('"ops"', '"o ps"'), "canonical id", id="name"),
        pytest.param(f"since = 2026-12-01\n{WEBHOOK}alerts = []", "alerts are some of", id="told nothing"),
        pytest.param(f"since = 2026-12-01\n{WEBHOOK}alerts = ['test']", "alerts are some of", id="told of tests"),
        pytest.param(
            "since = 2026-12-01\n" + mail(25).replace("127.0.0.1", "smtp.example.org"),
            "without TLS only a server on this machine",
            id="mail in the open",
        ),
        pytest.param("since = 2026-12-01\n" + mail(25, security="ssl"), "'ssl' is not a valid Security", id="security"),
        pytest.param(f"since = 2026-12-01\n{mail(25)}user = 'mrv'", "come together", id="user without password"),
        pytest.param(
            "since = 2026-12-01\n" + mail(25).replace("carbon@", "a@b, carbon@"),
            "one plain address",
            id="two addresses",
        ),
    ],
)
def test_a_mistake_is_refused_and_told(text: str, says: str, tmp_path: Path) -> None:
    """Without repeating what may be a secret."""
    path = tmp_path / "alerts.toml"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(Refusal, match=says) as caught:
        read_alerts(path, {})
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("table", [WEBHOOK, SLACK, mail(25, user="mrv")])
def test_a_secret_that_is_not_set_is_refused_when_it_is_used(table: str, tmp_path: Path) -> None:
    """By the name of its variable."""
    [target] = alerts(tmp_path, table).targets
    assert target.secret is not None
    assert not target.secret.is_set
    with pytest.raises(ContractError, match=r"secret of an alert target is not set.*MRV_ALERT"):
        target.secret.read()
