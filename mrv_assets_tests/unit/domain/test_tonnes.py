from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from mrv_assets.domain.tonnes import Move, Tonnes


def net(text: str) -> Tonnes:
    """Return tonnes with this net figure."""
    value = Decimal(text)
    return Tonnes(emissions=value) if value >= 0 else Tonnes(removals=-value)


def test_tonnes_are_summed_exactly_side_by_side() -> None:
    """Beyond the 28 digits of Python's default context, and never netted."""
    big = Tonnes(emissions=Decimal("12345678901234567890123456789.000000001"), removals=Decimal(2))
    total = Tonnes.sum([big, Tonnes(emissions=Decimal("1e-9"), removals=Decimal(3))])
    assert total == Tonnes(emissions=Decimal("12345678901234567890123456789.000000002"), removals=Decimal(5))
    assert total.net == Decimal("12345678901234567890123456784.000000002")
    assert Tonnes.sum([]) == Tonnes()


@pytest.mark.parametrize(
    ("before", "after", "share"),
    [
        pytest.param("100", "95", Fraction(-1, 20), id="down"),
        pytest.param("-100", "-95", Fraction(1, 20), id="a smaller removal is more in the air"),
        pytest.param("3", "4", Fraction(1, 3), id="no decimal"),
        pytest.param("0", "1", None, id="from 0"),
        pytest.param("0", "0", Fraction(0), id="0 stays"),
    ],
)
def test_a_change_is_a_part_of_the_size_of_what_was(before: str, after: str, share: Fraction | None) -> None:
    """Exactly, with the sign of the change."""
    assert Move(before=net(before), after=net(after)).share == share


@pytest.mark.parametrize(
    ("before", "after", "exceeds"),
    [
        pytest.param("100", "105", False, id="the threshold itself"),
        pytest.param("100", "105.000000001", True, id="a digit more"),
        pytest.param("-100", "-94", True, id="removal"),
        pytest.param("0", "0.000000001", True, id="from 0"),
        pytest.param("0", "0", False, id="0 stays"),
    ],
)
def test_a_change_beyond_the_threshold_exceeds_it(before: str, after: str, exceeds: bool) -> None:  # noqa: FBT001
    """A change as large as the threshold does not."""
    assert Move(before=net(before), after=net(after)).exceeds(Decimal("0.05")) is exceeds
