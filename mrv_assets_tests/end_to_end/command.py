"""The `mrv` command in this process, which saves the seconds that a process of its own takes to start.

What does not belong here: that a process of its own finds all it needs (test_command_line, test_s3).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import structlog
from typer.testing import CliRunner, Result

from mrv_assets.cli.app import app


def mrv(environment: Mapping[str, str], *arguments: str) -> Result:
    """Run `mrv` with these variables added to the environment, 100 columns wide."""
    try:
        env = {**environment, "COLUMNS": "100"}
        return CliRunner().invoke(app, arguments, env=env, catch_exceptions=False)
    finally:
        structlog.reset_defaults()  # what a command says about telemetry holds for the whole process


def mrv_json(environment: Mapping[str, str], *arguments: str) -> Any:
    """Run `mrv … --json` and return the document. Raises AssertionError with what was said when it did not go well."""
    result = mrv(environment, *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)
