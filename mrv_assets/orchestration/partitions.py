"""The two dynamic dimensions, and the one way between Dagster's keys and ours.

Dimensions are read by name, never by position. Keys are built by `PartitionKey`, which refuses what Dagster would
accept and then drop.
"""

from collections.abc import Sequence

from dagster import DagsterInstance, DynamicPartitionsDefinition, MultiPartitionKey, MultiPartitionsDefinition
from sqlalchemy.exc import IntegrityError

from mrv_assets.domain.errors import IdentityError, listed
from mrv_assets.domain.partition import PartitionKey

PERIOD = DynamicPartitionsDefinition(name="period")
SERIES = DynamicPartitionsDefinition(name="series")
PARTITIONS = MultiPartitionsDefinition({"period": PERIOD, "series": SERIES})


def dagster_key(key: PartitionKey) -> MultiPartitionKey:
    """Return Dagster's key of a partition."""
    return MultiPartitionKey({"period": key.period, "series": key.series})


def partition_key(key: str) -> PartitionKey:
    """Return our key of a Dagster partition. Raises IdentityError for a key that is not ours."""
    if not isinstance(key, MultiPartitionKey):
        raise IdentityError(
            "run has no partition of two dimensions",
            where=f"partition {key!r}",
            expected="period and series",
            found=type(key).__name__,
            remedy="launch the assets for a partition",
        )
    dimensions = key.keys_by_dimension
    return PartitionKey.from_dimensions(period=dimensions["period"], series=dimensions["series"])


def the_partition(keys: Sequence[str]) -> PartitionKey:
    """Return the one partition that a step covers. Raises IdentityError when it covers none or a range of them.

    Dagster records every partition of a range as materialised, and gives all of them one data version, whatever
    was stored; so a range is refused before anything is read or written.
    """
    if len(keys) != 1:
        raise IdentityError(
            "run covers more or less than one partition",
            where=listed(keys) if keys else "no partition",
            expected="one partition in a run",
            found=f"{len(keys)} partitions",
            remedy="launch a backfill of one run for each partition; leave out BackfillPolicy.single_run",
        )
    return partition_key(keys[0])


def register(instance: DagsterInstance, keys: Sequence[PartitionKey]) -> None:
    """Make the partitions known to Dagster. A known one changes nothing, nor does doing it twice at once."""
    if keys:
        _add(instance, "period", {key.period for key in keys})
        _add(instance, "series", {key.series for key in keys})


def _add(instance: DagsterInstance, dimension: str, names: set[str], *, tries: int = 8) -> None:
    """Add what is not there yet.

    On SQLite Dagster looks first and adds then: where another process has added one of them in between, none is added.
    """
    try:
        instance.add_dynamic_partitions(dimension, sorted(names))
    except IntegrityError:
        if tries == 1:
            raise
        _add(instance, dimension, names, tries=tries - 1)
