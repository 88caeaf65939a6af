"""The numbers at which stages refuse and by which gates judge, in one place so that the two cannot differ.

What does not belong here: thresholds of a standard (a rule set of its own).
"""

from __future__ import annotations

from decimal import Decimal

ROW_LIMIT_TCO2E = Decimal("1e15")
"""Largest tonnage of one row, t CO2e; 1e13 such rows fit decimal128(38, 9), so no sum can overflow."""

CRS_ACCURACY_LIMIT_M = Decimal(5)
"""Worst stated accuracy, m, of the operation that leads to the canonical CRS."""

REPAIR_LIMIT = Decimal("0.01")
"""Largest relative change of a footprint's area when it is made valid."""

FEW_ROWS = 1 << 15
"""Up to so many rows are dealt with in the thread that asks: to wake others takes longer than to do it."""

AREA_LIMIT = Decimal("0.01")
"""Largest relative difference between the planar area of a footprint and its area on the ellipsoid."""

OVERLAP_LIMIT = Decimal("0.001")
"""Largest share of the smaller of two footprints that may lie in the other, for slivers along digitised borders."""
