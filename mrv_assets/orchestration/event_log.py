"""Dagster's databases of one machine, with the connections to its event log kept open.

Dagster builds an engine for every event, opens the database and closes it again. With the engine go its compiled
statements, and closing the last connection makes SQLite fold its write-ahead log into the database, which waits for
the disk several times. Files, tables and what is on the disk once an event is stored stay Dagster's: its own classes
read and write the same home at the same time. What does not belong here: which instance is opened (instance).
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import QueuePool

_KEPT = 3
"""Databases that stay open: the index, the run at hand, and one that is looked at beside it."""


class KeptEventLog(SqliteEventLogStorage):
    """An event log that keeps the connections to the databases it used last; one thread at a time, as Dagster's."""

    def __init__(self, base_dir: str) -> None:
        self._engines: OrderedDict[str, Engine] = OrderedDict()
        super().__init__(base_dir)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            engine = self._engine(shard)
            if shard not in self._initialized_dbs:
                self._initdb(engine)
                self._initialized_dbs.add(shard)
            with engine.connect() as connection, connection.begin():
                yield connection

    def _engine(self, shard: str) -> Engine:
        """Return the engine of a database, and close what was not used for longest."""
        if shard not in self._engines:
            self._engines[shard] = create_engine(
                self.conn_string_for_shard(shard),
                poolclass=QueuePool,
                pool_size=1,
                connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS, "check_same_thread": False},
            )
        self._engines.move_to_end(shard)
        while len(self._engines) > _KEPT:
            self._engines.popitem(last=False)[1].dispose()
        return self._engines[shard]

    def wipe(self) -> None:
        """Remove every database, none of them open: what is stored next goes into new ones."""
        self._close()
        super().wipe()

    def dispose(self) -> None:
        """Close every connection, and what Dagster closes."""
        self._close()
        super().dispose()

    def _close(self) -> None:
        with self._db_lock:
            while self._engines:
                self._engines.popitem()[1].dispose()


class KeptStorage(DagsterSqliteStorage):
    """Dagster's storage of one machine, with an event log that keeps its connections."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(base_dir, inst_data=inst_data)
        self._event_log_storage = KeptEventLog(self._event_log_storage._base_dir)

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> "KeptStorage":
        """Return the storage that a configuration describes."""
        return cls.from_local(inst_data=inst_data, **config_value)
