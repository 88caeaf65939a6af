"""Where the platform's structured events go: one JSON object a line, to a file or to stderr.

Standard output stays for people and for `--json`. What does not belong here: the events themselves, which are
logged where they happen.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any, TextIO

import structlog

# Without the values of variables, among which may be the environment and with it a private key.
_TRACEBACKS = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)


def configure(path: Path | None) -> None:
    """Send the structured events of this process to the end of the file at `path`, or to stderr for None.

    The file and its folder are made by the first event. Several processes may write to one file.
    """
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="occurred_utc"),
            structlog.processors.ExceptionRenderer(_TRACEBACKS),
            structlog.processors.JSONRenderer(default=str),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=_Factory(path),
        cache_logger_on_first_use=False,
    )


class _Factory:
    """Hand structlog the sink, whatever name it asks for."""

    def __init__(self, path: Path | None) -> None:
        self._sink = _Lines(path)

    def __call__(self, *_: Any) -> _Lines:
        return self._sink


class _Lines:
    """Append each event as one whole line, opening the file anew each time: no handle to leak or to rotate."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def msg(self, message: str) -> None:
        """Write one event."""
        if self._path is None:
            _write(sys.stderr, message)
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            _write(file, message)

    debug = info = warning = error = critical = exception = log = msg


def _write(file: TextIO, message: str) -> None:
    # One write for text and newline, so that lines of several processes do not mix.
    file.write(f"{message}\n")
    file.flush()
