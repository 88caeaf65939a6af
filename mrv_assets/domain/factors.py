"""What a factor release and a GWP set are, and how their rows combine into one exact factor per activity row.

A release is immutable and pinned by digest; its GWP set is a pin of its own. Factors are decimals from the
first character to the last: gases, potentials and mass units combine exactly, their sum is rounded once to
1e-28 t. What does not belong here: where releases are stored (storage) and the join with activity rows (stages).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation, Overflow
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

from mrv_assets.domain.contract import EMISSION_FACTOR
from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import DigestMismatch
from mrv_assets.domain.exact import EXACT, as_decimal
from mrv_assets.domain.factor_cells import csv_rows, date_cell, decimal_cell, malformed, refuse_blanks
from mrv_assets.domain.factor_chains import (
    CHAINS,
    COEFFICIENTS,
    Coefficient,
    linked,
    parse_coefficients,
    product,
    require_ends,
)
from mrv_assets.domain.factor_head import REGIONS, pinned_beside, read_head
from mrv_assets.domain.factor_uncertainty import UNCERTAINTY_COLUMNS, Uncertainty
from mrv_assets.domain.partition import Period, checked_id
from mrv_assets.domain.units import canonical_unit, tonnes_per

_ROUNDING = Context(prec=200, rounding=ROUND_HALF_EVEN, traps=[InvalidOperation, Overflow])
_EF_STEP = Decimal(1).scaleb(-EMISSION_FACTOR.scale)
_EF_LIMIT = Decimal(10) ** (EMISSION_FACTOR.precision - EMISSION_FACTOR.scale)

CO2E = "CO2e"
"""The gas of a row that is weighted already: a total in CO2 equivalents, in the potentials that its basis names."""

JoinKey: TypeAlias = tuple[str, str, str]

FACTOR_COLUMNS = [
    "activity_id",
    "region",
    "gas",
    "flux",
    "ef_value",
    "numerator_unit",
    "denominator_unit",
    "basis",
    "valid_from",
    "valid_to",
    *UNCERTAINTY_COLUMNS,
    "source",
    "source_ref",
]
CHAIN_COLUMNS = ["chain" if name == "ef_value" else name for name in FACTOR_COLUMNS if name not in UNCERTAINTY_COLUMNS]
"""The uncertainty of a chain is that of its coefficients, each with its own."""

_FACTORS = "factors.csv"


class Flux(StrEnum):
    """Whether a factor quantifies an emission to, or a removal from, the atmosphere. Values are never negative."""

    EMISSION = "emission"
    REMOVAL = "removal"


@dataclass(frozen=True, slots=True, kw_only=True)
class GwpSet:
    """100-year global warming potentials by gas, t CO2e per t, of one assessment report."""

    name: str
    values: Mapping[str, Decimal]
    digest: str

    @classmethod
    def parse(cls, name: str, data: bytes) -> GwpSet:
        """Read `gas,gwp100,…` rows. Raises FactorError for a duplicate gas or a value that is no positive decimal."""
        values: dict[str, Decimal] = {}
        for line, row in csv_rows(data, ("gas", "gwp100", "source", "source_ref"), where=f"GWP set {name}"):
            gas, where = row["gas"], f"GWP set {name}, line {line}"
            if gas in values:
                raise malformed("gas appears twice", where=where, expected="one row per gas", found=gas)
            values[gas] = decimal_cell(row["gwp100"], where=where, what="gwp100")
        return cls(name=name, values=values, digest=sha256_hex(data))

    def of(self, gas: str, *, where: str) -> Decimal:
        """Return the potential of `gas`. A missing gas is refused with FactorError, never taken as 0."""
        if gas not in self.values:
            raise malformed(
                "gas has no potential in the pinned GWP set",
                where=where,
                expected=f"a gas of GWP set {self.name}: {', '.join(sorted(self.values))}",
                found=gas,
            )
        return self.values[gas]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorRow:
    """One published factor: mass of one gas per unit of activity, for a region and a span of days (inclusive).

    `uncertainty` is what the source states of it, None where it states none. A row of `chains.csv` has the `chain` of
    its coefficients, each with an uncertainty of its own; its `ef_value` is their product, rounded to 1e-28 only where
    its decimals do not end, and `source` names all of their sources.
    """

    line: int
    activity_id: str
    region: str
    gas: str
    flux: Flux
    ef_value: Decimal
    numerator_unit: str
    denominator_unit: str
    basis: str
    valid_from: date
    valid_to: date
    source: str
    uncertainty: Uncertainty | None
    chain: Sequence[Coefficient] = ()

    @property
    def place(self) -> str:
        """Where the row stands in its release, for messages."""
        return f"{CHAINS} line {self.line}" if self.chain else f"line {self.line}"

    @property
    def join_key(self) -> JoinKey:
        """What an activity row must equal: activity, region and canonical unit."""
        return (self.activity_id, self.region, self.denominator_unit)

    def covers(self, epoch: Period) -> bool:
        """Tell whether every day of `epoch` lies in the validity of this factor."""
        return self.valid_from <= epoch.first and epoch.last <= self.valid_to

    def touches(self, epoch: Period) -> bool:
        """Tell whether any day of `epoch` lies in the validity of this factor."""
        return self.valid_from <= epoch.last and epoch.first <= self.valid_to

    @property
    def tonnes_per_unit(self) -> Decimal:
        """The mass of the gas, t per unit of activity, exact; of a chain rounded to 1e-28 where it does not end."""
        if self.chain:
            return as_decimal(self._exact_tonnes, places=EMISSION_FACTOR.scale)
        return EXACT.multiply(self.ef_value, tonnes_per(self.numerator_unit))

    @property
    def _exact_tonnes(self) -> Fraction:
        value = product(self.chain) if self.chain else Fraction(self.ef_value)
        return value * Fraction(tonnes_per(self.numerator_unit))

    def tonnes_co2e_per_unit(self, gwp: GwpSet) -> Decimal:
        """Return this gas's part of the combined factor, t CO2e per unit. A row in CO2e is weighted already.

        Exact, as `tonnes_per_unit` is.
        """
        if self.chain:
            return as_decimal(self.exact_tonnes_co2e_per_unit(gwp), places=EMISSION_FACTOR.scale)
        return EXACT.multiply(self.tonnes_per_unit, self._potential(gwp))

    def exact_tonnes_co2e_per_unit(self, gwp: GwpSet) -> Fraction:
        """Return this gas's part of the combined factor, t CO2e per unit, as a rational number."""
        return self._exact_tonnes * Fraction(self._potential(gwp))

    def _potential(self, gwp: GwpSet) -> Decimal:
        if self.gas == CO2E:
            return Decimal(1)
        return gwp.of(self.gas, where=f"{CHAINS if self.chain else _FACTORS} line {self.line}")


