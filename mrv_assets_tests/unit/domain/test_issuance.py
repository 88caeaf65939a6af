"""Blocks of serials are counted with both ends, and vintages that cannot be issued cannot be written down."""

from __future__ import annotations

from datetime import date

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.issuance import IssuedVintage, SerialBlock, require_apart


def vintage(
    first: str, last: str, *, count: int = 10, start: int | None = 1, end: int | None = 10, buffer: int = 0
) -> IssuedVintage:
    """Return a vintage, without a block when it has no start."""
    return IssuedVintage(
        first=date.fromisoformat(first),
        last=date.fromisoformat(last),
        credits=count,
        buffer_credits=buffer,
        serials=None if start is None or end is None else SerialBlock(start=start, end=end),
    )


@pytest.mark.parametrize(
    ("start", "end", "count"),
    [
        pytest.param(421604735, 421689507, 84773, id="a-published-row"),
        pytest.param(1000, 1010, 11, id="the-example-that-says-10"),
        pytest.param(7, 7, 1, id="one-credit"),
    ],
)
def test_a_block_counts_both_ends(start: int, end: int, count: int) -> None:
    """Last minus first plus one."""
    assert SerialBlock(start=start, end=end).count == count


@pytest.mark.parametrize(("start", "end"), [(2, 1), (0, 5), (-3, -1)])
def test_a_block_that_is_none_is_refused(start: int, end: int) -> None:
    """Backwards, or with a serial number below 1."""
    with pytest.raises(ContractError, match=f"serial block is none .*{start} to {end}"):
        SerialBlock(start=start, end=end)


REFUSED = [
    pytest.param({"first": "2020-12-01", "last": "2021-01-31"}, "one calendar year", id="over-new-year"),
    pytest.param({"first": "2020-12-01", "last": "2020-11-30"}, "one calendar year", id="backward"),
    pytest.param({"count": -1, "start": None}, "0 or more credits", id="negative"),
    pytest.param({"buffer": -1}, "0 or more credits", id="negative-buffer"),
    pytest.param({"count": 9}, "a block of 9 serials", id="block-too-large"),
    pytest.param({"count": 9, "start": None}, "a block of 9 serials", id="no-block"),
    pytest.param({"count": 0}, "a block of 0 serials", id="block-without-credits"),
]


@pytest.mark.parametrize(("parts", "said"), REFUSED)
def test_a_vintage_that_cannot_be_issued_is_refused(parts: dict[str, object], said: str) -> None:
    """It crosses a year, or its block does not hold its credits."""
    with pytest.raises(ContractError, match=said):
        vintage(**{"first": "2020-01-01", "last": "2020-12-31", **parts})  # type: ignore[arg-type]


def test_a_year_without_credits_is_a_vintage_without_a_block() -> None:
    """As after a loss: 0 credits, no serials."""
    assert vintage("2020-01-01", "2020-12-31", count=0, start=None).serials is None


def test_vintages_that_share_a_day_are_refused() -> None:
    """The last day is in the vintage, so the next one starts after it."""
    shared = (vintage("2020-07-01", "2020-12-31", start=11, end=20), vintage("2020-01-01", "2020-07-01"))
    with pytest.raises(ContractError, match=r"under test.*each day in one vintage"):
        require_apart(shared, where="under test")


def test_vintages_that_share_a_serial_are_refused() -> None:
    """The end of a block is in it."""
    shared = (vintage("2021-01-01", "2021-12-31"), vintage("2020-01-01", "2020-12-31", start=10, end=19))
    with pytest.raises(ContractError, match=r"under test.*each serial number in one vintage"):
        require_apart(shared, where="under test")


def test_neighbours_are_apart() -> None:
    """One ends where the next begins, by day and by serial, also with a year between that issues nothing."""
    apart = (
        vintage("2020-01-01", "2020-12-31"),
        vintage("2021-01-01", "2021-12-31", count=0, start=None),
        vintage("2022-01-01", "2022-12-31", start=11, end=20),
    )
    require_apart(apart, where="under test")
