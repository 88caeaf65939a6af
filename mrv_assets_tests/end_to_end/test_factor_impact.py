"""The preview of a factor bump as Dagster materialises it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from dagster import AssetKey, DagsterInstance, ExecuteInProcessResult

from mrv_assets.orchestration.assets import ASSETS
from mrv_assets.orchestration.deployment import deployment
from mrv_assets.report.impact_plot import shown
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.refusals import KEY, SOUND_SOURCE, references
from mrv_assets_tests.world import run_partition

PREVIEW = AssetKey("factor_impact")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with one figure."""
    made = Home.create(tmp_path, references=references(), landing={"source.csv": SOUND_SOURCE})
    run_partition(made.world(), KEY)
    return made


def materialised(home: Home, config: Mapping[str, str]) -> ExecuteInProcessResult:
    """Materialise the preview alone."""
    with DagsterInstance.ephemeral() as instance:
        job = deployment(home.settings, show_impact=shown).resolve_implicit_global_asset_job_def()
        return job.execute_in_process(
            instance=instance,
            asset_selection=[PREVIEW],
            run_config={"ops": {PREVIEW.path[0]: {"config": dict(config)}}},
            raise_on_error=False,
        )


def test_a_preview_is_metadata_and_stores_nothing(home: Home) -> None:
    """A table and a picture of the newest bump of each line; store and journal are as they were."""
    before, entries = home.stored(), home.world().journal.size()
    result = materialised(home, {})
    assert result.success
    [event] = result.asset_materializations_for_node(PREVIEW.path[0])
    assert set(event.metadata) == {f"mrow-2025.05.20: {name}" for name in ("figures", "table", "picture")}
    table = str(event.metadata["mrow-2025.05.20: table"].value)
    assert "**mrow-2024.06.24 → mrow-2025.05.20**: 1 figures would move by 0.000 t CO2e" in table
    assert "| project | before, t | after, t | change, t | change |  |" in table
    assert "data:image/png;base64," in str(event.metadata["mrow-2025.05.20: picture"].value)
    assert (home.stored(), home.world().journal.size()) == (before, entries)


def test_the_ends_of_a_bump_can_be_named(home: Home) -> None:
    """What would be held says why; an older end without a newer one is refused for good."""
    result = materialised(home, {"from_release": "mrow-2024.06.24", "to_release": "mrow-2024.02.06"})
    [event] = result.asset_materializations_for_node(PREVIEW.path[0])
    assert "held: superseded: the ledger reports mrow-2024.06.24" in str(event.metadata["mrow-2024.02.06: table"].value)
    assert not materialised(home, {"from_release": "mrow-2024.06.24"}).success


def test_the_preview_stands_apart(home: Home) -> None:
    """It is in a group of its own, without partitions, and in no job of ours; it needs what shows it."""
    definitions = deployment(home.settings, show_impact=shown)
    specs = {spec.key: spec for spec in definitions.resolve_all_asset_specs()}
    assert specs[PREVIEW].group_name == "preview"
    assert specs[PREVIEW].partitions_def is None
    assert not specs[PREVIEW].deps
    assert specs.keys() - {PREVIEW} == {asset.key for asset in ASSETS}
    assert PREVIEW not in definitions.resolve_job_def("report_partition").asset_layer.selected_asset_keys
    assert PREVIEW not in {spec.key for spec in deployment(home.settings).resolve_all_asset_specs()}
