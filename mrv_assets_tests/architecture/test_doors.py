"""What a door loads: the auditor's needs the nouns only, the command line waits with everything that costs seconds."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("dagster", "geopandas", "great_expectations", "pandas", "matplotlib", "polars", "sedonadb")


@pytest.mark.parametrize(
    "statement",
    ["import mrv_assets.verify", "from mrv_assets.cli.app import app"],
    ids=["the auditor's door", "mrv --help"],
)
def test_a_door_loads_nothing_that_costs_seconds(statement: str) -> None:
    """Importing the door in a fresh interpreter leaves every heavy library unloaded."""
    program = f"import sys; {statement}; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
