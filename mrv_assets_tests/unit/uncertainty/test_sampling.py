from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.uncertainty.half_widths import half_width_90
from mrv_assets.uncertainty.sample_size import Expected, sample_size
from mrv_assets.uncertainty.sampling import Estimate, Sample, difference, stratified_mean, stratified_total

D = Decimal

AREAS = {"ridge": D("0.6"), "valley": D("0.4")}
SAMPLES = {
    "ridge": Sample(name="ridge", count=10, mean=D(80), variance=D(400)),
    "valley": Sample(name="valley", count=8, mean=D(40), variance=D(100)),
}


def test_strata_are_those_of_the_derived_example() -> None:
    """Weights .6 and .4, b 80 and 40, s 20 and 10, n 10 and 8: 64, SE 4.04969, 16 degrees of freedom, 11.0473 %."""
    found = stratified_mean(AREAS, SAMPLES, where="AR-TOOL14")
    assert (found.value, round(found.standard_error, 5), found.degrees_of_freedom) == (D(64), D("4.04969"), 16)
    share = half_width_90(found.value, found.standard_error, found.degrees_of_freedom, where="AR-TOOL14")
    assert round(share.relative * 100, 4) == D("11.0473")


def test_total_is_the_mean_times_the_area() -> None:
    """And so is its standard error."""
    areas = {name: weight * 1000 for name, weight in AREAS.items()}
    total, mean = stratified_total(areas, SAMPLES, where="x"), stratified_mean(areas, SAMPLES, where="x")
    assert (total.value, round(total.standard_error, 20)) == (D(64_000), round(mean.standard_error * 1000, 20))


def test_sample_of_measured_values() -> None:
    """Gold Standard, five plots of .04 ha: mean 104.0 m3/ha, error 10.577 % at 90 %."""
    found = Sample.of([D(v) * 25 for v in ("4.4", "3.9", "4.8", "4.1", "3.6")], name="MU1")
    assert (found.count, found.mean) == (5, D(104))
    share = half_width_90(*_parts(found.estimate), where="MU1")
    assert round(share.relative * 100, 3) == D("10.577")


def _parts(estimate: Estimate) -> tuple[Decimal, Decimal, int]:
    return estimate.value, estimate.standard_error, estimate.degrees_of_freedom


@pytest.mark.parametrize(("correlation", "expected"), [("0.5", "0.1225258"), ("0", "0.1401136")])
def test_difference_of_inventories_is_that_of_vm0047(correlation: str, expected: str) -> None:
    """30 permanent plots, SE 100 then 400, change 5000."""
    before = Estimate(value=D(1000), standard_error=D(100), degrees_of_freedom=29)
    now = Estimate(value=D(6000), standard_error=D(400), degrees_of_freedom=29)
    change = difference(now, before, correlation=D(correlation), where="VM0047")
    assert round(half_width_90(*_parts(change), where="VM0047").relative, 7) == D(expected)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        pytest.param(lambda: Sample.of([D(5)], name="A"), r"no variance \[A\].*found n = 1\.", id="n = 1"),
        pytest.param(lambda: Sample.of([], name="A"), "found n = 0", id="n = 0"),
        pytest.param(lambda: Sample.of([D(5), D("NaN")], name="A"), "measured value is no number", id="NaN"),
        pytest.param(
            lambda: Sample(name="A", count=3, mean=D(1), variance=D(-1)), r"variance is negative \[A\]", id="variance"
        ),
    ],
)
def test_what_is_no_sample_is_refused_by_name(made: Callable[[], Sample], says: str) -> None:
    """A sample has two units at least and a variance of 0 or more."""
    with pytest.raises(ContractError, match=says):
        made()


@pytest.mark.parametrize(
    ("areas", "samples", "says"),
    [
        pytest.param({**AREAS, "bog": D(1)}, SAMPLES, "stratum is missing.*none of 'bog'", id="no sample"),
        pytest.param({"ridge": D(1)}, SAMPLES, "stratum has no area.*none of 'valley'", id="no area"),
        pytest.param({}, {}, "no stratum is given", id="none"),
        pytest.param({**AREAS, "valley": D("-0.1")}, SAMPLES, "area of stratum valley is not above 0", id="negative"),
    ],
)
@pytest.mark.parametrize("estimator", [stratified_total, stratified_mean])
def test_a_missing_stratum_is_refused_by_name(
    estimator: Callable[..., Estimate], areas: Mapping[str, Decimal], samples: Mapping[str, Sample], says: str
) -> None:
    """Area and sample belong together."""
    with pytest.raises(ContractError, match=says):
        estimator(areas, samples, where="project")


def test_a_correlation_above_one_is_refused() -> None:
    """It would make a change surer than it can be."""
    one = Estimate(value=D(1), standard_error=D(1), degrees_of_freedom=3)
    with pytest.raises(ContractError, match=r"correlation is none.*found 1.1"):
        difference(one, one, correlation=D("1.1"), where="x")


@pytest.mark.parametrize(
    ("units", "sd", "error", "says"),
    [
        pytest.param("0", "1", "1", "units of a stratum is not above 0", id="units"),
        pytest.param("9", "-1", "1", "standard deviation of a stratum is not above 0", id="sd"),
        pytest.param("9", "1", "0", "allowed error is not above 0", id="error"),
    ],
)
def test_a_sample_size_needs_numbers_above_zero(units: str, sd: str, error: str, says: str) -> None:
    """Each is named."""
    with pytest.raises(ContractError, match=says):
        sample_size([Expected(units=D(units), sd=D(sd))], allowed_error=D(error), t=D(2), where="x")


def test_a_sample_size_needs_a_stratum() -> None:
    """Nothing to measure is no size of 0."""
    with pytest.raises(ContractError, match=r"no stratum is given"):
        sample_size([], allowed_error=D(1), t=D(2), where="x")
