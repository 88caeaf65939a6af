"""Submit: a certificate becomes the one ledger row that reports its figure, and a withdrawn figure no row at all.

What does not belong here: whether the ledger may move to this figure (pipeline) and publishing it (storage).
"""

from __future__ import annotations

import pyarrow as pa

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.contract import LEDGER
from mrv_assets.domain.figure_withdrawal import FigureWithdrawal
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


def nothing_reported(withdrawal: FigureWithdrawal) -> Staged:
    """Make the ledger table of a withdrawn figure: no row, which adds up to nothing and is not a figure of 0 t CO2e."""
    before = withdrawal.withdrawn
    favour = {"withdrawn_in_favour_of": withdrawal.in_favour_of} if withdrawal.in_favour_of else {}
    return Staged(
        content=LEDGER.conform(LEDGER.schema.empty_table(), where=f"{withdrawal.project_id} {withdrawal.period}"),
        evidence={
            "withdrawn_by": withdrawal.withdrawn_by,
            "withdrawn_because": withdrawal.reason,
            "withdrawn_utc": withdrawal.withdrawn_utc,
            **favour,
            "withdrawn_generation": str(withdrawal.generation),
            "withdrawn_certificate_sha256": before.certificate_sha256,
            "withdrawn_net_tco2e": format(before.tonnes.net, "f"),
        },
    )
