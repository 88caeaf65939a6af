"""Gross emissions add up by location and by market, and a negative one is refused as a net figure."""

from __future__ import annotations

from decimal import Decimal

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.gross import GrossEmissions, is_whole

SCOPES = {"scope1": "100", "scope2_location": "40", "scope2_market": "25", "scope3": "860"}


def gross(**changed: str) -> GrossEmissions:
    """Return gross emissions with some scopes replaced."""
    return GrossEmissions(**{name: Decimal(text) for name, text in (SCOPES | changed).items()})


def test_totals_take_one_scope_2_each() -> None:
    """1,000 by location and 985 by market."""
    assert (gross().total_location, gross().total_market) == (Decimal(1000), Decimal(985))


@pytest.mark.parametrize("name", SCOPES)
@pytest.mark.parametrize("text", ["-0.000000001", "NaN", "Infinity"])
def test_a_scope_that_is_no_gross_figure_is_refused_by_name(name: str, text: str) -> None:
    """Negative is net, and what is no number is none."""
    with pytest.raises(ContractError, match=f"gross emissions are negative .{name}"):
        gross(**{name: text})


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        pytest.param(("30", "70"), True, id="whole"),
        pytest.param(("0", "100"), True, id="all-of-one"),
        pytest.param(("30", "70.0001"), False, id="more"),
        pytest.param(("110", "-10"), False, id="negative"),
    ],
)
def test_shares_of_a_whole_come_to_exactly_100(shares: tuple[str, str], *, expected: bool) -> None:
    """And none is negative."""
    assert is_whole(*map(Decimal, shares)) is expected
