"""A service in a process group of its own, which is ended as a whole: services leave children behind when killed alone.

What does not belong here: which services there are (dagster_dev, chaos).
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from mrv_assets_tests.world import ROOT

_STOP = ((signal.SIGINT, 20), (signal.SIGTERM, 10), (signal.SIGKILL, 5))


class ProcessGroup:
    """A started process and everything that it has started since, also after its own death."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self._log = log
        # A process that a script put in the background ignores SIGINT and hands that on; Dagster needs it to end.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                command,
                env={**os.environ, **environment},
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def require_alive(self) -> None:
        """Raise AssertionError with its last words when the process has ended."""
        assert self._process.poll() is None, f"it ended: {self.last_words()}"

    def last_words(self) -> str:
        """Return the end of what the group has said."""
        return self._log.read_text(errors="replace")[-3000:]

    def wait(self, patience_s: float) -> int:
        """Wait for the process and return its exit code. Raises TimeoutExpired."""
        return self._process.wait(timeout=patience_s)

    def kill(self) -> None:
        """Kill the process alone, as a crash does; its children live on."""
        self._process.kill()
        # Left a zombie until the end, so that nobody else is given the number of its group.
        os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)

    def members(self) -> dict[int, str]:
        """Return the living processes of the group with their command lines."""
        return _members(self._process.pid)

    def end(self) -> None:
        """End all of the group, the kind way first. Raises AssertionError when something is left."""
        group = self._process.pid
        for stop, patience in _STOP:
            if not _members(group):
                break
            os.killpg(group, stop)
            deadline = time.monotonic() + patience
            while _members(group) and time.monotonic() < deadline:
                self._process.poll()
                time.sleep(0.1)
        self._process.wait(timeout=5)
        assert not _members(group), "processes were left behind"


def _members(group: int) -> dict[int, str]:
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state = (entry / "stat").read_text().rpartition(")")[2].split()
                command = (entry / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue  # it ended while we were looking
            if int(state[2]) == group and state[0] != "Z":
                found[int(entry.name)] = command
    return found
