from __future__ import annotations

from decimal import Decimal

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.factor_uncertainty import Distribution, Uncertainty
from mrv_assets.uncertainty.distributions import Lognormal, Normal, Triangular, Uniform
from mrv_assets.uncertainty.stated import relative_shape, stated_half_width_95


def stated(half_width: str, level: str = "0.95", distribution: Distribution = Distribution.NORMAL) -> Uncertainty:
    """Return what a source states."""
    return Uncertainty(rel_uncertainty=Decimal(half_width), confidence_level=Decimal(level), distribution=distribution)


@pytest.mark.parametrize("distribution", list(Distribution))
def test_what_is_stated_at_95_percent_stays(distribution: Distribution) -> None:
    """To the last digit."""
    found = stated_half_width_95(stated("0.123456789", "0.950", distribution), where="x")
    assert found.relative == Decimal("0.123456789")


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        pytest.param(Distribution.NORMAL, "0.1192", id="1.959964 / 1.644854"),
        pytest.param(Distribution.TRIANGULAR, "0.1135", id="(1 - sqrt 0.05) / (1 - sqrt 0.10)"),
        pytest.param(Distribution.UNIFORM, "0.1056", id="0.95 / 0.90"),
        pytest.param(Distribution.LOGNORMAL, "0.1192", id="lognormal quantiles"),
    ],
)
def test_90_percent_becomes_95_by_the_stated_distribution(distribution: Distribution, expected: str) -> None:
    """10 % at 90 %, to four digits."""
    found = stated_half_width_95(stated("0.1", "0.90", distribution), where="x").relative
    assert round(found, 4) == Decimal(expected)


def test_shapes_have_the_mean_1_and_the_stated_interval() -> None:
    """20 % at 95 %: sd 0.2 / 1.96, half-ranges 0.2 / (1 - sqrt 0.05) and 0.2 / 0.95, and the sd of a lognormal."""
    normal = relative_shape(stated("0.2"), where="x")
    triangle = relative_shape(stated("0.2", distribution=Distribution.TRIANGULAR), where="x")
    box = relative_shape(stated("0.2", distribution=Distribution.UNIFORM), where="x")
    log = relative_shape(stated("0.2", distribution=Distribution.LOGNORMAL), where="x")
    assert isinstance(normal, Normal)
    assert (normal.mean, round(normal.sd, 5)) == (Decimal(1), Decimal("0.10204"))
    assert isinstance(triangle, Triangular)
    assert (round(triangle.low, 5), triangle.mode, round(triangle.high, 5)) == (
        Decimal("0.74240"),
        Decimal(1),
        Decimal("1.25760"),
    )
    assert isinstance(box, Uniform)
    assert (round(box.low, 5), round(box.high, 5)) == (Decimal("0.78947"), Decimal("1.21053"))
    assert isinstance(log, Lognormal)
    assert (log.mean, round(log.sd, 5)) == (Decimal(1), Decimal("0.10216"))


@pytest.mark.parametrize("distribution", list(Distribution))
def test_a_certain_factor_has_no_spread(distribution: Distribution) -> None:
    """0 is stated as 0 at every level."""
    assert stated_half_width_95(stated("0", "0.68", distribution), where="x").relative == 0


@pytest.mark.parametrize("level", ["0.95", "0.90"])
def test_a_lognormal_interval_wider_than_any_is_refused(level: str) -> None:
    """500 % around the mean: the share was percent, or the distribution is another one."""
    with pytest.raises(ContractError, match=r"lognormal interval is wider.*N2O.*at most"):
        stated_half_width_95(stated("5", level, Distribution.LOGNORMAL), where="N2O")
