"""CDM AR-TOOL14 v04.2: change in tree carbon stock from plots, its uncertainty at 90 %, and the discount of Appendix 2.

The tool gives stock changes of project and baseline; the methodology that calls it nets them with leakage. What does
not belong here: whole credits, and the estimator of a mean over strata (stratified).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from mrv_assets.crediting.stratified import Estimate, Stratum, relative_half_width, root
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import rounded
from mrv_assets.domain.monitoring import Monitoring

STRATA = "tree_strata"
PLOTS = "tree_plots"
_CARBON_TO_CO2 = Fraction(44, 12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Carbon:
    """A stock or a change of stock, t CO2e, with its 90 % half-width as a share of its size."""

    tco2e: Decimal
    half_width: HalfWidth90


def carbon_of(biomass: Estimate, carbon_fraction: Decimal) -> Carbon:
    """Return 44/12 × CF × A × b, of a stock (Eq. 12, 13) or of a change of re-measured plots (Eq. 3, 4)."""
    total = biomass.mean * biomass.area_ha * Fraction(carbon_fraction) * _CARBON_TO_CO2
    return Carbon(tco2e=rounded(total, places=9), half_width=biomass.half_width)


def difference(earlier: Carbon, later: Carbon, *, where: str) -> Carbon:
    """Return ΔC = C2 − C1 with u = sqrt((u1 C1)² + (u2 C2)²) / |ΔC|; Eq. 1 and 2, two independent estimates.

    `earlier` is the stock as estimated, not as discounted. Raises ContractError naming `where` for a change of 0.
    """
    widths = [Fraction(stock.half_width.relative) * Fraction(stock.tco2e) for stock in (earlier, later)]
    change = Fraction(later.tco2e) - Fraction(earlier.tco2e)
    half_width = root(sum((width**2 for width in widths), Fraction(0)))
    return Carbon(tco2e=rounded(change, places=9), half_width=relative_half_width(half_width, change, where=where))


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


def strata_of(monitoring: Monitoring, column: str) -> tuple[Stratum, ...]:
    """Read the strata and the plots' `column`, t d.m./ha: a biomass, or the change of the same plot.

    Raises ContractError for a plot of no stratum, a stratum without two plots, and what is missing or no number.
    """
    values: dict[str, list[Fraction]] = {}
    for row in monitoring.table(PLOTS, "plot", "stratum", column):
        values.setdefault(row["stratum"], []).append(Fraction(monitoring.cell(PLOTS, row, column)))
    rows = monitoring.table(STRATA, "stratum", "area_ha")
    strangers = sorted(set(values) - {row["stratum"] for row in rows})
    if strangers:
        raise monitoring.unusable(
            f"table {STRATA}", expected=f"every stratum of {PLOTS}", found=f"without {', '.join(strangers)}"
        )
    return tuple(_stratum(monitoring, row, values.get(row["stratum"], [])) for row in rows)


def _stratum(monitoring: Monitoring, row: Mapping[str, str], values: Sequence[Fraction]) -> Stratum:
    name = f"{monitoring.where}, table {PLOTS}, stratum {row['stratum']}"
    return Stratum.of_plots(name, area_ha=Fraction(monitoring.cell(STRATA, row, "area_ha")), values=values)
