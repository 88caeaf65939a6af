"""Controls on days: monitoring periods without gap, verifiers that rotate, vintages that tile the period.

VCS Standard v5.0 §4.1.27, Registration and Issuance Process v4.4 §4.1.2 and §4.2.21. What does not belong here: numbers
(vcs_accounting) and areas (vcs_area).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby, pairwise

from mrv_assets.compliance.controls.days import years_after
from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Days:
    """A row of a table with its first and last day, both inclusive, and who verified it, where the table says so."""

    first: date
    last: date
    verifier: str

    def __str__(self) -> str:
        return f"{self.first} to {self.last}"


def periods_follow(case: ControlCase, _rule: Rule) -> Finding:
    """Find whether the periods so far touch without overlap, in order, and end with that of this account."""
    rows = _rows(case.account.monitoring, "monitoring_periods")
    faults = _faults(rows)
    period = case.account.period
    if not rows or (rows[-1].first, rows[-1].last) != (period.first, period.last):
        faults.append(f"the last one is not {period.first} to {period.last}")
    return held(
        holds=not faults,
        observed="; ".join(faults) or f"{len(rows)} periods, the last {rows[-1]}",
        limit="each begins on the day after the one before; the last is this period",
        evidence=("monitoring_periods",),
        remedy="list every monitoring period since the start of the crediting period, in order, without gap or overlap",
    )


def vintages_tile(case: ControlCase, _rule: Rule) -> Finding:
    """Find whether each vintage lies in one calendar year and together they are the period."""
    rows = _rows(case.account.monitoring, "vintages")
    faults = _faults(rows) + [f"{row} crosses a year" for row in rows if row.first.year != row.last.year]
    period = case.account.period
    if not rows or (rows[0].first, rows[-1].last) != (period.first, period.last):
        faults.append(f"they are not the days {period.first} to {period.last}")
    return held(
        holds=not faults,
        observed="; ".join(faults) or f"{len(rows)} vintages: {', '.join(map(str, rows))}",
        limit="one calendar year each; together the monitoring period",
        evidence=("vintages",),
        remedy="cut the monitoring period at each turn of a year",
    )


def verifier_rotation(case: ControlCase, rule: Rule) -> Finding:
    """Find who verified too many years in a row, but for one period that is longer by itself (§4.1.27(2))."""
    rows = _rows(case.account.monitoring, "monitoring_periods", "verifier")
    runs = [list(run) for _, run in groupby(rows, key=lambda row: row.verifier)]
    most, pause = (int(rule.threshold(name)) for name in ("most_years", "break_years"))
    faults = [
        f"{run[0].verifier} verified {run[0].first} to {run[-1].last}"
        for run in runs
        if len(run) > 1 and _exceeds(run, most)
    ]
    for earlier, later in _returns(runs):
        if _reaches(earlier, most) and later[0].first < years_after(earlier[-1].last + _DAY, pause):
            faults.append(f"{later[0].verifier} came back on {later[0].first}")
    return held(
        holds=not faults,
        observed="; ".join(faults) or f"{len(runs)} changes of verifier in {len(rows)} periods",
        limit=f"at most {most} years in a row, then {pause} years of another; one longer period alone is allowed",
        evidence=("monitoring_periods",),
        remedy="have another body verify",
    )


def _exceeds(run: Sequence[_Days], years: int) -> bool:
    return run[-1].last + _DAY > years_after(run[0].first, years)


def _reaches(run: Sequence[_Days], years: int) -> bool:
    return run[-1].last + _DAY >= years_after(run[0].first, years)


def _returns(runs: Sequence[Sequence[_Days]]) -> list[tuple[Sequence[_Days], Sequence[_Days]]]:
    """Return each run with the next one of the same verifier."""
    names = sorted({run[0].verifier for run in runs})
    return [pair for name in names for pair in pairwise([run for run in runs if run[0].verifier == name])]


def _faults(rows: Sequence[_Days]) -> list[str]:
    faults = [f"{row} runs backwards" for row in rows if row.last < row.first]
    for one, next_one in pairwise(rows):
        if next_one.first != one.last + _DAY:
            kind = "a gap" if next_one.first > one.last else "an overlap"
            faults.append(f"{kind} between {one} and {next_one}")
    return faults


def _rows(monitoring: Monitoring, table: str, *more: str) -> list[_Days]:
    rows = monitoring.table(table, "first", "last", *more)
    if any(not row[column].strip() for row in rows for column in more):
        raise monitoring.missing(f"table {table}, {' and '.join(more)} of each row")
    return [
        _Days(
            first=_day(monitoring, table, row["first"]),
            last=_day(monitoring, table, row["last"]),
            verifier=row.get("verifier", "").strip(),
        )
        for row in rows
    ]


def _day(monitoring: Monitoring, table: str, text: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise monitoring.unusable(f"table {table}", expected="days such as 2024-12-31", found=text) from None


CHECKS: Mapping[str, Check] = {
    "vcs_periods_follow": periods_follow,
    "vcs_vintages_tile": vintages_tile,
    "vcs_verifier_rotation": verifier_rotation,
}
