"""Numbers of ESRS E1 and ISO 14064: totals stay gross, and materiality is measured against what is reported.

What does not belong here: other documents.
"""

from __future__ import annotations

import json
from decimal import Decimal

from mrv_assets.compliance.controls.materiality import misstated_share
from mrv_assets.domain.gross import GrossEmissions
from mrv_assets.report.disclosures.esrs import esrs_e1
from mrv_assets_tests.evidence import CERTIFICATE, DATAPOINTS, SOUND
from mrv_assets_tests.oracles.oracle import Oracle, Origin

_GROSS = GrossEmissions(
    scope1=Decimal(100), scope2_location=Decimal(40), scope2_market=Decimal(25), scope3=Decimal(860)
)
_EXACT = Decimal(0)


def _disclosed(datapoint: str) -> Decimal:
    """Return a datapoint of the same company, which also removes 50 t."""
    points = json.loads(esrs_e1(CERTIFICATE, SOUND, DATAPOINTS))["datapoints"]
    return next(Decimal(point["value"]) for point in points if point["id"] == datapoint)


ORACLES = (
    Oracle(
        id="ESRS-LB",
        what="total by location, S1 100, S2 40, S3 860",
        expected=Decimal(1000),
        got=lambda: _GROSS.total_location,
        within=_EXACT,
        source="ESRS E1 ¶44, AR 47 (from memory); numbers ours",
        origin=Origin.DERIVED,
    ),
    Oracle(
        id="ESRS-MB",
        what="total by market, S1 100, S2 25, S3 860",
        expected=Decimal(985),
        got=lambda: _GROSS.total_market,
        within=_EXACT,
        source="ESRS E1 ¶44, AR 47 (from memory); numbers ours",
        origin=Origin.DERIVED,
    ),
    Oracle(
        id="ESRS-LB-REMOVALS",
        what="E1-6_12 of the same company with removals of 50",
        expected=Decimal(1000),
        got=lambda: _disclosed("E1-6_12"),
        within=_EXACT,
        source="ESRS E1-6 and E1-7: removals are never netted; numbers ours",
        origin=Origin.DERIVED,
    ),
    Oracle(
        id="ESRS-MB-REMOVALS",
        what="E1-6_13 of the same company with removals of 50",
        expected=Decimal(985),
        got=lambda: _disclosed("E1-6_13"),
        within=_EXACT,
        source="ESRS E1-6 and E1-7: removals are never netted; numbers ours",
        origin=Origin.DERIVED,
    ),
    Oracle(
        id="ISO-MAT",
        what="misstatement, reported 10,000, corrected 9,480, share of reported",
        expected=Decimal("0.052"),
        got=lambda: misstated_share(Decimal(10000), [Decimal(9480) - Decimal(10000)], where="oracle"),
        within=_EXACT,
        source="VCS Standard v5.0, 4.1.9; the base is our choice",
        origin=Origin.DERIVED,
    ),
)
