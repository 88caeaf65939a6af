"""Certify: the strata of one partition become the statement of its figure and of all that it rests on.

What does not belong here: what a certificate is (domain.certificate) and gathering its subjects (pipeline).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.domain.assessment import Assessment
from mrv_assets.domain.certificate import Certificate, Totals
from mrv_assets.domain.contract import TONNES
from mrv_assets.domain.figure_uncertainty import FigureUncertainty
from mrv_assets.domain.generation import InputRef
from mrv_assets.domain.partition import PartitionKey
from mrv_assets.domain.staged import Staged
from mrv_assets.domain.subject import Subject


def certify(
    aggregated: pa.Table,
    *,
    key: PartitionKey,
    standard: str,
    inputs: Sequence[InputRef],
    subjects: Sequence[Subject],
    assessments: Sequence[Assessment] = (),
    uncertainty: FigureUncertainty | None = None,
) -> Certificate:
    """Make the certificate of partition `key`, of nothing before it; the same arguments give the same bytes.

    `inputs` are the pinned inputs from outside, `subjects` the contents from activity to aggregated with
    their gates, `assessments` those of the declared rule sets, `uncertainty` how sure the figure is. They are written
    in the order given. Nothing is judged here: totals over no strata are 0, for the gates to refuse.
    """
    return Certificate(
        key=key,
        standard=standard,
        totals=totals_of(aggregated),
        inputs=tuple(inputs),
        subjects=tuple(subjects),
        supersedes=None,
        assessments=tuple(assessments),
        uncertainty=uncertainty,
    )


def stated(certificate: Certificate) -> Staged:
    """Return the statement, with its digest and the figure as evidence."""
    evidence = {"certificate_sha256": certificate.sha256, **certificate.totals.tonnes}
    return Staged(content=certificate.to_bytes(), evidence=evidence)


def totals_of(aggregated: pa.Table) -> Totals:
    """Return the exact totals of the strata, t CO2e, and the rows behind them; 0 over no strata."""
    return Totals(
        emissions_tco2e=_total(aggregated, "emissions_tco2e"),
        removals_tco2e=_total(aggregated, "removals_tco2e"),
        activity_rows=pc.sum(aggregated.column("rows")).as_py() or 0,
    )


def _total(aggregated: pa.Table, column: str) -> Decimal:
    total: Decimal | None = pc.sum(aggregated.column(column)).as_py()
    return Decimal(0).scaleb(-TONNES.scale) if total is None else total
