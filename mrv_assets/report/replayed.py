"""What the ledger reported at each published step, beside what was published, and what moved it there.

What does not belong here: running the steps and finding their figures (cli).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from mrv_assets.pipeline.figures import Figure
from mrv_assets.report.published import PublishedStep
from mrv_assets.report.restatement import Restatement, restatement
from mrv_assets.report.wording import exact_difference

TOLERANCE_TCO2E = Decimal("0.001")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedTotal:
    """The ledger total of one period at one step over the step's projects, and how it came from the step before."""

    number: int
    step: PublishedStep
    period: str
    figures: Mapping[str, Figure]
    restatement: Restatement

    @property
    def ledger_tco2e(self) -> Decimal:
        """The total of the ledger's figures, net t CO2e, exact."""
        return self.restatement.after_tco2e

    @property
    def published_tco2e(self) -> Decimal:
        """The published total, t CO2e."""
        return self.step.published_total_tco2e[self.period]

    @property
    def is_equal(self) -> bool:
        """Tell whether the two differ by 0.001 t at most."""
        return abs(exact_difference(self.ledger_tco2e, self.published_tco2e)) <= TOLERANCE_TCO2E


def replayed_totals(
    states: Sequence[tuple[PublishedStep, Mapping[str, Mapping[str, Figure]]]],
) -> tuple[ReplayedTotal, ...]:
    """Return a row for each step and period, steps in order.

    `states` are the steps with their figures by period and project. A period's row compares with the last
    step before that reported the same period.
    """
    before: dict[str, Mapping[str, Figure]] = {}
    rows: list[ReplayedTotal] = []
    for number, (step, by_period) in enumerate(states, start=1):
        for period in step.periods:
            figures = by_period[period]
            rows.append(
                ReplayedTotal(
                    number=number,
                    step=step,
                    period=period,
                    figures=figures,
                    restatement=restatement(period, before.get(period, {}), figures),
                )
            )
            before[period] = figures
    return tuple(rows)
