"""CDM AR-TOOL14 v04.2: change in tree carbon stock from plots, its uncertainty at 90 %, and the discount of Appendix 2.

The tool gives stock changes of project and baseline; the methodology that calls it nets them with leakage. What does
not belong here: whole credits, and the estimator of a mean over strata (uncertainty.sampling).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from mrv_assets.crediting.distinct import distinct
from mrv_assets.crediting.rounding import final, tonnes
from mrv_assets.crediting.stratified import Density
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import EXACT, rounded
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.uncertainty.approach_1 import term, total
from mrv_assets.uncertainty.sampling import Sample

STRATA = "tree_strata"
PLOTS = "tree_plots"
_CARBON_TO_CO2 = Fraction(44, 12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Carbon:
    """A stock or a change of stock, t CO2e, with its 90 % half-width as a share of its size."""

    tco2e: Decimal
    half_width: HalfWidth90


def carbon_of(biomass: Density, carbon_fraction: Decimal) -> Carbon:
    """Return 44/12 × CF × A × b, of a stock (Eq. 12, 13) or of a change of re-measured plots (Eq. 3, 4)."""
    total = Fraction(biomass.mean) * Fraction(biomass.area_ha) * Fraction(carbon_fraction) * _CARBON_TO_CO2
    return Carbon(tco2e=rounded(total, places=9), half_width=biomass.half_width)


def difference(earlier: Carbon, later: Carbon, *, where: str) -> Carbon:
    """Return ΔC = C2 − C1 with u = sqrt((u1 C1)² + (u2 C2)²) / |ΔC|; Eq. 1 and 2, two independent estimates.

    `earlier` is the stock as estimated, not as discounted. Raises ContractError naming `where` for a change of 0.
    """
    less = EXACT.minus(earlier.tco2e)
    terms = (term(later.tco2e, later.half_width, "later"), term(less, earlier.half_width, "earlier"))
    half_width = total(terms, where=where).half_width
    return Carbon(tco2e=tonnes(EXACT.add(later.tco2e, less)), half_width=final(half_width))


def annual(change_tco2e: Decimal, years: Decimal) -> Decimal:
    """Return ΔC / T, t CO2e a year, T in years and parts of years; Eq. 11. Raises ContractError unless T > 0."""
    if years <= 0:
        raise ContractError(
            "interval is not one",
            where="AR-TOOL14 Eq. 11",
            expected="a time above 0 years",
            found=str(years),
            remedy="give the time between the two measurements",
        )
    return rounded(Fraction(change_tco2e) / Fraction(years), places=9)


def strata_of(monitoring: Monitoring, column: str) -> tuple[Mapping[str, Decimal], Mapping[str, Sample]]:
    """Read areas, ha, and the plots' `column`, t d.m./ha, by stratum: a biomass, or the change of the same plot.

    Raises ContractError for a plot of no stratum, a plot or stratum that is there twice, a stratum without two plots,
    and what is missing or no number.
    """
    values: dict[str, list[Decimal]] = {}
    for row in distinct(monitoring, PLOTS, "plot", "stratum", column):
        values.setdefault(row["stratum"], []).append(monitoring.cell(PLOTS, row, column))
    rows = monitoring.table(STRATA, "stratum", "area_ha")
    names = [row["stratum"] for row in rows]
    strangers, twice = sorted(set(values) - set(names)), sorted({name for name in names if names.count(name) > 1})
    if strangers or twice:
        found = f"without {', '.join(strangers) or 'none'}, twice {', '.join(twice) or 'none'}"
        raise monitoring.unusable(f"table {STRATA}", expected=f"every stratum of {PLOTS} once", found=found)
    where = f"{monitoring.where}, table {PLOTS}, stratum"
    samples = {name: Sample.of(values.get(name, []), name=f"{where} {name}") for name in names}
    return {row["stratum"]: monitoring.cell(STRATA, row, "area_ha") for row in rows}, samples
