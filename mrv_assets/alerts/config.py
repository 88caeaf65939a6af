"""The file that says where alerts go: read strictly, and without a secret in it.

What does not belong here: sending (targets, mail) and where the file is (settings).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from mrv_assets.alerts.mail import LOOPBACK, Mail, Security
from mrv_assets.alerts.message import Kind
from mrv_assets.alerts.secret import Secret
from mrv_assets.alerts.targets import Slack, Target, Webhook
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import checked_id
from mrv_assets.storage.small_file import read_file

_TOLD = frozenset((Kind.FAILURE, Kind.RESTATEMENT, Kind.LATE))
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_ADDRESS = re.compile(r"[^@\s,;<>]+@[^@\s,;<>]+")
_SUBMISSION = 587


@dataclass(frozen=True, slots=True, kw_only=True)
class Alerts:
    """Where alerts go, and the day (UTC) before which nothing that happened is told."""

    since: date
    targets: tuple[Target, ...]


def read_alerts(path: Path, env: Mapping[str, str]) -> Alerts | None:
    """Read the file; None when there is none. Secrets are looked up in `env` when they are used.

    Raises ContractError for a file that says anything but what docs/runbooks/automation.md describes.
    """
    data = read_file(path)
    if data is None:
        return None
    try:
        return _alerts(tomllib.loads(data.decode()), env)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        # UnicodeDecodeError and the like quote what they stumble over; our own texts and those of TOML do not.
        raise _malformed(path, error) from None


def _alerts(d: Mapping[str, Any], env: Mapping[str, str]) -> Alerts:
    _only(d, {"since", "target"}, "the file")
    if type(d.get("since")) is not date:  # a date with a time is a date to Python, and is none here
        raise ValueError("since is a day without quotes, such as since = 2026-12-01; nothing before it is told")
    targets = tuple(_target(one, env) for one in d.get("target", []))
    names = [target.name for target in targets]
    if len(set(names)) < len(names):
        raise ValueError("two targets have one name")
    return Alerts(since=d["since"], targets=targets)


def _target(d: Mapping[str, Any], env: Mapping[str, str]) -> Target:
    make = _KINDS.get(d.get("kind", ""))
    if make is None:
        raise ValueError(f"a target's kind is one of {', '.join(_KINDS)}")
    return make(d, checked_id(d.get("name"), what="name of a target"), _wanted(d), env)


def _webhook(d: Mapping[str, Any], name: str, alerts: frozenset[Kind], env: Mapping[str, str]) -> Target:
    _only(d, {"name", "kind", "alerts", "url_env"}, name)
    return Webhook(name=name, alerts=alerts, secret=_secret(d, "url_env", name, env))


def _slack(d: Mapping[str, Any], name: str, alerts: frozenset[Kind], env: Mapping[str, str]) -> Target:
    _only(d, {"name", "kind", "alerts", "url_env"}, name)
    return Slack(name=name, alerts=alerts, secret=_secret(d, "url_env", name, env))


def _mail(d: Mapping[str, Any], name: str, alerts: frozenset[Kind], env: Mapping[str, str]) -> Target:
    known = {"name", "kind", "alerts", "server", "port", "security", "user", "password_env", "sender", "to"}
    _only(d, known, name)
    security, port, server = Security(d.get("security", Security.STARTTLS)), d.get("port", _SUBMISSION), d["server"]
    if security is Security.NONE and server not in LOOPBACK:
        raise ValueError(f"{name}: without TLS only a server on this machine is spoken to; set security = starttls")
    if not isinstance(server, str) or not isinstance(port, int) or isinstance(port, bool):
        raise TypeError(f"{name}: server is text and port a number")
    if ("user" in d) != ("password_env" in d):
        raise ValueError(f"{name}: user and password_env come together")
    return Mail(
        name=name,
        alerts=alerts,
        server=server,
        port=port,
        security=security,
        sender=_address(d, "sender", name),
        to=_address(d, "to", name),
        user=d.get("user"),
        secret=_secret(d, "password_env", name, env) if "password_env" in d else None,
    )


_Make = Callable[[Mapping[str, Any], str, frozenset[Kind], Mapping[str, str]], Target]
_KINDS: Mapping[str, _Make] = {"webhook": _webhook, "slack": _slack, "email": _mail}


def _wanted(d: Mapping[str, Any]) -> frozenset[Kind]:
    wanted = frozenset(Kind(kind) for kind in d["alerts"]) if "alerts" in d else _TOLD
    if not wanted or not wanted <= _TOLD:
        raise ValueError(f"alerts are some of {', '.join(sorted(_TOLD))}")
    return wanted


def _secret(d: Mapping[str, Any], key: str, name: str, env: Mapping[str, str]) -> Secret:
    variable = d.get(key)
    if not isinstance(variable, str) or not _VARIABLE.fullmatch(variable):
        raise ValueError(f"{name}: {key} is the name of an environment variable in capitals, not the secret itself")
    return Secret(variable, env)


def _address(d: Mapping[str, Any], key: str, name: str) -> str:
    address = d.get(key)
    if not isinstance(address, str) or not _ADDRESS.fullmatch(address):
        raise ValueError(f"{name}: {key} is one plain address, such as carbon@example.org")
    return address


def _only(d: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(d) - known)
    if unknown:
        raise ValueError(f"{where} has unknown keys: {', '.join(unknown)}; secrets are named by url_env, password_env")


def _malformed(path: Path, error: Exception) -> ContractError:
    is_quoting = isinstance(error, UnicodeDecodeError | tomllib.TOMLDecodeError)
    return ContractError(
        "alerts file is malformed",
        where=str(path),
        expected="since and [[target]] tables as docs/runbooks/automation.md describes them",
        found="text that is no TOML" if is_quoting else f"{type(error).__name__}: {error}",
        remedy="correct the file; until then no alert is sent",
    )
