"""Spread: how sure a partition's figure is, from its factored table, its release, and what its project says.

What does not belong here: the arithmetic (uncertainty).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa

from mrv_assets.domain.confidence import HalfWidth95
from mrv_assets.domain.contract import TONNES
from mrv_assets.domain.exact import exact_sum, rounded
from mrv_assets.domain.factors import FactorRelease, Flux
from mrv_assets.domain.figure_uncertainty import DeclaredUncertainty, FigureUncertainty, Spread
from mrv_assets.uncertainty.approach_1 import Term, total
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

USED = ["activity_id", "factor_region", "unit", "epoch", "emissions_tco2e", "removals_tco2e"]
"""What is read of the factored table."""

_SHARE_PLACES = 12


def figure_terms(
    factored: pa.Table, release: FactorRelease, declared: DeclaredUncertainty, *, where: str
) -> Sequence[SourcedTerm]:
    """Return the tonnes of a factored table by factor and gas, with what is known of each source of uncertainty.

    Raises ContractError naming every source of which nobody has said anything.
    """
    uses = [
        (_use(row, flux), row[column])
        for row in _grouped(factored)
        for flux, column in ((Flux.EMISSION, "emissions_tco2e"), (Flux.REMOVAL, "removals_tco2e"))
        if row[column]
    ]
    return sourced_terms(
        tonnes_by_factor(uses),
        release=release,
        quantities=declared.quantities,
        declared=declared.sources,
        where=where,
    )


def figure_uncertainty(
    terms: Sequence[SourcedTerm], declared: DeclaredUncertainty, *, seed: str, where: str
) -> FigureUncertainty:
    """Combine the terms of one figure, or of several: sources have no period, so what they share stays shared."""
    one = approach_1_terms(terms, where=where)
    emissions = [term for term, said in zip(one, terms, strict=True) if said.use.flux is Flux.EMISSION]
    removals = [term for term, said in zip(one, terms, strict=True) if said.use.flux is Flux.REMOVAL]
    taken = [Term(value=-term.value, half_widths=term.half_widths) for term in removals]
    return FigureUncertainty(
        emissions=_spread(emissions, where),
        removals=_spread(removals, where),
        net=_spread([*emissions, *taken], where),
        because=declared.because,
        simulated=_simulated(terms, declared.draws, seed=seed, where=where) if declared.draws and terms else {},
    )


def _grouped(factored: pa.Table) -> list[dict[str, Any]]:
    """Sum rows that say the same of everything but tonnes; sums of decimals are exact."""
    keys, tonnes = USED[:4], USED[4:]
    sums = factored.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in tonnes])
    rows: list[dict[str, Any]] = sums.rename_columns([*keys, *tonnes]).to_pylist()
    return rows


def _use(row: dict[str, str], flux: Flux) -> FactorUse:
    return FactorUse(
        activity_id=row["activity_id"], region=row["factor_region"], unit=row["unit"], epoch=row["epoch"], flux=flux
    )


def _spread(terms: Sequence[Term[HalfWidth95]], where: str) -> Spread:
    """Combine terms. Their split by gas is rounded to 50 digits, so their sum is the figure only to its own scale."""
    value = rounded(Fraction(exact_sum(term.value for term in terms)), places=TONNES.scale)
    if not value:
        return Spread(tco2e=value, half_width_95=None)
    share = total(terms, where=where).half_width.relative
    return Spread(tco2e=value, half_width_95=rounded(Fraction(share), places=_SHARE_PLACES))


def _simulated(terms: Sequence[SourcedTerm], draws: int, *, seed: str, where: str) -> dict[str, str]:
    """Return the net figure as it is simulated; removals count against emissions."""
    products = [
        part if term.use.flux is Flux.EMISSION else replace(part, value=-part.value)
        for term, part in zip(terms, approach_2_products(terms, where=where), strict=True)
    ]
    found = simulate(Simulation.of(products, seed=seed, where=where), draws=draws)
    numbers = {name: getattr(found, name) for name in ("mean", "sd", "p025", "p05", "p95", "p975")}
    return {
        **{f"net_{name}_tco2e": format(value, "f") for name, value in numbers.items()},
        "draws": str(found.draws),
        "seed": found.seed,
        "made_with": found.made_with,
    }
