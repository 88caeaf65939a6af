from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.factor_uncertainty import Distribution, Uncertainty
from mrv_assets.domain.factors import FactorRelease, Flux
from mrv_assets.uncertainty.approach_1 import total
from mrv_assets.uncertainty.approach_2 import Simulation
from mrv_assets.uncertainty.factored_terms import (
    FactorUse,
    SourcedTerm,
    approach_1_terms,
    approach_2_products,
    sourced_terms,
    tonnes_by_factor,
)
from mrv_assets.uncertainty.simulated import simulate
from mrv_assets_tests.builders import release
from mrv_assets_tests.chains import FOREST, chained

D = Decimal
TEN = {"rel_uncertainty": "0.10", "confidence_level": "0.95", "distribution": "normal"}
HALF = {"rel_uncertainty": "0.50", "confidence_level": "0.95", "distribution": "normal"}


def stated(share: str) -> Uncertainty:
    """Return a normal half-width at 95 %."""
    return Uncertainty(rel_uncertainty=D(share), confidence_level=D("0.95"), distribution=Distribution.NORMAL)


CERTAIN = stated("0")
(CO2,) = release([TEN]).rows
USE = FactorUse(
    activity_id=CO2.activity_id, region=CO2.region, unit=CO2.denominator_unit, epoch="2021", flux=Flux.EMISSION
)
GROWTH = FactorUse(activity_id="forest.growth", region="US/MROW", unit="meter ** 3", epoch="2021", flux=Flux.REMOVAL)


def terms_of(
    made: FactorRelease,
    rows: Sequence[tuple[FactorUse, Decimal]],
    *,
    quantity: Uncertainty = CERTAIN,
    declared: dict[str, Uncertainty] | None = None,
) -> Sequence[SourcedTerm]:
    """Return the terms of these rows, with one uncertainty for every quantity."""
    return sourced_terms(
        tonnes_by_factor(rows),
        release=made,
        quantities={use.activity_id: quantity for use, _ in rows},
        declared=declared or {},
        where="partition",
    )


def test_rows_that_share_a_factor_are_one_group() -> None:
    """A thousand rows of a factor of 10 % are not surer than one."""
    rows = [(USE, D(n)) for n in range(1000)]
    found = total(approach_1_terms(terms_of(release([TEN]), rows), where="x"), where="x")
    assert found.value == sum(range(1000))
    assert found.half_width.relative == D("0.1")


def test_quantities_and_factor_combine() -> None:
    """Quantities of 3 % with a factor of 4 %: 5 %."""
    made = release([{**TEN, "rel_uncertainty": "0.04"}])
    terms = terms_of(made, [(USE, D(7))], quantity=stated("0.03"))
    assert total(approach_1_terms(terms, where="x"), where="x").half_width.relative == D("0.05")


def test_gases_of_a_factor_weigh_by_their_tonnes() -> None:
    """CH4 at 50 % counts as far as it makes up the tonnes."""
    made = release([TEN, {"gas": "CH4", **HALF}])
    co2, ch4 = (row.tonnes_co2e_per_unit(made.gwp) for row in made.rows)
    terms = terms_of(made, [(USE, D(100))])
    assert [term.gas for term in terms] == ["CO2", "CH4"]
    expected = (((co2 * D("0.1")) ** 2 + (ch4 * D("0.5")) ** 2).sqrt()) / (co2 + ch4)
    found = total(approach_1_terms(terms, where="x"), where="x")
    assert (found.value, round(found.half_width.relative, 20)) == (D(100), round(expected, 20))


def test_one_factor_in_two_years_is_one_error() -> None:
    """A publisher who is too high in one year is too high in the next."""
    years = [{**TEN, "valid_from": f"{y}-01-01", "valid_to": f"{y}-12-31"} for y in (2021, 2022)]
    terms = terms_of(release(years), [(USE, D(50)), (replace(USE, epoch="2022"), D(50))])
    assert len(terms) == 2
    assert total(approach_1_terms(terms, where="x"), where="x").half_width.relative == D("0.1")


def test_coefficients_are_the_sources_of_a_chain() -> None:
    """What the release does not state is declared, 44/12 as 0; wood density is stated."""
    declared = {f"coefficient {row['name']}": CERTAIN for row in FOREST if row["name"] != "wood-density"}
    terms = terms_of(chained(), [(GROWTH, D(5))], declared=declared)
    assert list(terms[0].sources) == [
        "quantity forest.growth",
        "coefficient wood-density",
        "coefficient biomass-expansion",
        "coefficient one-plus-root-shoot",
        "coefficient carbon-fraction",
        "coefficient carbon-to-co2",
    ]
    assert total(approach_1_terms(terms, where="x"), where="x").half_width.relative == D("0.1")


def test_emissions_and_removals_stay_apart() -> None:
    """They are other uses, and neither lessens the other."""
    rows = [(USE, D(3)), (replace(USE, flux=Flux.REMOVAL), D(2)), (USE, D(1))]
    assert tonnes_by_factor(rows) == {USE: 4, replace(USE, flux=Flux.REMOVAL): 2}


def test_uses_without_tonnes_have_no_terms() -> None:
    """Nothing is uncertain about 0 t."""
    assert terms_of(release([TEN]), [(USE, D(0))]) == []


def test_approach_2_has_the_same_groups() -> None:
    """Small normal errors: the simulated half-width is that of the first order."""
    terms = terms_of(release([TEN, {"gas": "CH4", **HALF}]), [(USE, D(60)), (USE, D(40))], quantity=stated("0.05"))
    first = total(approach_1_terms(terms, where="x"), where="x")
    simulation = Simulation.of(approach_2_products(terms, where="x"), seed="x", where="x")
    found = simulate(simulation, draws=40_000).half_width_95.relative
    assert float(found) == pytest.approx(float(first.half_width.relative), rel=0.025)


def test_what_nobody_has_stated_is_refused_by_name() -> None:
    """Unknown is not 0: factor and quantity are named together."""
    with pytest.raises(ContractError, match=r"evidence is missing: uncertainty.*'quantity .*'factor .* CO2'.*not 0"):
        sourced_terms({USE: D(1)}, release=release([{}]), quantities={}, declared={}, where="x")


def test_another_release_is_refused() -> None:
    """The factored table names the release that it was made with."""
    with pytest.raises(ContractError, match=r"rows have a factor that the release does not have.*moon"):
        terms_of(release([TEN]), [(replace(USE, region="moon"), D(1))])
    with pytest.raises(ContractError, match=r"found a factor of 0"):
        terms_of(release([{**TEN, "ef_value": "0"}]), [(USE, D(1))])
