"""Where Dagster's databases may be, and what is routed into Dagster's event log."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from dagster._core.instance.ref import InstanceRef

from mrv_assets.domain.errors import ContractError
from mrv_assets.orchestration.instance import initialise_home, open_instance, require_local_databases
from mrv_assets.settings import Settings
from mrv_assets_tests.world import ROOT

LOCAL = "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw"
POSTGRES = """
storage:
  postgres:
    postgres_db: {hostname: db, db_name: dagster, username: mrv, password: x, port: 5432}
"""
PARTLY = """
run_storage: {module: dagster._core.storage.runs, class: SqliteRunStorage, config: {base_dir: BASE}}
event_log_storage: {module: somewhere, class: PostgresEventLogStorage, config: {}}
schedule_storage: {module: somewhere, class: PostgresScheduleStorage, config: {}}
"""


def _mounted(home: Path, kind: str) -> str:
    """Return a mount table on which the home is of that kind."""
    return f"{LOCAL}\n41 22 0:45 / {home} rw - {kind} server:/export rw"


def _home(folder: Path, configuration: str) -> Path:
    (folder / "dagster.yaml").write_text(configuration.replace("BASE", str(folder)))
    return folder.resolve()


@pytest.mark.parametrize("configuration", ["telemetry: {enabled: false}\n", PARTLY], ids=["default", "one of three"])
@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs"])
def test_sqlite_on_a_network_file_system_is_refused(tmp_path: Path, configuration: str, kind: str) -> None:
    """Also where only one of the databases is SQLite, and whatever else the server keeps."""
    home = _home(tmp_path, configuration)
    with pytest.raises(ContractError, match="Dagster's databases are on a network file system") as refused:
        require_local_databases(home, _mounted(home, kind))
    assert refused.value.found == f"SQLite on {kind}"


@pytest.mark.parametrize(
    ("configuration", "kind"),
    [
        pytest.param(POSTGRES, "nfs4", id="PostgreSQL"),
        pytest.param("", "ext4", id="local"),
        pytest.param("", "overlay", id="container"),
    ],
)
def test_locks_that_hold_are_not_refused(tmp_path: Path, configuration: str, kind: str) -> None:
    """PostgreSQL needs nothing of the home but its configuration, and a local disk keeps locks."""
    home = _home(tmp_path, configuration)
    require_local_databases(home, _mounted(home, kind))
    require_local_databases(home, None)


def test_a_home_on_this_machine_is_initialised_with_the_limits_of_the_committed_configuration(tmp_path: Path) -> None:
    """Four runs at once, two of them with footprints, counted by run; nothing is resumed or retried as a whole."""
    settings = Settings.from_env({"MRV_HOME": str(tmp_path)})
    initialise_home(settings)
    with open_instance(settings) as instance:
        limits = instance.get_concurrency_config()
        assert limits.run_queue_config is not None
        assert limits.run_queue_config.max_concurrent_runs == 4
        assert limits.run_queue_config.tag_concurrency_limits == []
        assert (str(limits.pool_config.pool_granularity), limits.pool_config.default_pool_limit) == (
            "PoolGranularity.RUN",
            2,
        )
        assert instance.run_monitoring_enabled
        assert instance.run_monitoring_max_resume_run_attempts == 0
        assert not instance.run_retries_enabled


@pytest.mark.parametrize("name", ["dagster.yaml", "deploy/dagster.yaml"])
def test_no_logger_of_ours_is_routed_into_the_event_log(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A root logger that writes events while an event is written blocks on the database that it writes to."""
    monkeypatch.setenv("MRV_LOG_BUCKET", "logs")
    home = _home(tmp_path, (ROOT / name).read_text())
    assert "python_logs" not in InstanceRef.from_dir(str(home)).settings


def test_what_dagster_loads_adds_no_handler_to_the_root_logger() -> None:
    """Our events go to stderr by themselves, so nothing of theirs comes back through Dagster's logging."""
    before = list(logging.getLogger().handlers)
    import mrv_assets.definitions  # noqa: F401, PLC0415 - loading it is what is tested

    assert list(logging.getLogger().handlers) == before
