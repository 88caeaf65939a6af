"""A partition backfill launched as Dagit launches it, on a running webserver and daemon."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from mrv_assets.compliance.gates import GATES
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.orchestration.instance import open_instance
from mrv_assets.orchestration.partitions import dagster_key, register
from mrv_assets.pipeline.audit import reported_figures
from mrv_assets_tests.end_to_end.dagster_dev import DagsterDev, dagster_dev
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.world import TWIN_CITIES, committed_references

pytestmark = [pytest.mark.slow, pytest.mark.server]

PROJECTS = ("metc-anoka", "metc-pierce")
YEARS = ("2020", "2021", "2022")
KEYS = [
    PartitionKey(project_id=project, period=year, factor_version="mrow-2025.05.20")
    for project, year in product(PROJECTS, YEARS)
]
NAMES = [str(dagster_key(key)) for key in KEYS]
BACKFILL_WITHIN_S = 300

LAUNCH = """
mutation Launch($params: LaunchBackfillParams!) {
  launchPartitionBackfill(backfillParams: $params) {
    __typename
    ... on LaunchBackfillSuccess { backfillId }
    ... on PartitionKeysNotFoundError { message }
    ... on PythonError { message }
  }
}"""
POLL = """
query Poll($id: String!) {
  partitionBackfillOrError(backfillId: $id) {
    ... on PartitionBackfill {
      status
      runs(limit: 100) { runId status }
      assetBackfillData {
        assetBackfillStatuses {
          ... on AssetPartitionsStatusCounts { assetKey { path } numPartitionsMaterialized numPartitionsFailed }
        }
      }
    }
  }
}"""
CHECKS = """
query Checks($asset: AssetKeyInput!, $check: String!, $partition: String) {
  assetCheckExecutions(assetKey: $asset, checkName: $check, partition: $partition, limit: 1) {
    status
    evaluation { success partition metadataEntries { __typename label } }
  }
}"""
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
    """A home with the committed reference data, the corrected landing file and the six partitions registered."""
    landing = (TWIN_CITIES / "landing/2025-05-20/electricity.csv").read_bytes()
    return Home.create(tmp_path, references=committed_references(), landing={"electricity.csv": landing})


@pytest.fixture
def server(home: Home, tmp_path: Path) -> Iterator[DagsterDev]:
    """`dagster dev` on that home."""
    with dagster_dev(home, tmp_path / "dagster-dev.log") as server:
        with open_instance(home.settings) as instance:
            register(instance, KEYS)
        yield server


def _backfill(server: DagsterDev) -> dict[str, Any]:
    """Launch the six partitions of all assets, wait for the end, and return what became of the backfill."""
    params = {"assetSelection": [{"path": [asset.value]} for asset in Asset], "partitionNames": NAMES}
    launched = server.ask(LAUNCH, params=params)["launchPartitionBackfill"]
    assert launched["__typename"] == "LaunchBackfillSuccess", launched
    deadline = time.monotonic() + BACKFILL_WITHIN_S
    while True:
        backfill: dict[str, Any] = server.ask(POLL, id=launched["backfillId"])["partitionBackfillOrError"]
        if backfill["status"].startswith(("COMPLETED", "FAILED", "CANCELED")):
            return backfill
        assert time.monotonic() < deadline, backfill
        time.sleep(0.5)


def _outcomes(server: DagsterDev) -> set[str]:
    """Return the outcome of the latest materialisation of every asset and partition."""
    found = set()
    for asset, name in product(Asset, NAMES):
        answer = server.ask(MATERIALIZATIONS, asset={"path": [asset.value]}, partitions=[name])
        entries = answer["assetOrError"]["assetMaterializations"][0]["metadataEntries"]
        found |= {entry["text"] for entry in entries if entry["label"] == "outcome"}
    return found


def _assert_every_gate_is_green(server: DagsterDev) -> None:
    for asset in Asset:
        for gate, name in product(GATES[asset], NAMES):
            answer = server.ask(CHECKS, asset={"path": [asset.value]}, check=gate.name, partition=name)
            latest = answer["assetCheckExecutions"][0]
            assert (latest["status"], latest["evaluation"]["partition"]) == ("SUCCEEDED", name), (
                asset,
                gate.name,
                name,
            )
            assert {"IntMetadataEntry", "FloatMetadataEntry"} & {
                entry["__typename"] for entry in latest["evaluation"]["metadataEntries"]
            }, f"{gate.name} has no number to plot"


def test_a_backfill_of_two_counties_and_three_years_is_green_and_a_second_one_skips(
    server: DagsterDev, home: Home
) -> None:
    """Six partitions are materialised with all gates green; the second backfill is skipped and stores nothing."""
    first = _backfill(server)
    assert first["status"] == "COMPLETED_SUCCESS"
    assert [run["status"] for run in first["runs"]] == ["SUCCESS"] * len(NAMES)
    counts = first["assetBackfillData"]["assetBackfillStatuses"]
    assert {(c["numPartitionsMaterialized"], c["numPartitionsFailed"]) for c in counts} == {(len(NAMES), 0)}
    _assert_every_gate_is_green(server)
    assert _outcomes(server) == {"committed"}
    assert reported_figures(home.world()) == set(product(PROJECTS, YEARS))

    stored = home.stored()
    second = _backfill(server)
    assert second["status"] == "COMPLETED_SUCCESS"
    _assert_every_gate_is_green(server)
    assert _outcomes(server) == {"skipped"}
    assert home.stored() == stored
