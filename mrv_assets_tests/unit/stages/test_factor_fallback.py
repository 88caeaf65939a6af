from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest

from mrv_assets.domain.contract import about, handed_on
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.fallback import Fallback, Level
from mrv_assets.domain.staged import Staged
from mrv_assets.stages.aggregate import aggregate
from mrv_assets.stages.factor import apply_factors
from mrv_assets_tests.builders import WHERE, release
from mrv_assets_tests.chains import chained
from mrv_assets_tests.unit.stages.test_factor import normalized

SITE = "US/MN/plant-7"
WIDER = ("US/MN", "US", "GLOBAL")
EVERYWHERE = Fallback(
    levels=(Level.STATE, Level.COUNTRY, Level.GLOBAL), max_share=Decimal(1), because="few plants are measured"
)


def published(*regions: str, **cells: str) -> Sequence[Mapping[str, str]]:
    """Return factors of these regions in t per MWh: 1 for the first, 2 for the second and so on."""
    return [{"region": r, "ef_value": str(n), "numerator_unit": "t", **cells} for n, r in enumerate(regions, 1)]


def factored(
    *regions: str | None,
    using: Sequence[Mapping[str, str]],
    fallback: Fallback | None = EVERYWHERE,
    epoch: str = "2021",
) -> Staged:
    """Apply factors to one MWh in each of the regions."""
    rows = [{"region": region, "epoch": epoch} for region in regions]
    return apply_factors(normalized(*rows), release=release(using), where=WHERE, fallback=fallback)


def refusal(*regions: str | None, using: Sequence[Mapping[str, str]], fallback: Fallback | None = EVERYWHERE) -> str:
    """Return the words with which these rows are refused, which is by the gate about matches."""
    with pytest.raises(GateError, match="activity has no factor") as caught:
        factored(*regions, using=using, fallback=fallback)
    assert caught.value.gate == "factors_matched"
    return str(caught.value)


@pytest.mark.parametrize(
    ("known", "region", "level"),
    [
        pytest.param((SITE, *WIDER), SITE, "own", id="own"),
        pytest.param(WIDER, "US/MN", "state", id="state"),
        pytest.param(WIDER[1:], "US", "country", id="country"),
        pytest.param(WIDER[2:], "GLOBAL", "global", id="global"),
        pytest.param((*reversed(WIDER), SITE), SITE, "own", id="whatever the order of the release"),
    ],
)
def test_the_nearest_region_lends_its_factor(known: Sequence[str], region: str, level: str) -> None:
    """A row has the factor of its own region where there is one, and says whose factor it has."""
    (row,) = factored(SITE, using=published(*known)).table.to_pylist()
    assert (row["region"], row["factor_region"], row["factor_level"]) == (SITE, region, level)
    assert row["emissions_tco2e"] == known.index(region) + 1


def test_nothing_is_lent_unless_it_is_declared() -> None:
    """Without a declaration only the row's own region counts, as published."""
    assert f"found 1: 'electricity.delivered {SITE} megawatt_hour 2021'" in refusal(
        SITE, using=published(*WIDER), fallback=None
    )


def test_a_level_that_is_not_declared_is_passed_over() -> None:
    """The state has a factor, but only that of the country may be lent."""
    only_country = Fallback(levels=(Level.COUNTRY,), max_share=Decimal(1), because="the state's is disputed")
    assert factored(SITE, using=published(*WIDER), fallback=only_country).table["factor_region"].to_pylist() == ["US"]
    assert "or for its country" in refusal(SITE, using=published("US/MN", "GLOBAL"), fallback=only_country)


def test_a_region_beside_the_path_lends_nothing() -> None:
    """Neither a neighbour nor a name that only begins alike; the closest known ones are shown."""
    says = refusal(SITE, using=published("US/WI", "US/M", "USA"))
    assert "or for its state, country, global" in says
    assert "closest known: 'electricity.delivered US/M megawatt_hour" in says


def test_every_key_without_a_factor_is_listed_once() -> None:
    """Rows that have one do not hide those that have none."""
    says = refusal("CA/ON", SITE, "CA/ON", "MX", using=published("US"))
    assert "found 2: 'electricity.delivered CA/ON megawatt_hour 2021', 'electricity.delivered MX " in says


def test_a_key_with_a_null_part_matches_nothing() -> None:
    """Not even the factor that holds everywhere, and it stops no other row from being named."""
    assert "'electricity.delivered null megawatt_hour 2021', 'electricity.delivered CA " in refusal(
        "US", None, "CA", using=published("US")
    )
    assert "found 1: 'electricity.delivered null megawatt_hour 2021'" in refusal(None, using=published("GLOBAL"))


def test_validity_goes_by_the_period() -> None:
    """A state factor of another year does not hold, so the country's of this year is lent."""
    old = published("US/MN", valid_from="2019-01-01", valid_to="2019-12-31")
    both = [*old, *published("US")]
    assert factored(SITE, using=both).table["factor_level"].to_pylist() == ["country"]


def test_a_nearer_factor_for_a_part_of_the_epoch_is_not_overridden() -> None:
    """The country's factor would silently stand for days on which the state's holds."""
    half = published("US/MN", valid_to="2021-06-30")
    says = refusal(SITE, using=[*half, *published("US")])
    assert "(US/MN has a factor for a part of the epoch only)" in says
    quarter = factored(SITE, using=[*half, *published("US")], epoch="2021-Q1")
    assert quarter.table["factor_level"].to_pylist() == ["state"]


def test_declaration_goes_with_the_rows_that_fell_back() -> None:
    """Another declaration is another content, as far as the strata; where no row fell back it is no matter."""
    lent, other = (
        factored(SITE, using=published("US"), fallback=fallback)
        for fallback in (EVERYWHERE, Fallback(levels=EVERYWHERE.levels, max_share=Decimal("0.5"), because="as before"))
    )
    assert about(lent.table)["fallback"] == EVERYWHERE.digest != about(other.table)["fallback"]
    assert about(aggregate(lent.table).table) == handed_on(lent.table) == {"fallback": EVERYWHERE.digest}
    own = factored("US", using=published("US"))
    assert about(own.table) == about(factored("US", using=published("US"), fallback=None).table) == {}
    assert (own.evidence["fallback"], own.evidence["fallback_max_share"]) == ("state country global", "1")
    assert own.evidence["fallback_because"] == "few plants are measured"


def test_chained_factors_apply_and_are_lent_like_any_other() -> None:
    """Stem wood of a site takes the chain of its country, rounded once, and its removals are exact from there on."""
    rows = [{"activity_id": "forest.growth", "region": "US/MN/plot-7", "unit": "meter ** 3", "activity_qty": 3.0}]
    made = chained([{"region": "US"}])
    (row,) = apply_factors(normalized(*rows), release=made, where=WHERE, fallback=EVERYWHERE).table.to_pylist()
    assert (row["factor_region"], row["factor_level"], row["flux"]) == ("US", "country", "removal")
    assert row["ef_value"] == Decimal("1.2063333333333333333333333333")
    assert row["removals_tco2e"] == Decimal("3.619000000")
