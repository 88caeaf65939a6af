"""The outlines of the regions of a release, told apart by digests."""

from __future__ import annotations

import pytest

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.region_file import outlines
from mrv_assets_tests.regions import EAST, WEST, regions_parquet

TWO = {"east": EAST, "west": WEST}
AS_IT_IS = outlines(regions_parquet(TWO), where="here")


@pytest.mark.parametrize(
    ("east", "is_same"),
    [
        pytest.param("POLYGON ((2 1, 1 1, 1 0, 2 0, 2 1))", True, id="a ring that begins elsewhere"),
        pytest.param("POLYGON ((1 0, 1 1, 2 1, 2 0, 1 0))", True, id="a ring the other way round"),
        pytest.param("POLYGON ((1 0, 2 0, 2 1.0000001, 1 1, 1 0))", False, id="a corner moved by a centimetre"),
    ],
)
def test_the_digest_is_of_the_outline(east: str, is_same: bool) -> None:  # noqa: FBT001
    """The other region keeps its own."""
    found = outlines(regions_parquet({"east": east, "west": WEST}), where="here")
    assert (found["east"] == AS_IT_IS["east"]) is is_same
    assert found["west"] == AS_IT_IS["west"]


def test_another_crs_is_another_outline() -> None:
    """Equal numbers in another datum are other places."""
    found = outlines(regions_parquet(TWO, crs="EPSG:4269"), where="here")
    assert not {"east", "west"} - found.keys()
    assert set(found.values()).isdisjoint(AS_IT_IS.values())


def test_a_release_without_the_file_has_no_outlines() -> None:
    """It says nothing of where its regions are."""
    assert outlines(None, where="here") == {}


def test_a_file_that_cannot_be_read_is_refused() -> None:
    """As it is when rows are placed."""
    with pytest.raises(GateError, match=r"regions of the factor release cannot be used.*here"):
        outlines(b"no Parquet", where="here")
