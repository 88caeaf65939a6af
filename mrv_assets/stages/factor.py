"""Factor: every normalised row is multiplied once, exactly, by the one combined factor of a pinned release.

The product is rounded once, half to even, to 1e-9 t CO2e; from here on sums are exact. What does not belong
here: how gases combine into a factor (domain.factors), which factor a row has (factor_match) and sums (aggregate).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, Inexact, InvalidOperation, Overflow

import pyarrow as pa

from mrv_assets.domain.contract import FACTORED, NORMALIZED, handed_on, saying
from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.errors import GateError, listed
from mrv_assets.domain.factors import CombinedFactor, FactorRelease, Flux
from mrv_assets.domain.fallback import Fallback, Level
from mrv_assets.domain.limits import ROW_LIMIT_TCO2E
from mrv_assets.domain.remedies import CORRECT_QUANTITIES
from mrv_assets.domain.staged import Staged
from mrv_assets.stages.factor_match import Match, RowKey, match_factors
from mrv_assets.stages.spatial_regions import in_regions

_STEP = Decimal("1e-9")
_EXACT = Context(prec=200, traps=[Inexact, InvalidOperation, Overflow])
_ROUNDING = Context(prec=200, rounding=ROUND_HALF_EVEN, traps=[InvalidOperation, Overflow])

_KEY = ("activity_id", "region", "unit", "epoch")

QUANTIFIED = tuple(c.name for c in NORMALIZED.columns if c.name not in ("geometry", "area_ha"))
"""The columns that a factor is applied to."""


def apply_factors(
    normalized: pa.Table,
    *,
    release: FactorRelease,
    where: str,
    fallback: Fallback | None = None,
    spatial: CrsPolicy | None = None,
) -> Staged:
    """Make the factored table of one partition: t CO2e per row, emissions and removals apart, never negative.

    A row has the factor of exactly its own region, or without one that of the nearest region of `fallback`. With
    `spatial`, the CRS policy of its project, its own region is the one of the release where its footprint lies.

    Raises GateError naming the gate: `regions_located` (rows in no region), `quantity_valid`, `factors_matched`
    (distinct keys without a factor, with the closest known ones), `tonnage_valid` (a row of more than 1e15 t).
    """
    located: Mapping[str, str] = {}
    if spatial is not None:
        normalized, located = in_regions(normalized, regions=release.regions, policy=spatial, where=where)
    quantities: list[float | None] = normalized.column("activity_qty").to_pylist()
    row_ids: list[str] = normalized.column("row_id").to_pylist()
    valid = _valid_quantities(quantities, row_ids, where)
    keys: list[RowKey] = list(zip(*(normalized.column(name).to_pylist() for name in _KEY), strict=True))
    matches = match_factors(keys, release=release, levels=fallback.levels if fallback else (), where=where)
    per_row = [matches[key] for key in keys]
    factors = [match.factor for match in per_row]
    tonnes = [
        _tonnes(quantity, factor.ef_value, f"{where}, row {row_id!r}")
        for quantity, factor, row_id in zip(valid, factors, row_ids, strict=True)
    ]
    made: dict[str, list[Decimal] | list[str]] = {
        "ef_value": [factor.ef_value for factor in factors],
        "flux": [factor.flux.value for factor in factors],
        "factor_region": [match.region for match in per_row],
        "factor_level": [match.level.value for match in per_row],
        "emissions_tco2e": _of_flux(Flux.EMISSION, factors, tonnes),
        "removals_tco2e": _of_flux(Flux.REMOVAL, factors, tonnes),
    }
    table = saying(normalized.select(list(QUANTIFIED)), {**handed_on(normalized), **_said(fallback, matches.values())})
    for name, values in made.items():
        table = table.append_column(name, pa.array(values, FACTORED.schema.field(name).type))
    evidence = {
        "factor_version": release.version,
        "factor_release_digest": release.digest,
        "gwp_set": release.gwp.name,
        "gwp_set_digest": release.gwp.digest,
        "matched_keys": str(len(matches)),
        **_declared(fallback),
        **located,
    }
    return Staged(content=FACTORED.conform(table, where=where), evidence=evidence)


def _said(fallback: Fallback | None, matches: Iterable[Match]) -> Mapping[str, str]:
    """Return what the table says of rows that fell back: another declaration is then another figure to certify."""
    if fallback is None or all(match.level is Level.OWN for match in matches):
        return {}
    return {"fallback": fallback.digest}


def _declared(fallback: Fallback | None) -> Mapping[str, str]:
    if fallback is None:
        return {}
    return {
        "fallback": " ".join(fallback.levels),
        "fallback_max_share": str(fallback.max_share),
        "fallback_because": fallback.because,
    }


def product_tco2e(quantity: float, ef_value: Decimal) -> Decimal:
    """Return quantity x factor in t CO2e, exact but for one rounding, half to even, to 1e-9 t.

    The quantity counts as the shortest decimal that its binary64 prints as, which is the text it came from.
    Raises decimal.InvalidOperation for a quantity that is not finite.
    """
    return _ROUNDING.quantize(_EXACT.multiply(Decimal(repr(quantity)), ef_value), _STEP)


def _tonnes(quantity: float, ef_value: Decimal, where: str) -> Decimal:
    # The bound comes before the product: a product far above it would need more digits than the context has.
    if Decimal(quantity) * ef_value <= 2 * ROW_LIMIT_TCO2E:
        tonnes = product_tco2e(quantity, ef_value)
        if tonnes <= ROW_LIMIT_TCO2E:
            return tonnes
    raise GateError(
        "row is larger than any real one",
        gate="tonnage_valid",
        where=where,
        expected=f"at most {ROW_LIMIT_TCO2E} t CO2e in one row",
        found=f"{quantity!r} x {ef_value} t CO2e",
        remedy="check the quantity and its unit in the source, and the factor's numerator unit",
    )


def _valid_quantities(quantities: Sequence[float | None], row_ids: Sequence[str], where: str) -> list[float]:
    valid = [q for q in quantities if q is not None and math.isfinite(q) and q >= 0]
    if len(valid) == len(quantities):
        return valid
    bad = [
        f"{row_id}: {quantity}"
        for row_id, quantity in zip(row_ids, quantities, strict=True)
        if quantity is None or not math.isfinite(quantity) or quantity < 0
    ]
    raise GateError(
        "quantity cannot be multiplied",
        gate="quantity_valid",
        where=where,
        expected="finite quantities, not negative",
        found=f"{len(bad)} row(s): {listed(bad)}",
        remedy=CORRECT_QUANTITIES,
    )


def _of_flux(flux: Flux, per_row: Sequence[CombinedFactor], tonnes: Sequence[Decimal]) -> list[Decimal]:
    """Return the tonnes of the rows with this flux, 0 for the others; the two are never netted."""
    zero = Decimal(0)
    return [t if factor.flux is flux else zero for factor, t in zip(per_row, tonnes, strict=True)]
