"""Factor: every normalised row is multiplied once, exactly, by the one combined factor of a pinned release.

The product is rounded once, half to even, to 1e-9 t CO2e; from here on sums are exact. What does not belong
here: how gases combine into a factor (domain.factors) and sums (aggregate).
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, Inexact, InvalidOperation, Overflow
from typing import TypeAlias

import pyarrow as pa

from mrv_assets.domain.contract import FACTORED, NORMALIZED, handed_on, saying
from mrv_assets.domain.errors import FactorError, GateError, listed
from mrv_assets.domain.factors import CombinedFactor, FactorRelease, Flux
from mrv_assets.domain.limits import ROW_LIMIT_TCO2E
from mrv_assets.domain.partition import Period
from mrv_assets.domain.remedies import CORRECT_QUANTITIES, MATCH_FACTORS
from mrv_assets.domain.staged import Staged

_STEP = Decimal("1e-9")
_EXACT = Context(prec=200, traps=[Inexact, InvalidOperation, Overflow])
_ROUNDING = Context(prec=200, rounding=ROUND_HALF_EVEN, traps=[InvalidOperation, Overflow])

FactorKey: TypeAlias = tuple[str, str, str, str]
_KEY = ("activity_id", "region", "unit", "epoch")

QUANTIFIED = tuple(c.name for c in NORMALIZED.columns if c.name not in ("geometry", "area_ha"))
"""The columns that a factor is applied to."""


def apply_factors(normalized: pa.Table, *, release: FactorRelease, where: str) -> Staged:
    """Make the factored table of one partition: t CO2e per row, emissions and removals apart, never negative.

    Raises GateError naming the gate: `quantity_valid`, `factors_matched` (distinct keys without a factor,
    with the closest known ones), `tonnage_valid` (a row of more than 1e15 t).
    """
    quantities: list[float | None] = normalized.column("activity_qty").to_pylist()
    row_ids: list[str] = normalized.column("row_id").to_pylist()
    valid = _valid_quantities(quantities, row_ids, where)
    keys: list[FactorKey] = list(zip(*(normalized.column(name).to_pylist() for name in _KEY), strict=True))
    factors = _factors(keys, release, where)
    tonnes = [
        _tonnes(quantity, factors[key].ef_value, f"{where}, row {row_id!r}")
        for quantity, key, row_id in zip(valid, keys, row_ids, strict=True)
    ]
    per_row = [factors[key] for key in keys]
    made: dict[str, list[Decimal] | list[str]] = {
        "ef_value": [factor.ef_value for factor in per_row],
        "flux": [factor.flux.value for factor in per_row],
        "emissions_tco2e": _of_flux(Flux.EMISSION, per_row, tonnes),
        "removals_tco2e": _of_flux(Flux.REMOVAL, per_row, tonnes),
    }
    table = saying(normalized.select(list(QUANTIFIED)), handed_on(normalized))
    for name, values in made.items():
        table = table.append_column(name, pa.array(values, FACTORED.schema.field(name).type))
    evidence = {
        "factor_version": release.version,
        "factor_release_digest": release.digest,
        "gwp_set": release.gwp.name,
        "gwp_set_digest": release.gwp.digest,
        "matched_keys": str(len(factors)),
    }
    return Staged(content=FACTORED.conform(table, where=where), evidence=evidence)


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


def _factors(keys: Sequence[FactorKey], release: FactorRelease, where: str) -> dict[FactorKey, CombinedFactor]:
    """Look every distinct key up once, or raise GateError (gate `factors_matched`) listing those without."""
    found: dict[FactorKey, CombinedFactor] = {}
    unmatched: list[str] = []
    for key in sorted(set(keys)):
        factor = _combined(key, release, where)
        if factor is None:
            unmatched.append(" ".join(key))
        else:
            found[key] = factor
    if unmatched:
        raise _unmatched(
            where,
            expected=f"a factor in release {release.version} for every activity, region, unit and epoch",
            found=f"{len(unmatched)}: {listed(unmatched)}; closest known: {_closest(unmatched[0], release)}",
        )
    return found


def _combined(key: FactorKey, release: FactorRelease, where: str) -> CombinedFactor | None:
    activity_id, region, unit, epoch = key
    try:
        return release.combined(activity_id=activity_id, region=region, unit=unit, epoch=Period.parse(epoch))
    except FactorError as error:
        raise _unmatched(f"{where}, {error.where}", expected=error.expected, found=error.found) from error


def _closest(key: str, release: FactorRelease) -> str:
    known = sorted(
        {f"{' '.join(row.join_key)} {row.valid_from} to {row.valid_to}" for row in release.rows},
    )
    return listed(difflib.get_close_matches(key, known, n=3, cutoff=0.0))


def _of_flux(flux: Flux, per_row: Sequence[CombinedFactor], tonnes: Sequence[Decimal]) -> list[Decimal]:
    """Return the tonnes of the rows with this flux, 0 for the others; the two are never netted."""
    zero = Decimal(0)
    return [t if factor.flux is flux else zero for factor, t in zip(per_row, tonnes, strict=True)]


def _unmatched(where: str, *, expected: str, found: str) -> GateError:
    return GateError(
        "activity has no factor",
        gate="factors_matched",
        where=where,
        expected=expected,
        found=found,
        remedy=MATCH_FACTORS,
    )
