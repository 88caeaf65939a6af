"""What a registry is told: one certificate, the waterfall to its credits, the evidence, and the vintages to be issued.

Made once and checked as a whole, so that no registry's form can be filled from parts that do not belong together. What
does not belong here: the forms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.issuance import IssuedVintage, require_apart
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.waterfall import Waterfall


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """Everything that the forms take. `waterfall` ends in what may be issued, the buffer already taken off.

    Raises ContractError when a vintage lies outside the certificate's period, two vintages share a day or a serial
    number, or more whole credits are to be issued than the waterfall leaves.
    """

    certificate: Certificate
    waterfall: Waterfall
    monitoring: Monitoring
    vintages: Sequence[IssuedVintage]

    def __post_init__(self) -> None:
        period = Period.parse(self.certificate.key.period)
        where = f"{self.certificate.key.project_id} {period}"
        require_apart(self.vintages, where=where)
        outside = [v.text for v in self.vintages if v.first < period.first or v.last > period.last]
        if outside:
            raise _refused(where, expected=f"vintages from {period.first} to {period.last}", found=", ".join(outside))
        left = self.waterfall.total_tco2e
        if self.credits > max(left, Decimal(0)):
            raise _refused(
                where, expected=f"at most the {left:f} t CO2e that the waterfall leaves", found=str(self.credits)
            )

    @property
    def credits(self) -> int:
        """How many whole credits are issued in all vintages."""
        return sum(vintage.credits for vintage in self.vintages)

    @property
    def issued(self) -> Sequence[IssuedVintage]:
        """The vintages of which at least one credit is issued, by day."""
        return sorted((v for v in self.vintages if v.serials), key=lambda vintage: vintage.first)


def _refused(where: str, *, expected: str, found: str) -> ContractError:
    return ContractError(
        "submission does not hold",
        where=where,
        expected=expected,
        found=found,
        remedy="submit the vintages that were computed from this certificate",
    )
