"""Natural risks of the Non-Permanence Risk Tool: likelihood by significance, mitigation, climate, sea level.

Tables 10 to 14; the scores are in the rule set. What does not belong here: internal and external risks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from mrv_assets.crediting.non_permanence_score import NO_POINTS, Score, within
from mrv_assets.domain.exact import EXACT, exact_sum
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

_RISKS = "npr_natural_risks"
_COLUMNS = ("risk", "applicable", "loss_share", "transient", "interval_years", "prevention", "containment")
_ASKED = ("fire", "pest_and_disease", "extreme_weather", "geological")
_ASKED_WRC = ("water_table",)
CLIMATIC = frozenset({"fire", "pest_and_disease", "extreme_weather", "landslide"})
"""The risks that the climate factor amplifies. Of geological ones it is landslides only (Table 11, note)."""
_SIGNIFICANCE = ("catastrophic", "devastating", "major", "minor")
_SEA_MEASURES = ("ecosystem", "planning", "barriers")
_FAIL = "fail"
_ONE = Decimal(1)


def natural_risk(monitoring: Monitoring, rule: Rule) -> Score:
    """Sum the risks of the table `npr_natural_risks`, the climatic ones times the climate factor, and sea-level rise.

    Raises ContractError when a risk that has to be assessed is not in the table: it says `applicable` no instead.
    """
    climatic, others, failures = [], [], []
    for row in _rows(monitoring):
        points = _risk_points(monitoring, row, rule)
        if points is None:
            failures.append(f"{row['risk'].strip()} is catastrophic and frequent")
        elif row["risk"].strip() in CLIMATIC:
            climatic.append(points)
        else:
            others.append(points)
    sea = _sea_level(monitoring, rule)
    if sea is None:
        failures.append("sea-level rise is catastrophic and its impact high")
    amplified = EXACT.multiply(exact_sum(climatic), climate_factor(monitoring, rule)) if climatic else NO_POINTS
    parts = {"climatic": amplified, "other": exact_sum(others), "sea level": sea or NO_POINTS}
    return Score(parts=parts, failures=failures)


def _rows(monitoring: Monitoring) -> Sequence[Mapping[str, str]]:
    rows = monitoring.table(_RISKS, *_COLUMNS)
    names = [row["risk"].strip() for row in rows]
    asked = _ASKED + (_ASKED_WRC if monitoring.is_so("npr_wrc_project") else ())
    lacking = [name for name in asked if name not in names]
    if lacking:
        raise monitoring.missing(f"table {_RISKS}, a row for {', '.join(lacking)}")
    if len(set(names)) < len(names):
        raise monitoring.unusable(f"table {_RISKS}", expected="each risk once", found=", ".join(names))
    return rows


def _risk_points(monitoring: Monitoring, row: Mapping[str, str], rule: Rule) -> Decimal | None:
    """Return likelihood and significance times mitigation; None where the table says that the project fails."""
    if not _is_so(monitoring, row, "applicable"):
        return NO_POINTS
    loss = monitoring.cell(_RISKS, row, "loss_share")
    interval = monitoring.cell(_RISKS, row, "interval_years")
    if not 0 <= loss <= 1 or interval <= 0:
        raise monitoring.unusable(
            f"table {_RISKS}, row {row['risk']}",
            expected="loss_share 0 to 1 and interval_years above 0",
            found=f"{loss}, {interval}",
        )
    points = historic_points(loss, interval, rule, is_transient=_is_so(monitoring, row, "transient"))
    measures = sum(_is_so(monitoring, row, name) for name in ("prevention", "containment"))
    factor = (_ONE, rule.threshold("mitigated"), rule.threshold("mitigated_twice"))[measures]
    return None if points is None else EXACT.multiply(points, factor)


def historic_points(loss_share: Decimal, interval_years: Decimal, rule: Rule, *, is_transient: bool) -> Decimal | None:
    """Return the cell of Table 10 for a loss per event and the mean years between events; None for the cell FAIL."""
    limits = [rule.threshold(f"likelihood_{index}_from_years") for index in (2, 3, 4, 5)]
    column = sum(interval_years >= limit for limit in limits)
    return _cell(rule, f"historic_{_significance(loss_share, rule, is_transient=is_transient)}", column)


def _significance(loss_share: Decimal, rule: Rule, *, is_transient: bool) -> str:
    if is_transient:
        return "insignificant"
    reached = (name for name in _SIGNIFICANCE if loss_share >= rule.threshold(f"{name}_from"))
    return next(reached, "insignificant")


def _cell(rule: Rule, row: str, column: int) -> Decimal | None:
    word = rule.choices[row].split()[column]
    return None if word == _FAIL else Decimal(word)


def climate_factor(monitoring: Monitoring, rule: Rule) -> Decimal:
    """Return the factor for projected climate impacts, 1 to 1.4; adaptive capacity cuts what is above 1."""
    stated = within(monitoring, "npr_climate_factor", _ONE, rule.threshold("climate_factor_most"))
    met = within(monitoring, "npr_adaptive_criteria_met", NO_POINTS, rule.threshold("adaptive_criteria"))
    is_adaptive = met >= rule.threshold("adaptive_criteria_from")
    kept = EXACT.subtract(_ONE, rule.threshold("adaptive_reduction")) if is_adaptive else _ONE
    return EXACT.add(_ONE, EXACT.multiply(EXACT.subtract(stated, _ONE), kept))


def _sea_level(monitoring: Monitoring, rule: Rule) -> Decimal | None:
    """Return Table 13 times Table 14 for a project in a coastal zone; None for the cell FAIL."""
    if not monitoring.is_so("npr_coastal_zone"):
        return NO_POINTS
    loss = within(monitoring, "npr_sea_level_loss_share", NO_POINTS, _ONE)
    level = within(monitoring, "npr_sea_level_impact", _ONE, Decimal(5))
    if level != level.to_integral_value():
        raise monitoring.unusable("quantity npr_sea_level_impact", expected="a whole level", found=str(level))
    row = _significance(loss, rule, is_transient=monitoring.is_so("npr_sea_level_transient"))
    points = _cell(rule, f"sea_{row}", 5 - int(level))
    return None if points is None else EXACT.multiply(points, _adaptation(monitoring, rule))


def _adaptation(monitoring: Monitoring, rule: Rule) -> Decimal:
    taken = [name for name in _SEA_MEASURES if monitoring.is_so(f"npr_sea_level_{name}")]
    if len(taken) > 1:
        return rule.threshold("sea_adapted_twice")
    return rule.threshold(f"sea_{taken[0]}") if taken else _ONE


def _is_so(monitoring: Monitoring, row: Mapping[str, str], column: str) -> bool:
    word = row[column].strip()
    what = f"table {_RISKS}, row {row['risk']}, column {column}"
    if not word:
        raise monitoring.missing(what)
    if word not in ("yes", "no"):
        raise monitoring.unusable(what, expected="yes or no", found=word)
    return word == "yes"
