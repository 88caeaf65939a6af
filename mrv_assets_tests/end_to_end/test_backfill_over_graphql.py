"""A partition backfill launched as Dagit launches it, on a running webserver and daemon."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from mrv_assets.compliance.gates import GATES
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.orchestration.instance import open_instance
from mrv_assets.orchestration.partitions import dagster_key, register
from mrv_assets.pipeline.audit import reported_figures
from mrv_assets_tests.end_to_end.backfills import ENDED, Backfill, counts, is_over, launch, wait
from mrv_assets_tests.end_to_end.dagster_dev import DagsterDev, dagster_dev
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.world import TWIN_CITIES, committed_references

pytestmark = [pytest.mark.slow, pytest.mark.server]

PROJECTS = ("metc-anoka", "metc-pierce")  # a run each is seconds; two by three are launched in the browser
YEARS = ("2021",)
KEYS = [
    PartitionKey(project_id=project, period=year, factor_version="mrow-2025.05.20")
    for project, year in product(PROJECTS, YEARS)
]
NAMES = [str(dagster_key(key)) for key in KEYS]
CHECK = """
  {gate}: assetCheckExecutions(assetKey: $asset, checkName: "{gate}", partition: $partition, limit: 1) {{
    status
    evaluation {{ success partition metadataEntries {{ __typename label }} }}
  }}"""
MATERIALIZATIONS = """
query Materializations($asset: AssetKeyInput!, $partitions: [String!]) {
  assetOrError(assetKey: $asset) {
    ... on Asset {
      assetMaterializations(partitions: $partitions, limit: 1) {
        metadataEntries { label ... on TextMetadataEntry { text } ... on IntMetadataEntry { intValue } }
      }
    }
  }
}"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with the committed reference data, the corrected landing file and the two partitions registered."""
    landing = (TWIN_CITIES / "landing/2025-05-20/electricity.csv").read_bytes()
    return Home.create(tmp_path, references=committed_references(), landing={"electricity.csv": landing})


@pytest.fixture
def server(home: Home, tmp_path: Path) -> Iterator[DagsterDev]:
    """`dagster dev` on that home."""
    with dagster_dev(home, tmp_path / "dagster-dev.log") as server:
        with open_instance(home.settings) as instance:
            register(instance, KEYS)
        yield server


def _are_runs_over(backfill: Backfill) -> bool:
    ended = [run for run in backfill["runs"] if run["status"] in ENDED]
    return len(ended) == len(NAMES) or is_over(backfill)


def _assert_it_materialised_everything(server: DagsterDev, backfill_id: str) -> None:
    """Wait until the daemon has seen that the runs are over, which takes it up to half a minute."""
    backfill = wait(server, backfill_id, is_over)
    assert backfill["status"] == "COMPLETED_SUCCESS"
    assert [run["status"] for run in backfill["runs"]] == ["SUCCESS"] * len(NAMES)
    assert set(counts(server, backfill_id).values()) == {(len(NAMES), len(NAMES), 0)}


def _outcomes(server: DagsterDev) -> set[str]:
    """Return the outcome of the latest materialisation of every asset and partition."""
    found = set()
    for asset, name in product(Asset, NAMES):
        answer = server.ask(MATERIALIZATIONS, asset={"path": [asset.value]}, partitions=[name])
        entries = answer["assetOrError"]["assetMaterializations"][0]["metadataEntries"]
        found |= {entry["text"] for entry in entries if entry["label"] == "outcome"}
    return found


def _assert_every_gate_is_green(server: DagsterDev) -> None:
    for asset, name in product(Asset, NAMES):
        checks = "".join(CHECK.format(gate=gate.name) for gate in GATES[asset])
        query = f"query Checks($asset: AssetKeyInput!, $partition: String) {{{checks}}}"
        answer = server.ask(query, asset={"path": [asset.value]}, partition=name)
        for gate in GATES[asset]:
            latest = answer[gate.name][0]
            assert (latest["status"], latest["evaluation"]["partition"]) == ("SUCCEEDED", name), (
                asset,
                gate.name,
                name,
            )
            assert {"IntMetadataEntry", "FloatMetadataEntry"} & {
                entry["__typename"] for entry in latest["evaluation"]["metadataEntries"]
            }, f"{gate.name} has no number to plot"


def test_a_backfill_of_two_counties_is_green_and_a_second_one_skips(server: DagsterDev, home: Home) -> None:
    """Both partitions are materialised with all gates green; the second backfill is skipped and stores nothing."""
    first = launch(server, NAMES)
    wait(server, first, _are_runs_over)
    _assert_every_gate_is_green(server)
    assert _outcomes(server) == {"committed"}
    assert reported_figures(home.world()) == set(product(PROJECTS, YEARS))

    stored = home.stored()
    # Before the daemon's next look, so that one look ends the first backfill and begins the second.
    second = launch(server, NAMES)
    _assert_it_materialised_everything(server, first)
    _assert_it_materialised_everything(server, second)
    _assert_every_gate_is_green(server)
    assert _outcomes(server) == {"skipped"}
    assert home.stored() == stored
