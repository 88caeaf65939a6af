"""External risks of the Non-Permanence Risk Tool: tenure, stakeholders, politics (Tables 6 to 8).

Points are in the rule set. What does not belong here: internal and natural risks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from mrv_assets.crediting.non_permanence_score import NO_POINTS, Score, answered, one_of, within
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

INDICATORS = frozenset(
    {
        "voice_and_accountability",
        "political_stability",
        "government_effectiveness",
        "regulatory_quality",
        "rule_of_law",
        "control_of_corruption",
    }
)
"""The six Worldwide Governance Indicators."""
_YEAR = re.compile("[0-9]{4}")
_WGI = "npr_governance_scores"
_ONE = Decimal(1)


def land_tenure(monitoring: Monitoring, rule: Rule) -> Score:
    """Table 6: rights, expropriation, disputes and upstream impacts; no due process or no agreements fails."""
    disputes = {
        name: _dispute(within(monitoring, f"npr_{name}_dispute_share", NO_POINTS, _ONE), rule)
        for name in ("tenure", "access")
    }
    parts = disputes | answered(monitoring, ("npr_rights_held_apart",), rule.threshold("held_apart"))
    parts["intervention"] = _intervention(monitoring, rule)
    if monitoring.is_so("npr_wrc_project") and not monitoring.is_so("npr_upstream_impacts_mitigated"):
        parts["upstream impacts"] = rule.threshold("upstream")
    mitigations = ("npr_tenure_protected",) + (("npr_disputes_being_resolved",) if any(disputes.values()) else ())
    parts |= answered(monitoring, mitigations, EXACT.minus(rule.threshold("mitigation")))
    asked = {"npr_due_process": "no due process on disputes", "npr_agreements_signed": "no binding agreements"}
    return Score(parts=parts, failures=[what for fact, what in asked.items() if not monitoring.is_so(fact)])


def _dispute(area_share: Decimal, rule: Rule) -> Decimal:
    if area_share > rule.threshold("dispute_wide_above"):
        return rule.threshold("dispute_wide")
    return rule.threshold("dispute") if area_share > 0 else NO_POINTS


def _intervention(monitoring: Monitoring, rule: Rule) -> Decimal:
    points = {
        "none": NO_POINTS,
        "changed_rights": rule.threshold("changed_rights"),
        "expropriated": rule.threshold("expropriated"),
    }
    return points[one_of(monitoring, "npr_government_intervention", tuple(points))]


def stakeholder_engagement(monitoring: Monitoring, rule: Rule) -> Score:
    """Table 7: how many of those who rely on the project area were consulted, in it and within 20 km of it.

    The table says less and more than 50 % and 20 %; exactly that many counts as not enough (our own choice).
    """
    parts = {}
    for place in ("inside", "nearby"):
        if monitoring.is_so(f"npr_reliant_people_{place}"):
            consulted = within(monitoring, f"npr_consulted_{place}_share", NO_POINTS, _ONE)
            is_enough = consulted > rule.threshold(f"consulted_{place}_above")
            parts[place] = NO_POINTS if is_enough else rule.threshold(f"not_consulted_{place}")
    return Score(parts=parts)


def political_risk(monitoring: Monitoring, rule: Rule) -> Score:
    """Table 8: the mean of six governance indicators over five years, less for a climate commitment of the country."""
    mean = governance_mean(monitoring, years=int(rule.threshold("governance_years")))
    parts = {"governance": governance_points(mean, rule)}
    return Score(
        parts=parts | answered(monitoring, ("npr_country_committed",), EXACT.minus(rule.threshold("mitigation")))
    )


def governance_points(mean: Fraction, rule: Rule) -> Decimal:
    """Return the points of a governance score between -2.5 and 2.5."""
    for level in ("worst", "bad", "middle", "good"):
        if mean < Fraction(rule.threshold(f"governance_{level}_below")):
            return rule.threshold(f"governance_{level}")
    return NO_POINTS


def governance_mean(monitoring: Monitoring, *, years: int) -> Fraction:
    """Return the exact mean of the table `npr_governance_scores` with `year`, `indicator`, `score`.

    Raises ContractError unless it has each of the six indicators once for each of so many consecutive years.
    """
    rows = monitoring.table(_WGI, "year", "indicator", "score")
    scores = {(row["year"].strip(), row["indicator"].strip()): _score(monitoring, row) for row in rows}
    found = sorted({year for year, _ in scores})
    expected = {(year, indicator) for year in found for indicator in INDICATORS}
    is_series = all(_YEAR.fullmatch(year) for year in found) and (
        [int(year) for year in found] == list(range(int(found[0]), int(found[0]) + years)) if found else False
    )
    if len(rows) != len(expected) or set(scores) != expected or not is_series:
        raise monitoring.unusable(
            f"table {_WGI}",
            expected=f"each of {len(INDICATORS)} indicators once for each of {years} consecutive years",
            found=f"{len(rows)} rows of the years {', '.join(found) or 'none'}",
        )
    return sum((Fraction(score) for score in scores.values()), Fraction(0)) / len(scores)


def _score(monitoring: Monitoring, row: Mapping[str, str]) -> Decimal:
    score = monitoring.cell(_WGI, row, "score")
    if not Decimal("-2.5") <= score <= Decimal("2.5"):
        raise monitoring.unusable(f"table {_WGI}, column score", expected="-2.5 to 2.5", found=str(score))
    return score
