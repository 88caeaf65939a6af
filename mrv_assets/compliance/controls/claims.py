"""Land that two companies claim: parts of polygons that overlap while two claims that exclude each other are made.

Areas are planar in an equal-area CRS, m². What does not belong here: the control (ghg_protocol), and land that one
project counts twice (land).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import shapely

from mrv_assets.domain.partition import Period

CREDIT, ADJUSTED_REMOVAL = "credit", "adjusted scope 3 removal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """That one claimant claims something of an area for some days. `retired_for` is whom credits were retired for."""

    claimant: str
    claim: str
    period: Period
    area: Any
    retired_for: str = ""

    def excludes(self, other: Claim) -> bool:
        """Tell whether the two cannot both be made of one piece of land.

        One kind of claim has one claimant. A credit leaves no removal for the adjusted scope 3 inventory of anybody
        but the one it was retired for.
        """
        if not self.period.overlaps(other.period):
            return False
        if self.claim == other.claim:
            return self.claimant != other.claimant
        return self._is_credit_of_another(other) or other._is_credit_of_another(self)

    def _is_credit_of_another(self, removal: Claim) -> bool:
        kinds = (self.claim, removal.claim)
        return kinds == (CREDIT, ADJUSTED_REMOVAL) and self.retired_for != removal.claimant


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two claims that exclude each other and the area, m², that both are made of."""

    first: Claim
    second: Claim
    shared_m2: float

    @property
    def text(self) -> str:
        """The conflict for people."""
        one, two = (f"{claim.claimant} ({claim.claim})" for claim in (self.first, self.second))
        return f"{one} and {two}: {self.shared_m2:.1f} m²"


def conflicts(claims: Sequence[Claim], *, tolerance_m2: Decimal) -> list[Conflict]:
    """Return each pair of claims that exclude each other on more than the tolerance, in the order given."""
    tree = shapely.STRtree([claim.area for claim in claims])
    left, right = tree.query([claim.area for claim in claims], predicate="intersects") if claims else ((), ())
    pairs = sorted((int(a), int(b)) for a, b in zip(left, right, strict=True) if a < b)
    found = [
        Conflict(
            first=claims[a],
            second=claims[b],
            shared_m2=float(shapely.area(shapely.intersection(claims[a].area, claims[b].area))),
        )
        for a, b in pairs
        if claims[a].excludes(claims[b])
    ]
    return [conflict for conflict in found if conflict.shared_m2 > float(tolerance_m2)]
