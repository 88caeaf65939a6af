"""One line of the table: what was done to Dagster, and what the store was found to hold afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from mrv_assets_tests.chaos.truth import Found, Truth


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A scenario and its counts.

    `kills` and `planned` count processes that were and were to be killed, `runs` and `failed` what Dagster has
    recorded, `relaunched` the partitions that took another launch. `unsaid` counts what is missing without Dagster
    saying so, and whatever else a scenario holds against it. `completed` says what a repair completed after a crash.
    """

    scenario: str
    partitions: int
    planned: int
    kills: int
    runs: int
    failed: int
    relaunched: int
    generations: int
    missing: int
    extra: int
    wrong: int
    unsaid: int
    completed: str
    breaches: int
    total_tco2e: Decimal
    expected_tco2e: Decimal
    seconds: float
    shown: str = ""

    @property
    def is_right(self) -> bool:
        """Whether the line is as it must be."""
        bad = self.missing + self.extra + self.wrong + self.unsaid + self.breaches
        is_done = self.partitions > 0 and self.kills == self.planned
        return bad == 0 and is_done and self.total_tco2e == self.expected_tco2e


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How a scenario went, before the store is looked at."""

    partitions: int
    planned: int = 0
    kills: int = 0
    runs: int
    failed: int
    relaunched: int = 0
    unsaid: int = 0
    seconds: float
    shown: str = ""


def line(scenario: str, course: Course, found: Found, truth: Truth) -> Line:
    """Put together how it went and what was found."""
    return Line(
        scenario=scenario,
        partitions=course.partitions,
        planned=course.planned,
        kills=course.kills,
        runs=course.runs,
        failed=course.failed,
        relaunched=course.relaunched,
        generations=found.generations,
        missing=found.missing,
        extra=found.extra,
        wrong=found.wrong,
        unsaid=course.unsaid,
        completed=", ".join(f"{kind} {count}" for kind, count in sorted(found.completed.items())),
        breaches=found.breaches,
        total_tco2e=found.total_tco2e,
        expected_tco2e=truth.total_tco2e,
        seconds=course.seconds,
        shown=course.shown,
    )


def failed(scenario: str, found: str) -> Line:
    """Return the line of a scenario that came to no end of its own; it is off."""
    return Line(
        scenario=scenario,
        partitions=0,
        planned=0,
        kills=0,
        runs=0,
        failed=0,
        relaunched=0,
        generations=0,
        missing=0,
        extra=0,
        wrong=0,
        unsaid=1,
        completed="",
        breaches=0,
        total_tco2e=Decimal(0),
        expected_tco2e=Decimal(0),
        seconds=0,
        shown=found,
    )
