"""How factors, their changes and their days are written for people and as JSON, the same in all of `mrv factors`.

What does not belong here: what one command shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction

from mrv_assets.domain.chain_uncertainty import LEVEL
from mrv_assets.domain.exact import as_decimal
from mrv_assets.domain.factor_chains import Coefficient
from mrv_assets.domain.factor_diff import CoefficientChange, percent
from mrv_assets.domain.factor_spans import FactorKey, FactorSpan, GasFactor
from mrv_assets.domain.factors import CO2E, FactorRelease
from mrv_assets.domain.units import unit_symbol

_NONE = "none"
_SHOWN = Decimal("0.001")
_DIGITS, _PUBLISHED_DIGITS = 6, 8


def head_json(release: FactorRelease) -> dict[str, object]:
    """Return the head of a release in JSON-ready values."""
    return {
        "version": release.version,
        "line": release.line,
        "title": release.title,
        "published": release.published,
        "gwp_set": release.gwp.name,
        "supersedes": release.supersedes,
        "reason": release.reason,
        "rows": len(release.rows),
        "digest": release.digest,
    }


def key_json(key: FactorKey) -> dict[str, object]:
    """Return a key in JSON-ready values."""
    return {"activity_id": key.activity_id, "region": key.region, "unit": key.unit}


def span_json(span: FactorSpan) -> dict[str, object]:
    """Return a span in JSON-ready values, all of them exact."""
    return {
        "valid_from": span.first,
        "valid_to": span.last,
        "flux": span.flux,
        "tco2e_per_unit": span.co2e,
        "gases": [gas_json(gas) for gas in span.gases],
        "source": span.source,
    }


def gas_json(gas: GasFactor) -> dict[str, object]:
    """Return the factor of a gas in JSON-ready values; the uncertainty of a chain is null while it is unknown."""
    return {
        "gas": gas.gas,
        "ef_value": gas.ef_value,
        "numerator_unit": gas.numerator_unit,
        "t_per_unit": gas.tonnes,
        "chain": None
        if not gas.chain
        else {
            "coefficients": [{"name": one.name, **coefficient_json(one)} for one in gas.chain],
            "rel_uncertainty_95": gas.chain_uncertainty,
        },
    }


def coefficient_json(coefficient: Coefficient) -> dict[str, object]:
    """Return a coefficient of a chain in JSON-ready values; its value is exact, as a decimal or a fraction."""
    return {
        "value": number_text(coefficient.value),
        "numerator_unit": str(coefficient.numerator),
        "denominator_unit": str(coefficient.denominator),
    }


def number_text(value: Fraction) -> str:
    """Write a rational number exactly: as a decimal where that ends, else as a fraction: `0.47`, `11/3`."""
    decimal = as_decimal(value, places=0)
    return format(decimal, "f") if Fraction(decimal) == value else str(value)


def coefficient_change_text(change: CoefficientChange) -> str:
    """Write which coefficient moved and how, with its units where they are others: `wood-density 0.4 → 0.5`."""
    sides = [side for side in (change.before, change.after) if side]
    has_units = len({(side.numerator, side.denominator) for side in sides}) > 1
    before, after = (
        _NONE
        if side is None
        else number_text(side.value) + (f" {side.numerator} per {side.denominator}" if has_units else "")
        for side in (change.before, change.after)
    )
    return f"{change.name} {before} → {after}"


def key_text(key: FactorKey) -> str:
    """Write a key on two lines: the activity, and where and per what it counts."""
    return f"{key.activity_id}\n{key.region} per {unit_symbol(key.unit)}"


def days_text(first: date, last: date) -> str:
    """Write days, both inclusive: `2021`, `2021-2023`, or both days."""
    if (first.month, first.day, last.month, last.day) == (1, 1, 12, 31):
        return f"{first:%Y}" if first.year == last.year else f"{first:%Y}-{last:%Y}"
    return f"{first} to {last}"


def co2e_text(value: Decimal) -> str:
    """Write t CO2e per unit with six significant digits; `--json` has them all."""
    return f"{value:.{_DIGITS}g}"


def gas_text(gas: GasFactor) -> str:
    """Write the factor of a gas in its published unit, with eight significant digits: `1098.4 lb`."""
    return f"{gas.ef_value:.{_PUBLISHED_DIGITS}g} {unit_symbol(gas.numerator_unit)}"


def gas_lines(gases: Sequence[GasFactor]) -> str:
    """Write every gas on a line."""
    return "\n".join(f"{gas.gas} {gas_text(gas)}" for gas in gases)


def certain_lines(gases: Sequence[GasFactor]) -> str:
    """Write every gas on a line, and below a chain how uncertain it is: `± 18.0278 % at 95 %`, or that nobody knows."""
    return "\n".join(f"{gas.gas} {gas_text(gas)}" + _uncertainty_text(gas) for gas in gases)


def _uncertainty_text(gas: GasFactor) -> str:
    if not gas.chain:
        return ""
    known = gas.chain_uncertainty
    return "\nuncertainty unknown" if known is None else f"\n± {known.scaleb(2):f} % at {LEVEL.scaleb(2):f} %"


def is_total(gases: Sequence[GasFactor]) -> bool:
    """Tell whether there is a published total only, whose sum over gases would say the same again."""
    return [gas.gas for gas in gases] == [CO2E]


def percent_text(change: Fraction | None) -> str:
    """Write a change in per cent to three decimals: `-14.742 %`, `0`, or `from 0` for one that has no size."""
    if change is None:
        return "from 0"
    shown = round(percent(change), 3)
    if change and not shown:
        return f"under {_SHOWN} %"
    return f"{shown:+,f} %" if shown else "0"


def first_of(count: int, is_all: bool, limit: int) -> int:
    """Return how many of `count` rows to show."""
    return count if is_all else min(count, limit)


def more(count: int, shown: int, how: str) -> Iterator[str]:
    """Yield a note on what is not shown; nothing when all is."""
    if count > shown:
        yield f"and {count - shown:,} more: {how}"
