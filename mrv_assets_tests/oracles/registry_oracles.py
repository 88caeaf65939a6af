"""Numbers that registries print: a row of the Verra registry, read and written again.

What does not belong here: other documents.
"""

from __future__ import annotations

import csv
import io
from decimal import Decimal

from mrv_assets.domain.verra_serial import VerraSerial
from mrv_assets.report.disclosures.verra import verra_issuance
from mrv_assets_tests.evidence import SUBMISSION
from mrv_assets_tests.oracles.oracle import Oracle, Origin

PUBLISHED = "12629-421604735-421689507-VCS-VCU-576-VER-PY-14-2498-01012020-19112020-0"
_SOURCE = "a row of the Verra registry, as a test of CarbonPlan offsets-db has it"


def _row() -> dict[str, str]:
    """Return the row that is written for the same block and vintage."""
    return next(csv.DictReader(io.StringIO(verra_issuance(SUBMISSION).decode())))


ORACLES = (
    Oracle(
        id="REG-SERIAL",
        what="credits of serials 421604735 to 421689507, read",
        expected=Decimal(84773),
        got=lambda: Decimal(VerraSerial.parse(PUBLISHED).block.count),
        within=Decimal(0),
        source=_SOURCE,
        origin=Origin.PUBLISHED,
    ),
    Oracle(
        id="REG-ROUND-TRIP",
        what="Quantity Issued of the row that is written again",
        expected=Decimal(84773),
        got=lambda: Decimal(VerraSerial.parse(_row()["Serial Number"]).block.count),
        within=Decimal(0),
        source=_SOURCE,
        origin=Origin.PUBLISHED,
    ),
    Oracle(
        id="REG-QUANTITY",
        what="the column Quantity Issued of that row",
        expected=Decimal(84773),
        got=lambda: Decimal(_row()["Quantity Issued"]),
        within=Decimal(0),
        source=_SOURCE,
        origin=Origin.PUBLISHED,
    ),
)
