"""What the operator works on: two counties and three years of the committed data, and a corrected delivery.

What does not belong here: starting servers and clicking.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

from mrv_assets.domain.partition import PartitionKey
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.world import TWIN_CITIES, committed_references

PROJECTS = ("metc-anoka", "metc-pierce")
YEARS = ("2020", "2021", "2022")
FACTOR_VERSION = "mrow-2025.05.20"
KEYS = tuple(
    PartitionKey(project_id=project, period=year, factor_version=FACTOR_VERSION)
    for project, year in product(PROJECTS, YEARS)
)
DELIVERY = (TWIN_CITIES / "landing/2025-05-20/electricity.csv").read_bytes()
CORRECTED = DELIVERY.replace(b"2654031.348", b"2604031.348").replace(b"2645508.833146826", b"2655508.833146826")
"""The same delivery with two of the six figures corrected: Anoka in 2021 downwards and in 2022 upwards."""


def two_counties(folder: Path) -> Home:
    """Lay out a home that knows these two projects only, and no inventory.

    A check of an inventory warns for whoever reports before the last one does, and the queue decides who that is.
    """
    references = {
        key: data
        for key, data in committed_references().items()
        if not key.startswith(("projects/", "inventories/")) or Path(key).stem in PROJECTS
    }
    return Home.create(folder, references=references, landing={"electricity.csv": DELIVERY})
