"""The gates of `ledger`: is it one figure, the certified one, of a period that nothing else reports, or none at all.

A withdrawn figure leaves an empty table, which is not zero tonnes: the gates that look at a figure then ask that there
is no row, and `withdrawal_stated` asks for the word of a person.

What does not belong here: finding out which factor version supersedes which (pipeline).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from mrv_assets.compliance.case import Case, Gate
from mrv_assets.compliance.expectations import expectations_met
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.certificate import Certificate, Totals
from mrv_assets.domain.contract import LEDGER
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.figure_withdrawal import FigureWithdrawal
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
    """Look at the other periods of the project, and at what it reports under the names that it had or has since."""
    others = {text: version for text, version in case.live.items() if text != case.period.text}
    overlapping = [
        f"{text} ({version})" for text, version in sorted(others.items()) if Period.parse(text).overlaps(case.period)
    ]
    if isinstance(case.kin, Refusal):
        raise case.kin
    own = [text for text in others if Period.parse(text).overlaps(case.period)]
    places = sorted([*((case.key.project_id, text) for text in own), *case.kin])
    overlapping += [f"{project} {text} ({version})" for (project, text), version in sorted(case.kin.items())]
    return Verdict(
        passed=not overlapping,
        observed=f"{case.period} overlaps {', '.join(overlapping) or 'none'} of {len(others)} live periods"
        + (" and other names of the project" if case.kin else ""),
        limit="no day reported twice by one project, under whatever name",
        metrics={"live_periods": len(others), "overlapping": len(overlapping)},
        remedy="the same day would be counted twice: report one of them only, or take the other back with "
        + " and ".join(f"`mrv ledger withdraw {project} {text} --by NAME --because TEXT`" for project, text in places),
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


def _withdrawal_stated(case: Case) -> Verdict:
    said, before = case.withdrawal, case.previous
    rows = case.staged.table.num_rows
    if said is not None:
        is_of_this = _withdraws(said, case)
        observed = f"{said}" + ("" if is_of_this else ", of another figure")
        return _stated(rows, observed, passed=is_of_this and rows == 0)
    withdrawal = before.withdrawal if before is not None else None
    back = case.reinstatement
    if withdrawal is None:
        return _stated(rows, "nobody took a figure back", passed=rows > 0)
    is_let_through = back is not None and back.withdrawal_sha256 == withdrawal.digest
    return _stated(rows, f"after {withdrawal.name}, {back or 'which stands'}", passed=rows > 0 and is_let_through)


def _withdraws(said: FigureWithdrawal, case: Case) -> bool:
    """Tell whether a withdrawal is of the figure that is current, or is the one that stands already."""
    before = case.previous
    if before is None or (said.project_id, said.period) != (case.key.project_id, case.key.period):
        return False
    if before.withdrawal is not None:
        return before.withdrawal.digest == said.sha256
    certificates = [ref.content_digest for ref in before.upstream if ref.slot.asset is Asset.CERTIFICATE]
    return (before.generation, certificates) == (said.generation, [said.withdrawn.certificate_sha256])


def _stated(rows: int, observed: str, *, passed: bool) -> Verdict:
    return Verdict(
        passed=passed,
        observed=f"{rows} rows: {observed}",
        limit="a figure; or no row, by the word of a person who took back the figure before; and a figure after that "
        "only by the word that ended it",
        metrics={"rows": rows},
        remedy="take a figure back with `mrv ledger withdraw`, report the period again with `mrv ledger reinstate`",
    )


def _of_a_figure(gate: Gate) -> Gate:
    """Return a gate that asks for no row at all where the figure was withdrawn."""
    return replace(gate, judge=_unless_withdrawn(gate.judge))


def _unless_withdrawn(judge: Callable[[Case], Verdict]) -> Callable[[Case], Verdict]:
    def judged(case: Case) -> Verdict:
        if case.withdrawal is None:
            return judge(case)
        rows = case.staged.table.num_rows
        return Verdict(
            passed=rows == 0,
            observed=f"{rows} rows, the figure being withdrawn",
            limit="no row where the figure is withdrawn",
            metrics={"rows": rows},
            remedy="materialise the ledger again for this partition",
        )

    return judged


_FIGURE_GATES = (
    Gate(name="one_figure", question="Is it exactly one row, of this partition?", judge=_one_figure),
    Gate(
        name="figure_matches_certificate",
        question="Is the figure the certified one, to the last digit?",
        judge=_figure_matches_certificate,
    ),
    Gate(
        name="no_overlap",
        question="Is no day of the period reported by another live figure, or under another name of the project?",
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
"""What is asked of a figure; of a withdrawn one there is none to ask about, and each asks that instead."""

GATES = (
    *map(_of_a_figure, _FIGURE_GATES),
    Gate(
        name="withdrawal_stated",
        question="Is a figure taken back, and reported again, by the word of a person only?",
        judge=_withdrawal_stated,
    ),
)
