"""Submit: a certificate becomes the one ledger row that reports its figure.

What does not belong here: whether the ledger may move to this figure (pipeline) and publishing it (storage).
"""

from __future__ import annotations

import pyarrow as pa

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.contract import LEDGER
from mrv_assets.domain.staged import Staged


def ledger_row(certificate: Certificate) -> Staged:
    """Make the ledger table of one project and period: one row, t CO2e as in the certificate it names."""
    totals, key = certificate.totals, certificate.key
    figure = {
        "project_id": key.project_id,
        "period": key.period,
        "factor_version": key.factor_version,
        "emissions_tco2e": totals.emissions_tco2e,
        "removals_tco2e": totals.removals_tco2e,
        "net_tco2e": totals.net_tco2e,
        "activity_rows": totals.activity_rows,
        "certificate_sha256": certificate.sha256,
    }
    columns = {name: pa.array([value], LEDGER.schema.field(name).type) for name, value in figure.items()}
    return Staged(content=LEDGER.conform(pa.table(columns), where=str(key)), evidence=totals.tonnes)
