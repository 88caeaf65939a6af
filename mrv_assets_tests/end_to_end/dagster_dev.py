"""A running `dagster dev` (webserver, daemon, code server) on a home of its own, and how to ask it over GraphQL.

It runs in a process group of its own and the whole group is ended: `dagster dev` leaves its children behind when it is
ended alone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mrv_assets.orchestration.instance import initialise_home
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.free_ports import free_ports
from mrv_assets_tests.world import ROOT

READY_WITHIN_S = 300
_STOP = ((signal.SIGINT, 20), (signal.SIGTERM, 10), (signal.SIGKILL, 5))
_START = """
mutation Start($name: String!) {
  startSensor(sensorSelector: {
    sensorName: $name, repositoryName: "__repository__", repositoryLocationName: "mrv_assets"
  }) { __typename ... on PythonError { message } }
}"""
_READY = "{ repositoriesOrError { ... on RepositoryConnection { nodes { name location { name } } } } }"


class DagsterDev:
    """A started server: `ask` it."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}/graphql"

    def ask(self, query: str, **variables: object) -> dict[str, Any]:
        """Send a GraphQL query and return its data. Raises AssertionError with the server's words on an error."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(self._url, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                answer = json.load(response)
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()[:2000]) from error
        assert "errors" not in answer, answer["errors"]
        data: dict[str, Any] = answer["data"]
        return data

    def start_sensor(self, name: str) -> None:
        """Switch a sensor on, as a person does in the web interface."""
        answer = self.ask(_START, name=name)["startSensor"]
        assert answer["__typename"] == "Sensor", answer

    def is_ready(self) -> bool:
        """Tell whether the code location is loaded."""
        try:
            return bool(self.ask(_READY)["repositoriesOrError"].get("nodes"))
        except OSError:
            return False


@contextmanager
def dagster_dev(home: Home, log: Path) -> Iterator[DagsterDev]:
    """Start `dagster dev` on an initialised home, wait until it is ready, and end its whole process group."""
    initialise_home(home.settings)
    # A process that a script put in the background ignores SIGINT and hands that on; `dagster dev` needs it to end.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    [port] = free_ports(1)
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "dagster",
                "dev",
                "-w",
                str(ROOT / "workspace.yaml"),
                "-h",
                "127.0.0.1",
                "-p",
                str(port),
            ],
            env={**os.environ, **home.environment, "DAGSTER_HOME": str(home.settings.dagster_home)},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            server = DagsterDev(port)
            _wait_until_ready(server, process, log)
            yield server
        finally:
            _end_group(process)


def _wait_until_ready(server: DagsterDev, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_WITHIN_S
    while not server.is_ready():
        assert process.poll() is None, f"dagster dev ended: {log.read_text()[-3000:]}"
        assert time.monotonic() < deadline, f"dagster dev is not ready: {log.read_text()[-3000:]}"
        time.sleep(0.3)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    for stop, patience in _STOP:
        if not _members(process.pid):
            break
        os.killpg(process.pid, stop)
        deadline = time.monotonic() + patience
        while _members(process.pid) and time.monotonic() < deadline:
            process.poll()
            time.sleep(0.1)
    process.wait(timeout=5)
    assert _members(process.pid) == [], "dagster dev left processes behind"


def _members(group: int) -> list[int]:
    """Return the living processes of a group."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it ended while we were looking
            if int(state[2]) == group and state[0] != "Z":
                found.append(int(entry.name))
    return found
