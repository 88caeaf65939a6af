"""Where events go: a file, an endpoint, or what the standard configuration of OpenLineage names.

A target is named without secrets, and no library below it may write a log: its records can hold the configuration.
What does not belong here: which events are due (outbox).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from openlineage.client.client import OpenLineageClient
from openlineage.client.transport import Transport
from openlineage.client.transport.composite import CompositeTransport
from openlineage.client.transport.file import FileConfig, FileTransport
from openlineage.client.transport.http import HttpConfig, HttpTransport
from openlineage.client.transport.kafka import KafkaTransport

from mrv_assets.domain.errors import ContractError

STANDARD = "OPENLINEAGE_URL, OPENLINEAGE__TRANSPORT__*, OPENLINEAGE_CONFIG, or openlineage.yml in the working folder"
"""Where the standard configuration is looked for, in words."""

_NO_WORD = frozenset(("async_http", "datadog"))
"""Kinds of transports that take an event before they know whether it arrives."""

_TELLING = (
    "client",
    "filter",
    "serde",
    "transport.composite",
    "transport.factory",
    "transport.file",
    "transport.http",
    "transport.kafka",
    "utils",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A transport, and the name of where it leads, by which its cursor is kept; `file` where that is a local file."""

    name: str
    transport: Transport
    file: Path | None = None


def file_target(path: Path) -> Target:
    """Return the target that appends one line of JSON for each event. Raises ContractError without its folder."""
    path = path.absolute()
    if not path.parent.is_dir() or path.is_dir():
        raise ContractError(
            "events cannot be written there",
            where=str(path),
            expected="a file in a folder that exists",
            found="a folder" if path.is_dir() else "no such folder",
            remedy="name a file, or make its folder first",
        )
    _hush()
    return _target(FileTransport(FileConfig(log_file_path=str(path), append=True)))


def url_target(url: str, env: Mapping[str, str]) -> Target:
    """Return the target that posts each event, with the retries of the library.

    `OPENLINEAGE_ENDPOINT` (`api/v1/lineage`) and `OPENLINEAGE_API_KEY` are taken from `env`. Raises ContractError for
    a URL that is none or holds credentials.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise ContractError(
            "URL of the endpoint is not plain",
            where="--url",
            expected="http or https, host and path, such as https://marquez.example.org",
            found="something else, which may hold a secret and is not repeated here",
            remedy="leave credentials out; a key goes into OPENLINEAGE_API_KEY",
        )
    _hush()
    key = env.get("OPENLINEAGE_API_KEY")
    config = {
        "url": url,
        "endpoint": env.get("OPENLINEAGE_ENDPOINT") or "api/v1/lineage",
        **({"auth": {"type": "api_key", "apiKey": key}} if key else {}),
    }
    return _target(HttpTransport(HttpConfig.from_dict(config)))


def standard_targets() -> tuple[Target, ...]:
    """Return the targets that the standard configuration names, none where it names no transport or is disabled.

    Each transport of a composite is a target of its own, so that one which is away holds up no other. Only what the
    configuration says of transports is heeded: facets, tags and filters would change what is told. Raises ContractError
    for a configuration that cannot be used, without repeating it.
    """
    _hush()
    try:
        client = OpenLineageClient()
        is_named = bool(client.config.transport and client.config.transport.get("type"))
    except (ValueError, TypeError, KeyError, RuntimeError, ImportError, AttributeError) as error:
        raise ContractError(
            "OpenLineage configuration cannot be used",
            where=STANDARD,
            expected="a transport as openlineage-python describes it",
            found=f"{type(error).__name__}, whose text may hold a secret and is not repeated here",
            remedy="correct it, or name the target with --file or --url",
        ) from None
    if client.transport.kind == "noop" or (client.transport.kind == "console" and not is_named):
        return ()
    return tuple(_target(transport) for transport in _each(client.transport))


def _each(transport: Transport) -> tuple[Transport, ...]:
    if not isinstance(transport, CompositeTransport) or not transport.config.continue_on_success:
        return (transport,)
    return tuple(one for inner in transport.transports for one in _each(inner))


def _target(transport: Transport) -> Target:
    if transport.kind in _NO_WORD or (isinstance(transport, KafkaTransport) and not transport.flush):
        expected = "a transport that tells whether an event has arrived"
        raise _refused(transport, expected, "take `http`, or let kafka `flush`")
    if isinstance(transport, FileTransport):
        if not transport.config.append:
            raise _refused(transport, "`append: true`, since files by time overwrite one another", "set it")
        path = transport.config.log_file_path
        if "://" in path:
            return Target(name=_plain(path), transport=transport)
        local = Path(os.path.realpath(path))
        return Target(name=local.as_uri(), transport=transport, file=local)
    if isinstance(transport, HttpTransport):
        return Target(name=_plain(urljoin(transport.url, transport.endpoint)), transport=transport)
    if isinstance(transport, KafkaTransport):
        return Target(name=f"kafka {transport.topic}", transport=transport)
    kind = transport.kind or type(transport).__name__
    return Target(name=f"{kind} {transport.name}" if transport.name else kind, transport=transport)


def _refused(transport: Transport, expected: str, remedy: str) -> ContractError:
    return ContractError(
        "transport of OpenLineage does not do for an outbox",
        where=STANDARD,
        expected=expected,
        found=f"transport {transport.kind}",
        remedy=remedy,
    )


def _plain(uri: str) -> str:
    """Return a URI without user, query and fragment."""
    parts = urlsplit(uri)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _hush() -> None:
    """Keep the client silent: at some levels it logs its configuration, and what it could not read of it.

    Whatever was said of levels, also by OPENLINEAGE_CLIENT_LOGGING. The console transport, which is a log, speaks.
    """
    for name in _TELLING:
        logging.getLogger(f"openlineage.client.{name}").disabled = True
