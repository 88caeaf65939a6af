"""Whether asking again can help, by the status of an HTTP answer.

What does not belong here: asking (witness, openlineage, alerts).
"""

from __future__ import annotations

from http import HTTPStatus

_LATER = frozenset((HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS))
_SERVER_ERRORS = 500


def may_work_later(status: int) -> bool:
    """Tell whether the same request may be answered otherwise later: the server is at fault, or has no time."""
    return status in _LATER or status >= _SERVER_ERRORS
