"""What a door loads: the auditor's needs the nouns only, the command line waits with everything that costs seconds."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from mrv_assets.domain.contract import NORMALIZED
from mrv_assets.domain.digest import canonical_json
from mrv_assets.domain.disclosure import withhold
from mrv_assets.domain.partition import Asset
from mrv_assets_tests.builders import good_case, record

HEAVY = ("dagster", "geopandas", "great_expectations", "pandas", "matplotlib", "polars", "sedonadb")
ABSENT = ("numpy", "pint", "scipy", "shapely", "typer", "rich", "structlog", *HEAVY)
STRANGER = f"""
import importlib.abc, json, pathlib, sys

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {ABSENT!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import pyarrow as pa
from mrv_assets.domain import merkle
from mrv_assets.domain.disclosure import Disclosed, verify_disclosed
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.verify import verify_table

here = pathlib.Path(sys.argv[1])
whole, shown = (pa.ipc.open_file(here / name).read_all() for name in ("whole", "shown"))
record = GenerationRecord.from_bytes((here / "record").read_bytes(), where="record")
verify_table(whole, record)
disclosed = Disclosed.from_json(json.loads((here / "disclosed").read_bytes()), where="disclosed")
verify_disclosed(shown, disclosed, content_digest=record.content_digest, where="shown")
print(shown.column_names, sorted(set({ABSENT!r}) & set(sys.modules)))
"""


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


def test_a_stranger_who_has_pyarrow_verifies_tables(tmp_path: Path) -> None:
    """A whole table and one that is shown without its footprints, where no other library can be imported."""
    table = good_case(Asset.NORMALIZED).staged.table
    disclosed = withhold(table, NORMALIZED, ["geometry"])
    pins = {"contract": NORMALIZED.version}
    sealed = replace(record(Asset.NORMALIZED), content_digest=NORMALIZED.digest(table), pins=pins)
    (tmp_path / "record").write_bytes(sealed.to_bytes())
    (tmp_path / "disclosed").write_bytes(canonical_json(disclosed.to_json()))
    for name, handed_out in (("whole", table), ("shown", disclosed.shown_of(table))):
        with pa.ipc.new_file(tmp_path / name, handed_out.schema) as file:
            file.write_table(handed_out)
    program = [sys.executable, "-c", STRANGER, str(tmp_path)]
    said = subprocess.run(program, capture_output=True, text=True, check=False)
    names = [column.name for column in NORMALIZED.columns if column.name != "geometry"]
    assert (said.stdout.strip(), said.stderr) == (f"{names} []", "")
