"""What the documents show works: every example of a project file can be read, and no gate is without its advice."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from mrv_assets.alerts.config import read_alerts
from mrv_assets.compliance.gates import GATE_NAMES
from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.fallback import Fallback
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.project import Project
from mrv_assets.domain.source import Source, SourceFormat
from mrv_assets_tests.world import ROOT

PROJECTS = (ROOT / "docs" / "projects.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", PROJECTS, flags=re.DOTALL)
RUNBOOK = ROOT / "docs" / "runbooks" / "refused-source.md"
MAPPING: dict[str, Any] = {
    "columns": {"row_id": "id", "epoch": "year", "activity_qty": "qty"},
    "constants": {"activity_id": "a", "unit": "MWh", "region": "r"},
}
WHOLE: dict[str, Any] = {"path": "plots.csv", "format": "csv", "geometry": "none"}


def sources() -> list[dict[str, Any]]:
    """Return the [source] tables of all examples but that of the whole project."""
    documents = [tomllib.loads(text) for text in EXAMPLES if "id = " not in text.partition("[")[0]]
    return [document["source"] for document in documents if "source" in document]


def test_the_whole_example_is_a_project() -> None:
    """The first example of the page is read as it stands."""
    project = Project.parse(EXAMPLES[0].encode(), where="docs/projects.md")
    assert (project.id, project.reporting, project.source.where) == ("metc-anoka", "year", {"county_fips": "27003"})


@pytest.mark.parametrize("table", sources(), ids=lambda table: table.get("format", "part"))
def test_every_example_of_a_source_is_one(table: dict[str, Any]) -> None:
    """An example with a mapping of columns added to it is read, so that no key in it is unknown or misspelled."""
    whole = table if "path" in table else WHOLE | table
    assert Source.parse(MAPPING | whole).columns == MAPPING["columns"]


def test_the_examples_of_the_automation_runbook_are_read(tmp_path: Path) -> None:
    """The alerts file as it stands, and the table of a project file."""
    text = (ROOT / "docs" / "runbooks" / "automation.md").read_text(encoding="utf-8")
    due, alerts = re.findall(r"```toml\n(.*?)```", text, flags=re.DOTALL)
    assert Project.parse(EXAMPLES[0].encode() + due.encode(), where="automation.md").reporting_due is not None
    (tmp_path / "alerts.toml").write_text(alerts, encoding="utf-8")
    found = read_alerts(tmp_path / "alerts.toml", {})
    assert found is not None
    assert [target.name for target in found.targets] == ["ops", "chat", "mail"]


def test_every_format_has_an_example() -> None:
    """The page shows each format that there is."""
    assert {table["format"] for table in sources() if "format" in table} == set(SourceFormat)


def test_the_example_of_a_fallback_is_one() -> None:
    """The levels, share and reason of the page are read."""
    [fallback] = [Fallback.parse(tomllib.loads(text)["factors"]) for text in EXAMPLES if "[factors]" in text]
    assert (list(fallback.levels), str(fallback.max_share)) == (["state", "country", "global"], "0.2")


def test_the_example_of_a_waiver_is_one() -> None:
    """The CRS policy of the page is read with its waiver."""
    [policy] = [CrsPolicy.parse(tomllib.loads(text)["crs"]) for text in EXAMPLES if "[crs]" in text]
    assert (policy.equal_area, str(policy.max_accuracy_m), policy.without_best_grid) == ("EPSG:5070", "20", True)
    assert policy.waived_because


@pytest.mark.parametrize("asset", [Asset.ACTIVITY, Asset.NORMALIZED])
def test_every_gate_of_a_source_has_its_advice(asset: Asset) -> None:
    """The runbook has a line for each gate that a source file can turn red."""
    text = RUNBOOK.read_text(encoding="utf-8").partition(f"## `{asset}`")[2].partition("\n## ")[0]
    assert [gate for gate in GATE_NAMES[asset] if f"| `{gate}` |" not in text] == []


@pytest.mark.parametrize("key", ["path", "declared_crs", "overlaps", "quarantine", "lon_column", "geometry_column"])
def test_every_key_of_a_source_is_in_the_table(key: str) -> None:
    """The table of keys names them."""
    assert f"`{key}`" in PROJECTS.partition("## `[source]`")[2].partition("\n## ")[0]
