"""A preview for rows that a release places by footprint equals what the bump then does, to the last digit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.factor_spans import FactorKey
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.pipeline.impact import factor_impact
from mrv_assets_tests.strategies import quantities
from mrv_assets_tests.unit.pipeline.located import KEY, NEW, OLD, Release, located_world, refused_by
from mrv_assets_tests.unit.pipeline.two_releases import by_factor, ledger
from mrv_assets_tests.world import memory_store

_NAMES = ("a", "b", "c", "d")
_LEFT, _BOTTOM, _SIDE = -93.5, 45.03, 0.2


@st.composite
def releases(draw: st.DrawFn, *, names: Sequence[str] = _NAMES) -> Release:
    """Return up to four squares of a fifth of a degree with ids in some order, and a factor for each."""
    ids = draw(st.permutations(names))
    corners = [(_LEFT + _SIDE * x, _BOTTOM + _SIDE * y) for x in range(2) for y in range(2)]
    regions = {
        name: shapely.box(x, y, x + _SIDE, y + _SIDE).wkt for name, (x, y) in zip(ids, corners, strict=False)
    }  # a release of three names leaves one square to nobody
    values = st.integers(0, 10**12).map(lambda n: format(Decimal(n).scaleb(-6), "f"))
    return Release(factors={name: draw(values) for name in names}, regions=regions)


_ROWS = st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7), quantities), min_size=1, max_size=4)


@settings(max_examples=6)
@given(before=releases(), after=st.one_of(releases(), releases(names=_NAMES[:3])), rows=_ROWS)
def test_a_preview_of_placed_rows_is_what_the_run_commits(
    before: Release, after: Release, rows: list[tuple[int, int, float]]
) -> None:
    """As a whole and by the regions that each release gives; a refusal is of the same gate."""
    lines = [
        f"r{n},2021,{qty!r},{_LEFT + _SIDE * x / 4},{_BOTTOM + _SIDE * y / 4}" for n, (x, y, qty) in enumerate(rows)
    ]
    world = located_world(memory_store(), before=before, after=after, rows=lines)
    if refused_by(world, KEY[OLD]) is not None:
        return
    stood = ledger(world, KEY[OLD])
    [one] = factor_impact(world, NEW, before=OLD).partitions
    refused = refused_by(world, KEY[NEW])
    assert one.before == stood
    assert (one.refusal.gate if isinstance(one.refusal, GateError) else one.refusal) == refused
    if refused is None:
        assert one.after == ledger(world, KEY[NEW])
        for side, version in (("before", OLD), ("after", NEW)):
            said = {key: getattr(move, side) for key, move in one.factors.items()}
            assert without_nothing(said) == without_nothing(by_factor(world, KEY[version]))


def without_nothing(parts: Mapping[FactorKey, Tonnes]) -> dict[FactorKey, Tonnes]:
    """Return the factors that have tonnes: one that a release no longer gives has none on the side of that release."""
    return {key: tonnes for key, tonnes in parts.items() if tonnes != Tonnes()}
