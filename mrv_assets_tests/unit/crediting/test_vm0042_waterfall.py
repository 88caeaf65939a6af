from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from mrv_assets.crediting.vm0042_net import SoilChange, Split, net_of_leakage, stock_split
from mrv_assets.crediting.vm0042_soil import soil_mass
from mrv_assets.crediting.vm0042_variance import SoilStratum, deduction, modelled_variance, remeasured_variance
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.waterfall import Waterfall
from mrv_assets_tests.verra import account, rule_set, waterfall
from mrv_assets_tests.verra_evidence import SOIL, shown, soil_points

D = Decimal
MODELLED = shown(
    SOIL,
    soil_approach="measure and model",
    leakage_tco2e="0",
)
MODELLED = Monitoring(
    where=MODELLED.where,
    facts=MODELLED.facts,
    tables={},
    quantities={
        **MODELLED.quantities,
        "soil_area_ha": "200",
        "soil_sampling_variance_tco2e2": "2000",
        "soil_model_variance": "0.2",
        "soil_degrees_of_freedom": "40",
    },
)


def lines(evidence: Monitoring, removals: str = "400", emissions: str = "300", version: str = "2.2") -> Waterfall:
    """Return the waterfall of a project that emitted 300 t and stored 400 t in its soil."""
    return waterfall(rule_set(f"vm0042-{version}"), account(evidence, removals=removals, emissions=emissions))


def test_lines_go_from_the_project_to_the_difference_with_its_baseline() -> None:
    """400 - 300 in the project, 500 emitted and 200 lost without it, 60 displaced, then Eq 74 of 600 t."""
    found = lines(SOIL)
    assert [line.change_tco2e for line in found.lines[:3]] == [D(100), D(700), D(-60)]
    # variances: loam 150² × (1/3 + 1/3), clay 50² × (0 + 1/3), over 200²; mean 3 t/ha; t of 4 degrees of freedom
    share = found.lines[3].numbers["uncertainty"]
    assert share.quantize(D("0.000001")) == D("0.097343")
    assert abs(found.lines[3].change_tco2e + 600 * share) <= D("1e-9")  # each side is rounded for itself


def test_reductions_and_removals_are_kept_apart_and_sum_to_the_lines() -> None:
    """What the baseline would have lost is a reduction, what the project gained a removal; leakage is shared."""
    found = lines(SOIL)
    numbers = found.lines[3].numbers
    left = 1 - numbers["uncertainty"]
    assert numbers["reductions_tco2e"] + numbers["removals_tco2e"] == found.total_tco2e
    assert numbers["net_stock_change_removals_tco2e"] == (400 * left).quantize(D("1e-9"))
    assert numbers["net_stock_change_reductions_tco2e"] == (200 * left).quantize(D("1e-9"))
    assert numbers["removals_tco2e"] < numbers["net_stock_change_removals_tco2e"]


def test_a_loss_is_made_larger() -> None:
    """Sign I: a project behind its baseline is worse than measured."""
    found = lines(
        shown(MODELLED, project_soil_change_tco2e="-400", project_soil_change_since_start_tco2e="-400"), "0", "700"
    )
    assert found.lines[3].change_tco2e < 0
    assert found.lines[3].numbers["net_stock_change_tco2e"] == 0
    assert found.lines[3].numbers["removals_tco2e"] == 0


def test_a_modelled_change_has_the_error_of_its_model() -> None:
    """2000 / 200² + 0.2, t of 40 degrees of freedom."""
    share = lines(MODELLED).lines[3].numbers["uncertainty"]
    assert share.quantize(D("0.000001")) == D("0.072323")


def test_both_versions_come_to_the_same() -> None:
    """Eq 65 of v2.0 is Eq 74 of v2.2."""
    assert lines(SOIL, version="2.0").total_tco2e == lines(SOIL).total_tco2e


@pytest.mark.parametrize(
    ("gross", "leakage", "reductions", "removals"),
    [
        pytest.param(("75", "25"), "10", "67.5", "22.5", id="in proportion"),
        pytest.param(("1", "2"), "1", "0.666666667", "1.333333333", id="a share that does not end"),
        pytest.param(("50", "0"), "10", "40", "0", id="no removal"),
        pytest.param(("-50", "80"), "10", "-50", "70", id="a negative part bears none"),
        pytest.param(("-50", "-1"), "10", "-50", "-11", id="both negative"),
    ],
)
def test_leakage_is_shared(gross: tuple[str, str], leakage: str, reductions: str, removals: str) -> None:
    """Eq 39 and 42; the two always sum exactly."""
    net = net_of_leakage(Split(reductions=D(gross[0]), removals=D(gross[1])), D(leakage))
    assert (net.reductions, net.removals) == (D(reductions), D(removals))
    assert net.total == D(gross[0]) + D(gross[1]) - D(leakage)


