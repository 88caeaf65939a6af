"""What holds of every row that the regions of a release place."""

from __future__ import annotations

from random import Random

import shapely
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.stages.spatial_regions import in_regions
from mrv_assets_tests.builders import WHERE
from mrv_assets_tests.regions import normalized_at, regions_parquet

_STEPS = 4
_IDS = st.permutations([f"{column}{row}" for column in "abcd" for row in range(_STEPS)])
# Quarters of degrees, so that points lie on borders and corners often.
_POINTS = st.lists(st.tuples(st.integers(0, 16), st.integers(0, 16)), min_size=1, max_size=12)


def grid(ids: list[str], *, seed: int) -> bytes:
    """Return a file of 4 x 4 squares of a degree with these ids, column by column, written in an order of its own."""
    cells = [(x, y) for x in range(_STEPS) for y in range(_STEPS)]
    regions = {name: shapely.box(x, y, x + 1, y + 1).wkt for name, (x, y) in zip(ids, cells, strict=True)}
    order = list(regions)
    Random(seed).shuffle(order)
    return regions_parquet({name: regions[name] for name in order})


@given(ids=_IDS, quarters=_POINTS, seed=st.integers(0, 99))
def test_every_row_has_the_one_owner_that_the_rule_gives(
    ids: list[str], quarters: list[tuple[int, int]], seed: int
) -> None:
    """The smallest id of all squares that a point touches, told by integers; rows are neither lost nor doubled."""
    points = [f"POINT ({x / 4} {y / 4})" for x, y in quarters]
    table, evidence = in_regions(
        normalized_at(*points), regions=grid(ids, seed=seed), policy=CrsPolicy.parse({}), where=WHERE
    )
    touched = [
        [ids[cx * _STEPS + cy] for cx in range(4) for cy in range(4) if 0 <= x - 4 * cx <= 4 and 0 <= y - 4 * cy <= 4]
        for x, y in quarters
    ]
    owners = dict(zip(table.column("row_id").to_pylist(), table.column("region").to_pylist(), strict=True))
    assert owners == {f"r{n}": min(names) for n, names in enumerate(touched)}
    assert evidence["rows_on_borders"] == str(sum(len(names) > 1 for names in touched))
