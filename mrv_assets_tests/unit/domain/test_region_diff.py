"""How the regions of two releases differ, by the digests of their outlines."""

from __future__ import annotations

from mrv_assets.domain.region_diff import OutlineChange, RegionDiff, region_differences


def test_every_region_of_either_release_is_told_of_once() -> None:
    """By id: gone, new, of another outline, or the same."""
    found = region_differences({"c": "1", "b": "2", "a": "3"}, {"d": "1", "b": "4", "a": "3"})
    assert found == RegionDiff(
        removed=["c"], added=["d"], changed=[OutlineChange(region="b", before="2", after="4")], unchanged=["a"]
    )
    assert not found.is_empty


def test_releases_without_regions_have_nothing_to_tell() -> None:
    """One of two that has some does."""
    assert region_differences({}, {}).is_empty
    assert not region_differences({}, {"a": "1"}).is_empty
