"""What a project demands of the way from the CRS of its source to the one its areas are measured in.

What does not belong here: finding and using the operation (stages).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from mrv_assets.domain.contract import CANONICAL_CRS
from mrv_assets.domain.limits import CRS_ACCURACY_LIMIT_M


@dataclass(frozen=True, slots=True, kw_only=True)
class CrsPolicy:
    """The equal-area CRS of a project, and what it waives of the demands on the operation that leads there.

    `max_accuracy_m` is the worst stated accuracy, m. `without_best_grid` allows PROJ's second best operation when the
    grid of the best one is not installed. `waived_because` is None when nothing is waived, `equal_area_because` when
    the CRS is the canonical one.
    """

    equal_area: str
    equal_area_because: str | None
    max_accuracy_m: Decimal
    without_best_grid: bool
    waived_because: str | None

    @property
    def evidence(self) -> Mapping[str, str]:
        """What is waived, as text by name, for the gate to hold the operation to."""
        return {
            "crs_waived_accuracy_m": str(self.max_accuracy_m),
            "crs_waived_grid": "yes" if self.without_best_grid else "no",
        }

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> CrsPolicy:
        """Read the `[crs]` table of a project file. Raises KeyError, ValueError or TypeError when it is malformed."""
        _known(d, "[crs]", {"equal_area", "because", "waiver"})
        waiver = d.get("waiver", {})
        _known(waiver, "[crs.waiver]", {"max_accuracy_m", "without_best_grid", "because"})
        return cls(
            equal_area=d.get("equal_area", CANONICAL_CRS),
            equal_area_because=str(d["because"]) if "equal_area" in d else None,
            max_accuracy_m=_metres(waiver.get("max_accuracy_m", str(CRS_ACCURACY_LIMIT_M))),
            without_best_grid=bool(waiver.get("without_best_grid", False)),
            waived_because=str(waiver["because"]) if waiver else None,
        )


def _known(d: Mapping[str, Any], table: str, known: set[str]) -> None:
    unknown = sorted(set(d) - known)
    if unknown:
        raise ValueError(f"{table} does not know {', '.join(unknown)}; it knows {', '.join(sorted(known))}")


def _metres(text: str) -> Decimal:
    try:
        metres = Decimal(text)
    except InvalidOperation as error:
        raise ValueError(f"max_accuracy_m {text!r} is no decimal text") from error
    if not (metres.is_finite() and metres > 0):
        raise ValueError(f"max_accuracy_m {text!r} is not above 0")
    return metres
