"""One event on its way: sent, known to have arrived, and what is said when it did not.

What does not belong here: which target (targets) and how far it got (outbox).
"""

from __future__ import annotations

import os

from openlineage.client.event_v2 import RunEvent
from requests import HTTPError, Response

from mrv_assets.domain.errors import ContractError, MrvError, StoreUnavailable
from mrv_assets.openlineage.targets import Target
from mrv_assets.storage.http_status import may_work_later
from mrv_assets.storage.posix_files import Files

_BEGINNING = b'{"eventTime": "'  # the client sorts the members


def send(target: Target, event: RunEvent) -> None:
    """Hand an event to the transport.

    Raises StoreUnavailable when it could not deliver it now, after its own retries, and ContractError when the endpoint
    refuses the event or leads elsewhere, which repeating does not mend.
    """
    try:
        answer = target.transport.emit(event)
    except (OSError, RuntimeError) as error:
        if isinstance(error, HTTPError) and error.response is not None:
            raise _refused_or_away(target, error.response.status_code) from None
        # Texts of libraries may hold a URL with its credentials, so only the kind of the error is passed on.
        raise _away(target, type(error).__name__) from None
    if isinstance(answer, Response) and answer.history:
        # The client follows it with GET, and the event is lost on the way.
        found = f"a redirect, status {answer.history[0].status_code}"
        raise _refusal(target, "an answer of the endpoint itself", found)


def settle(target: Target) -> None:
    """Return when what was sent to a local file is on its disk."""
    if target.file is not None and target.file.exists():
        with target.file.open("rb") as file:
            Files().sync(file.fileno())


def mend(target: Target) -> None:
    """Cut off the event that a death left unfinished at the end of a local file; it is sent again, whole.

    Raises ContractError for an unfinished line that is no event: then the file is not ours to cut.
    """
    if target.file is None or not target.file.exists():
        return
    with target.file.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        end = _end_of_last_line(file.fileno(), size)
        begun = os.pread(file.fileno(), len(_BEGINNING), end)
        if not _BEGINNING.startswith(begun):
            raise ContractError(
                "file holds something else than lineage events",
                where=str(target.file),
                expected="lines of JSON, each one event",
                found="a last line that has no end and is no event",
                remedy="name another file",
            )
        if end < size:
            file.truncate(end)


def _end_of_last_line(descriptor: int, size: int, *, piece: int = 1 << 16) -> int:
    end = size
    while end:
        start = max(0, end - piece)
        at = os.pread(descriptor, end - start, start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def _refused_or_away(target: Target, status: int) -> MrvError:
    if may_work_later(status):
        return _away(target, f"status {status}")
    return _refusal(target, "status 2xx", f"status {status}")


def _away(target: Target, found: str) -> StoreUnavailable:
    return StoreUnavailable(
        "lineage could not be delivered",
        where=target.name,
        expected="the target to take the event",
        found=found,
        remedy="look at the target and export again: it goes on with the entry that was not taken whole",
    )


def _refusal(target: Target, expected: str, found: str) -> ContractError:
    return ContractError(
        "endpoint refuses lineage events",
        where=target.name,
        expected=expected,
        found=found,
        remedy="check URL, OPENLINEAGE_ENDPOINT and the key; the export goes on with the entry that was refused",
    )
