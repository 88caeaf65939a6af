from __future__ import annotations

from datetime import date

import pytest

from mrv_assets.domain.errors import IdentityError
from mrv_assets.domain.partition import Period


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2024", date(2024, 1, 1), date(2024, 12, 31)),
        ("2024-Q1", date(2024, 1, 1), date(2024, 3, 31)),
        ("2024-Q4", date(2024, 10, 1), date(2024, 12, 31)),
        ("2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("2023-02", date(2023, 2, 1), date(2023, 2, 28)),
        ("2021-04-01_2022-12-31", date(2021, 4, 1), date(2022, 12, 31)),
        ("2021-04-01_2021-04-01", date(2021, 4, 1), date(2021, 4, 1)),
        ("2021-01-01_2022-12-31", date(2021, 1, 1), date(2022, 12, 31)),
        ("2021-02-01_2021-04-30", date(2021, 2, 1), date(2021, 4, 30)),
        ("0001", date(1, 1, 1), date(1, 12, 31)),
        ("9999", date(9999, 1, 1), date(9999, 12, 31)),
    ],
)
def test_period_knows_its_first_and_last_day(text: str, first: date, last: date) -> None:
    """Each of the four forms names whole days, both ends included."""
    period = Period.parse(text)
    assert (period.text, period.first, period.last) == (text, first, last)
    assert str(period) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        " 2024",
        "2024 ",
        "2024\n",
        "24",
        "02024",
        "202403",
        "2024-3",
        "2024-00",
        "2024-13",
        "2024-Q0",
        "2024-Q5",
        "2024-q1",
        "2024Q1",
        "Q1-2024",
        "2024-03-01",
        "2024-H1",
        "FY2024",
        "2024/2025",
        "2024-01-01/2024-06-30",
        "2024-01-01_2024-06",
        "2024-01-01_",
        "2024-01-01_2024-02-30",
        "2023-02-29_2023-03-01",
        "2024-02-30_2024-03-01",
        "0000",
        "0000-Q1",
        "\uff12\uff10\uff12\uff14",
        "-2024",
        "2024-Q1_2024-Q2",
    ],
)
def test_other_spellings_are_refused(text: str) -> None:
    """A period is never guessed: what is not one of the four forms, or no day of the calendar, is refused."""
    with pytest.raises(IdentityError, match="period is not in canonical form"):
        Period.parse(text)


@pytest.mark.parametrize("value", [2024, 2024.0, None, b"2024", date(2024, 1, 1)])
def test_periods_are_text(value: object) -> None:
    """A number that looks like a year is refused: types do not travel in keys."""
    with pytest.raises(IdentityError, match="expected text"):
        Period.parse(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("2021-01-01_2021-12-31", "2021"),
        ("2021-01-01_2021-03-31", "2021-Q1"),
        ("2021-10-01_2021-12-31", "2021-Q4"),
        ("2021-02-01_2021-02-28", "2021-02"),
        ("2024-02-01_2024-02-29", "2024-02"),
    ],
)
def test_span_with_a_shorter_name_is_refused_by_that_name(text: str, canonical: str) -> None:
    """One period has one name: the refusal says which."""
    with pytest.raises(IdentityError, match=f"expected the canonical spelling {canonical};"):
        Period.parse(text)


def test_span_that_runs_backwards_is_refused() -> None:
    """The last day is not before the first."""
    with pytest.raises(IdentityError, match="a last day on or after the first day"):
        Period.parse("2022-01-01_2021-12-31")


@pytest.mark.parametrize(
    ("one", "other", "shares", "contains"),
    [
        ("2021", "2021", True, True),
        ("2021", "2021-Q4", True, True),
        ("2021", "2022", False, False),
        ("2021", "2021-12-31_2022-12-31", True, False),
        ("2021-Q1", "2021-03", True, True),
        ("2021-Q1", "2021-04", False, False),
        ("2021-12", "2021", True, False),
        ("2020-12-31_2022-01-01", "2021", True, True),
    ],
)
def test_periods_overlap_by_days_whatever_their_form(one: str, other: str, shares: bool, contains: bool) -> None:  # noqa: FBT001
    """Overlap and containment look at days, not at spellings."""
    assert Period.parse(one).overlaps(Period.parse(other)) is shares
    assert Period.parse(one).contains(Period.parse(other)) is contains


@pytest.mark.parametrize(
    ("text", "by", "is_covered"),
    [
        pytest.param("2021", [], False, id="nothing"),
        pytest.param("2021", ["2021"], True, id="itself"),
        pytest.param("2021-Q2", ["2020-07-01_2021-06-30"], True, id="a longer one"),
        pytest.param("2021", ["2021-Q3", "2021-Q1", "2021-Q4", "2021-Q2"], True, id="quarters in any order"),
        pytest.param("2021", ["2021-Q1", "2021-Q2", "2021-Q4"], False, id="a gap"),
        pytest.param("2021", ["2020-07-01_2021-06-30", "2021-03-01_2021-12-31"], True, id="overlapping, from before"),
        pytest.param("2021", ["2020", "2021-01-02_2021-12-31"], False, id="the first day is missing"),
        pytest.param("2021", ["2021-01-01_2021-12-30", "2022"], False, id="the last day is missing"),
        pytest.param("2021-Q1", ["2021-01-01_2021-02-28", "2021-01", "2021-03"], True, id="a short one inside"),
        pytest.param("9999", ["9999-01-01_9999-11-30", "9999-12"], True, id="the end of the calendar"),
    ],
)
def test_a_period_is_covered_when_each_of_its_days_is(text: str, by: list[str], is_covered: bool) -> None:  # noqa: FBT001
    """By one period or by several, whatever their order, and whether or not they share days."""
    assert Period.parse(text).is_covered([Period.parse(other) for other in by]) is is_covered
