"""A running `dagster dev` (webserver, daemon, code server) on a home of its own, and how to ask it over GraphQL.

What does not belong here: starting and ending processes (process_group), and what is asked of backfills (backfills).
"""

from __future__ import annotations

import json
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mrv_assets.orchestration.instance import initialise_home
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.end_to_end.process_group import ProcessGroup
from mrv_assets_tests.free_ports import free_ports
from mrv_assets_tests.world import ROOT

READY_WITHIN_S = 300
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
        self.url = f"http://127.0.0.1:{port}"

    def ask(self, query: str, **variables: object) -> dict[str, Any]:
        """Send a GraphQL query and return its data. Raises AssertionError with the server's words on an error."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(f"{self.url}/graphql", body, {"Content-Type": "application/json"})
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

    def wait_until_ready(self, group: ProcessGroup) -> None:
        """Wait for the code location. Raises AssertionError when the group's process ends first, or after a while."""
        deadline = time.monotonic() + READY_WITHIN_S
        while not self.is_ready():
            group.require_alive()
            assert time.monotonic() < deadline, f"the server is not ready: {group.last_words()}"
            time.sleep(0.3)


def by_module(port: int) -> Sequence[str]:
    """Return the command that serves on a port, with the interpreter of the tests."""
    workspace = str(ROOT / "workspace.yaml")
    return [sys.executable, "-m", "dagster", "dev", "-w", workspace, "-h", "127.0.0.1", "-p", str(port)]


@contextmanager
def dagster_dev(home: Home, log: Path, *, command: Callable[[int], Sequence[str]] = by_module) -> Iterator[DagsterDev]:
    """Start `dagster dev` on an initialised home, wait until it is ready, and end its whole process group."""
    initialise_home(home.settings)
    [port] = free_ports(1)
    group = ProcessGroup(
        command(port),
        {**home.environment, "DAGSTER_HOME": str(home.settings.dagster_home)},
        log,
    )
    try:
        server = DagsterDev(port)
        server.wait_until_ready(group)
        yield server
    finally:
        group.end()
