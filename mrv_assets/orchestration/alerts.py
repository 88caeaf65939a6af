"""The sensor that tells people: failed runs, restatements and late figures, to where the alerts file says.

It is stopped until somebody starts it. It asks for no runs and keeps no cursor in Dagster: how far each target is
stands in the home. What does not belong here: what an alert says and how it travels (alerts, failed_runs).
"""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from dagster import DefaultSensorStatus, SensorDefinition, SensorEvaluationContext, SkipReason, sensor

from mrv_assets.alerts.config import Alerts, read_alerts
from mrv_assets.alerts.late import tell_late
from mrv_assets.alerts.message import Kind
from mrv_assets.alerts.restated import Causes, Restatements
from mrv_assets.alerts.targets import Target
from mrv_assets.domain.errors import MrvError, Refusal, Transient
from mrv_assets.orchestration.failed_runs import HISTORY, tell_failures
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.pipeline.freshness import Freshness, freshness
from mrv_assets.pipeline.kept_memory import KeptMemory, one_round
from mrv_assets.pipeline.outbox import deliver
from mrv_assets.storage.cursors import Cursors

AT_MOST = 50
"""Failed runs, and journal entries, that one tick tells one target, so that it ends before Dagster gives it up."""


def alerts_sensor(causes: Causes) -> SensorDefinition:
    """Build the sensor; `causes` says in words what differs between two certificates."""

    @sensor(
        name="alerts",
        minimum_interval_seconds=30,
        default_status=DefaultSensorStatus.STOPPED,
        description="Tell of failed runs, restatements and late figures, to where the alerts file says, at least once.",
    )
    def alerts(context: SensorEvaluationContext, recorder: RunRecorder) -> SkipReason:
        """Tell what is due. The reason of the tick says what went where, or why nothing did.

        Raises Tampering when a record is not whole, behind what could be told without it; and the first error of a
        target when all the others were told.
        """
        configured = read_alerts(Path(recorder.alerts), os.environ)
        if configured is None:
            return SkipReason(f"No alerts are configured: there is no {recorder.alerts}.")
        return SkipReason("\n".join(_Tick(context, recorder, configured, causes).told()))

    return alerts


class _Tick:
    """One round: kind after kind to every target, and nothing more to one that is away."""

    def __init__(
        self, context: SensorEvaluationContext, recorder: RunRecorder, configured: Alerts, causes: Causes
    ) -> None:
        self._context = context
        self._world = recorder.run.world
        self._home = Path(recorder.home)
        self._folder = self._home / "alerts"
        self._configured = configured
        self._causes = causes

    def told(self) -> list[str]:
        """Tell every target and say what it was told."""
        told: dict[str, list[str]] = {target.name: [] for target in self._configured.targets}
        away: dict[str, MrvError] = {}
        for kind, tell in self._each().items():
            for target in self._configured.targets:
                if target.name in away:
                    continue
                try:
                    told[target.name].append(f"{kind}: {tell(target)}")
                except (Refusal, Transient) as error:  # the next target may take it
                    away[target.name] = error
                    self._context.log.warning(str(error))
        if away:
            raise next(iter(away.values()))
        return [f"{name}: {', '.join(counts)}" for name, counts in told.items()] or ["The alerts file has no target."]

    def _each(self) -> Mapping[Kind, Callable[[Target], int]]:
        """Return how each kind is told. Failures come first: they need no figure to be whole."""
        return {Kind.FAILURE: self._failures, Kind.RESTATEMENT: self._restatements, Kind.LATE: self._late}

    def _failures(self, target: Target) -> int:
        cursors, since = Cursors(self._folder, store=HISTORY), self._configured.since
        return tell_failures(self._context.instance, target, cursors, since=since, at_most=AT_MOST)

    def _restatements(self, target: Target) -> int:
        cursors = Cursors(self._folder, store=self._world.store.uri)
        taker = Restatements(target=target, slots=self._world.slots, causes=self._causes, since=self._configured.since)
        return deliver(self._world, taker, cursors, at_most=AT_MOST).messages

    def _late(self, target: Target) -> int:
        if Kind.LATE not in target.alerts:
            return 0
        today = self._world.clock().date()
        return tell_late(target, self._freshness, today=today, since=self._configured.since, folder=self._folder)

    @cached_property
    def _freshness(self) -> Sequence[Freshness]:
        """Asked once a tick, and not at all when nobody wants to know."""
        glance = self._world.at_a_glance()
        return freshness(glance, one_round(glance, KeptMemory(self._home)))
