"""One figure with a half-width of 25 % at 90 %, and what each document deducts for it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import partial

from mrv_assets.crediting.account import Account
from mrv_assets.crediting.ar_tool14_lines import FORMULAS as AR_TOOL14
from mrv_assets.crediting.gold_standard_203 import FORMULAS as GS203
from mrv_assets.crediting.gold_standard_501 import FORMULAS as GS501
from mrv_assets.crediting.gold_standard_precision import FORMULAS as PRECISION
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets_tests.oracles.oracle import Oracle, Origin
from mrv_assets_tests.oracles.standards import rule

FORMULAS = {**GS501, **PRECISION, **GS203, **AR_TOOL14}
_EVIDENCE = Monitoring(
    where="oracle", quantities={"removals_half_width": "0.25"}, facts={"removals_confidence": "0.90"}
)
_ACCOUNT = Account(period=Period.parse("2026"), canonical=Tonnes(removals=Decimal(100)), monitoring=_EVIDENCE)


def deduction(line: str) -> Decimal:
    """Return what a line of the comparison takes of 100 t, each line alone."""
    gross_rule, wanted = rule("one-dataset@1", "one-dataset-gross"), rule("one-dataset@1", line)
    gross = FORMULAS[gross_rule.formula](_ACCOUNT, gross_rule)
    account = replace(_ACCOUNT, running_tco2e=gross.change_tco2e, numbers=gross.numbers)
    return -FORMULAS[wanted.formula](account, wanted).change_tco2e


ROWS = (
    ("one-dataset-gs403", "Gold Standard 403 v2.1", "5"),
    ("one-dataset-gs402", "Gold Standard 402 v1.0", "5"),
    ("one-dataset-gs203", "Gold Standard 203 v1.2.1", "12.5"),
    ("one-dataset-ar-tool14", "CDM AR-TOOL14 v04.2", "18.75"),
)

ORACLES = [
    Oracle(
        id=f"U25-{line.removeprefix('one-dataset-')}", what=f"U = 25 % under {document}, %", expected=Decimal(expected),
        got=partial(deduction, line), within=Decimal(0), source=rule("one-dataset@1", line).clause,
        origin=Origin.DERIVED,
    )
    for line, document, expected in ROWS
]  # fmt: skip
