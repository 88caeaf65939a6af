"""The gates of `ledger`: is it one figure, the certified one, of a period that nothing else reports.

What does not belong here: finding out which factor version supersedes which (pipeline).
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from mrv_assets.compliance.case import Case, Gate
from mrv_assets.compliance.expectations import expectations_met
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.certificate import Certificate, Totals
from mrv_assets.domain.contract import LEDGER
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.partition import Asset, Period

_FIGURE = ("emissions_tco2e", "removals_tco2e", "net_tco2e", "activity_rows", "certificate_sha256")


def _one_figure(case: Case) -> Verdict:
    names = ("project_id", "period", "factor_version")
    found = list(zip(*(case.column(name).to_pylist() for name in names), strict=True))
    expected = (case.key.project_id, case.key.period, case.key.factor_version)
    return Verdict(
        passed=found == [expected],
        observed=f"{len(found)} rows: {'; '.join(' '.join(map(str, row)) for row in found) or 'none'}",
        limit=f"exactly one row, of {case.key}",
        metrics={"rows": len(found)},
        remedy="materialise the ledger again for this partition",
    )


def _figure_matches_certificate(case: Case) -> Verdict:
    document = case.upstream_document(Asset.CERTIFICATE)
    certificate = Certificate.from_bytes(document, where=f"{case.where}, certificate")
    totals = certificate.totals
    certified: list[Any] = [
        totals.emissions_tco2e,
        totals.removals_tco2e,
        totals.net_tco2e,
        totals.activity_rows,
        sha256_hex(document),
    ]
    found = [case.column(name).to_pylist() for name in _FIGURE]
    different = [name for name, ours, theirs in zip(_FIGURE, found, certified, strict=True) if ours != [theirs]]
    is_ours = certificate.key == case.key
    return Verdict(
        passed=not different and is_ours,
        observed=f"differs in {', '.join(different) or 'nothing'} from the certificate of {certificate.key}",
        limit=f"the figure of the certificate of {case.key}, to the last digit",
        metrics={"differences": len(different)},
        remedy="materialise the ledger again from the current certificate",
    )


def _no_overlap(case: Case) -> Verdict:
    others = {text: version for text, version in case.live.items() if text != case.period.text}
    overlapping = [
        f"{text} ({version})" for text, version in sorted(others.items()) if Period.parse(text).overlaps(case.period)
    ]
    return Verdict(
        passed=not overlapping,
        observed=f"{case.period} overlaps {', '.join(overlapping) or 'none'} of {len(others)} live periods",
        limit="no day reported twice by one project",
        metrics={"live_periods": len(others), "overlapping": len(overlapping)},
        remedy="report one of the overlapping periods only; the same day would be counted twice",
    )


def _succession(case: Case) -> Verdict:
    return Verdict(
        passed=case.rival is None,
        observed=f"{case.key.factor_version} against live {case.rival or 'version of its own line, or a pin'}",
        limit="the live factor version, one that it supersedes or that supersedes it, or the pinned one",
        metrics={"rivals": int(case.rival is not None)},
        remedy="pin the version of this period under [pins] of the project, or release one that supersedes it",
    )


def _net_is_derived(case: Case) -> Verdict:
    columns = ("emissions_tco2e", "removals_tco2e", "net_tco2e")
    figures = list(zip(*(case.column(name).to_pylist() for name in columns), strict=True))
    derived = sum(_is_derived(*figure) for figure in figures)
    return Verdict(
        passed=derived == len(figures) > 0,
        observed="; ".join(f"net {net} t from {emissions} - {removals}" for emissions, removals, net in figures)
        or "no figure",
        limit="at least one row; net is emissions minus removals exactly, negative for a net removal",
        metrics={"rows": len(figures), "derived": derived},
        remedy="materialise the ledger again; net is never entered, only derived",
    )


def _is_derived(emissions: Decimal | None, removals: Decimal | None, net: Decimal | None) -> bool:
    if emissions is None or removals is None:
        return False
    return net == Totals(emissions_tco2e=emissions, removals_tco2e=removals, activity_rows=1).net_tco2e


GATES = (
    Gate(name="one_figure", question="Is it exactly one row, of this partition?", judge=_one_figure),
    Gate(
        name="figure_matches_certificate",
        question="Is the figure the certified one, to the last digit?",
        judge=_figure_matches_certificate,
    ),
    Gate(
        name="no_overlap",
        question="Is no day of the period reported by another live figure?",
        judge=_no_overlap,
    ),
    Gate(
        name="succession",
        question="Is it clear which of the live and the new factor version decides?",
        judge=_succession,
    ),
    Gate(name="net_is_derived", question="Is net exactly emissions minus removals?", judge=_net_is_derived),
    expectations_met(LEDGER),
)
