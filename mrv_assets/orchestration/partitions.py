"""The two dynamic dimensions, and the one way between Dagster's keys and ours.

Dimensions are read by name, never by position. Keys are built by `PartitionKey`, which refuses what Dagster would
accept and then drop.
"""

from collections.abc import Sequence

from dagster import DagsterInstance, DynamicPartitionsDefinition, MultiPartitionKey, MultiPartitionsDefinition

from mrv_assets.domain.errors import IdentityError
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


def register(instance: DagsterInstance, keys: Sequence[PartitionKey]) -> None:
    """Make the partitions known to Dagster. Registering a known one changes nothing."""
    if keys:
        instance.add_dynamic_partitions("period", sorted({key.period for key in keys}))
        instance.add_dynamic_partitions("series", sorted({key.series for key in keys}))
