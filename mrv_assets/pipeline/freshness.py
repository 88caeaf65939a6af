"""How fresh the reporting of each project is: what is reported, what is missing by the calendar, since when and why.

A period is reported when the ledger has figures for every day of it. What does not belong here: asking for runs
(closing), and what a delivery covers (delivered).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from mrv_assets.domain.errors import Refusal, Transient
from mrv_assets.domain.partition import Asset, PartitionKey, Period
from mrv_assets.domain.project import Project
from mrv_assets.domain.reporting import ended_periods, reporting_period
from mrv_assets.pipeline.audit import reported_figures
from mrv_assets.pipeline.carried import certified
from mrv_assets.pipeline.delivered import LandingRound
from mrv_assets.pipeline.landing_memory import KnownSource
from mrv_assets.pipeline.promotion import promotion
from mrv_assets.pipeline.refused import last_refusals
from mrv_assets.pipeline.versions import Versions
from mrv_assets.pipeline.world import World


class Why(StrEnum):
    """Why a period that has ended is not reported."""

    NO_DELIVERY = "no delivery"
    REFUSED = "refused"
    HELD = "held"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A period that has ended and is not reported. `due` is the last day in time, None without a date.

    `detail` says more of why, where there is more to say.
    """

    period: str
    due: date | None
    why: Why
    detail: str = ""

    def days_late(self, today: date) -> int:
        """Return by how many days the figure is late, 0 when it is in time or has no date."""
        return 0 if self.due is None else max((today - self.due).days, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """Where the reporting of a project stands. `missing` is in the order of time.

    `next_period` is the next one to report, missing already or still running, and `next_due` its last day in time.
    """

    project_id: str
    last_reported: str | None
    next_period: str
    next_due: date | None
    missing: Sequence[Missing]

    def late(self, today: date) -> tuple[Missing, ...]:
        """Return what is late."""
        return tuple(one for one in self.missing if one.days_late(today))


def freshness(world: World, landing: LandingRound) -> tuple[Freshness, ...]:
    """Tell it of every project, by what a round through the landing place has found.

    `world` is one at a glance, `landing` a round that is over. Left out are projects whose file cannot be read, and
    those whose source the round did not get to; its notes tell of them. Raises StoreUnavailable, and what is Tampering.
    """
    look = _Look(world, landing)
    owed = {project.id: (project, look.missing_periods(project)) for project in look.projects()}
    reasons = look.reasons([(project, period) for project, periods in owed.values() for period in periods])
    return tuple(look.tell(project, periods, reasons) for project, periods in owed.values())


class _Look:
    """What one look knows: what is reported and what has activity, period by period, and the day it is."""

    def __init__(self, world: World, landing: LandingRound) -> None:
        self._world = world
        self._landing = landing
        self._sources: Mapping[str, KnownSource] = landing.memory.sources
        self._today = world.clock().date()
        self._versions = Versions(world.references)
        self._reported = _by_project(reported_figures(world))
        self._active = _by_project((s.project_id, s.period) for s in world.slots.listed(Asset.ACTIVITY))

    def projects(self) -> Iterator[Project]:
        """Yield every project that can be told of."""
        for project_id in self._world.references.project_ids():
            try:
                project = self._world.references.project(project_id)
            except (Refusal, Transient):
                continue  # the round has told it
            if project.source.path not in self._landing.left or project.source.path in self._sources:
                yield project

    def missing_periods(self, project: Project) -> list[Period]:
        """Return what has ended and is not reported, from the first period that is owed."""
        reported = self._reported.get(project.id, [])
        owed = ended_periods(project.reporting, self._since(project), self._today)
        return [period for period in owed if not period.is_covered(reported)]

    def reasons(self, missing: Iterable[tuple[Project, Period]]) -> Mapping[tuple[str, str], tuple[Why, str]]:
        """Say of each why it is not reported; the journal is asked once, about those that were delivered."""
        told = {(project.id, period.text): self._reason(project, period) for project, period in missing}
        refusals = last_refusals(self._world.journal, {one for one, (why, _) in told.items() if why is Why.NOT_RUN})
        return told | {one: (Why.REFUSED, reason) for one, reason in refusals.items()}

    def tell(
        self, project: Project, missing: Sequence[Period], reasons: Mapping[tuple[str, str], tuple[Why, str]]
    ) -> Freshness:
        """Put together what is known of a project."""
        due = project.reporting_due
        reported = self._reported.get(project.id, [])
        following = missing[0] if missing else reporting_period(self._today, project.reporting)
        if following.is_covered(reported):  # one that still runs may be reported by hand
            following = reporting_period(following.last + timedelta(days=1), project.reporting)
        return Freshness(
            project_id=project.id,
            last_reported=max(reported, key=lambda period: (period.last, period.first)).text if reported else None,
            next_period=following.text,
            next_due=due.day_for(following) if due else None,
            missing=tuple(
                Missing(period=one.text, due=due.day_for(one) if due else None, why=why, detail=detail)
                for one in missing
                for why, detail in [reasons[project.id, one.text]]
            ),
        )

    def _since(self, project: Project) -> date:
        """Return a day of the first period that is owed; the last that has ended, when nothing is known of any."""
        if project.reporting_due is not None and project.reporting_due.since is not None:
            return project.reporting_due.since.first
        delivered = [Period.parse(text) for text in self._delivered(project)]
        known = [*self._reported.get(project.id, []), *self._active.get(project.id, []), *delivered]
        running = reporting_period(self._today, project.reporting)
        return min((period.first for period in known), default=running.first - timedelta(days=1))

    def _delivered(self, project: Project) -> tuple[str, ...]:
        source = self._sources.get(project.source.path)
        finding = None if source is None else source.findings.get(project.id)
        return () if finding is None else finding.whole

    def _reason(self, project: Project, period: Period) -> tuple[Why, str]:
        is_delivered = period.text in self._delivered(project) or period in self._active.get(project.id, [])
        if not is_delivered:
            return self._without_delivery(project, period)
        try:
            version = self._versions.to_run(project, period.text)
        except (Refusal, Transient) as error:
            return Why.REFUSED, error.what
        key = PartitionKey(project_id=project.id, period=period.text, factor_version=version)
        certificate = certified(self._world, key)
        hold = None if certificate is None else promotion(self._world, key, certificate).hold
        return (Why.NOT_RUN, "") if hold is None else (Why.HELD, hold)

    def _without_delivery(self, project: Project, period: Period) -> tuple[Why, str]:
        source = self._sources.get(project.source.path)
        if source is None:
            return Why.NO_DELIVERY, f"{project.source.path} is not there, or cannot be read"
        finding = source.findings.get(project.id)
        refusal = source.refusal or ("" if finding is None else finding.refusal)
        if refusal:
            return Why.REFUSED, refusal
        is_partial = finding is not None and period.text in finding.partial
        return Why.NO_DELIVERY, f"{project.source.path} covers only a part of it" if is_partial else ""


def _by_project(pairs: Iterable[tuple[str, str]]) -> dict[str, list[Period]]:
    found: dict[str, list[Period]] = {}
    for project_id, period in pairs:
        found.setdefault(project_id, []).append(Period.parse(period))
    return found
