"""The alerts files of the tests, and the environment in which their secrets are.

What does not belong here: servers (servers).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mrv_assets.alerts.config import Alerts, read_alerts
from mrv_assets_tests.unit.alerts.servers import PASSWORD, USER

SECRET = "s3cret-path"  # noqa: S105 - a word to look for where it may not be
WEBHOOK = """
[[target]]
name = "ops"
kind = "webhook"
url_env = "MRV_ALERT_OPS_URL"
"""
SLACK = """
[[target]]
name = "chat"
kind = "slack"
url_env = "MRV_ALERT_CHAT_URL"
"""


def mail(port: int, *, security: str = "none", user: str = "") -> str:
    """Return the table of a mail target."""
    login = f'user = "{user}"\npassword_env = "MRV_ALERT_PASSWORD"' if user else ""
    return f"""
[[target]]
name = "mail"
kind = "email"
server = "127.0.0.1"
port = {port}
security = "{security}"
sender = "mrv@example.org"
to = "carbon@example.org"
{login}
"""


def environment(url: str) -> dict[str, str]:
    """Return the secrets of all targets, the URLs with a path that nobody may see."""
    names = ("MRV_ALERT_OPS_URL", "MRV_ALERT_CHAT_URL")
    return {**dict.fromkeys(names, f"{url}/{SECRET}"), "MRV_ALERT_PASSWORD": PASSWORD}


def alerts(folder: Path, *tables: str, since: str = "2020-01-01", env: Mapping[str, str] | None = None) -> Alerts:
    """Write an alerts file of these tables and read it."""
    path = folder / "alerts.toml"
    path.write_text("\n".join([f"since = {since}", *tables]))
    found = read_alerts(path, env or {})
    assert found is not None
    return found


__all__ = ["SECRET", "SLACK", "USER", "WEBHOOK", "alerts", "environment", "mail"]
