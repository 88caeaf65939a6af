"""What a release says of one kind of activity row, from day to day: gases, flux and the combined t CO2e per unit.

What does not belong here: how two releases differ (factor_diff), and the one factor of an epoch (factors).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise

from mrv_assets.domain.chain_uncertainty import chain_uncertainty
from mrv_assets.domain.factor_chains import Coefficient
from mrv_assets.domain.factors import FactorRelease, FactorRow, Flux, GwpSet, co2e_per_unit


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class FactorKey:
    """What an activity row must equal for a factor to apply: activity, region and canonical unit."""

    activity_id: str
    region: str
    unit: str

    def __str__(self) -> str:
        return f"{self.activity_id} {self.region} per {self.unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GasFactor:
    """The factor of one gas: as it was published, and in exact tonnes of the gas per unit of activity.

    A chain is its product, rounded to 1e-28 where its decimals do not end; `chain` are its coefficients in their order,
    none for a plain factor.
    """

    gas: str
    ef_value: Decimal
    numerator_unit: str
    tonnes: Decimal
    chain: Sequence[Coefficient] = ()

    @property
    def chain_uncertainty(self) -> Decimal | None:
        """The relative half-width of the chain at 95 %, as `chain_uncertainty`; None for a plain factor as well."""
        return chain_uncertainty(self.chain) if self.chain else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorSpan:
    """What holds for a key from `first` to `last`, both inclusive, without a change in between.

    `gases` are sorted by name. `co2e` is their exact sum in t CO2e per unit under the GWP set of the release, never
    negative; with chains it is rounded once to 1e-28 where it does not end. `source` names every source once.
    """

    first: date
    last: date
    flux: Flux
    gases: Sequence[GasFactor]
    co2e: Decimal
    source: str

    @property
    def net(self) -> Decimal:
        """The combined factor in t CO2e per unit, negative for a removal."""
        return -self.co2e if self.flux is Flux.REMOVAL else self.co2e

    @property
    def said(self) -> tuple[Flux, Decimal, tuple[tuple[str, Decimal], ...]]:
        """What the span says whenever it holds; two spans that say the same are equal here, however it is written."""
        return (self.flux, self.co2e, tuple((gas.gas, gas.tonnes) for gas in self.gases))


def spans_of(release: FactorRelease) -> Mapping[FactorKey, Sequence[FactorSpan]]:
    """Return the spans of every key, keys sorted and spans in the order of their days, which they never share."""
    return {
        FactorKey(activity_id=activity_id, region=region, unit=unit): _spans(rows, release.gwp)
        for (activity_id, region, unit), rows in sorted(release.by_key.items())
    }


def cuts(days: Iterable[tuple[date, date]]) -> Sequence[tuple[date, date]]:
    """Return the longest stretches of days, in order, within which no span of `days` begins or ends.

    Stretches that no span covers are among them. Days are inclusive.
    """
    edges = sorted({edge for first, last in days for edge in (first.toordinal(), last.toordinal() + 1)})
    return [(date.fromordinal(begin), date.fromordinal(end - 1)) for begin, end in pairwise(edges)]


def _spans(rows: Sequence[FactorRow], gwp: GwpSet) -> Sequence[FactorSpan]:
    spans = []
    for first, last in cuts((row.valid_from, row.valid_to) for row in rows):
        held = sorted((row for row in rows if row.valid_from <= first <= row.valid_to), key=lambda row: row.gas)
        if held:
            spans.append(_span(first, last, held, gwp))
    return spans


def _span(first: date, last: date, rows: Sequence[FactorRow], gwp: GwpSet) -> FactorSpan:
    return FactorSpan(
        first=first,
        last=last,
        flux=rows[0].flux,
        gases=tuple(
            GasFactor(
                gas=row.gas,
                ef_value=row.ef_value,
                numerator_unit=row.numerator_unit,
                tonnes=row.tonnes_per_unit,
                chain=row.chain,
            )
            for row in rows
        ),
        co2e=co2e_per_unit(rows, gwp),
        source="; ".join(dict.fromkeys(row.source for row in rows)),
    )
