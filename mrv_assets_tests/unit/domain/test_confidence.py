"""Half-widths never go without their level."""

from __future__ import annotations

from decimal import Decimal

import pytest

from mrv_assets.domain.confidence import HalfWidth90, HalfWidth95, stated_half_width
from mrv_assets.domain.errors import ContractError


@pytest.mark.parametrize(
    ("level", "kind"), [("0.90", HalfWidth90), ("0.9", HalfWidth90), ("0.95", HalfWidth95)], ids=str
)
def test_a_stated_half_width_is_of_its_level(level: str, kind: type[HalfWidth90 | HalfWidth95]) -> None:
    """90 % and 95 % are two types."""
    assert stated_half_width("0.25", level, where="here") == kind(relative=Decimal("0.25"))


@pytest.mark.parametrize(
    ("relative", "level", "words"),
    [
        pytest.param("0.25", "", "confidence level is not stated", id="no level"),
        pytest.param("0.25", "90", "not one that rule sets use", id="in per cent"),
        pytest.param("0.25", "0.99", "not one that rule sets use", id="another level"),
        pytest.param("a quarter", "0.90", "half-width is not a number", id="no number"),
        pytest.param("-0.25", "0.90", "half-width is not a share", id="negative"),
        pytest.param("NaN", "0.95", "half-width is not a share", id="NaN"),
        pytest.param("Infinity", "0.95", "half-width is not a share", id="infinite"),
    ],
)
def test_what_is_no_half_width_is_refused(relative: str, level: str, words: str) -> None:
    """By name, whatever is missing or impossible."""
    with pytest.raises(ContractError, match=words):
        stated_half_width(relative, level, where="here")
