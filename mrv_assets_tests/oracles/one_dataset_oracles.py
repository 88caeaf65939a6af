"""One figure with a half-width of 25 % at 90 %, and what each document deducts for it.

The lines stand in `one_dataset.toml` beside this: a comparison, not a rule set that projects could declare.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path

from mrv_assets.crediting.account import Account
from mrv_assets.crediting.register import FORMULAS
from mrv_assets.crediting.rounding import share
from mrv_assets.crediting.vm0042_variance import deduction as vm0042_deduction
from mrv_assets.crediting.vm0042_variance import exceedance_t
from mrv_assets.crediting.vm0047_uncertainty import deduction as vm0047_deduction
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.rule_set import Rule, RuleSet
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.uncertainty.levels import normal_95_from_90
from mrv_assets.uncertainty.quantiles import normal_interval
from mrv_assets_tests.oracles.oracle import Oracle, Origin
from mrv_assets_tests.oracles.standards import rule

_FILE = Path(__file__).with_name("one_dataset.toml")
ONE_DATASET = RuleSet.parse(_FILE.read_bytes(), where=_FILE.name)
_AT_90 = HalfWidth90(relative=Decimal("0.25"))
_AT_95 = normal_95_from_90(_AT_90)
VM0047, VM0042 = "VM47-UNC-01", "VM42-UNC-01"
LARGE = 1_000_000
"""Degrees of freedom that no longer show in the fourth digit of t."""


def line_of(line: str) -> Rule:
    """Return a line of the comparison."""
    return next(rule for rule in ONE_DATASET.lines if rule.id == line)


def evidence(half_width: Decimal, level: str) -> Monitoring:
    """Return the evidence of one half-width, a share, stated at a level."""
    return Monitoring(
        where="oracle",
        quantities={"result_half_width": f"{half_width:f}"},
        facts={"result_confidence": level, "slow_removals": "no"},
    )


def deduction(line: str) -> Decimal:
    """Return what a line of the comparison takes of 100 t, each line alone.

    A document that asks for 95 % gets the same normal distribution at 95 %.
    """
    wanted, gross_rule = line_of(line), line_of("one-dataset-gross")
    shown = evidence(_AT_90.relative, "0.90")
    if wanted.choices.get("confidence") == "0.95":
        shown = evidence(share(_AT_95.relative), "0.95")
    account = Account(period=Period.parse("2026"), canonical=Tonnes(removals=Decimal(100)), monitoring=shown)
    gross = FORMULAS[gross_rule.formula](account, gross_rule)
    account = replace(account, running_tco2e=gross.change_tco2e, numbers=gross.numbers)
    return -FORMULAS[wanted.formula](account, wanted).change_tco2e


def vm0047_percent() -> Decimal:
    """Return what VM0047 deducts, per cent; it asks for the plots, so its equation is taken with the half-width."""
    allowance = rule("vm0047-area@1.1", VM0047).threshold("allowance")
    return 100 * vm0047_deduction(_AT_90, Decimal(100), allowance=allowance)


def vm0042_percent() -> Decimal:
    """Return what VM0042 deducts, per cent, of a mean of 1 with the standard error behind the half-width."""
    level = rule("vm0042@2.2", VM0042).threshold("two_sided_level")
    variance = (Fraction(_AT_90.relative) / Fraction(normal_interval(Decimal("0.90")))) ** 2
    return 100 * vm0042_deduction(variance, Fraction(1), t=exceedance_t(level, LARGE))


ROWS = (
    ("one-dataset-gs403", "Gold Standard 403 v2.1", "5", "0"),
    ("one-dataset-gs402", "Gold Standard 402 v1.0", "5", "0"),
    ("one-dataset-gs203", "Gold Standard 203 v1.2.1", "12.5", "0"),
    ("one-dataset-ar-tool14", "CDM AR-TOOL14 v04.2", "18.75", "0"),
    ("one-dataset-vcs-mr", "VCS Methodology Requirements v5.0", "6.55", "0.005"),
    ("one-dataset-vmd0017", "VMD0017 v2.2, the same normal distribution at 95 %", "14.8", "0.05"),
)

ORACLES = [
    Oracle(
        id=f"U25-{line.removeprefix('one-dataset-')}", what=f"U = 25 % under {document}, %", expected=Decimal(expected),
        got=partial(deduction, line), within=Decimal(within), source=line_of(line).clause, origin=Origin.DERIVED,
    )
    for line, document, expected, within in ROWS
]  # fmt: skip
ORACLES += [
    Oracle(
        id="U25-vm0047",
        what="U = 25 % under VM0047 v1.1, %",
        expected=Decimal("15.0"),
        got=vm0047_percent,
        within=Decimal(0),
        source="VM0047 v1.1 Eq 28",
        origin=Origin.DERIVED,
    ),
    Oracle(
        id="U25-vm0042",
        what="U = 25 % under VM0042 v2.2 for a large sample, %",
        expected=Decimal("6.55"),
        got=vm0042_percent,
        within=Decimal("0.005"),
        source="VM0042 v2.2 Eq 74",
        origin=Origin.DERIVED,
    ),
]
