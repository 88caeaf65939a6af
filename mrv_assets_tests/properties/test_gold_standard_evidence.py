"""Whatever stands in the evidence, a rule of Gold Standard or AR-TOOL14 answers, or refuses it by name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrv_assets.compliance.controls.finding import ControlCase
from mrv_assets.crediting.account import Account
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.rule_set import RuleSet
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.domain.waterfall import Line, Waterfall
from mrv_assets_tests.oracles.gold_standard_oracles import TWO_UNITS
from mrv_assets_tests.oracles.standards import rule_set
from mrv_assets_tests.unit.compliance.test_gold_standard_controls import CHECKS, LAYERS, layers
from mrv_assets_tests.unit.crediting.test_ar_tool14 import REMEASURED, TWO_STOCKS
from mrv_assets_tests.unit.crediting.test_gold_standard import SOIL
from mrv_assets_tests.unit.crediting.test_gold_standard_rule_sets import FORMULAS, NAMES
from mrv_assets_tests.world import ROOT

FACTS = {
    "activity": "afforestation", "planned_units_requested": "yes", "permanent_reductions": "no", "soil_carbon": "no",
    "smallholder_on_default_values": "no", "project_start": "2020-01-01", "design_certification": "2021-01-01",
    "crediting_period_first_day": "2020-01-01", "crediting_period_last_day": "2055-12-31", "registered_elsewhere": "no",
    "previous_verification": "none", "verification": "2024-01-01", "methodology_is_paris_aligned": "yes",
    "result_confidence": "0.90", "agricultural_smallholder_project": "no",
}  # fmt: skip
QUANTITIES = {
    "result_half_width": "0.25", "sequestration_share": "1", "project_emissions_tco2e": "5",
    "planned_years_ahead": "3",
    "reported_tco2e": "9", "certified_tco2e": "9", "biodiversity_area_ha": "2", "project_area_ha": "9",
    "inventory_lowest_tree_m": "2", "left_out_tco2e": "0", "long_term_removals_tco2e": "9",
    "gross_before_period_tco2e": "0", "deficit_carried_in_tco2e": "0",
}  # fmt: skip
SHOWN = (TWO_UNITS, SOIL, TWO_STOCKS, layers(LAYERS, "no"))
ALL = Monitoring(
    where="test",
    quantities=QUANTITIES | {name: text for each in SHOWN for name, text in each.quantities.items()},
    facts=FACTS | {name: text for each in SHOWN for name, text in each.facts.items()},
    tables={name: rows for each in SHOWN for name, rows in each.tables.items()},
)
WORDS = st.sampled_from(
    ["", " ", "no", "default", "NaN", "Infinity", "-1", "0", "1E-40", "1E+60", "9999-12-31", "0001-01-01"]
)
TEXTS = st.one_of(WORDS, st.decimals(-(10**6), 10**6, places=3).map(str), st.text(max_size=5))


@st.composite
def evidence(draw: st.DrawFn) -> Monitoring:
    """Return sound evidence of which one number, word or cell is another text."""
    text, kind = draw(TEXTS), draw(st.sampled_from(["quantity", "fact", "cell"]))
    if kind == "quantity":
        return replace(ALL, quantities={**ALL.quantities, draw(st.sampled_from(sorted(ALL.quantities))): text})
    if kind == "fact":
        return replace(ALL, facts={**ALL.facts, draw(st.sampled_from(sorted(ALL.facts))): text})
    table = draw(st.sampled_from(sorted(ALL.tables)))
    rows = [dict(row) for row in ALL.tables[table]]
    rows[draw(st.integers(0, len(rows) - 1))][draw(st.sampled_from(sorted(rows[0])))] = text
    return replace(ALL, tables={**ALL.tables, table: rows})


def evaluated(standard: RuleSet, monitoring: Monitoring) -> Waterfall:
    """Return the waterfall, every control looked at."""
    account = Account(period=Period.parse("2024"), canonical=Tonnes(), monitoring=monitoring)
    lines: list[Line] = []
    for rule in standard.lines:
        step = FORMULAS[rule.formula](account, rule)
        lines.append(
            Line(name=rule.title, rule=rule.id, clause=rule.clause, change_tco2e=step.change_tco2e, note=step.note)
        )
        running = Waterfall(rule_set=standard.name, lines=lines).total_tco2e
        account = replace(account, running_tco2e=running, numbers={**account.numbers, **step.numbers})
    waterfall = Waterfall(rule_set=standard.name, lines=lines)
    for rule in standard.controls:
        CHECKS[rule.formula](ControlCase(account=account, waterfall=waterfall), rule)
    return waterfall


@pytest.mark.parametrize("name", NAMES)
def test_sound_evidence_is_evaluated_to_the_end(name: str) -> None:
    """Otherwise the property below would hold of nothing."""
    assert evaluated(rule_set(name), ALL).lines


def test_the_pages_for_auditors_name_all_evidence() -> None:
    """Every quantity, fact, table and column that the rules above take."""
    pages = "".join((ROOT / "docs" / "standards" / page).read_text() for page in ("gold-standard.md", "ar-tool14.md"))
    columns = {column for rows in ALL.tables.values() for row in rows for column in row}
    names = {*ALL.quantities, *ALL.facts, *ALL.tables, *columns, *REMEASURED.tables["tree_plots"][0]}
    assert not {name for name in names if f"`{name}`" not in pages}


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=150)
@given(monitoring=evidence())
def test_any_evidence_gives_whole_credits_or_a_refusal(name: str, monitoring: Monitoring) -> None:
    """Never another error, and never less than 0 credits."""
    try:
        total = evaluated(rule_set(name), monitoring).total_tco2e
    except ContractError:
        return
    assert total >= 0
    assert total == total.to_integral_value()
