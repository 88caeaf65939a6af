"""What `mrv factors diff` says of the published workbooks themselves, edition by edition."""

from __future__ import annotations

from datetime import date
from functools import cache

import pytest

from mrv_assets.domain.factor_diff import FactorDiff, differences, percent
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.importers.draft import DraftRelease
from mrv_assets.importers.written import ReleaseHead, factors_csv, release_toml
from mrv_assets_tests.golden.test_published_factors import HUBS, UK, epa, gwp, uk

pytestmark = pytest.mark.skipif(
    not (UK.is_dir() and HUBS.is_dir()),
    reason="the public data sets are not here: no ../shared/data/uk-conversion-factors or epa-factors",
)


def released(draft: DraftRelease) -> FactorRelease:
    """Return the release that a draft makes."""
    factors = factors_csv(draft)
    head = ReleaseHead(
        version="v",
        line="l",
        title=draft.title,
        published=date(2022, 1, 1),
        gwp_set=draft.gwp_set,
        supersedes="",
        reason="r",
    )
    toml = release_toml(head, factors=factors)
    return FactorRelease.parse("v", release_toml=toml, factors_csv=factors, gwp=gwp(draft.gwp_set))


@cache
def between(older: str, newer: str) -> FactorDiff:
    """Return how two flat files differ."""
    return differences(released(uk(older)), released(uk(newer)))


@pytest.mark.parametrize(
    ("older", "newer", "removed", "added", "changed", "unchanged", "renamings"),
    [("2021", "2022", 506, 648, 1205, 724, 234), ("2022", "2023", 24, 34, 2390, 163, 1)],
)
def test_every_factor_of_two_flat_files_is_in_one_class(
    older: str, newer: str, removed: int, added: int, changed: int, unchanged: int, renamings: int
) -> None:
    """The counts of vanished and new ids are those of the importer; 2022 renamed many that kept their value."""
    diff = between(older, newer)
    assert (len(diff.removed), len(diff.added), len(diff.changed), len(diff.unchanged), len(diff.renamings)) == (
        *(removed, added, changed, unchanged),
        renamings,
    )
    assert removed + changed + unchanged == len(uk(older).rows)
    assert added + changed + unchanged == len(uk(newer).rows)


def test_a_year_behind_the_label_is_offered_as_a_renaming() -> None:
    """The flat file of 2022 put `2020` behind the labels of heat whose factors stayed."""
    pairs = {(pair.removed.activity_id, pair.added.activity_id) for pair in between("2021", "2022").renamings}
    onsite = "heat-and-steam/heat-and-steam/onsite-heat-and-steam"
    assert (onsite, f"{onsite}/2020") in pairs


@pytest.mark.parametrize(
    ("region", "before", "after", "change"),
    [
        ("US/MROW", "1098.4", "936.485", "-14.740986890"),
        ("US/CAMX", "453.2", "497.443", "9.762356575"),
        ("US", "884.2", "823.149", "-6.904659579"),
    ],
)
def test_electricity_of_the_hubs_is_changed_by_what_was_published(
    region: str, before: str, after: str, change: str
) -> None:
    """CO2 in lb/MWh from the hub of 2021 to that of 2024."""
    diff = differences(released(epa("2021")), released(epa("2024")))
    (factor,) = [f for f in diff.changed if (f.key.activity_id, f.key.region) == ("electricity.delivered", region)]
    (step,) = factor.steps
    (co2,) = [gas for gas in step.gases if gas.gas == "CO2"]
    assert co2.before is not None
    assert co2.after is not None
    assert co2.change is not None
    assert (str(co2.before.ef_value), str(co2.after.ef_value), str(percent(co2.change))) == (before, after, change)
