"""Where alerts go over HTTP: a webhook that takes our JSON, and one that takes what Slack takes.

What does not belong here: e-mail (mail), the file that names targets (config), and how far one is (outbox).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

import httpx2

from mrv_assets.alerts.message import Kind, Message
from mrv_assets.alerts.secret import Secret
from mrv_assets.domain.digest import Json, canonical_json
from mrv_assets.domain.errors import ContractError, StoreUnavailable
from mrv_assets.storage.http_status import may_work_later

TIMEOUT_S = 10.0
# The client and what it stands on log every URL, and that of a webhook is its key.
_TELLING = ("httpx2", *(f"httpcore2.{name}" for name in ("connection", "http11", "http2", "proxy", "socks")))


class Target(Protocol):
    """Where alerts go. `alerts` are the kinds that it is told, `secret` what it needs one of."""

    @property
    def name(self) -> str:
        """The name by which it is told and its cursor is kept."""
        ...

    @property
    def alerts(self) -> frozenset[Kind]:
        """The kinds of alerts that it is told."""
        ...

    @property
    def secret(self) -> Secret | None:
        """What opens it, None where nothing has to."""
        ...

    def send(self, message: Message) -> None:
        """Return when it has the message.

        Raises StoreUnavailable when it may work later, ContractError when the target refuses or a secret is not set.
        Neither repeats a secret.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An endpoint that is posted every alert as JSON (`mrv-alert-1`), its id also as `Idempotency-Key`."""

    name: str
    alerts: frozenset[Kind]
    secret: Secret

    def send(self, message: Message) -> None:
        """Post the message."""
        _post(self.name, self.secret, message.to_json(), message.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slack:
    """An incoming webhook as Slack has them; Mattermost, Rocket.Chat and others take the same."""

    name: str
    alerts: frozenset[Kind]
    secret: Secret

    def send(self, message: Message) -> None:
        """Post title and lines as text, without what Slack would take for a link or a mention."""
        text = message.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        _post(self.name, self.secret, {"text": text}, message.id)


def _post(name: str, secret: Secret, body: Json, key: str) -> None:
    url = _checked(name, secret)
    for logger in _TELLING:
        logging.getLogger(logger).disabled = True
    headers = {"Content-Type": "application/json; charset=utf-8", "Idempotency-Key": key}
    try:
        answer = httpx2.post(url, content=canonical_json(body), headers=headers, timeout=TIMEOUT_S)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise away(name, type(error).__name__) from None  # its text may hold the URL
    if may_work_later(answer.status_code):
        raise away(name, f"status {answer.status_code}")
    if not answer.is_success:
        raise refused(name, "status 2xx", f"status {answer.status_code}")


def _checked(name: str, secret: Secret) -> str:
    url = secret.read()
    try:
        parts = urlsplit(url)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_url = False
    if not is_url:
        raise refused(name, f"an http or https URL in {secret.variable}", "something else, which is not repeated here")
    return url


def away(name: str, found: str) -> StoreUnavailable:
    """Return the error for a target that may take the alert later."""
    return StoreUnavailable(
        "alert could not be delivered",
        where=f"alert target {name}",
        expected="the target to take the alert",
        found=found,
        remedy="look at the target; the alert is sent again with the next tick",
    )


def refused(name: str, expected: str, found: str) -> ContractError:
    """Return the error for a target that will not take the alert until somebody corrects something."""
    return ContractError(
        "alert target refuses",
        where=f"alert target {name}",
        expected=expected,
        found=found,
        remedy="correct the target in the alerts file or its secret; `mrv alerts test` tries it",
    )
