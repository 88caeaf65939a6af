from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from mrv_assets.domain.confidence import HalfWidth90, HalfWidth95
from mrv_assets.domain.errors import ContractError
from mrv_assets.uncertainty.half_widths import (
    half_width_90,
    half_width_95,
    normal_half_width_90,
    normal_half_width_95,
)
from mrv_assets.uncertainty.levels import (
    normal_90_from_95,
    normal_95_from_90,
    student_t_90_from_95,
    student_t_95_from_90,
)


def test_half_width_is_the_worked_example_of_ar_tool14() -> None:
    """Mean 45.328, s 12.776, 34 plots: 3.707, which is 8.18 %."""
    error = Decimal("12.776") / Decimal(34).sqrt()
    found = half_width_90(Decimal("45.328"), error, 33, where="AR-TOOL14").relative
    assert round(found * 100, 2) == Decimal("8.18")


def test_normal_half_width_is_the_worked_example_of_the_vcs() -> None:
    """100,000 t with a standard error of 20,000 t: 32.9 %."""
    found = normal_half_width_90(Decimal(100_000), Decimal(20_000), where="VCS").relative
    assert round(found * 100, 1) == Decimal("32.9")


def test_a_loss_has_the_half_width_of_a_gain() -> None:
    """It is a share of the size of the estimate."""
    gain, loss = (half_width_95(Decimal(e), Decimal(1), 9, where="x") for e in (10, -10))
    assert gain == loss


@pytest.mark.parametrize(
    ("estimate", "error", "freedom", "says"),
    [
        pytest.param("0", "1", 9, r"estimate is 0 \[stratum A\]", id="change of 0"),
        pytest.param("0.00", "1", 9, "estimate is 0", id="0 with decimals"),
        pytest.param("5", "-1", 9, "standard error is negative", id="negative error"),
        pytest.param("5", "NaN", 9, "standard error is no number", id="NaN"),
        pytest.param("Infinity", "1", 9, "estimate is no number", id="infinite"),
        pytest.param("5", "1", 0, r"sample is too small for an interval \[stratum A\]", id="n = 1"),
    ],
)
def test_what_has_no_half_width_is_refused_by_name(estimate: str, error: str, freedom: int, says: str) -> None:
    """At both levels."""
    for half_width in (half_width_90, half_width_95):
        with pytest.raises(ContractError, match=says):
            half_width(Decimal(estimate), Decimal(error), freedom, where="stratum A")


@pytest.mark.parametrize("half_width", [normal_half_width_90, normal_half_width_95])
def test_an_estimate_of_zero_has_no_normal_half_width(half_width: Callable[..., Any]) -> None:
    """A share of 0 does not exist."""
    with pytest.raises(ContractError, match=r"estimate is 0"):
        half_width(Decimal(0), Decimal(1), where="x")


def test_25_percent_at_90_is_29_8_percent_at_95() -> None:
    """As VMD0017 asks for."""
    assert round(normal_95_from_90(HalfWidth90(relative=Decimal("0.25"))).relative, 3) == Decimal("0.298")


def test_student_t_converts_further_than_the_normal_distribution() -> None:
    """Few degrees of freedom have heavier tails: 2.776445105 / 2.131846786 with 4."""
    ninety = HalfWidth90(relative=Decimal("0.1"))
    assert student_t_95_from_90(ninety, 4).relative > normal_95_from_90(ninety).relative
    assert round(student_t_95_from_90(ninety, 4).relative, 6) == Decimal("0.130237")


def _unchecked(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


@pytest.mark.parametrize(
    ("convert", "wrong"),
    [
        pytest.param(_unchecked(normal_95_from_90), HalfWidth95(relative=Decimal("0.1")), id="normal to 95"),
        pytest.param(_unchecked(normal_90_from_95), HalfWidth90(relative=Decimal("0.1")), id="normal to 90"),
        pytest.param(lambda h: student_t_95_from_90(h, 5), HalfWidth95(relative=Decimal("0.1")), id="t to 95"),
        pytest.param(lambda h: student_t_90_from_95(h, 5), HalfWidth90(relative=Decimal("0.1")), id="t to 90"),
    ],
)
def test_the_wrong_level_is_not_converted(convert: Callable[[object], object], wrong: object) -> None:
    """Also where no type checker looks."""
    with pytest.raises(ContractError, match=r"half-width has another level than is converted"):
        convert(wrong)
