"""A mean per hectare over strata with its 90 % half-width, as accounting takes it: AR-TOOL14 v04.2 Eq. 14 to 17.

A single unit, such as a modelling unit of Gold Standard 403, is one stratum. What does not belong here: the estimator
(uncertainty.sampling), what a standard deducts for the half-width, and reading plots from evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from mrv_assets.crediting.rounding import final
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.exact import exact_sum
from mrv_assets.uncertainty.half_widths import half_width_90
from mrv_assets.uncertainty.sampling import Sample, stratified_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Density:
    """A mean per hectare, the area it holds for, ha, and its two-sided 90 % half-width as a share of the mean."""

    mean: Decimal
    area_ha: Decimal
    half_width: HalfWidth90


def density(areas_ha: Mapping[str, Decimal], plots: Mapping[str, Sample], *, where: str) -> Density:
    """Return the area-weighted mean and t × sqrt(Σ w² s²/n) / |mean|, t with n − M degrees of freedom (Eq. 14, 15).

    Raises ContractError naming `where` for no strata, strata without area or plots, and a mean of 0, whose half-width
    is undefined.
    """
    found = stratified_mean(areas_ha, plots, where=where)
    half_width = half_width_90(found.value, found.standard_error, found.degrees_of_freedom, where=where)
    return Density(mean=found.value, area_ha=exact_sum(areas_ha.values()), half_width=final(half_width))
