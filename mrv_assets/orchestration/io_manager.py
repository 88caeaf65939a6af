"""The IO manager over the slot store: it makes judged content current, and reads only what passed its gates.

It does not subclass Dagster's path-based IO managers: they write in place, remove what stands in their way and collapse
keys.
"""

import pyarrow as pa
from dagster import (
    ConfigurableIOManager,
    DagsterInvariantViolationError,
    InputContext,
    OutputContext,
    ResourceDependency,
)

from mrv_assets.domain.errors import ContractError, IdentityError
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.orchestration.partitions import partition_key, the_partition
from mrv_assets.orchestration.presentation import kept_metadata, partition_metadata
from mrv_assets.orchestration.remedies import remedied
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.pipeline.run import Judged, Planned


class GenerationIOManager(ConfigurableIOManager):
    """Keeps what an asset hands over as a generation of its slot.

    An asset hands over judged content, which is committed unless it is current already, or a plan whose inputs are
    unchanged, which is remembered as skipped. Nothing is ever overwritten or removed.
    """

    recorder: ResourceDependency[RunRecorder]

    def handle_output(self, context: OutputContext, obj: Judged | Planned) -> None:
        """Commit or skip, and put the outcome on the materialisation. Transient errors are retried, others final."""
        with remedied(context.step_context.previous_attempt_count):
            run = self.recorder.run
            _require_partition_of(context, obj)
            kept = run.skip(obj) if isinstance(obj, Planned) else run.keep(obj)
        context.add_output_metadata(partition_metadata(kept.key) | kept_metadata(kept))

    def load_input(self, context: InputContext) -> pa.Table | bytes:
        """Return the current content of an upstream partition: a table, or the bytes of a certificate.

        For assets beside the platform's own, and notebooks. Raises a final failure when the slot is empty or its
        generation has no passing gates.
        """
        asset = Asset(context.asset_key.path[-1])
        with remedied(_attempt(context)):
            slots = self.recorder.run.world.slots
            slot = Slot.of(asset, partition_key(context.asset_partition_key))
            record = slots.current(slot)
            if record is None:
                raise ContractError(
                    "asset has no content for this partition",
                    where=str(slot),
                    expected="a generation",
                    found="an empty slot",
                    remedy="materialise the partition first",
                )
            return slots.load_bytes(record) if asset is Asset.CERTIFICATE else slots.load_table(record)


def _require_partition_of(context: OutputContext, obj: Judged | Planned) -> None:
    """Raise IdentityError unless the step covers exactly the partition that `obj` is the content of."""
    covered = the_partition(context.asset_partition_keys)
    work = obj.work if isinstance(obj, Planned) else obj.planned.work
    if work.key != covered:
        raise IdentityError(
            "asset hands over the content of another partition",
            where=str(work.slot),
            expected=f"partition {covered}",
            found=f"partition {work.key}",
            remedy="plan and make the partition that the step covers; nothing was kept",
        )


def _attempt(context: InputContext) -> int:
    """Return the retry number of the step that loads, 0 outside a step (a notebook)."""
    try:
        return context.step_context.previous_attempt_count
    except DagsterInvariantViolationError:
        return 0
