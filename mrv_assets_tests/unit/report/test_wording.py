from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from mrv_assets.report.wording import exact_difference, exact_sum, share, signed_tonnes, tonnes


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("15305433.504123456", "15,305,433.504"),
        ("0.0005", "0.000"),
        ("0.0015", "0.002"),
        ("-0.0004", "0.000"),
        ("-1722006.24", "-1,722,006.240"),
        ("99999999999999999999999999999.999999999", "100,000,000,000,000,000,000,000,000,000.000"),
    ],
    ids=["plain", "half-to-even-down", "half-to-even-up", "no-negative-zero", "net-removal", "wider-than-28-digits"],
)
def test_tonnes_are_shown_to_a_thousandth(value: str, shown: str) -> None:
    """Tonnes are written with separators, rounded half-even to 0.001 t."""
    assert tonnes(Decimal(value)) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [("1668.261", "+1,668.261"), ("-579191.68", "-579,191.680"), ("0E-9", "0.000"), ("-0.0001", "0.000")],
    ids=["up", "down", "none", "too-small-to-show"],
)
def test_a_change_has_a_sign_unless_there_is_none(value: str, shown: str) -> None:
    """A change is written with its sign; one that rounds to nothing has none."""
    assert signed_tonnes(Decimal(value)) == shown


def test_sums_and_differences_lose_no_digit() -> None:
    """Sums and differences are exact beyond the 28 digits of Python's default context."""
    big, small = Decimal("12345678901234567890123456789.000000001"), Decimal("0.000000001")
    assert exact_sum([big, small]) == Decimal("12345678901234567890123456789.000000002")
    assert exact_difference(big, small) == Decimal("12345678901234567890123456789.000000000")
    assert exact_sum([]) == 0


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(-14742, 100_000), "-14.742 %"),
        (Fraction(12), "+1,200.000 %"),
        (Fraction(0), "0"),
        (Fraction(1, 10**9), "under 0.001 %"),
        (None, "from 0"),
    ],
)
def test_a_share_is_shown_in_per_cent(value: Fraction | None, shown: str) -> None:
    """To three decimals; a change that rounds to nothing is not shown as none."""
    assert share(value) == shown
