"""The baseline of `make bench`: five tasks of a plain script as a Prefect flow, in a virtual environment of its own.

Prefect is no dependency of ours. Its server is started on loopback by the process of the flows and ends with it. Where
Prefect cannot be installed, that is said. What does not belong here: the flow itself (prefect_flow).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.window_process import took
from benchmarks.window_table import line_of

REQUIREMENTS = ("prefect>=3,<4", "pandas>=2", "pyarrow>=15")
_INSTALL_S, _FLOWS_S = 900.0, 600.0
_KEPT = Path(__file__).resolve().parents[1] / ".venv-prefect"


def flows(folder: Path, partitions: int, rows: int) -> str:
    """Return a line of so many flows of five tasks, or why there is none."""
    try:
        python = _installed()
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "PYTHON"))},
            "PREFECT_HOME": str(folder),
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "PREFECT_LOGGING_LEVEL": "CRITICAL",
            "DO_NOT_TRACK": "1",
        }
        folder.mkdir()
        script = str(Path(__file__).with_name("prefect_flow.py"))
        command = [str(python), "-W", "ignore", script, str(folder), str(partitions), str(rows)]
        used = took(command, environment, within_s=_FLOWS_S)
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        return f"Prefect: not measured, {str(error).strip().splitlines()[-1]}"
    found = json.loads(used.said.splitlines()[-1])
    return line_of("Prefect, five tasks", used, partitions, rows, within=found).text


def _installed() -> Path:
    """Return the interpreter that has Prefect. Raises CalledProcessError or TimeoutExpired where it cannot be had."""
    python = _KEPT / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    done = _KEPT / ".installed"
    if not done.exists():
        venv.create(_KEPT, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *REQUIREMENTS]
        subprocess.run(install, check=True, timeout=_INSTALL_S, capture_output=True)
        done.touch()
    return python
