"""The planted forest of the demo in a Dagster run: gates on the checks page, tables on the page of the certificate."""

from __future__ import annotations

import pytest
from dagster import AssetKey, DagsterEventType, MarkdownMetadataValue

from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset
from mrv_assets.orchestration.instance import open_instance
from mrv_assets.orchestration.launch import launcher
from mrv_assets.orchestration.partitions import dagster_key
from mrv_assets.orchestration.results import PartitionRun
from mrv_assets_tests import planted_forest as forest
from mrv_assets_tests.end_to_end.home import Home

GATES = {
    "standards_assessed": {"rule_sets": 3, "lines": 25, "controls": 26, "faults": 0},
    "vm0047_controls": {"controls": 12, "holding": 12, "not_applicable": 0, "failed": 0},
    "non_permanence_controls": {"controls": 6, "holding": 6, "not_applicable": 0, "failed": 0},
    "gold_standard_controls": {"controls": 7, "holding": 6, "not_applicable": 1, "failed": 0},
    "figure_controls": {"controls": 1, "holding": 1, "not_applicable": 0, "failed": 0},
}
"""The numbers of each gate that a rule set of the demo asks."""


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Home, PartitionRun]:
    """The demo, run once; a test may run it again."""
    folder = tmp_path_factory.mktemp("forest")
    home = Home.create(folder, references=forest.references(), landing=forest.landing())
    return home, _run(home)


def _run(home: Home) -> PartitionRun:
    log = home.settings.logs / "test.jsonl"
    with launcher(home.settings, processes=1, log=log, force=False) as launch:
        (run,) = launch([forest.KEY])
    return run


def test_the_checks_page_has_the_gate_of_every_document(reported: tuple[Home, PartitionRun]) -> None:
    """Each gate is green for the partition, and counts what holds apart from what does not apply."""
    home, run = reported
    assert run.error is None
    with open_instance(home.settings) as instance:
        events = instance.all_logs(run.run_id, of_type=DagsterEventType.ASSET_CHECK_EVALUATION)
        checks = [event.get_dagster_event().asset_check_evaluation_data for event in events]
    found = {check.check_name: check for check in checks if check.asset_key == AssetKey(Asset.CERTIFICATE.value)}
    for gate, numbers in GATES.items():
        assert (found[gate].passed, found[gate].partition) == (True, str(dagster_key(forest.KEY)))
        assert {name: found[gate].metadata[name].value for name in numbers} == numbers


def test_the_page_of_the_certificate_has_a_table_for_each_rule_set(reported: tuple[Home, PartitionRun]) -> None:
    """Markdown with each step, what is left after it, and each control with its clause."""
    home, _ = reported
    with open_instance(home.settings) as instance:
        records = instance.fetch_materializations(AssetKey(Asset.CERTIFICATE.value), limit=1, ascending=True).records
    made = records[0].asset_materialization
    assert made is not None
    tables = {name: value for name, value in made.metadata.items() if name.startswith("assessment ")}
    assert sorted(tables) == [f"assessment {name}" for name in (forest.GOLD, forest.RISK, forest.AREA)]
    for name, steps, rows in (
        (forest.AREA, "| Buffer credits | -1425.168345684 | 3474.718603188 | VCS Standard v5.0, 3.14.15 |", 12),
        (forest.GOLD, "| Compliance buffer | -1008 | 4031.494875896 | 501 v3.2 §11.1.1", 7),
        (forest.RISK, "| NPR-STATED | pass | 28 % stated | 28 % from the answers |", 6),
    ):
        table = tables[f"assessment {name}"]
        assert isinstance(table, MarkdownMetadataValue)
        assert table.md_str is not None
        assert steps in table.md_str
        assert table.md_str.count("| pass |") == rows


def test_a_second_run_skips_everything(reported: tuple[Home, PartitionRun]) -> None:
    """Nothing that a rule set or its evidence says has changed, so nothing is made anew."""
    home, _ = reported
    before = home.stored()
    again = _run(home)
    assert [result.outcome for result in again.assets] == [Outcome.SKIPPED] * len(Asset)
    assert home.stored() == before
