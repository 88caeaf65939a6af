from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.crediting.gold_standard_203 import Kind, Scenario, conservative_direction
from mrv_assets.crediting.step_discount import Direction, bands_of, conservative, discount
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.rule_set import Rule
from mrv_assets_tests.oracles.standards import rule

ANNEX_A = rule("gs-203@1.2.1", "gs203-uncertainty")
APPENDIX_2 = rule("cdm-ar-tool14@4.2", "ar-tool14-uncertainty")


@pytest.mark.parametrize(
    ("table", "u", "deduction"),
    [
        pytest.param(ANNEX_A, "0.20", "0", id="annex A: 20 % is allowed"),
        pytest.param(ANNEX_A, "0.200001", "0.1000005", id="annex A: just above it half is deducted"),
        pytest.param(ANNEX_A, "0.30", "0.15", id="annex A: 30 %, inclusive"),
        pytest.param(ANNEX_A, "0.40", "0.30", id="annex A: 40 %, inclusive"),
        pytest.param(ANNEX_A, "0.50", "0.50", id="annex A: 50 %, inclusive"),
        pytest.param(APPENDIX_2, "0.10", "0", id="appendix 2: 10 % is allowed"),
        pytest.param(APPENDIX_2, "0.15", "0.0375", id="appendix 2: 15 %, inclusive"),
        pytest.param(APPENDIX_2, "0.20", "0.10", id="appendix 2: 20 %, inclusive"),
        pytest.param(APPENDIX_2, "0.30", "0.225", id="appendix 2: 30 %, inclusive"),
        pytest.param(APPENDIX_2, "0.31", "0.31", id="appendix 2: above 30 % all of it"),
        pytest.param(APPENDIX_2, "2", "2", id="appendix 2: more than the estimate"),
    ],
)
def test_the_share_that_is_deducted_rises_with_the_uncertainty(table: Rule, u: str, deduction: str) -> None:
    """Upper bounds belong to the band below."""
    assert discount(HalfWidth90(relative=Decimal(u)), bands_of(table), where="test") == Decimal(deduction)


def test_annex_a_has_no_deduction_above_its_last_band() -> None:
    """Such an estimate is refused and not credited with what the last band would take."""
    with pytest.raises(ContractError, match=r"uncertainty is too large for any deduction \[here\].*up to 0.50"):
        discount(HalfWidth90(relative=Decimal("0.500001")), bands_of(ANNEX_A), where="here")


@pytest.mark.parametrize(
    "thresholds",
    [
        pytest.param({}, id="no band"),
        pytest.param({"up_to_1": "0.2", "share_1": "0.5", "up_to_2": "0.3", "share_2": "0.4"}, id="share steps down"),
        pytest.param({"up_to_1": "0.3", "share_1": "0", "up_to_2": "0.2", "share_2": "1"}, id="bound steps down"),
        pytest.param({"up_to_1": "0.3", "share_1": "-0.1"}, id="negative share"),
        pytest.param({"up_to_1": "0.3"}, id="band without a share"),
    ],
)
def test_a_table_that_could_raise_credits_is_refused(thresholds: dict[str, str]) -> None:
    """The file is at fault."""
    table = replace(ANNEX_A, thresholds={name: Decimal(text) for name, text in thresholds.items()})
    with pytest.raises(ContractError, match="rule set is malformed"):
        bands_of(table)


@pytest.mark.parametrize(
    ("estimate", "direction", "moved"),
    [
        pytest.param("60", Direction.UP, "75", id="up"),
        pytest.param("60", Direction.DOWN, "45", id="down"),
        pytest.param("-60", Direction.DOWN, "-75", id="a loss becomes a larger loss"),
        pytest.param("0", Direction.DOWN, "0", id="nothing stays nothing"),
    ],
)
def test_an_estimate_moves_to_its_conservative_side(estimate: str, direction: Direction, moved: str) -> None:
    """By a share of its size, whatever its sign."""
    assert conservative(Decimal(estimate), Decimal("0.25"), direction) == Decimal(moved)


@pytest.mark.parametrize(
    ("kind", "scenario", "direction"),
    [
        pytest.param(Kind.REMOVALS, Scenario.PROJECT, Direction.DOWN, id="removals of the project"),
        pytest.param(Kind.REMOVALS, Scenario.BASELINE, Direction.UP, id="removals of the baseline"),
        pytest.param(Kind.EMISSIONS, Scenario.PROJECT, Direction.UP, id="emissions of the project"),
        pytest.param(Kind.EMISSIONS, Scenario.BASELINE, Direction.DOWN, id="emissions of the baseline"),
    ],
)
def test_the_benefit_of_a_project_gets_smaller(kind: Kind, scenario: Scenario, direction: Direction) -> None:
    """Annex A 1.1.10 names all four."""
    assert conservative_direction(kind, scenario) is direction