def co2e_per_unit(rows: Sequence[FactorRow], gwp: GwpSet) -> Decimal:
    """Return the sum of the rows, t CO2e per unit: exact, with chains rounded once to 1e-28 where it does not end."""
    if any(row.chain for row in rows):
        total = sum((row.exact_tonnes_co2e_per_unit(gwp) for row in rows), Fraction(0))
        return as_decimal(total, places=EMISSION_FACTOR.scale)
    decimals = Decimal(0)
    for row in rows:
        decimals = EXACT.add(decimals, row.tonnes_co2e_per_unit(gwp))
    return decimals


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedFactor:
    """The one factor of an activity row: t CO2e per unit over all gases, to 1e-28, and its flux."""

    ef_value: Decimal
    flux: Flux


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorRelease:
    """One immutable release of factors.

    `line` is the series of releases it belongs to, `supersedes` the release it replaces (None for the first
    of its line), `digest` covers the description, and so every file that it pins, the factors and the GWP set.
    `by_key` are the rows by what an activity row must equal, in the order of the file, chains last. `regions` is the
    GeoParquet file that says where regions are, None for a release that does not.
    """

    version: str
    line: str
    title: str
    published: date
    supersedes: str | None
    reason: str
    gwp: GwpSet
    rows: Sequence[FactorRow]
    digest: str
    regions: bytes | None = field(repr=False)
    by_key: Mapping[JoinKey, Sequence[FactorRow]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the rows once: a release of thousands is asked once for every kind of activity row."""
        by_key: dict[JoinKey, list[FactorRow]] = {}
        for row in self.rows:
            by_key.setdefault(row.join_key, []).append(row)
        object.__setattr__(self, "by_key", by_key)

    @classmethod
    def parse(
        cls,
        version: str,
        *,
        release_toml: bytes,
        factors_csv: bytes,
        gwp: GwpSet,
        beside: Mapping[str, bytes] | None = None,
    ) -> FactorRelease:
        """Read a release from its files and the GWP set that it names.

        `beside` are the other files of the release by name: `chains.csv` and `coefficients.csv` where it has chained
        factors, `regions.parquet` where it knows where regions are.

        Raises DigestMismatch when a file is not the one that was released, FactorError for anything
        malformed, negative or ambiguous, for a row in CO2e whose basis names another GWP set than the release, and
        when the files beside are not those that the description pins; an ambiguous pair is named with both line
        numbers.
        """
        where = f"factor release {version}"
        head = read_head(release_toml, version=version)
        beside = beside or {}
        _require_released(_FACTORS, factors_csv, head["sha256"], where)
        _require_beside(beside, pinned_beside(release_toml, version=version), where)
        if head["gwp_set"] != gwp.name:
            raise malformed("GWP set is not the pinned one", where=where, expected=head["gwp_set"], found=gwp.name)
        cells = csv_rows(factors_csv, FACTOR_COLUMNS, where=where, may_be_empty=CHAINS in beside)
        rows = (
            *(_factor_row(line, row, f"{where}, line {line}", gwp.name) for line, row in cells),
            *(_chained_rows(beside, where, gwp.name) if CHAINS in beside else ()),
        )
        _refuse_ambiguity(rows, where)
        for row in rows:
            row.tonnes_co2e_per_unit(gwp)
        return cls(
            version=checked_id(version, what="factor_version"),
            line=checked_id(head["line"], what="factor line"),
            title=head["title"],
            published=head["published"],
            supersedes=head["supersedes"] or None,
            reason=head["reason"],
            gwp=gwp,
            rows=rows,
            regions=beside.get(REGIONS),
            digest=sha256_hex(canonical_json([version, sha256_hex(release_toml), head["sha256"], gwp.digest])),
        )

    def combined(self, *, activity_id: str, region: str, unit: str, epoch: Period) -> CombinedFactor | None:
        """Return the combined factor for one kind of activity row, or None when the release has none.

        Sums factor x GWP x mass conversion over the gases whose validity covers `epoch`. The
        exact sum is rounded once, half-even, to the 28 decimals of the contract, so that the stored factor is the
        one that multiplies the quantity. Raises FactorError when the sum does not fit the contract.
        """
        matched = [r for r in self.by_key.get((activity_id, region, unit), ()) if r.touches(epoch)]
        rows = [r for r in matched if r.covers(epoch)]
        if not rows:
            return None
        partly = [r for r in matched if not r.covers(epoch)]
        if partly:
            raise malformed(
                "a gas is covered for a part of the epoch only",
                where=f"factor release {self.version}, {partly[0].place}",
                expected=f"factors whose validity covers all of {epoch} or none of it, as {rows[0].place} does",
                found=f"{partly[0].gas} from {partly[0].valid_from} to {partly[0].valid_to}",
            )
        total = co2e_per_unit(rows, self.gwp)
        if total >= _EF_LIMIT:
            raise malformed(
                "combined factor is larger than the contract holds",
                where=f"factor release {self.version}, {activity_id} {region}",
                expected=f"less than {_EF_LIMIT} t CO2e per unit",
                found=str(total),
            )
        return CombinedFactor(ef_value=_ROUNDING.quantize(total, _EF_STEP), flux=rows[0].flux)


def _require_released(name: str, data: bytes, sha256: str, where: str) -> None:
    if sha256_hex(data) != sha256:
        raise DigestMismatch(
            "a released factor file was changed",
            where=f"{where}, {name}",
            expected=f"sha256 {sha256}",
            found=f"sha256 {sha256_hex(data)}",
            remedy="restore the released file; publish a correction as a new release that supersedes this one",
        )


def _require_beside(beside: Mapping[str, bytes], pinned: Mapping[str, str], where: str) -> None:
    if set(beside) != set(pinned):
        raise malformed(
            "files of the release are not those that it pins",
            where=where,
            expected=f"{', '.join((_FACTORS, *sorted(pinned)))}, as release.toml pins them",
            found=", ".join((_FACTORS, *sorted(beside))),
        )
    for name, data in beside.items():
        _require_released(name, data, pinned[name], where)


def factor_basis(gas: str, gwp_set: str) -> str:
    """Return what the `basis` of a row must say: its gas, and for CO2e the GWP set that it was weighted with."""
    return f"{CO2E}:{gwp_set}" if gas == CO2E else gas


def _chained_rows(beside: Mapping[str, bytes], where: str, gwp_set: str) -> Sequence[FactorRow]:
    coefficients = parse_coefficients(beside[COEFFICIENTS], where=where)
    cells = csv_rows(beside[CHAINS], CHAIN_COLUMNS, where=f"{where}, {CHAINS}")
    return [_chained_row(line, row, f"{where}, {CHAINS} line {line}", gwp_set, coefficients) for line, row in cells]


def _chained_row(
    line: int, row: dict[str, str], where: str, gwp_set: str, coefficients: Mapping[str, Coefficient]
) -> FactorRow:
    chain = linked(row["chain"], coefficients, where=where)
    value = as_decimal(product(chain), places=EMISSION_FACTOR.scale)
    cells = {**row, "ef_value": str(value), **dict.fromkeys(UNCERTAINTY_COLUMNS, "")}
    plain = _factor_row(line, cells, where, gwp_set)
    require_ends(
        chain,
        numerator_unit=plain.numerator_unit,
        denominator_unit=plain.denominator_unit,
        gas=plain.gas,
        where=where,
    )
    sources = dict.fromkeys((plain.source, *(coefficient.source for coefficient in chain)))
    return replace(plain, chain=chain, source="; ".join(sources))


def _factor_row(line: int, row: dict[str, str], where: str, gwp_set: str) -> FactorRow:
    refuse_blanks(row, ("activity_id", "region", "gas", "basis", "source", "source_ref"), where=where)
    if row["flux"] not in (Flux.EMISSION, Flux.REMOVAL):
        raise malformed("flux is unknown", where=where, expected="emission or removal", found=repr(row["flux"]))
    _refuse_other_basis(row, where, gwp_set)
    valid_from, valid_to = date_cell(row["valid_from"], where=where), date_cell(row["valid_to"], where=where)
    if valid_to < valid_from:
        raise malformed(
            "validity runs backwards",
            where=where,
            expected=f"a day on or after {valid_from}",
            found=str(valid_to),
        )
    return FactorRow(
        line=line,
        activity_id=row["activity_id"],
        region=row["region"],
        gas=row["gas"],
        flux=Flux(row["flux"]),
        ef_value=decimal_cell(row["ef_value"], where=where, what="ef_value"),
        numerator_unit=canonical_unit(row["numerator_unit"]),
        denominator_unit=canonical_unit(row["denominator_unit"]),
        basis=row["basis"],
        valid_from=valid_from,
        valid_to=valid_to,
        source=row["source"],
        uncertainty=Uncertainty.parse(row, where=where),
    )


def _refuse_other_basis(row: Mapping[str, str], where: str, gwp_set: str) -> None:
    expected = factor_basis(row["gas"], gwp_set)
    if row["basis"] == expected:
        return
    if row["gas"] == CO2E:
        raise malformed(
            "mixed GWP: a row in CO2e does not name the GWP set of its release",
            where=where,
            expected=expected,
            found=row["basis"],
        )
    raise malformed("substance basis is not the gas", where=where, expected=expected, found=row["basis"])


def _refuse_ambiguity(rows: Sequence[FactorRow], where: str) -> None:
    """Refuse rows that could both apply to one activity row, both fluxes at once, and CO2e beside a gas in it."""
    groups: dict[JoinKey, list[FactorRow]] = {}
    for row in rows:
        for other in groups.get(row.join_key, []):
            is_shared_day = row.valid_from <= other.valid_to and other.valid_from <= row.valid_to
            is_counted_twice = row.gas == other.gas or CO2E in (row.gas, other.gas)
            if is_shared_day and (is_counted_twice or row.flux != other.flux):
                raise malformed(
                    "two factors could apply to one activity row",
                    where=f"{where}, {_places(other, row)}",
                    expected="one factor per activity, region, unit, gas and day, with one flux; CO2e alone",
                    found=f"{_told(other)} and {_told(row)}",
                )
        groups.setdefault(row.join_key, []).append(row)


def _places(one: FactorRow, other: FactorRow) -> str:
    is_apart = bool(one.chain or other.chain)
    return f"{one.place} and {other.place}" if is_apart else f"lines {one.line} and {other.line}"


def _told(row: FactorRow) -> str:
    return f"{row.gas} {row.flux} {row.ef_value} ({row.source})"
