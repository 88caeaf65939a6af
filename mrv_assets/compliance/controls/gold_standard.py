"""What has to hold under Gold Standard 203 v1.2.1 and 403 v2.1: maps, biodiversity, cadence, crediting, inventory.

402 v1.0 takes the crediting period and the significance from here too. What does not belong here: issuance under 501
(gold_standard_issuance).
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from mrv_assets.compliance.controls.days import lasts, years_after
from mrv_assets.compliance.controls.finding import ControlCase, Finding, held
from mrv_assets.compliance.controls.waterfall_lines import line_for
from mrv_assets.crediting.counted import whole
from mrv_assets.crediting.evidence import not_negative
from mrv_assets.crediting.gold_standard_403 import is_significant
from mrv_assets.crediting.gold_standard_inventory import PLOTS, UNITS, modelling_units
from mrv_assets.crediting.stated_uncertainty import RESULT, half_width_90
from mrv_assets.domain.exact import EXACT, exact_sum, rounded
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

_LAYERS = "vector_layers"


def vector_layers(case: ControlCase, rule: Rule) -> Finding:
    """Check that every item of 203 §4.1.3 is a vector layer with a file, or of §4.1.4 for smallholders."""
    monitoring = case.account.monitoring
    is_smallholder = monitoring.is_so("agricultural_smallholder_project")
    wanted = _words(rule, "smallholder_layers" if is_smallholder else "layers")
    rows = monitoring.table(_LAYERS, "layer", "file")
    shown = {row["layer"] for row in rows if row["file"].strip()}
    lacking = [layer for layer in wanted if layer not in shown]
    evidence: tuple[str, ...] = (_LAYERS, "agricultural_smallholder_project")
    if is_smallholder:
        lacking += _participants_without(monitoring)
        evidence += ("participants", "participant_points", "participant_sketch_maps")
    return held(
        holds=not lacking,
        observed=f"lacking: {', '.join(lacking)}" if lacking else f"{len(wanted)} layers",
        limit=", ".join(wanted),
        evidence=evidence,
        remedy="add the layers to the monitoring package, each with its file",
        lacking=Decimal(len(lacking)),
    )


def biodiversity_area(case: ControlCase, rule: Rule) -> Finding:
    """Check that at least this share of the project area protects biological diversity; 203 §3.1.5."""
    monitoring = case.account.monitoring
    protected = not_negative(monitoring, "biodiversity_area_ha")
    area = not_negative(monitoring, "project_area_ha")
    if not area or protected > area:
        raise monitoring.unusable(
            "quantity project_area_ha", expected="an area that holds the biodiversity area", found=str(area)
        )
    share = rounded(Fraction(protected) / Fraction(area), places=12)
    least = rule.threshold("least_share")
    return held(
        holds=protected >= EXACT.multiply(least, area),
        observed=f"{share:f} of the project area",
        limit=f"at least {least}",
        evidence=("biodiversity_area_ha", "project_area_ha"),
        remedy="set more of the project area aside and manage it",
        share=share,
    )


def crediting_period(case: ControlCase, rule: Rule) -> Finding:
    """Check that the crediting period lasts between the least and the most years of the rule; 203 §3.1.9, 402 §4.2."""
    monitoring = case.account.monitoring
    first, last = monitoring.day("crediting_period_first_day"), monitoring.day("crediting_period_last_day")
    least, most = int(rule.threshold("least_years")), int(rule.threshold("most_years"))
    return held(
        holds=lasts(first, last, at_least=least, at_most=most),
        observed=f"{first} to {last}",
        limit=f"{least} to {most} years",
        evidence=("crediting_period_first_day", "crediting_period_last_day"),
        remedy="choose a crediting period that the methodology allows",
    )


def verification_cadence(case: ControlCase, rule: Rule) -> Finding:
    """Check that no more years than the rule's lie between two verifications, or before the first one; 203 §3.1.12."""
    monitoring = case.account.monitoring
    is_first = monitoring.fact("previous_verification") == "none"
    since = "crediting_period_first_day" if is_first else "previous_verification"
    before, now = monitoring.day(since), monitoring.day("verification")
    most = int(rule.threshold("most_years"))
    return held(
        holds=before <= now <= years_after(before, most),
        observed=f"{before} to {now}",
        limit=f"at most {most} years",
        evidence=tuple(dict.fromkeys((since, "previous_verification", "verification"))),
        remedy="verify in time; a verification that is late is a non-conformity that no later one heals",
    )


