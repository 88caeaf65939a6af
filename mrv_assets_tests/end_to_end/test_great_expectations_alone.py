"""What Great Expectations does to the computer that it runs on: nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mrv_assets_tests.world import ROOT

_OFFLINE = """
import socket
def refuse(*_, **__):
    raise AssertionError("asked the network")
socket.socket.connect = socket.socket.connect_ex = socket.create_connection = socket.getaddrinfo = refuse
"""
_JUDGE = """
from mrv_assets.compliance.expectations import expectations_met
from mrv_assets.domain.contract import CONTRACTS
from mrv_assets_tests.contract_tables import case_of, good_table
for contract in CONTRACTS:
    for _ in range(2):
        assert expectations_met(contract).outcome(case_of(contract, good_table(contract))).passed
"""


def _python(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program with home, working folder and temporary folder of its own; it may not write bytecode either."""
    for name in ("home", "tmp", "cwd"):
        (folder / name).mkdir()
    environment = {
        **os.environ,
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        # The library takes these as a wish to be connected to its cloud.
        "GX_CLOUD_ACCESS_TOKEN": "none",
        "GX_CLOUD_ORGANIZATION_ID": "00000000-0000-0000-0000-000000000000",
        "GX_CLOUD_BASE_URL": "http://127.0.0.1:9",
    }
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=folder / "cwd", env=environment, capture_output=True, text=True, check=False)


def test_judging_writes_nothing_says_nothing_and_asks_no_network(tmp_path: Path) -> None:
    """Five gates, twice: no file in home, working or temporary folder, no line on a terminal, no connection."""
    done = _python(_OFFLINE + _JUDGE, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["cwd", "home", "tmp"]


@pytest.mark.parametrize("module", ["mrv_assets.compliance.expectations", "mrv_assets.compliance.gates"])
def test_the_gate_is_known_without_the_library(module: str, tmp_path: Path) -> None:
    """Knowing which gates there are costs nothing of what running them does."""
    program = f"import sys; import {module}; print('great_expectations' in sys.modules)"
    assert _python(program, tmp_path).stdout == "False\n"
