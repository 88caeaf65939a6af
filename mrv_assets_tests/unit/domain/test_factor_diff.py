from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

import pytest

from mrv_assets.domain.factor_diff import FactorDiff, KeptFactor, Step, differences, percent, relative
from mrv_assets.domain.factor_spans import spans_of
from mrv_assets.domain.factors import CO2E
from mrv_assets_tests.builders import release

Rows = Sequence[Mapping[str, str]]
THIS_YEAR = {"valid_from": "2022-01-01", "valid_to": "2022-12-31"}
POUND = Decimal("0.00045359237")


def diff(before: Rows, after: Rows, *, sets: tuple[str, str] = ("ar6", "ar6")) -> FactorDiff:
    """Return how two releases of these rows differ."""
    return differences(release(before, gwp_set=sets[0]), release(after, gwp_set=sets[1]))


def only_step(found: FactorDiff) -> Step:
    """Return the one step of the one factor that changed."""
    (factor,) = found.changed
    (step,) = factor.steps
    return step


def days(factor: KeptFactor) -> list[tuple[str, bool, bool]]:
    """Return first day, and whether each release has a factor for it, of every step."""
    return [(str(step.first), step.before is not None, step.after is not None) for step in factor.steps]


def test_a_change_is_exact_by_gas_and_combined() -> None:
    """1098.4 to 936.485 lb/MWh is the rational number that these decimals make, whatever gas stands beside."""
    before = [{"ef_value": "1098.4"}, {"gas": "CH4", "ef_value": "0.119"}]
    after = [{"ef_value": "936.485", **THIS_YEAR}, {"gas": "CH4", "ef_value": "0.119", **THIS_YEAR}]
    step = only_step(diff(before, after))
    co2 = Fraction(936485, 1098400) - 1
    assert {gas.gas: gas.change for gas in step.gases} == {"CH4": 0, "CO2": co2}
    sums = [Fraction(value) + Fraction("0.119") * Fraction("27.9") for value in ("1098.4", "936.485")]
    assert step.change == sums[1] / sums[0] - 1
    assert percent(co2) == Decimal("-14.740986890")


@pytest.mark.parametrize(
    "after",
    [
        pytest.param({"ef_value": "1098.40"}, id="zeros at the end"),
        pytest.param({"ef_value": "0.5492", "numerator_unit": "short_ton"}, id="another unit of mass"),
        pytest.param({"denominator_unit": "megawatt_hour"}, id="another name of the unit"),
        pytest.param({"source": "eGRID second printing"}, id="another source"),
    ],
)
def test_another_spelling_is_no_change(after: Mapping[str, str]) -> None:
    """Masses are compared, not texts."""
    found = diff([{"ef_value": "1098.4"}], [{"ef_value": "1098.4", **after}])
    assert (found.removed, found.added, found.changed) == ({}, {}, [])
    assert [factor.has_other_days for factor in found.unchanged] == [False]


def test_the_same_value_of_the_next_edition_is_unchanged_for_other_days() -> None:
    """One factor for one year on each side is compared across the years."""
    (factor,) = diff([{}], [THIS_YEAR]).unchanged
    assert factor.has_other_days


def test_a_moved_gwp_set_changes_co2e_and_no_gas() -> None:
    """AR5 to AR6 moves methane from 28 to 27.9."""
    step = only_step(diff([{"gas": "CH4"}], [{"gas": "CH4"}], sets=("ar5", "ar6")))
    assert step.change == Fraction("27.9") / 28 - 1
    assert [gas.change for gas in step.gases] == [0]


def test_a_time_series_is_compared_year_by_year() -> None:
    """Years that both have are compared, the others come or go."""
    years = [
        {"valid_from": f"{year}-01-01", "valid_to": f"{year}-12-31", "ef_value": str(year)}
        for year in range(2019, 2023)
    ]
    (factor,) = diff(years[:3], years[1:]).changed
    assert days(factor) == [
        ("2019-01-01", True, False),
        ("2020-01-01", True, True),
        ("2021-01-01", True, True),
        ("2022-01-01", False, True),
    ]
    assert [step.is_same for step in factor.steps] == [False, True, True, False]
    assert [step.change for step in factor.steps] == [None, 0, 0, None]


