"""What holds of the differences between any two releases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.factor_diff import FactorDiff, Step, differences
from mrv_assets.domain.factor_spans import FactorSpan, spans_of
from mrv_assets.domain.factors import CO2E, FactorRelease
from mrv_assets.domain.partition import Period
from mrv_assets_tests.builders import release

# Few names and values, close to one another, so that keys are shared, values are equal and renamings are found.
_KEYS = st.tuples(
    st.sampled_from(["heat", "heat/2020", "heat/2021", "vans"]),
    st.sampled_from(["GB", "US"]),
    st.sampled_from(["kWh", "MWh"]),
)
_VALUES = st.sampled_from(["0", "0.5", "0.50", "1", "3"]) | st.decimals(0, 10**6, places=12).map("{:f}".format)
_GASES = st.sets(st.sampled_from(["CO2", "CH4", "N2O"]), min_size=1).map(sorted) | st.just([CO2E])
_YEARS = st.sets(st.integers(2019, 2022), min_size=1).map(sorted)


@st.composite
def rows(draw: st.DrawFn) -> Sequence[Mapping[str, str]]:
    """Draw the rows of a release: for each key a factor in one year or in several, by gas or as a total."""
    made = []
    for activity_id, region, unit in sorted(draw(st.sets(_KEYS, min_size=1, max_size=5))):
        for year in draw(_YEARS):
            shared = {
                "activity_id": activity_id,
                "region": region,
                "denominator_unit": unit,
                "flux": draw(st.sampled_from(["emission", "removal"])),
                "valid_from": f"{year}-01-01",
                "valid_to": f"{year}-12-31",
            }
            for gas in draw(_GASES):
                mass = draw(st.sampled_from(["kg", "lb", "g"]))
                made.append({**shared, "gas": gas, "ef_value": draw(_VALUES), "numerator_unit": mass})
    return made


releases = st.sampled_from(["ar5", "ar6"]).flatmap(
    lambda gwp_set: rows().map(lambda drawn: release(drawn, gwp_set=gwp_set))
)


def classes(diff: FactorDiff) -> Mapping[str, set[object]]:
    """Return the keys of each class."""
    return {
        "removed": set(diff.removed),
        "added": set(diff.added),
        "changed": {factor.key for factor in diff.changed},
        "unchanged": {factor.key for factor in diff.unchanged},
    }


def steps(diff: FactorDiff) -> set[tuple[object, object, object]]:
    """Return key, before and after of every step that changes something."""
    return {
        (factor.key, _told(step.before), _told(step.after))
        for factor in diff.changed
        for step in factor.steps
        if not step.is_same
    }


def _told(span: FactorSpan | None) -> object:
    return span and (span.first, span.last, span.said)


@given(one=releases)
def test_a_release_does_not_differ_from_itself(one: FactorRelease) -> None:
    """Nothing is removed, added, changed or renamed, and every key is there."""
    diff = differences(one, one)
    assert classes(diff) == {"removed": set(), "added": set(), "changed": set(), "unchanged": set(spans_of(one))}
    assert not diff.renamings
    assert not any(factor.has_other_days for factor in diff.unchanged)


@given(one=releases, other=releases)
def test_every_key_is_in_exactly_one_class(one: FactorRelease, other: FactorRelease) -> None:
    """The classes share no key and together are the keys of both releases."""
    counted = Counter(key for keys in classes(differences(one, other)).values() for key in keys)
    assert set(counted) == set(spans_of(one)) | set(spans_of(other))
    assert set(counted.values()) == {1}


@given(one=releases, other=releases)
def test_the_other_direction_is_the_mirror(one: FactorRelease, other: FactorRelease) -> None:
    """What was removed is added, before is after, and the same renamings are offered the other way round."""
    there, back = differences(one, other), differences(other, one)
    assert (there.removed, there.added) == (back.added, back.removed)
    assert classes(there)["unchanged"] == classes(back)["unchanged"]
    assert steps(there) == {(key, before, after) for key, after, before in steps(back)}
    assert {(pair.removed, pair.added, pair.likeness) for pair in there.renamings} == {
        (pair.added, pair.removed, pair.likeness) for pair in back.renamings
    }


@given(one=releases, other=releases)
def test_a_change_leads_from_before_to_after_exactly(one: FactorRelease, other: FactorRelease) -> None:
    """Before times (1 + change) is after, as rational numbers, for the sum and for each gas."""
    for factor in differences(one, other).changed:
        for step in factor.steps:
            if step.before and step.after and step.change is not None:
                assert Fraction(step.before.net) * (1 + step.change) == Fraction(step.after.net)
            _check_gases(step)


def _check_gases(step: Step) -> None:
    for gas in step.gases:
        if gas.before and gas.after and gas.change is not None:
            assert Fraction(gas.before.tonnes) * (1 + gas.change) == Fraction(gas.after.tonnes)


@given(one=releases, other=releases)
def test_a_renaming_relates_a_removed_to_an_added_factor_once(one: FactorRelease, other: FactorRelease) -> None:
    """Both sides say the same, and no key is offered twice."""
    diff = differences(one, other)
    for pair in diff.renamings:
        before, after = diff.removed[pair.removed], diff.added[pair.added]
        assert [span.said for span in before] == [span.said for span in after]
    offered = [key for pair in diff.renamings for key in (pair.removed, pair.added)]
    assert len(offered) == len(set(offered))


@given(one=releases)
def test_spans_say_what_a_run_would_take(one: FactorRelease) -> None:
    """The sum of a span is the combined factor of its days, to the decimals that the contract holds."""
    for key, spans in spans_of(one).items():
        for span in spans:
            taken = one.combined(
                activity_id=key.activity_id, region=key.region, unit=key.unit, epoch=Period.parse(f"{span.first:%Y}")
            )
            assert taken is not None
            assert (taken.flux, taken.ef_value) == (span.flux, span.co2e)
