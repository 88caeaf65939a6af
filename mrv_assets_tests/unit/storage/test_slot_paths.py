"""The codec between slots and record keys."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.errors import IdentityError
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.storage.slot_paths import parse_record_key, record_key, slot_folder

ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}", fullmatch=True)
years = st.integers(1, 9999).map(lambda year: f"{year:04d}")
spans = st.builds(
    lambda first, days: f"{first}_{first + timedelta(days)}",
    st.dates(date(1990, 1, 2), date(2090, 1, 1)).filter(lambda day: day.day != 1),
    st.integers(0, 900),
)
periods = st.one_of(
    years,
    st.builds("{}-Q{}".format, years, st.integers(1, 4)),
    st.builds("{}-{:02d}".format, years, st.integers(1, 12)),
    spans,
)
generations = st.integers(1, 999_999_999_999)


@st.composite
def slots(draw: st.DrawFn) -> Slot:
    """Draw canonical slots of every asset."""
    asset = draw(st.sampled_from(Asset))
    return Slot(
        asset=asset,
        project_id=draw(ids),
        period=draw(periods),
        factor_version=draw(ids) if asset.depends_on_factors else None,
    )


@given(slots(), generations)
def test_a_key_reads_back_as_its_slot_and_generation(slot: Slot, generation: int) -> None:
    """The codec round-trips for every slot and number."""
    assert parse_record_key(record_key(slot, generation)) == (slot, generation)


@given(slots(), generations, slots(), generations)
def test_no_two_generations_share_a_key(one: Slot, first: int, other: Slot, second: int) -> None:
    """The codec is injective."""
    is_same = (one, first) == (other, second)
    assert (record_key(one, first) == record_key(other, second)) == is_same


@given(slots(), slots())
def test_no_slot_folder_is_inside_another(one: Slot, other: Slot) -> None:
    """Listing one slot never shows the records of another."""
    is_inside = slot_folder(one).startswith(slot_folder(other))
    assert is_inside == (one == other)


@given(slots(), generations, generations)
def test_keys_sort_as_numbers_do(slot: Slot, one: int, other: int) -> None:
    """The newest generation has the last key of its folder."""
    assert (record_key(slot, one) < record_key(slot, other)) == (one < other)


def test_a_key_is_readable() -> None:
    """The layout is the documented one."""
    slot = Slot(asset=Asset.FACTORED, project_id="0042", period="2024-Q1", factor_version="2024.10")
    expected = "commits/factored/project_id=0042/period=2024-Q1/factor_version=2024.10/000000000007.json"
    assert record_key(slot, 7) == expected


@pytest.mark.parametrize(
    "key",
    [
        pytest.param("commits/ledger/project_id=a/period=2024/1.json", id="too few digits"),
        pytest.param("commits/ledger/project_id=a/period=2024/000000000000.json", id="generation 0"),
        pytest.param("commits/ledger/project_id=a/period=2024/000000000001.json.bak", id="suffix"),
        pytest.param(
            "commits/ledger/project_id=a/period=2024/\N{ARABIC-INDIC DIGIT ONE}00000000001.json", id="other digits"
        ),
        pytest.param("commits/ledger/project_id=a/period=24/000000000001.json", id="no period"),
        pytest.param("commits/ledger/project_id=-a/period=2024/000000000001.json", id="no id"),
        pytest.param("commits/other/project_id=a/period=2024/000000000001.json", id="no asset"),
        pytest.param("commits/ledger/project_id=a/period=2024/factor_version=v/000000000001.json", id="too deep"),
        pytest.param("commits/factored/project_id=a/period=2024/000000000001.json", id="not deep enough"),
        pytest.param("x/commits/ledger/project_id=a/period=2024/000000000001.json", id="elsewhere"),
        pytest.param("commits/ledger/project_id=a/period=2024/part-0.parquet", id="data of another tool"),
    ],
)
def test_a_foreign_key_is_no_generation(key: str) -> None:
    """What the codec does not write it does not read."""
    assert parse_record_key(key) is None


@pytest.mark.parametrize(
    ("slot", "found"),
    [
        pytest.param(
            Slot(asset=Asset.LEDGER, project_id="a", period="2024", factor_version="v"),
            "slot has the wrong parts",
            id="ledger with factors",
        ),
        pytest.param(
            Slot(asset=Asset.FACTORED, project_id="a", period="2024", factor_version=None),
            "slot has the wrong parts",
            id="factored without",
        ),
        pytest.param(
            Slot(asset=Asset.LEDGER, project_id="a/../b", period="2024", factor_version=None),
            "project_id is not a canonical id",
            id="path in the id",
        ),
        pytest.param(
            Slot(asset=Asset.LEDGER, project_id="a", period="202403", factor_version=None),
            "period is not in canonical form",
            id="period that looks like a number",
        ),
    ],
)
def test_a_slot_that_is_not_canonical_has_no_key(slot: Slot, found: str) -> None:
    """Identity is checked again where it becomes a path."""
    with pytest.raises(IdentityError, match=found):
        record_key(slot, 1)
