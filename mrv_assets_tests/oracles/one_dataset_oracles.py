"""One figure with a half-width of 25 % at 90 %, and what each document deducts for it.

The lines stand in `one_dataset.toml` beside this: a comparison, not a rule set that projects could declare.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path

from mrv_assets.crediting.account import Account
from mrv_assets.crediting.register import FORMULAS
from mrv_assets.crediting.rounding import share
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.rule_set import Rule, RuleSet
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.uncertainty.levels import normal_95_from_90
from mrv_assets_tests.oracles.oracle import Oracle, Origin

_FILE = Path(__file__).with_name("one_dataset.toml")
ONE_DATASET = RuleSet.parse(_FILE.read_bytes(), where=_FILE.name)
_AT_90 = HalfWidth90(relative=Decimal("0.25"))
_AT_95 = normal_95_from_90(_AT_90)


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
