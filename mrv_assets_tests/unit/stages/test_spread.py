"""How sure a figure is, from its terms: to the scale of the figure, however the terms were split."""

from __future__ import annotations

from decimal import Decimal

import pytest

from mrv_assets.domain.factors import Flux
from mrv_assets.domain.figure_uncertainty import DeclaredUncertainty, FigureUncertainty, Spread
from mrv_assets.stages.spread import figure_uncertainty
from mrv_assets.uncertainty.factored_terms import FactorUse, SourcedTerm

SAID = DeclaredUncertainty.parse({"because": "measured", "quantities": {"a": ["0.05", "0.95", "normal"]}})


def term(flux: Flux, tco2e: str) -> SourcedTerm:
    """Return a term of this flux with a source of its own of 5 %."""
    use = FactorUse(activity_id=f"a-{flux}", region="r", unit="u", epoch="2021", flux=flux)
    return SourcedTerm(use=use, gas="CO2", tco2e=Decimal(tco2e), sources={f"quantity a-{flux}": SAID.quantities["a"]})


def spread(emissions: str, removals: str) -> FigureUncertainty:
    """Return how sure a figure of these terms is."""
    terms = [term(Flux.EMISSION, emissions), term(Flux.REMOVAL, removals)]
    return figure_uncertainty(terms, SAID, seed="0" * 16, where="under test")


def test_a_net_of_nothing_has_no_share() -> None:
    """A remainder far below the last digit of the figure is of the split by gas, and no tonnes."""
    found = spread("100." + "0" * 46 + "7", "100")
    assert found.net == Spread(tco2e=Decimal(0), half_width_95=None)
    assert found.emissions.tco2e == 100


@pytest.mark.parametrize("net", ["0.000000001", "0.5", "1000000"])
def test_the_half_width_of_a_small_net_may_be_any_multiple_of_it(net: str) -> None:
    """It is told, however large: 5 % of 1e18 t, twice, by the net."""
    removals = Decimal("1e18")
    found = spread(str(removals + Decimal(net)), str(removals)).net
    assert found.half_width_95 is not None
    assert abs(found.half_width_95 * Decimal(net) / (removals * Decimal("0.05")) / Decimal(2).sqrt() - 1) < Decimal(
        "1e-6"
    )
