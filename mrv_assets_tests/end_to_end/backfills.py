"""Backfills as Dagit launches, cancels and re-executes them, and what Dagster says became of them, over GraphQL.

What does not belong here: what the store says became of them, which is what counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Literal

from mrv_assets.domain.partition import Asset
from mrv_assets_tests.end_to_end.dagster_dev import DagsterDev

BACKFILL_WITHIN_S = 900
Strategy = Literal["FROM_FAILURE", "ALL_STEPS"]
Backfill = dict[str, Any]
"""What Dagster says: `status`, and of each of `runs` its id, status, begin, end and tags."""

SELECTION = [{"path": [asset.value]} for asset in Asset]
ENDED = ("SUCCESS", "FAILURE", "CANCELED")

_ANSWER = """{
    __typename
    ... on LaunchBackfillSuccess { backfillId }
    ... on PartitionKeysNotFoundError { message }
    ... on PythonError { message }
  }"""
_LAUNCH = f"""
mutation Launch($params: LaunchBackfillParams!) {{
  launchPartitionBackfill(backfillParams: $params) {_ANSWER}
}}"""
_AGAIN = f"""
mutation Again($params: ReexecutionParams!) {{
  reexecutePartitionBackfill(reexecutionParams: $params) {_ANSWER}
}}"""
_RERUN = """
mutation Rerun($params: ReexecutionParams!) {
  launchPipelineReexecution(reexecutionParams: $params) {
    __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message }
  }
}"""
_CANCEL = "mutation Cancel($id: String!) { cancelPartitionBackfill(backfillId: $id) { __typename } }"
_BACKFILL = """
query Backfill($id: String!) {
  partitionBackfillOrError(backfillId: $id) {
    ... on PartitionBackfill {
      status
      runs(limit: 500) { runId status startTime endTime tags { key value } }
    }
  }
}"""
_COUNTS = """
query Counts($id: String!) {
  partitionBackfillOrError(backfillId: $id) {
    ... on PartitionBackfill {
      assetBackfillData {
        assetBackfillStatuses {
          ... on AssetPartitionsStatusCounts {
            assetKey { path } numPartitionsTargeted numPartitionsMaterialized numPartitionsFailed
          }
        }
      }
    }
  }
}"""
_RUN = "query Run($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"


def launch(server: DagsterDev, names: Sequence[str]) -> str:
    """Launch a backfill of all six assets for these partitions and return its id."""
    return _launched(server, {"assetSelection": SELECTION, "partitionNames": list(names)})


def launch_ranges(server: DagsterDev, ranges: Sequence[tuple[str, str]]) -> str:
    """Launch a backfill of all six assets for ranges, each from a partition to a partition."""
    chosen = {"ranges": [{"start": start, "end": end} for start, end in ranges]}
    return _launched(server, {"partitionsByAssets": [{"assetKey": key, "partitions": chosen} for key in SELECTION]})


def _launched(server: DagsterDev, params: dict[str, Any]) -> str:
    return _backfill_id(server.ask(_LAUNCH, params=params)["launchPartitionBackfill"])


def launch_again(server: DagsterDev, backfill_id: str, strategy: Strategy) -> str:
    """Re-execute a backfill and return the id of the new one."""
    params = {"parentRunId": backfill_id, "strategy": strategy}
    return _backfill_id(server.ask(_AGAIN, params=params)["reexecutePartitionBackfill"])


def _backfill_id(answer: dict[str, Any]) -> str:
    assert answer["__typename"] == "LaunchBackfillSuccess", answer
    return str(answer["backfillId"])


def run_again(server: DagsterDev, run_id: str, strategy: Strategy) -> str:
    """Re-execute a run and return the id of the new one."""
    answer = server.ask(_RERUN, params={"parentRunId": run_id, "strategy": strategy})["launchPipelineReexecution"]
    assert answer["__typename"] == "LaunchRunSuccess", answer
    return str(answer["run"]["runId"])


def cancel(server: DagsterDev, backfill_id: str) -> None:
    """Cancel a backfill. The daemon ends its runs within half a minute."""
    answer = server.ask(_CANCEL, id=backfill_id)["cancelPartitionBackfill"]
    assert answer["__typename"] == "CancelBackfillSuccess", answer


def look(server: DagsterDev, backfill_id: str) -> Backfill:
    """Return what Dagster says of a backfill now."""
    found: Backfill = server.ask(_BACKFILL, id=backfill_id)["partitionBackfillOrError"]
    return found


def counts(server: DagsterDev, backfill_id: str) -> dict[str, tuple[int, int, int]]:
    """Return by asset how many partitions a backfill targets, has materialised, and has failed to materialise."""
    found = server.ask(_COUNTS, id=backfill_id)["partitionBackfillOrError"]["assetBackfillData"]
    return {
        one["assetKey"]["path"][0]: (
            one["numPartitionsTargeted"],
            one["numPartitionsMaterialized"],
            one["numPartitionsFailed"],
        )
        for one in found["assetBackfillStatuses"]
    }


def wait(server: DagsterDev, backfill_id: str, is_reached: Callable[[Backfill], bool]) -> Backfill:
    """Wait until a backfill is as it should be. Raises AssertionError after a quarter of an hour."""
    deadline = time.monotonic() + BACKFILL_WITHIN_S
    while not is_reached(found := look(server, backfill_id)):
        assert time.monotonic() < deadline, found
        time.sleep(0.5)
    return found


def wait_for_run(server: DagsterDev, run_id: str) -> str:
    """Wait until a run has ended and return its status."""
    deadline = time.monotonic() + BACKFILL_WITHIN_S
    while (status := str(server.ask(_RUN, id=run_id)["runOrError"]["status"])) not in ENDED:
        assert time.monotonic() < deadline, status
        time.sleep(0.5)
    return status


def is_over(backfill: Backfill) -> bool:
    """Tell whether the daemon has seen that a backfill is over, which takes it up to half a minute."""
    return bool(backfill["status"].startswith(("COMPLETED", "FAILED", "CANCELED")))


def tag(run: dict[str, Any], key: str) -> str:
    """Return the value of a run's tag, empty when it has none."""
    return next((str(one["value"]) for one in run["tags"] if one["key"] == key), "")


def partition_of(run: dict[str, Any]) -> str:
    """Return the partition that a run is of."""
    return tag(run, "dagster/partition")
