"""The Dagster instance of a platform home: created once, in one process, before any service starts."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from dagster import DagsterInstance
from dagster._core.instance.ref import InstanceRef
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClassData

from mrv_assets.domain.errors import ContractError
from mrv_assets.orchestration.event_log import KeptStorage
from mrv_assets.settings import Settings
from mrv_assets.storage.mounts import network_type
from mrv_assets.storage.posix_files import Files

_CHECKOUT = Path(__file__).resolve().parents[2]


def initialise_home(settings: Settings) -> None:
    """Create the platform's folders and Dagster's home with all its tables. Doing it again changes nothing.

    Raises ContractError when there is no `dagster.yaml` to configure the instance with, and what
    `require_local_databases` raises.
    """
    settings.dagster_home.mkdir(parents=True, exist_ok=True)
    settings.logs.mkdir(parents=True, exist_ok=True)
    (settings.dagster_home / "dagster.yaml").write_bytes(_configuration(settings).read_bytes())
    require_local_databases(settings.dagster_home, Files().mount_table())
    with _alone(settings.dagster_home), open_instance(settings) as instance:
        instance.get_runs_count()  # the run storage
        instance.get_dynamic_partitions("period")  # the event log
        instance.all_instigator_state()  # the schedule storage


def require_local_databases(home: Path, mount_table: str | None) -> None:
    """Raise ContractError when the instance of `home` keeps SQLite databases on a network file system.

    `mount_table` is the text of `/proc/self/mountinfo`; None, where a system publishes none, refuses nothing. There is
    no switch to allow it: a lock that does not hold is found out only when run history is damaged.
    """
    kind = network_type(mount_table, PurePosixPath(home.resolve())) if mount_table else None
    if kind and _keeps_sqlite(home):
        raise ContractError(
            "Dagster's databases are on a network file system",
            where=str(home),
            expected="SQLite on a local file system, whose locks hold, or PostgreSQL",
            found=f"SQLite on {kind}",
            remedy="put MRV_HOME on a local disk (MRV_STORE may be elsewhere), or name PostgreSQL by MRV_DAGSTER_YAML",
        )


def _keeps_sqlite(home: Path) -> bool:
    ref = InstanceRef.from_dir(str(home))
    storages = (ref.storage_data, ref.run_storage_data, ref.event_storage_data, ref.schedule_storage_data)
    return any("sqlite" in storage.class_name.lower() for storage in storages if storage is not None)


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Hold the home's lock: two processes that create the same tables at once both fail."""
    with (home / ".initialise.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def open_instance(settings: Settings) -> DagsterInstance:
    """Open the instance of an initialised home; where its databases are files of this machine, with `KeptStorage`."""
    reference = InstanceRef.from_dir(str(settings.dagster_home))
    storage = reference.storage_data
    if storage is not None and storage.class_name == DagsterSqliteStorage.__name__:
        kept = ConfigurableClassData(KeptStorage.__module__, KeptStorage.__name__, storage.config_yaml)
        reference = reference._replace(storage_data=kept)
    return DagsterInstance.from_ref(reference)


def _configuration(settings: Settings) -> Path:
    chosen = settings.dagster_yaml
    for path in [chosen] if chosen else [folder / "dagster.yaml" for folder in (_CHECKOUT, Path.cwd())]:
        if path.is_file():
            return path
    raise ContractError(
        "there is no configuration for the Dagster instance",
        where=str(chosen or Path.cwd()),
        expected="the file that MRV_DAGSTER_YAML names" if chosen else "dagster.yaml in the working folder",
        found="no such file",
        remedy="correct MRV_DAGSTER_YAML" if chosen else "run the command in the project's folder",
    )
