"""What `deploy/` gives to an operator is what the services accept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from dagster._core.instance.config import dagster_instance_config
from dagster._core.storage.compute_log_manager import ComputeIOType, ComputeLogManager
from dagster._serdes import ConfigurableClassData
from dagster_aws.s3.compute_log_manager import S3ComputeLogManager

from mrv_assets.orchestration.instance import initialise_home
from mrv_assets.settings import Settings
from mrv_assets.storage.adoptions import ADOPTIONS
from mrv_assets.storage.approvals import APPROVALS
from mrv_assets.storage.journal import CHECKPOINT, ENTRIES
from mrv_assets.storage.manifests import MANIFESTS
from mrv_assets.storage.object_store import COLLECTED
from mrv_assets.storage.registry_records import REGISTRY
from mrv_assets.storage.seals import SEALS
from mrv_assets.storage.slot_paths import COMMITS
from mrv_assets.storage.withdrawals import WITHDRAWALS
from mrv_assets_tests.s3_server import S3Server
from mrv_assets_tests.world import ROOT

DEPLOY = ROOT / "deploy"
POSTGRES = ("DAGSTER_PG_HOST", "DAGSTER_PG_DB", "DAGSTER_PG_USERNAME", "DAGSTER_PG_PASSWORD")


def _json(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((DEPLOY / "s3" / name).read_text())
    return document


def _resources(statement: str) -> set[str]:
    """Return the keys below the store that a statement of the bucket policy is about."""
    (found,) = (s for s in _json("bucket-policy.json")["Statement"] if s["Sid"] == statement)
    return {arn.removeprefix("arn:aws:s3:::BUCKET/PREFIX/").removesuffix("*") for arn in found["Resource"]}


@pytest.mark.parametrize("name", sorted(path.name for path in (DEPLOY / "s3").glob("*.json")))
def test_every_document_for_the_bucket_is_json_with_the_two_placeholders_only(name: str) -> None:
    """They are sent as they are once BUCKET and PREFIX are filled in."""
    text = (DEPLOY / "s3" / name).read_text()
    json.loads(text.replace("BUCKET", "my-bucket").replace("PREFIX", "mrv"))
    assert "<" not in text


def test_the_bucket_policy_guards_what_is_created_once_and_leaves_what_is_replaced() -> None:
    """All but the checkpoint and the views is created on condition, and nothing of that but contents is deleted."""
    documents = {ADOPTIONS, APPROVALS, WITHDRAWALS, SEALS, REGISTRY, MANIFESTS}
    assert _resources("CreateOnceOnly") == {COLLECTED, COMMITS, ENTRIES, *documents}
    assert _resources("HistoryStays") == {COMMITS, "journal/", *documents}
    assert not CHECKPOINT.startswith(tuple(_resources("CreateOnceOnly")))


def test_an_upload_that_was_not_completed_is_aborted_after_seven_days() -> None:
    """The rule covers the whole bucket."""
    rules = [r for r in _json("lifecycle.json")["Rules"] if "AbortIncompleteMultipartUpload" in r]
    assert [(r["Filter"], r["AbortIncompleteMultipartUpload"]) for r in rules] == [({}, {"DaysAfterInitiation": 7})]


@pytest.mark.server
def test_dagster_keeps_the_output_of_steps_in_the_bucket_of_the_production_configuration(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The compute log manager of `deploy/dagster.yaml` is built as configured, and a line comes back from S3."""
    environment = {**s3.environment, "AWS_DEFAULT_REGION": "us-east-1", "MRV_LOG_BUCKET": s3.bucket}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    logs = yaml.safe_load((DEPLOY / "dagster.yaml").read_text())["compute_logs"]
    config = yaml.dump(logs["config"] | {"local_dir": str(tmp_path)})
    manager = ConfigurableClassData(logs["module"], logs["class"], config).rehydrate(
        as_type=ComputeLogManager  # type: ignore[type-abstract]
    )
    assert isinstance(manager, S3ComputeLogManager)
    key = ["run", "compute_logs", "step"]
    with manager.open_log_stream(key, ComputeIOType.STDERR) as stream:
        assert stream is not None
        stream.write("one line of a step\n")
    manager.local_manager.delete_logs(log_key=key)
    assert manager.cloud_storage_has_logs(key, ComputeIOType.STDERR)
    assert manager.get_log_data(key).stderr == b"one line of a step\n"
    manager.dispose()  # type: ignore[no-untyped-call]


def test_the_production_configuration_is_one_that_dagster_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every section and value has the declared shape, and PostgreSQL's access is read from the environment."""
    monkeypatch.setenv("MRV_LOG_BUCKET", "logs")
    for name in POSTGRES:
        monkeypatch.setenv(name, "placeholder")
    (tmp_path / "dagster.yaml").write_bytes((DEPLOY / "dagster.yaml").read_bytes())
    config, _ = dagster_instance_config(str(tmp_path))
    database = config["storage"]["postgres"]["postgres_db"]
    assert {database[name]["env"] for name in ("hostname", "db_name", "username", "password")} == set(POSTGRES)


def test_a_home_is_initialised_with_the_configuration_that_the_environment_names(tmp_path: Path) -> None:
    """`MRV_DAGSTER_YAML` is copied into the instance home in place of the checkout's."""
    chosen = tmp_path / "chosen.yaml"
    chosen.write_text("telemetry:\n  enabled: false\n")
    settings = Settings.from_env({"MRV_HOME": str(tmp_path / "home"), "MRV_DAGSTER_YAML": str(chosen)})
    initialise_home(settings)
    assert (settings.dagster_home / "dagster.yaml").read_bytes() == chosen.read_bytes()
