"""That a gross figure from an inventory is the ledger's figure of the same period: one result, whatever rule set.

What does not belong here: lines that start with the ledger's figure anyway.
"""

from __future__ import annotations

from mrv_assets.compliance.controls.finding import ControlCase, Finding, held
from mrv_assets.compliance.controls.waterfall_lines import line_for
from mrv_assets.crediting.evidence import not_negative
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.rule_set import Rule


def gross_agrees(case: ControlCase, rule: Rule) -> Finding:
    """Check that the gross line is the ledger's removals minus emissions, up to a share of these.

    Where choice `gross` is `since planting`, what was there before the period is taken off first. Where choice `ledger`
    is `removals`, the gross line holds no emissions, because further lines take them: then it is the ledger's removals.
    """
    gross = line_for(case, rule).change_tco2e
    evidence: tuple[str, ...] = ()
    if rule.choices.get("gross") == "since planting":
        gross = EXACT.subtract(gross, not_negative(case.account.monitoring, "gross_before_period_tco2e"))
        evidence = ("gross_before_period_tco2e",)
    canonical, is_removals = case.account.canonical, rule.choices.get("ledger") == "removals"
    ledger = canonical.removals if is_removals else EXACT.minus(canonical.net)
    apart = EXACT.abs(EXACT.subtract(gross, ledger))
    tolerance = rule.threshold("tolerance")
    return held(
        holds=apart <= EXACT.multiply(tolerance, EXACT.abs(ledger)),
        observed=f"{gross} t, the ledger has {ledger} t",
        limit=f"apart by at most {tolerance} of the ledger's figure",
        evidence=evidence,
        remedy="compute the ledger from the same inventory, or correct what was there before the period",
        apart_tco2e=apart,
    )


CHECKS = {"gross_agrees_with_ledger": gross_agrees}
