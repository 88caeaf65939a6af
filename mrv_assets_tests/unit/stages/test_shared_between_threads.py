"""What threads share of an operation is safe to share: batches side by side have the bits of one after the other."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mrv_assets_tests.world import ROOT

# In a process of its own, because what goes wrong in PROJ ends the process.
PROGRAM = """
import sys
from concurrent.futures import ThreadPoolExecutor
import numpy as np, pyarrow as pa, shapely
from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.source import Footprint
from mrv_assets.stages.normalized_footprints import NormalizedFootprints
from mrv_assets.stages.projection import operation_from

crs, x, y, size = sys.argv[1], *map(float, sys.argv[2:])
waiver = {"max_accuracy_m": "1000", "without_best_grid": True, "because": "any will do"}
operation = operation_from(crs, policy=CrsPolicy.parse({"waiver": waiver} if crs != "EPSG:4617" else {}), where="plots")
random = np.random.default_rng(0)
rows = 6 << 15
west, south = x + random.uniform(0, 1000 * size, rows), y + random.uniform(0, 1000 * size, rows)
boxes = shapely.box(west, south, west + size, south + size)
# Every hundredth takes the careful route: its longest edge gets vertices.
boxes[::100] = shapely.box(west[::100], south[::100], west[::100] + 300 * size, south[::100] + size)
wkb = shapely.to_wkb(boxes, byte_order=1, flavor="iso")

def on_four_threads(function, items):
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(function, items))

def normalized(each):
    return NormalizedFootprints.of([pa.array(wkb, pa.binary())], operation, Footprint.AREA, None, each)

one, other = normalized(map), normalized(on_four_threads)
assert len(one.batches) == 6
assert one.wkb.null_count == 0
assert one.wkb.equals(other.wkb)
assert one.area_ha.tobytes() == other.area_ha.tobytes()
areas = [np.concatenate([batch.geodesic_m2 for batch in run.batches]) for run in (one, other)]
assert areas[0].tobytes() == areas[1].tobytes()
"""


@pytest.mark.parametrize(
    ("crs", "x", "y", "size"),
    [
        pytest.param("EPSG:4617", "-100", "45", "0.0005", id="Helmert shift, as policies are"),
        pytest.param("EPSG:4314", "7", "50", "0.0005", id="Helmert shift, waived"),
        pytest.param("EPSG:31467", "3450000", "5400000", "50", id="Helmert shift from a projected source"),
    ],
)
def test_batches_on_four_threads_have_the_bits_of_one_thread(crs: str, x: str, y: str, size: str) -> None:
    """Coordinates, areas on the plane and areas on the ellipsoid, by both routes."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, crs, x, y, size],
        capture_output=True,
        text=True,
        timeout=600,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