def test_gases_with_days_of_their_own_make_spans() -> None:
    """A gas that is missing for a part of the year divides the factor there; the last day of all is no trouble."""
    rows = [{}, {"gas": "CH4", "valid_from": "2021-07-01", "valid_to": "9999-12-31"}]
    (spans,) = spans_of(release(rows)).values()
    assert [(str(span.first), str(span.last), [gas.gas for gas in span.gases]) for span in spans] == [
        ("2021-01-01", "2021-06-30", ["CO2"]),
        ("2021-07-01", "2021-12-31", ["CH4", "CO2"]),
        ("2022-01-01", "9999-12-31", ["CH4"]),
    ]
    assert spans[1].co2e == POUND + POUND * Decimal("27.9")


def test_a_gas_that_becomes_a_total_is_told() -> None:
    """Every gas of either side is named; one that a side does not have has no size of change."""
    step = only_step(diff([{"ef_value": "2"}], [{"gas": CO2E, "ef_value": "3"}]))
    assert [(gas.gas, gas.before is None, gas.after is None, gas.change) for gas in step.gases] == [
        ("CO2", False, True, None),
        (CO2E, True, False, None),
    ]
    assert step.change == Fraction(1, 2)


def test_an_emission_that_becomes_a_removal_is_a_change_by_twice_its_size() -> None:
    """The factor is counted with its sign."""
    step = only_step(diff([{"ef_value": "2"}], [{"ef_value": "2", "flux": "removal"}]))
    assert step.change == -2


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [("0", "0.0", Fraction(0)), ("0", "1", None), ("1", "0", Fraction(-1)), ("-100", "-120", Fraction(1, 5))],
)
def test_a_change_from_nothing_has_no_size(before: str, after: str, change: Fraction | None) -> None:
    """Only a change from 0 to something has none; a removal that grows is a positive change."""
    assert relative(Decimal(before), Decimal(after)) == change


def test_the_largest_change_comes_first() -> None:
    """From 0, then by size of the combined change, then days that only come or go."""
    values = {"a": ("1", "1.1"), "b": ("1", "0.2"), "c": ("0", "1"), "d": ("1", "1.5")}
    before = [{"activity_id": name, "ef_value": old} for name, (old, _) in values.items()]
    after = [{"activity_id": name, "ef_value": new} for name, (_, new) in values.items()]
    before += [{"activity_id": "e"}]
    after += [{"activity_id": "e"}, {"activity_id": "e", **THIS_YEAR}]
    assert [factor.key.activity_id for factor in diff(before, after).changed] == ["c", "b", "d", "a", "e"]


def named(*names: str, **differs: str) -> Rows:
    """Return one row for each activity."""
    return [{"activity_id": name, **differs} for name in names]


@pytest.mark.parametrize(
    ("before", "after", "renamed"),
    [
        pytest.param(
            named("heat/onsite"), named("heat/onsite/2020"), [("heat/onsite", "heat/onsite/2020")], id="close"
        ),
        pytest.param(named("heat/onsite"), named("vans/class-iii"), [], id="not close"),
        pytest.param(named("heat/onsite"), named("heat/onsite/2020", ef_value="2"), [], id="another value"),
        pytest.param(named("heat/onsite"), named("heat/onsite/2020", region="US"), [], id="another region"),
        pytest.param(named("heat/onsite"), named("heat/onsite/2020", denominator_unit="kWh"), [], id="another unit"),
        pytest.param(named("heat/onsite"), named("heat/onsite", "heat/onsite/2020"), [], id="not removed"),
        pytest.param(
            named("heat/onsite", "heat/on-site"),
            named("heat/onsite/2020"),
            [("heat/onsite", "heat/onsite/2020")],
            id="each once, the closest first",
        ),
    ],
)
def test_a_renaming_is_offered_for_equal_values_and_close_names(
    before: Rows, after: Rows, renamed: Sequence[tuple[str, str]]
) -> None:
    """A candidate pairs a key that went with one that came, each at most once; both stay what they are."""
    found = diff(before, after)
    assert [(pair.removed.activity_id, pair.added.activity_id) for pair in found.renamings] == renamed
    assert len(found.removed) + len(found.unchanged) == len(before)
