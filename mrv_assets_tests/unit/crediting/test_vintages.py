"""A result by calendar year."""

from __future__ import annotations

from decimal import Decimal

import pytest

from mrv_assets.crediting.vintages import apportioned, by_days, by_year, calendar_spans, issued
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Period

EIGHTEEN_MONTHS = calendar_spans(Period.parse("2020-01-01_2021-06-30"))


def numbers(*texts: str) -> list[Decimal]:
    """Return decimals."""
    return [Decimal(text) for text in texts]


def test_the_published_example_has_two_vintages() -> None:
    """1 January 2020 to 30 June 2021 are the year 2020 and half of 2021."""
    assert [(str(span.first), str(span.last)) for span in EIGHTEEN_MONTHS] == [
        ("2020-01-01", "2020-12-31"),
        ("2021-01-01", "2021-06-30"),
    ]


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        pytest.param("547", ["366", "181"], id="a-tonne-a-day"),
        pytest.param("1", ["0.669104205", "0.330895795"], id="does-not-end"),
        pytest.param("-1", ["-0.669104205", "-0.330895795"], id="a-loss"),
        pytest.param("0.000000001", ["0.000000001", "0"], id="one-step"),
        pytest.param("0.0000000001", ["0", "0.0000000001"], id="smaller-than-a-step"),
    ],
)
def test_an_amount_is_split_by_days(amount: str, expected: list[str]) -> None:
    """366 and 181 days, in steps of a billionth."""
    assert list(by_days(Decimal(amount), EIGHTEEN_MONTHS)) == numbers(*expected)


def test_an_amount_over_nothing_is_refused() -> None:
    """There is no part that it could fall on."""
    assert apportioned(0, [0, 0]) == [0, 0]
    with pytest.raises(ContractError, match="amount cannot be split"):
        apportioned(1, [0, 0])


def test_given_years_are_never_raised() -> None:
    """Deductions of 54.7 t are spread by days, and a year with a loss keeps it."""
    given = {2020: Decimal(700), 2021: Decimal(-100)}
    assert by_year(Decimal("545.3"), given, EIGHTEEN_MONTHS, where="here") == (Decimal("663.4"), Decimal("-118.1"))


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({2020: "547"}, id="year-missing"),
        pytest.param({2020: "1", 2021: "1", 2022: "600"}, id="year-outside"),
        pytest.param({2020: "300", 2021: "200"}, id="less-than-the-result"),
    ],
)
def test_given_years_that_do_not_fit_are_refused(given: dict[int, str]) -> None:
    """Each year of the period once, and in sum no less than the result."""
    amounts = {year: Decimal(text) for year, text in given.items()}
    with pytest.raises(ContractError, match="amounts by calendar year do not fit the result"):
        by_year(Decimal(547), amounts, EIGHTEEN_MONTHS, where="here")


@pytest.mark.parametrize(
    ("results", "buffer", "carried", "whole", "deposits", "deficit"),
    [
        pytest.param(["100.9", "50.9"], "0", "0", [100, 50], [0, 0], "0", id="rounded-down-per-vintage"),
        pytest.param(["100", "100"], "14.1", "0", [92, 93], [8, 7], "0", id="deposit-rounded-up-once"),
        pytest.param(["-30", "100"], "0", "0", [0, 70], [0, 0], "0", id="loss-made-up-by-the-next-year"),
        pytest.param(["100", "-30"], "0", "0", [70, 0], [0, 0], "0", id="loss-set-off-within-the-period"),
        pytest.param(["20", "-30"], "0", "0", [0, 0], [0, 0], "10", id="net-loss-is-carried"),
        pytest.param(["20", "30"], "0", "45", [0, 5], [0, 0], "0", id="carried-loss-is-made-up-first"),
        pytest.param(["20", "30"], "0", "80", [0, 0], [0, 0], "30", id="still-to-be-made-up"),
        pytest.param(["0.4", "0.4"], "0.2", "0", [0, 0], [0, 0], "0", id="less-than-one-credit"),
        pytest.param(["20", "30"], "40", "45", [0, 0], [0, 5], "0", id="deposit-within-what-is-left"),
    ],
)
def test_what_is_issued(
    results: list[str], buffer: str, carried: str, whole: list[int], deposits: list[int], deficit: str
) -> None:
    """Whole credits and deposits by vintage, and what the next period has to make up."""
    found = issued(EIGHTEEN_MONTHS, numbers(*results), buffer_tco2e=Decimal(buffer), deficit_tco2e=Decimal(carried))
    assert [vintage.credits for vintage in found.vintages] == whole
    assert [vintage.buffer_credits for vintage in found.vintages] == deposits
    assert found.deficit_tco2e == Decimal(deficit)


@pytest.mark.parametrize(("buffer", "carried"), [("-1", "0"), ("0", "-1")])
def test_negative_state_is_refused(buffer: str, carried: str) -> None:
    """A negative deficit would be a credit out of nothing."""
    with pytest.raises(ContractError, match="carried amount is negative"):
        issued(EIGHTEEN_MONTHS, numbers("1", "1"), buffer_tco2e=Decimal(buffer), deficit_tco2e=Decimal(carried))
