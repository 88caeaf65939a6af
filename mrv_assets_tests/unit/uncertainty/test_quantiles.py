from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.uncertainty.quantiles import normal, normal_interval, student_t, student_t_below


@pytest.mark.parametrize(
    ("sample", "printed"),
    [
        pytest.param(3, "2.9200", id="3"),
        pytest.param(5, "2.1319", id="5"),
        pytest.param(10, "1.8331", id="10"),
        pytest.param(30, "1.6991", id="30"),
        pytest.param(200, "1.6525", id="200"),
    ],
)
def test_student_t_is_the_table_of_gold_standard_402(sample: int, printed: str) -> None:
    """Two-sided, 90 %, with one degree of freedom less than units; printed to four digits, 5 units off by a digit."""
    assert abs(student_t(Decimal("0.90"), sample - 1) - Decimal(printed)) <= Decimal("0.00011")


def test_one_sided_quantiles_are_those_of_vm0042() -> None:
    """Two thirds, with 10 degrees of freedom and normal; 0.667 is another level."""
    assert round(student_t_below(Fraction(2, 3), 10), 6) == Decimal("0.443756")
    assert round(normal(Fraction(2, 3)), 4) == Decimal("0.4307")
    assert round(normal(Decimal("0.667")), 6) == Decimal("0.431644")


def test_normal_quantiles_are_the_usual_ones() -> None:
    """Rounded to 1e-9."""
    assert normal_interval(Decimal("0.90")) == Decimal("1.644853627")
    assert normal_interval(Decimal("0.95")) == Decimal("1.959963985")


def test_quantiles_know_no_context() -> None:
    """Few digits around the call change nothing."""
    with localcontext() as context:
        context.prec = 4
        assert normal(Decimal("0.95")) == Decimal("1.644853627")


def test_two_sided_and_one_sided_meet() -> None:
    """90 % between is 95 % below."""
    assert student_t(Decimal("0.90"), 7) == student_t_below(Decimal("0.95"), 7)


def test_one_degree_of_freedom_is_the_cauchy_distribution() -> None:
    """Its quantile at 3/4 is 1, which no approximation is needed for."""
    assert student_t_below(Fraction(3, 4), 1) == 1


@pytest.mark.parametrize(
    "level", [Decimal(0), Decimal(1), Decimal(90), Decimal("-0.9"), Decimal("1e-30"), 1 - Decimal("1e-20")]
)
def test_a_level_in_percent_is_refused(level: Decimal) -> None:
    """A level is a share between 0 and 1, and not so near to them that quantiles have no digits."""
    with pytest.raises(ContractError, match=r"confidence of an interval is no probability.*not in percent"):
        student_t(level, 5)
    with pytest.raises(ContractError, match=r"probability below a quantile is no probability"):
        normal(level)


def test_a_sample_of_one_has_no_quantile() -> None:
    """It leaves no degree of freedom."""
    with pytest.raises(ContractError, match=r"sample is too small.*found 0"):
        student_t(Decimal("0.90"), 0)
