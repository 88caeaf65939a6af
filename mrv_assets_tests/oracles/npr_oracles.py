"""Oracles of the Non-Permanence Risk Tool: longevity and the overall rating."""

from __future__ import annotations

from decimal import Decimal

from mrv_assets.crediting.non_permanence import FORMULAS, rated
from mrv_assets.crediting.non_permanence_internal import longevity_points
from mrv_assets_tests.monitored import NPR, account, rule, rule_set, walked
from mrv_assets_tests.oracles.oracle import Oracle, Origin

_TOOL = "Non-Permanence Risk Tool v4.2"
_LEAST = rule("npr-4.2", "NPR-01").threshold("least")
_LONGEVITY = (("30", "19", "17.5"), ("40", "17", "15"), ("60", "13", "10"), ("100", "5", "0"))


def _longevity(years: str, expected: str, *, has_agreement: bool) -> Oracle:
    with_or_without = "with" if has_agreement else "without"
    return Oracle(
        id=f"NPR-L{years}{'L' if has_agreement else ''}",
        what=f"longevity {years} years {with_or_without} a legal agreement: points",
        expected=Decimal(expected),
        got=lambda: longevity_points(Decimal(years), rule("npr-4.2", "NPR-PL"), has_agreement=has_agreement),
        within=Decimal(0),
        source=f"{_TOOL}, Table 4",
        origin=Origin.DERIVED,
    )


def _overall(id_: str, what: str, points: str, expected: str) -> Oracle:
    return Oracle(
        id=id_,
        what=f"{what}: overall rating",
        expected=Decimal(expected),
        got=lambda: rated(internal=Decimal(points), external=Decimal(0), natural=Decimal(0), least=_LEAST).percent,
        within=Decimal(0),
        source=f"{_TOOL}, §2.5",
        origin=Origin.DERIVED,
    )


def _from_answers() -> Decimal:
    waterfall = walked(account(NPR), rule_set("npr-4.2"), FORMULAS).waterfall
    return waterfall.lines[-1].numbers["npr_rating_percent"] if waterfall else Decimal(-1)


ORACLES = (
    *(_longevity(years, without, has_agreement=False) for years, without, _ in _LONGEVITY),
    *(_longevity(years, agreed, has_agreement=True) for years, _, agreed in _LONGEVITY),
    Oracle(
        id="NPR-SUM",
        what="answers that give 2 + 3 + 0 + 13 + 2 + 0 + 4 + 3.5 = 27.5: overall rating",
        expected=Decimal(28),
        got=_from_answers,
        within=Decimal(0),
        source=f"{_TOOL}, Tables 1 to 15",
        origin=Origin.DERIVED,
    ),
    _overall("NPR-MIN", "sum 9.2", "9.2", "12"),
    _overall("NPR-60", "sum 60.0, passes", "60.0", "60"),
    _overall("NPR-61", "sum 60.1, fails", "60.1", "61"),
)