def stated_precision(case: ControlCase, rule: Rule) -> Finding:
    """Check that the stated half-width is one for which Annex A Table 2 gives a deduction."""
    half_width = half_width_90(case.account.monitoring, RESULT).relative
    most = rule.threshold("most")
    return held(
        holds=half_width <= most,
        observed=f"{half_width} of the estimate at 90 %",
        limit=f"at most {most}; the target is {rule.threshold('target')}",
        evidence=("result_half_width", "result_confidence"),
        remedy="increase the sampling effort; there is no deduction for an uncertainty above the last band",
        half_width=half_width,
    )


def inventory_precision(case: ControlCase, rule: Rule) -> Finding:
    """Check that each modelling unit is within the allowed error, or what exceeds it is deducted; 403 §3.11.5."""
    allowed = rule.threshold("allowed")
    units = modelling_units(case.account.monitoring, rule)
    due = EXACT.minus(exact_sum(unit.deduction_tco2(allowed) for unit in units))
    taken = line_for(case, rule).change_tco2e
    worst = max(units, key=lambda unit: unit.volume.half_width.relative)
    return held(
        holds=taken == due,
        observed=f"worst unit {worst.name}: {worst.volume.half_width.relative}; {taken} t deducted",
        limit=f"{allowed} at 90 %, or {due} t deducted",
        evidence=(UNITS, PLOTS),
        remedy="measure more plots in the unit, or deduct what its error exceeds the allowed one by",
        half_width=worst.volume.half_width.relative,
    )


def inventory_threshold(case: ControlCase, rule: Rule) -> Finding:
    """Check that no tree below the least height is in the inventory; 403 §1, definition of a tree."""
    lowest = case.account.monitoring.quantity("inventory_lowest_tree_m")
    least = rule.threshold("least_m")
    return held(
        holds=lowest >= least,
        observed=f"lowest tree {lowest} m",
        limit=f"at least {least} m",
        evidence=("inventory_lowest_tree_m",),
        remedy="leave smaller plants out of the inventory",
        lowest_m=lowest,
    )


def insignificant(case: ControlCase, rule: Rule) -> Finding:
    """Check that what is left out is no more than this share of the removals; 403 footnotes 2 and 3, 402 §4.4."""
    monitoring = case.account.monitoring
    part, removals = (not_negative(monitoring, name) for name in ("left_out_tco2e", "long_term_removals_tco2e"))
    limit = rule.threshold("limit")
    return held(
        holds=not is_significant(part, removals, limit),
        observed=f"{part} t of {removals} t",
        limit=f"at most {limit} of the long-term removals",
        evidence=("left_out_tco2e", "long_term_removals_tco2e"),
        remedy="account for it: it is significant",
    )


def _participants_without(monitoring: Monitoring) -> list[str]:
    participants = whole(monitoring, "participants", least=1)
    names = ("participant_points", "participant_sketch_maps")
    return [f"{name} of every participant" for name in names if not_negative(monitoring, name) < participants]


def _words(rule: Rule, name: str) -> tuple[str, ...]:
    return tuple(rule.choices.get(name, "").split())


CHECKS = {
    "gs203_vector_layers": vector_layers,
    "gs203_biodiversity_area": biodiversity_area,
    "gs203_crediting_period": crediting_period,
    "gs203_verification_cadence": verification_cadence,
    "gs203_stated_precision": stated_precision,
    "gs403_inventory_precision": inventory_precision,
    "gs403_inventory_threshold": inventory_threshold,
    "gs403_insignificant": insignificant,
}
