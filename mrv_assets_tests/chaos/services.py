"""Dagster's processes apart, as on a server: code server, daemons and webserver, each in a process group of its own.

Run workers are children of the code server and outlive it. Only what was started here is ever killed, by its id, and
all groups are ended in the end. What does not belong here: when something is killed (storm).
"""

from __future__ import annotations

import os
import random
import signal
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import yaml  # type: ignore[import-untyped]

from mrv_assets.domain.partition import PartitionKey
from mrv_assets.orchestration.instance import initialise_home, open_instance
from mrv_assets.orchestration.partitions import register
from mrv_assets_tests.end_to_end.dagster_dev import READY_WITHIN_S, DagsterDev
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.end_to_end.process_group import ProcessGroup
from mrv_assets_tests.free_ports import free_ports

_WORKER = "spawn_main"  # the command line of a process that multiprocessing has spawned; its tracker has another
_HOST = "127.0.0.1"


class Services:
    """The running services of a home: `server` is asked, the others may be killed and come back."""

    def __init__(self, home: Home, folder: Path) -> None:
        self._home, self._folder = home, folder
        self._code_port, web_port = free_ports(2)
        self._workspace = folder / "workspace.yaml"
        location = {"host": _HOST, "port": self._code_port, "location_name": "mrv_assets"}
        self._workspace.write_text(yaml.safe_dump({"load_from": [{"grpc_server": location}]}))
        self.server = DagsterDev(web_port)
        self._web_port = web_port
        self._groups: list[ProcessGroup] = []

    def start(self, *, daemons: int) -> None:
        """Start everything and wait until it is ready."""
        self._code_server = self._start_code_server()
        port = str(self._web_port)
        webserver = self._start("webserver", "dagster_webserver", "-w", str(self._workspace), "-h", _HOST, "-p", port)
        self.server.wait_until_ready(webserver)
        self._daemons = [self._start_daemon() for _ in range(daemons)]

    def kill_daemon(self, rng: random.Random) -> bool:
        """Kill a daemon and start another."""
        victim = rng.randrange(len(self._daemons))
        self._daemons[victim].kill()
        self._daemons[victim] = self._start_daemon()
        return True

    def kill_code_server(self, rng: random.Random) -> bool:  # noqa: ARG002 - there is one to choose from
        """Kill the code server, whose run workers live on, and start another."""
        self._code_server.kill()
        self._code_server = self._start_code_server()
        return True

    def kill_worker(self, rng: random.Random) -> bool:
        """Kill a run worker; tell whether there was one."""
        workers = sorted(pid for group in self._groups for pid, line in group.members().items() if _WORKER in line)
        if not workers:
            return False
        try:
            os.kill(rng.choice(workers), signal.SIGKILL)
        except ProcessLookupError:
            return False  # it ended while we were looking
        return True

    def end(self) -> None:
        """End all groups, whatever is left of them."""
        for group in reversed(self._groups):
            group.end()

    def _start_code_server(self) -> ProcessGroup:
        command = ("dagster", "api", "grpc", "-m", "mrv_assets.definitions", "-h", _HOST, "-p", str(self._code_port))
        group = self._start("code-server", *command, "--location-name", "mrv_assets")
        deadline = time.monotonic() + READY_WITHIN_S
        while not _listens(self._code_port):
            group.require_alive()
            assert time.monotonic() < deadline, group.last_words()
            time.sleep(0.2)
        return group

    def _start_daemon(self) -> ProcessGroup:
        return self._start("daemon", "dagster._daemon", "run", "-w", str(self._workspace))

    def _start(self, name: str, *command: str) -> ProcessGroup:
        environment = {
            **self._home.environment,
            "DAGSTER_HOME": str(self._home.settings.dagster_home),
            "DAGSTER_BACKFILL_RETRY_DEFINITION_CHANGED_ERROR": "yes",  # as `make ui` does
        }
        log = self._folder / f"{len(self._groups):03d}-{name}.log"
        group = ProcessGroup([sys.executable, "-W", "ignore", "-m", *command], environment, log)
        self._groups.append(group)
        return group


@contextmanager
def services(home: Home, folder: Path, known: Sequence[PartitionKey], *, daemons: int = 1) -> Iterator[Services]:
    """Start the services on a home where the partitions are known, and end all that they have started."""
    initialise_home(home.settings)
    with open_instance(home.settings) as instance:
        register(instance, known)
    running = Services(home, folder)
    try:
        running.start(daemons=daemons)
        yield running
    finally:
        running.end()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((_HOST, port)) == 0
