"""The sensor that tells lineage catalogues what the journal holds, where OpenLineage is configured.

It is stopped until somebody starts it. It asks for no runs, and keeps no cursor in Dagster: how far a target is stands
in the home, and a journal that is shorter than that is tampering. What does not belong here: events and delivery
(openlineage).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dagster import DefaultSensorStatus, SensorEvaluationContext, SkipReason, sensor

from mrv_assets.domain.errors import MrvError, Refusal, Transient
from mrv_assets.openlineage.outbox import Catalogue
from mrv_assets.openlineage.targets import STANDARD, Target, standard_targets
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.pipeline.outbox import Delivery, deliver
from mrv_assets.storage.cursors import Cursors

AT_MOST = 50
"""Entries that one tick delivers to one target, so that it ends before Dagster gives it up after a minute."""


@sensor(
    name="lineage_export",
    minimum_interval_seconds=30,
    default_status=DefaultSensorStatus.STOPPED,
    description="Deliver the journal to where the standard configuration of OpenLineage says, at least once.",
)
def lineage_export(context: SensorEvaluationContext, recorder: RunRecorder) -> SkipReason:
    """Deliver what is due. The reason of the tick says how far each target is, or why nothing is delivered.

    Raises Tampering when the journal is not the one that was delivered, and the first error of a target when all the
    others were delivered to.
    """
    targets = standard_targets()
    if not targets:
        return SkipReason(f"OpenLineage names no transport: set {STANDARD}.")
    delivered = deliver_lineage(recorder, targets)
    for error in delivered.away:
        context.log.warning(str(error))
    if delivered.away:
        raise delivered.away[0]
    return SkipReason("\n".join(delivered.told))


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """What came of one delivery to each target: how far those are that took it, and why the others did not."""

    told: Sequence[str]
    away: Sequence[MrvError]


def deliver_lineage(recorder: RunRecorder, targets: Sequence[Target]) -> Delivered:
    """Deliver what is due to each target. Raises Tampering when the journal is not the one that was delivered."""
    world = recorder.run.world
    cursors = Cursors(Path(recorder.home) / "openlineage", store=world.store.uri)
    told: list[str] = []
    away: list[MrvError] = []
    for target in targets:
        try:
            told.append(_told(deliver(world, Catalogue(world, target), cursors, at_most=AT_MOST)))
        except (Refusal, Transient) as error:  # the next target may take it
            away.append(error)
    return Delivered(told=told, away=away)


def _told(delivery: Delivery) -> str:
    now = delivery.standing
    behind = f", {now.behind} to go" if now.behind else ""
    return f"{now.target}: {delivery.entries} entries delivered, up to {now.delivered} of {now.last}{behind}"
