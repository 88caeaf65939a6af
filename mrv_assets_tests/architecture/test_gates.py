"""Every gate that code can turn red is declared, so that Dagster has a check of that name to show it on."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from mrv_assets.compliance.gates import GATE_NAMES
from mrv_assets.domain.partition import Asset
from mrv_assets.orchestration.assets import ASSETS
from mrv_assets_tests.world import ROOT

STAGES = sorted((ROOT / "mrv_assets" / "stages").glob("*.py"))


def _named_gates(path: Path) -> set[str]:
    """Return the literal gate names that a module raises GateError with."""
    return {
        str(keyword.value.value)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "gate" and isinstance(keyword.value, ast.Constant)
    }


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in STAGES])
def test_a_stage_names_declared_gates_only(path: Path) -> None:
    """A GateError of a stage names a gate of some asset; an undeclared one would be red nowhere."""
    assert _named_gates(path) <= {name for names in GATE_NAMES.values() for name in names}


def test_some_stage_names_a_gate() -> None:
    """The search above finds gates at all."""
    assert set().union(*map(_named_gates, STAGES)) >= {"columns_present", "factors_matched"}


def test_every_gate_is_a_partitioned_check_of_its_asset() -> None:
    """Dagster knows each gate as a check of its asset, with the partitions of the asset."""
    specs = {(spec.asset_key.to_user_string(), spec.name): spec for asset in ASSETS for spec in asset.check_specs}
    assert set(specs) == {(asset.value, name) for asset in Asset for name in GATE_NAMES[asset]}
    assert all(spec.partitions_def is not None for spec in specs.values())
