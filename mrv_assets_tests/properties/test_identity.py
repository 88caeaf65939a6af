from __future__ import annotations

import json
from datetime import timedelta

from hypothesis import assume, given
from hypothesis import strategies as st

from mrv_assets.domain.digest import canonical_json
from mrv_assets.domain.errors import IdentityError
from mrv_assets.domain.partition import PartitionKey, Period, idempotency_key
from mrv_assets_tests.strategies import partition_keys, period_texts, periods, spans, text

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)


@given(key=partition_keys)
def test_key_comes_back_from_its_two_dimensions(key: PartitionKey) -> None:
    """Splitting a series is the exact inverse of joining it, for every id that is allowed."""
    assert PartitionKey.from_dimensions(period=key.period, series=key.series) == key


@given(one=partition_keys, other=partition_keys)
def test_two_keys_never_share_their_dimensions(one: PartitionKey, other: PartitionKey) -> None:
    """Different partitions have different dimensions and different idempotency keys."""
    assume(one != other)
    assert (one.period, one.series) != (other.period, other.series)
    assert one.idempotency_key != other.idempotency_key


@given(one=st.lists(text, max_size=4), other=st.lists(text, max_size=4))
def test_idempotency_key_has_no_delimiter_to_collide_on(one: list[str], other: list[str]) -> None:
    """Whatever the parts hold, two different lists have two keys."""
    assert (idempotency_key(*one) == idempotency_key(*other)) is (one == other)


@given(written=period_texts)
def test_period_is_its_text(written: str) -> None:
    """A canonical period reads back as the text it was, and its days run forward."""
    period = Period.parse(written)
    assert period.text == written
    assert period.first <= period.last


@given(written=text | st.from_regex(r"[0-9]{4}(-[Q0-9]{1,3}){0,2}(_[0-9]{4}-[0-9]{2}-[0-9]{2})?", fullmatch=True))
def test_any_text_is_a_period_unchanged_or_refused(written: str) -> None:
    """No text is repaired into a period."""
    try:
        assert Period.parse(written).text == written
    except IdentityError as refusal:
        assert repr(written) == refusal.found  # noqa: PT017


@given(one=periods, other=periods)
def test_overlap_is_symmetric_and_means_a_shared_day(one: Period, other: Period) -> None:
    """Two periods overlap both ways or not at all, and do when one contains the other."""
    assert one.overlaps(other) is other.overlaps(one)
    assert one.overlaps(one)
    assert one.contains(one)
    later, earlier = max(one.first, other.first), min(one.last, other.last)
    assert one.overlaps(other) is (later <= earlier)
    if one.contains(other):
        assert one.overlaps(other)


@given(one=periods, other=periods)
def test_periods_with_the_same_days_have_the_same_name(one: Period, other: Period) -> None:
    """One span of days has one name, so two live figures cannot hide behind two spellings."""
    assert (one.text == other.text) is ((one.first, one.last) == (other.first, other.last))


@given(span=spans())
def test_every_span_has_a_name(span: tuple[object, object]) -> None:
    """A span reads as it is written, or its refusal names the shorter spelling of the same days."""
    written = f"{span[0]}_{span[1]}"
    try:
        period = Period.parse(written)
    except IdentityError as refusal:
        period = Period.parse(refusal.expected.removeprefix("the canonical spelling "))
    assert (period.first, period.last) == span
    assert period.contains(period)
    assert not period.overlaps(
        Period(text="day after", first=period.last + timedelta(days=1), last=period.last + timedelta(days=1))
    )


@given(value=json_values)
def test_canonical_json_says_the_value_and_nothing_else(value: object) -> None:
    """Reading gives the value back, and writing that again gives the same bytes."""
    data = canonical_json(value)  # type: ignore[arg-type]
    assert json.loads(data) == value
    assert canonical_json(json.loads(data)) == data
