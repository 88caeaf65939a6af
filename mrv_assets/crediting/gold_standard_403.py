"""Gold Standard Afforestation/Reforestation methodology 403 v2.1: from an inventory to removals to be issued.

Removals are cumulative since planting: baseline, leakage and burning are taken whole from the first year on, and what
was issued before is taken off (Eq. 1 and 2, §3.3.3). What does not belong here: the inventory, buffer, whole credits.
"""

from __future__ import annotations

from decimal import Decimal

from mrv_assets.crediting.account import Account, Step
from mrv_assets.crediting.evidence import not_negative
from mrv_assets.crediting.gold_standard_inventory import modelling_units
from mrv_assets.crediting.rounding import tonnes
from mrv_assets.domain.exact import EXACT, exact_sum
from mrv_assets.domain.rule_set import Rule


def removal_units_tco2(
    *, removals_ha: Decimal, baseline_ha: Decimal, leakage_ha: Decimal, other_ha: Decimal, area_ha: Decimal
) -> Decimal:
    """Return (CR − BSL − LK − OE) × A, t CO2, of values in t CO2/ha; Eq. 1."""
    taken = EXACT.add(EXACT.add(baseline_ha, leakage_ha), other_ha)
    return tonnes(EXACT.multiply(EXACT.subtract(removals_ha, taken), area_ha))


def burning_tco2(baseline_tco2: Decimal, share: Decimal) -> Decimal:
    """Return the emissions of burning for site preparation: a share of the baseline, in the first year; §3.8."""
    return tonnes(EXACT.multiply(baseline_tco2, share))


def fertiliser_tco2(nitrogen_kg: Decimal, tco2_per_kg: Decimal) -> Decimal:
    """Return the emissions of fertiliser, synthetic or organic, t CO2; §3.8."""
    return tonnes(EXACT.multiply(nitrogen_kg, tco2_per_kg))


def is_significant(part: Decimal, long_term_removals: Decimal, limit: Decimal) -> bool:
    """Tell whether a part is more than this share of the long-term removals; footnotes 2 and 3."""
    return part > EXACT.multiply(limit, long_term_removals)


def inventory_removals(account: Account, rule: Rule) -> Step:
    """Start with what the means of the plots hold over all modelling units, t CO2."""
    units = modelling_units(account.monitoring, rule)
    stock = exact_sum(unit.stock_tco2() for unit in units)
    return Step(change_tco2e=stock, note=f"{len(units)} modelling units as measured", numbers={"gross_tco2e": stock})


def inventory_excess(account: Account, rule: Rule) -> Step:
    """Take what the error of each unit beyond the allowed one stands for."""
    allowed = rule.threshold("allowed")
    units = modelling_units(account.monitoring, rule)
    taken = exact_sum(unit.deduction_tco2(allowed) for unit in units)
    beyond = [unit.name for unit in units if unit.volume.half_width.relative > allowed]
    numbers = {f"half_width_{unit.name}": unit.volume.half_width.relative for unit in units}
    return Step(
        change_tco2e=EXACT.minus(taken),
        note=f"less precise than allowed: {', '.join(beyond) or 'none'}",
        numbers=numbers,
    )


def long_term_cap(account: Account, rule: Rule) -> Step:
    """Take what a unit holds, after the deduction for its error, above its long-term removal."""
    allowed = rule.threshold("allowed")
    units = modelling_units(account.monitoring, rule)
    taken = exact_sum(unit.above_long_term_tco2(allowed) for unit in units)
    return Step(change_tco2e=EXACT.minus(taken), note="stock above the long-term removal of its unit")


def baseline(account: Account, rule: Rule) -> Step:
    """Take the stock before planting, t CO2, whole in the first year. The rule has no numbers."""
    _ = rule
    return Step(
        change_tco2e=EXACT.minus(not_negative(account.monitoring, "baseline_tco2e")),
        note="biomass just before planting",
    )


def leakage(account: Account, rule: Rule) -> Step:
    """Take the leakage of the whole crediting period, t CO2, in the first year. The rule has no numbers."""
    _ = rule
    return Step(
        change_tco2e=EXACT.minus(not_negative(account.monitoring, "leakage_tco2e")),
        note="of the whole crediting period",
    )


def other_emissions(account: Account, rule: Rule) -> Step:
    """Take burning for site preparation, where it was, and fertiliser, both since planting."""
    monitoring = account.monitoring
    burned = burning_tco2(not_negative(monitoring, "baseline_tco2e"), rule.threshold("burning_share"))
    burning = burned if monitoring.is_so("burned_for_site_preparation") else Decimal(0)
    fertiliser = fertiliser_tco2(
        not_negative(monitoring, "fertiliser_n_kg"), rule.threshold("fertiliser_tco2_per_kg_n")
    )
    numbers = {"burning_tco2e": burning, "fertiliser_tco2e": fertiliser}
    return Step(
        change_tco2e=EXACT.minus(EXACT.add(burning, fertiliser)), note="burning and fertiliser", numbers=numbers
    )


def issued_earlier(account: Account, rule: Rule) -> Step:
    """Take what was issued for earlier periods, buffer included, t CO2. The rule has no numbers."""
    _ = rule
    return Step(
        change_tco2e=EXACT.minus(not_negative(account.monitoring, "issued_earlier_tco2e")),
        note="issued before, with buffer",
    )


FORMULAS = {
    "gs403_inventory_removals": inventory_removals,
    "gs403_inventory_excess": inventory_excess,
    "gs403_long_term_cap": long_term_cap,
    "gs403_baseline": baseline,
    "gs403_leakage": leakage,
    "gs403_other_emissions": other_emissions,
    "gs403_issued_earlier": issued_earlier,
}
