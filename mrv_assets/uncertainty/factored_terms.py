"""From factored rows to terms with their sources of uncertainty: rows that share a factor share its error.

Sources are named: `quantity <activity>`, `factor <activity> <region> <unit> <gas>`, `coefficient <name>`. A name is one
error wherever it occurs: in other rows, in other epochs, and, for a coefficient, in other factors. GWPs are taken as
certain. What does not belong here: how terms combine (approach_1, approach_2) and reading tables (pipeline).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from mrv_assets.domain.confidence import HalfWidth95
from mrv_assets.domain.errors import ContractError, listed
from mrv_assets.domain.factor_uncertainty import Uncertainty
from mrv_assets.domain.factors import FactorRelease, FactorRow, Flux
from mrv_assets.domain.partition import Period
from mrv_assets.uncertainty.approach_1 import Term
from mrv_assets.uncertainty.approach_2 import Product, Variable
from mrv_assets.uncertainty.digits import decimal
from mrv_assets.uncertainty.stated import relative_shape, stated_half_width_95


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class FactorUse:
    """What rows have in common that share a factor. `region` is the one that the factor is published for."""

    activity_id: str
    region: str
    unit: str
    epoch: str
    flux: Flux

    def __str__(self) -> str:
        return f"{self.activity_id} {self.region} {self.unit} {self.epoch} {self.flux}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcedTerm:
    """Tonnes CO2e of one gas of one factor, not negative, and what is stated of each source of their uncertainty."""

    use: FactorUse
    gas: str
    tco2e: Decimal
    sources: Mapping[str, Uncertainty]


def tonnes_by_factor(rows: Iterable[tuple[FactorUse, Decimal]]) -> Mapping[FactorUse, Decimal]:
    """Sum rows of the factored table, t CO2e, exactly. Emissions and removals are other uses, so they stay apart."""
    sums: dict[FactorUse, Fraction] = {}
    for use, tco2e in rows:
        sums[use] = sums.get(use, Fraction(0)) + Fraction(tco2e)
    return {use: decimal(sums[use]) for use in sorted(sums)}


def sourced_terms(
    tonnes: Mapping[FactorUse, Decimal],
    *,
    release: FactorRelease,
    quantities: Mapping[str, Uncertainty],
    declared: Mapping[str, Uncertainty],
    where: str,
) -> Sequence[SourcedTerm]:
    """Split tonnes by gas and name their sources of uncertainty; uses of 0 t are left out.

    `quantities` says how uncertain the quantities of an activity are, 0 where they are certain; all quantities of one
    activity share one error. `declared` says by source what the release does not state. Raises ContractError naming
    every source of which nobody has said anything, and a use for which the release has no factor.
    """
    said = {**declared, **{f"quantity {activity}": stated for activity, stated in quantities.items()}}
    unsaid: dict[str, None] = {}
    terms: list[SourcedTerm] = []
    for use, tco2e in tonnes.items():
        if not tco2e:
            continue
        for row, tonnes_of_gas in _by_gas(use, tco2e, release, where):
            found = {name: stated or said.get(name) for name, stated in _sources(use, row)}
            unsaid.update(dict.fromkeys(name for name, stated in found.items() if stated is None))
            sources = {name: stated for name, stated in found.items() if stated is not None}
            terms.append(SourcedTerm(use=use, gas=row.gas, tco2e=tonnes_of_gas, sources=sources))
    _require_said(list(unsaid), where)
    return terms


def approach_1_terms(terms: Sequence[SourcedTerm], *, where: str) -> Sequence[Term[HalfWidth95]]:
    """Return the terms with half-widths at 95 %. Raises ContractError for what `stated_half_width_95` refuses."""
    return [
        Term(
            value=term.tco2e,
            half_widths={
                name: stated_half_width_95(stated, where=f"{where}, {name}") for name, stated in term.sources.items()
            },
        )
        for term in terms
    ]


def approach_2_products(terms: Sequence[SourcedTerm], *, where: str) -> Sequence[Product]:
    """Return the terms with distributions around 1. Raises ContractError for what `relative_shape` refuses."""
    return [
        Product(
            value=term.tco2e,
            variables=[
                Variable(source=name, shape=relative_shape(stated, where=f"{where}, {name}"))
                for name, stated in term.sources.items()
            ],
        )
        for term in terms
    ]


def _sources(use: FactorUse, row: FactorRow) -> Iterator[tuple[str, Uncertainty | None]]:
    yield f"quantity {use.activity_id}", None
    if not row.chain:
        yield f"factor {use.activity_id} {use.region} {use.unit} {row.gas}", row.uncertainty
    for coefficient in row.chain:
        yield f"coefficient {coefficient.name}", coefficient.uncertainty


def _by_gas(use: FactorUse, tco2e: Decimal, release: FactorRelease, where: str) -> Iterator[tuple[FactorRow, Decimal]]:
    rows = _factor_rows(use, release, where)
    parts = [row.exact_tonnes_co2e_per_unit(release.gwp) for row in rows]
    for row, part in zip(rows, parts, strict=True):
        yield row, decimal(Fraction(tco2e) * part / sum(parts))


def _factor_rows(use: FactorUse, release: FactorRelease, where: str) -> Sequence[FactorRow]:
    epoch = Period.parse(use.epoch)
    rows = [row for row in release.by_key.get((use.activity_id, use.region, use.unit), ()) if row.covers(epoch)]
    if any(row.exact_tonnes_co2e_per_unit(release.gwp) for row in rows):
        return rows
    raise ContractError(
        "rows have a factor that the release does not have",
        where=f"{where}, {use}",
        expected=f"a factor above 0 of release {release.version}",
        found="none" if not rows else "a factor of 0",
        remedy="take the release that the factored table was made with",
    )


def _require_said(unsaid: Sequence[str], where: str) -> None:
    if unsaid:
        raise ContractError(
            "evidence is missing: uncertainty",
            where=where,
            expected="a half-width, a level and a distribution of every source; 0 for what is exact, such as 44/12",
            found=f"nothing of {listed(unsaid)}",
            remedy="declare them with their reason, or take a factor release that states them; unknown is not 0",
        )
