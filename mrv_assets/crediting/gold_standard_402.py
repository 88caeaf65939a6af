"""Gold Standard Soil Organic Carbon framework 402 v1.0: from stocks to net removals (Eq. 1 to 3, 5, 10, 11).

What does not belong here: activity modules, models of soil carbon (Eq. 4, 6, 9), buffer and whole credits.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from mrv_assets.crediting.account import Account, Step
from mrv_assets.crediting.evidence import not_negative
from mrv_assets.crediting.gold_standard_precision import deducted_from_gross, excess
from mrv_assets.crediting.rounding import final
from mrv_assets.domain.exact import EXACT, rounded
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule
from mrv_assets.uncertainty.digits import decimal
from mrv_assets.uncertainty.half_widths import limits_half_width_90
from mrv_assets.uncertainty.quantiles import student_t

STRATA = "soil_strata"
_CARBON_TO_CO2 = Fraction(44, 12)
_CONFIDENCE = Decimal("0.90")
_LARGEST_SAMPLE = 200
_SAMPLE_WHEN_UNKNOWN = 3


def t_value(samples: int | None) -> Decimal:
    """Return t of Table 6: two-sided 90 %, n − 1 degrees of freedom, 200 samples or more alike.

    A number of samples that nobody knows counts as 3, which Table 6 gives 2.9200. The text says 1.675 for it, which is
    not the value of its own table and is not conservative. Raises ContractError for fewer than two samples.
    """
    return student_t(_CONFIDENCE, min(samples if samples is not None else _SAMPLE_WHEN_UNKNOWN, _LARGEST_SAMPLE) - 1)


def stock_change_tc(monitoring: Monitoring) -> Fraction:
    """Return SOC_t − SOC_0 over all strata, t C, exact (Eq. 3, 5). Raises ContractError when there are no strata."""
    rows = monitoring.table(STRATA, "stratum", "area_ha", "soc_start_tc_ha", "soc_end_tc_ha")
    names = [row["stratum"] for row in rows]
    if not names or len(set(names)) < len(names):
        found = ", ".join(names) or "no strata"
        raise monitoring.unusable(f"table {STRATA}", expected="each stratum once", found=found)
    total = Fraction(0)
    for row in rows:
        area, start, end = (monitoring.cell(STRATA, row, c) for c in ("area_ha", "soc_start_tc_ha", "soc_end_tc_ha"))
        if min(area, start, end) < 0:
            what = f"table {STRATA}, stratum {row['stratum']}"
            raise monitoring.unusable(what, expected="area and stocks of 0 or more", found=str(min(area, start, end)))
        total += Fraction(area) * (Fraction(end) - Fraction(start))
    return total


def stock_change(account: Account, rule: Rule) -> Step:
    """Start with ΔC × 44/12, t CO2, before the deduction; Eq. 1. The rule has no numbers."""
    _ = rule
    gross = rounded(stock_change_tc(account.monitoring) * _CARBON_TO_CO2, places=9)
    return Step(change_tco2e=gross, note="change of soil organic carbon", numbers={"gross_tco2e": gross})


def limits_excess(account: Account, rule: Rule) -> Step:
    """Take UD of the change; Eq. 2, 10 (ΔC before the deduction, by its size), 11.

    A loss becomes a larger loss (203 Annex A 1.1.10). Raises ContractError for a change of 0, and for limits that the
    change does not lie between.
    """
    monitoring = account.monitoring
    change = decimal(stock_change_tc(monitoring))
    lower, upper = monitoring.quantity("soc_change_lower_tc"), monitoring.quantity("soc_change_upper_tc")
    half_width = limits_half_width_90(change, lower=lower, upper=upper, where=f"{monitoring.where}, table {STRATA}")
    if not min(lower, upper) <= change <= max(lower, upper):
        raise monitoring.unusable(
            "quantities soc_change_lower_tc and soc_change_upper_tc",
            expected=f"limits from {change:f} or less to {change:f} or more",
            found=f"{lower:f} and {upper:f}",
        )
    return deducted_from_gross(account, excess(final(half_width), rule.threshold("allowed")))


def project_emissions(account: Account, rule: Rule) -> Step:
    """Take what the project emits more than the baseline, t CO2e; Eq. 12. The rule has no numbers."""
    _ = rule
    return Step(
        change_tco2e=EXACT.minus(not_negative(account.monitoring, "project_emissions_tco2e")),
        note="additional emissions",
    )


FORMULAS = {
    "gs402_stock_change": stock_change,
    "gs402_limits_excess": limits_excess,
    "gs402_project_emissions": project_emissions,
}
