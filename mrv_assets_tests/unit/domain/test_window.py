"""Windows: which periods a text names, and which texts are refused."""

from __future__ import annotations

import pytest

from mrv_assets.domain.errors import IdentityError
from mrv_assets.domain.partition import Period
from mrv_assets.domain.window import Window, overlapping


@pytest.mark.parametrize(
    ("text", "periods"),
    [
        pytest.param("2021", ["2021"], id="one period"),
        pytest.param("2019..2022", ["2019", "2020", "2021", "2022"], id="years"),
        pytest.param("2023-Q4..2024-Q2", ["2023-Q4", "2024-Q1", "2024-Q2"], id="quarters over a new year"),
        pytest.param("2023-11..2024-01", ["2023-11", "2023-12", "2024-01"], id="months over a new year"),
        pytest.param("2024-02,2021,2023-Q1..2023-Q1", ["2021", "2023-Q1", "2024-02"], id="list, in order of days"),
        pytest.param("2021-04-01_2022-12-31", ["2021-04-01_2022-12-31"], id="a span by itself"),
    ],
)
def test_a_window_names_its_periods(text: str, periods: list[str]) -> None:
    """Ranges include both ends, lists are sorted by day."""
    window = Window.parse(text)
    assert [period.text for period in window.periods] == periods
    assert all(period in window for period in periods)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "period is not in canonical form", id="nothing"),
        pytest.param("202403", "period is not in canonical form", id="no canonical period"),
        pytest.param("2021, 2022", "period is not in canonical form", id="a space"),
        pytest.param("2019..2022-03", "two years, two quarters or two months", id="two kinds"),
        pytest.param("2021-04-01_2022-12-31..2023", "two years, two quarters or two months", id="a range of spans"),
        pytest.param("2022..2019", "a range that runs forwards", id="backwards"),
        pytest.param("2021,2021", "share no day; found 2021 and 2021", id="twice"),
        pytest.param("2021,2021-03", "share no day; found 2021 and 2021-03", id="one inside the other"),
    ],
)
def test_a_window_that_is_not_one_is_refused(text: str, message: str) -> None:
    """Nothing is guessed, and no day is asked for twice."""
    with pytest.raises(IdentityError, match=message):
        Window.parse(text)


def test_a_window_is_touched_by_every_period_that_shares_a_day() -> None:
    """Whatever its name: a quarter touches the window of a month in it."""
    window = Window.parse("2024-02")
    assert window.touches(Period.parse("2024-Q1"))
    assert not window.touches(Period.parse("2024-Q2"))
    assert "2024-Q1" not in window


def test_overlapping_finds_every_pair_once() -> None:
    """A year meets each of its months; the months do not meet each other."""
    periods = [Period.parse(text) for text in ("2024-02", "2024", "2024-01", "2024-01", "2025")]
    assert [(str(one), str(other)) for one, other in overlapping(periods)] == [("2024-01", "2024"), ("2024", "2024-02")]