@pytest.mark.parametrize(
    ("soil", "has_gained", "expected"),
    [
        pytest.param(("400", "-200"), True, ("200", "400"), id="gain against a loss"),
        pytest.param(("400", "100"), True, ("0", "300"), id="gain against a gain"),
        pytest.param(("-100", "-300"), False, ("200", "0"), id="slower loss"),
        pytest.param(("50", "-300"), False, ("350", "0"), id="gain that has not made good the loss"),
        pytest.param(("-100", "50"), True, ("-100", "-50"), id="behind"),
    ],
)
def test_soil_is_a_reduction_or_a_removal(soil: tuple[str, str], has_gained: bool, expected: tuple[str, str]) -> None:  # noqa: FBT001
    """Eq 37 and 40."""
    split = stock_split(SoilChange(project=D(soil[0]), baseline=D(soil[1])), has_gained=has_gained)
    assert (split.reductions, split.removals) == (D(expected[0]), D(expected[1]))


def test_points_on_the_same_plot_cancel() -> None:
    """Eq 71: what start and end have in common is no error of the change."""
    points = [(D(50), D(52)), (D(150), D(152))]
    stratum = SoilStratum(name="loam", area_ha=D(10), project=points, control=points)
    assert remeasured_variance([stratum]) == 0


@pytest.mark.parametrize(
    ("evidence", "match"),
    [
        pytest.param(shown(SOIL, soil_strata=[]), "missing .*no stratum", id="no stratum"),
        pytest.param(
            shown(SOIL, soil_points=soil_points("loam", "project", ("1", "2"))), "stratum loam, control", id="no points"
        ),
        pytest.param(shown(SOIL, soil_points=soil_points("sand", "project", ("1", "2"))), "sand", id="unknown stratum"),
        pytest.param(shown(SOIL, soil_strata=[SOIL.tables["soil_strata"][0]] * 2), "each once.*'loam'", id="twice"),
        pytest.param(shown(SOIL, project_soil_change_tco2e="-200"), "mean change", id="no change"),
        pytest.param(shown(SOIL, leakage_tco2e="-1"), "leakage_tco2e.*0 or more", id="negative leakage"),
        pytest.param(shown(SOIL, baseline_emissions_tco2e="-1"), "baseline_emissions", id="negative emissions"),
        pytest.param(shown(SOIL, soil_approach="guess"), "soil_approach", id="approach"),
        pytest.param(shown(SOIL, project_soil_change_since_start_tco2e=None), "since_start", id="missing"),
        pytest.param(shown(MODELLED, soil_model_variance="-1"), "variance of model", id="negative variance"),
        pytest.param(shown(MODELLED, soil_area_ha="0"), "area.*above 0 ha", id="no area"),
        pytest.param(shown(MODELLED, soil_degrees_of_freedom="0"), "soil_degrees_of_freedom", id="n = 1"),
    ],
)
def test_evidence_that_cannot_be_used_is_refused_by_name(evidence: Monitoring, match: str) -> None:
    """Silence is never a zero."""
    with pytest.raises(ContractError, match=match):
        lines(evidence)


def test_one_point_has_no_variance() -> None:
    """The stratum is named."""
    one, two = [(D(1), D(2))], [(D(1), D(2)), (D(1), D(3))]
    with pytest.raises(ContractError, match="stratum loam, project"):
        remeasured_variance([SoilStratum(name="loam", area_ha=D(1), project=one, control=two)])
    with pytest.raises(ContractError, match="at least one stratum"):
        remeasured_variance([])
    with pytest.raises(ContractError, match="variance"):
        deduction(Fraction(-1), Fraction(1), t=D("0.43"))
    with pytest.raises(ContractError, match="soil cores"):
        soil_mass(D(1), probe_diameter_mm=D(20), cores=0)


def test_a_deduction_is_at_most_the_whole() -> None:
    """The document defines it as a fraction."""
    assert deduction(modelled_variance(sampling=D(0), area_ha=D(1), model=D(10**6)), Fraction(1), t=D("0.43")) == 1
