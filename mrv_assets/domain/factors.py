"""What a factor release and a GWP set are, and how their rows combine into one exact factor per activity row.

A release is immutable and pinned by digest; its GWP set is a pin of its own. Factors are decimals from the
first character to the last: gases, potentials and mass units combine exactly, their sum is rounded once to
1e-28 t. What does not belong here: where releases are stored (storage) and the join with activity rows (stages).
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_EVEN, Context, Decimal, Inexact, InvalidOperation, Overflow
from enum import StrEnum
from typing import Any, TypeAlias

from mrv_assets.domain.contract import EMISSION_FACTOR
from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import DigestMismatch, FactorError
from mrv_assets.domain.partition import Period, checked_id
from mrv_assets.domain.units import canonical_unit, tonnes_per

EXACT = Context(prec=200, traps=[Inexact, InvalidOperation, Overflow])
"""Wide enough for every product of three factors and sums of such, and it raises instead of rounding."""

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
    "rel_uncertainty",
    "confidence_level",
    "distribution",
    "source",
    "source_ref",
]


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
        for line, row in _csv_rows(data, ("gas", "gwp100", "source", "source_ref"), where=f"GWP set {name}"):
            gas, where = row["gas"], f"GWP set {name}, line {line}"
            if gas in values:
                raise _bad("gas appears twice", where=where, expected="one row per gas", found=gas)
            values[gas] = _decimal(row["gwp100"], where=where, what="gwp100")
        return cls(name=name, values=values, digest=sha256_hex(data))

    def of(self, gas: str, *, where: str) -> Decimal:
        """Return the potential of `gas`. A missing gas is refused with FactorError, never taken as 0."""
        if gas not in self.values:
            raise _bad(
                "gas has no potential in the pinned GWP set",
                where=where,
                expected=f"a gas of GWP set {self.name}: {', '.join(sorted(self.values))}",
                found=gas,
            )
        return self.values[gas]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorRow:
    """One published factor: mass of one gas per unit of activity, for a region and a span of days (inclusive)."""

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
        """The mass of the gas, t per unit of activity, exact."""
        return EXACT.multiply(self.ef_value, tonnes_per(self.numerator_unit))

    def tonnes_co2e_per_unit(self, gwp: GwpSet) -> Decimal:
        """Return this gas's part of the combined factor, t CO2e per unit, exact. A row in CO2e is weighted already."""
        weighted_already = self.gas == CO2E
        potential = Decimal(1) if weighted_already else gwp.of(self.gas, where=f"factors.csv line {self.line}")
        return EXACT.multiply(self.tonnes_per_unit, potential)


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinedFactor:
    """The one factor of an activity row: t CO2e per unit over all gases, to 1e-28, and its flux."""

    ef_value: Decimal
    flux: Flux


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorRelease:
    """One immutable release of factors.

    `line` is the series of releases it belongs to, `supersedes` the release it replaces (None for the first
    of its line), `digest` covers the description, the factors and the GWP set. `by_key` are the rows by what an
    activity row must equal, in the order of the file.
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
    by_key: Mapping[JoinKey, Sequence[FactorRow]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the rows once: a release of thousands is asked once for every kind of activity row."""
        by_key: dict[JoinKey, list[FactorRow]] = {}
        for row in self.rows:
            by_key.setdefault(row.join_key, []).append(row)
        object.__setattr__(self, "by_key", by_key)

    @classmethod
    def parse(cls, version: str, *, release_toml: bytes, factors_csv: bytes, gwp: GwpSet) -> FactorRelease:
        """Read a release from its two files and the GWP set that it names.

        Raises DigestMismatch when `factors_csv` is not the file that was released, FactorError for anything
        malformed, negative or ambiguous, and for a row in CO2e whose basis names another GWP set than the release; an
        ambiguous pair is named with both line numbers.
        """
        where = f"factor release {version}"
        head = _head(version, release_toml)
        if sha256_hex(factors_csv) != head["sha256"]:
            raise DigestMismatch(
                "a released factor file was changed",
                where=f"{where}, factors.csv",
                expected=f"sha256 {head['sha256']}",
                found=f"sha256 {sha256_hex(factors_csv)}",
                remedy="restore the released file; publish a correction as a new release that supersedes this one",
            )
        if head["gwp_set"] != gwp.name:
            raise _bad("GWP set is not the pinned one", where=where, expected=head["gwp_set"], found=gwp.name)
        cells = _csv_rows(factors_csv, FACTOR_COLUMNS, where=where)
        rows = tuple(_factor_row(line, row, where, gwp.name) for line, row in cells)
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
            raise _bad(
                "a gas is covered for a part of the epoch only",
                where=f"factor release {self.version}, line {partly[0].line}",
                expected=f"factors whose validity covers all of {epoch} or none of it, as line {rows[0].line} does",
                found=f"{partly[0].gas} from {partly[0].valid_from} to {partly[0].valid_to}",
            )
        total = Decimal(0)
        for row in rows:
            total = EXACT.add(total, row.tonnes_co2e_per_unit(self.gwp))
        if total >= _EF_LIMIT:
            raise _bad(
                "combined factor is larger than the contract holds",
                where=f"factor release {self.version}, {activity_id} {region}",
                expected=f"less than {_EF_LIMIT} t CO2e per unit",
                found=str(total),
            )
        return CombinedFactor(ef_value=_ROUNDING.quantize(total, _EF_STEP), flux=rows[0].flux)


def gwp_set_name(release_toml: bytes, *, version: str) -> str:
    """Return the GWP set that a release pins, so that it can be fetched before the release is parsed."""
    return str(_head(version, release_toml)["gwp_set"])


_HEAD_FIELDS: Mapping[str, type] = {
    "version": str,
    "line": str,
    "title": str,
    "published": date,
    "gwp_set": str,
    "supersedes": str,
    "sha256": str,
    "reason": str,
}


def _head(version: str, release_toml: bytes) -> dict[str, Any]:
    where = f"factor release {version}, release.toml"
    try:
        head = tomllib.loads(release_toml.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _bad(
            "release description cannot be read", where=where, expected="UTF-8 TOML", found=str(error)
        ) from error
    for name, kind in _HEAD_FIELDS.items():
        if not isinstance(head.get(name), kind):
            raise _bad(
                "release description is incomplete",
                where=where,
                expected=f"{name} ({kind.__name__})",
                found=repr(head.get(name)),
            )
    if set(head) != set(_HEAD_FIELDS):
        raise _bad(
            "release description has unknown fields",
            where=where,
            expected=", ".join(_HEAD_FIELDS),
            found=", ".join(head),
        )
    if head["version"] != version:
        raise _bad("release is in the wrong folder", where=where, expected=version, found=head["version"])
    return head


def _csv_rows(data: bytes, columns: Sequence[str], *, where: str) -> list[tuple[int, dict[str, str]]]:
    """Return (line number, row) pairs of an UTF-8 CSV whose header is exactly `columns`."""
    try:
        reader = csv.reader(io.StringIO(data.decode(), newline=""), strict=True)
        header = next(reader, [])
        rows = [(reader.line_num, row) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise _bad("file cannot be read", where=where, expected="UTF-8 CSV", found=str(error)) from error
    if header != list(columns):
        raise _bad("header is not the declared one", where=where, expected=",".join(columns), found=",".join(header))
    for line, row in rows:
        if len(row) != len(columns):
            raise _bad(
                "row is ragged",
                where=f"{where}, line {line}",
                expected=f"{len(columns)} cells",
                found=f"{len(row)} cells",
            )
    if not rows:
        raise _bad("file has no rows", where=where, expected="at least one row", found="0 rows")
    return [(line, dict(zip(columns, row, strict=True))) for line, row in rows]


def factor_basis(gas: str, gwp_set: str) -> str:
    """Return what the `basis` of a row must say: its gas, and for CO2e the GWP set that it was weighted with."""
    return f"{CO2E}:{gwp_set}" if gas == CO2E else gas


def _factor_row(line: int, row: Mapping[str, str], release: str, gwp_set: str) -> FactorRow:
    where = f"{release}, line {line}"
    for name in ("activity_id", "region", "gas", "basis", "source", "source_ref"):
        if not row[name].strip():
            raise _bad("cell is empty", where=where, expected=f"a {name}", found="nothing")
    if row["flux"] not in (Flux.EMISSION, Flux.REMOVAL):
        raise _bad("flux is unknown", where=where, expected="emission or removal", found=repr(row["flux"]))
    _refuse_other_basis(row, where, gwp_set)
    valid_from, valid_to = _date(row["valid_from"], where), _date(row["valid_to"], where)
    if valid_to < valid_from:
        raise _bad(
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
        ef_value=_decimal(row["ef_value"], where=where, what="ef_value"),
        numerator_unit=canonical_unit(row["numerator_unit"]),
        denominator_unit=canonical_unit(row["denominator_unit"]),
        basis=row["basis"],
        valid_from=valid_from,
        valid_to=valid_to,
        source=row["source"],
    )


def _refuse_other_basis(row: Mapping[str, str], where: str, gwp_set: str) -> None:
    expected = factor_basis(row["gas"], gwp_set)
    if row["basis"] == expected:
        return
    if row["gas"] == CO2E:
        raise _bad(
            "mixed GWP: a row in CO2e does not name the GWP set of its release",
            where=where,
            expected=expected,
            found=row["basis"],
        )
    raise _bad("substance basis is not the gas", where=where, expected=expected, found=row["basis"])


def _refuse_ambiguity(rows: Sequence[FactorRow], where: str) -> None:
    """Refuse rows that could both apply to one activity row, both fluxes at once, and CO2e beside a gas in it."""
    groups: dict[JoinKey, list[FactorRow]] = {}
    for row in rows:
        for other in groups.get(row.join_key, []):
            is_shared_day = row.valid_from <= other.valid_to and other.valid_from <= row.valid_to
            is_counted_twice = row.gas == other.gas or CO2E in (row.gas, other.gas)
            if is_shared_day and (is_counted_twice or row.flux != other.flux):
                raise _bad(
                    "two factors could apply to one activity row",
                    where=f"{where}, lines {other.line} and {row.line}",
                    expected="one factor per activity, region, unit, gas and day, with one flux; CO2e alone",
                    found=f"{_told(other)} and {_told(row)}",
                )
        groups.setdefault(row.join_key, []).append(row)


def _told(row: FactorRow) -> str:
    return f"{row.gas} {row.flux} {row.ef_value} ({row.source})"


def _decimal(text: str, *, where: str, what: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation as error:
        raise _bad(f"{what} is not a decimal", where=where, expected="decimal text", found=repr(text)) from error
    if not value.is_finite() or value.is_signed():
        raise FactorError(
            f"{what} must be finite and not negative",
            where=where,
            expected="0 or more",
            found=text,
            remedy="declare a removal by flux = removal with a positive value; never by a negative factor",
        )
    return value


def _date(text: str, where: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise _bad("validity is not a date", where=where, expected="YYYY-MM-DD", found=repr(text)) from error


def _bad(what: str, *, where: str, expected: str, found: str) -> FactorError:
    return FactorError(
        what,
        where=where,
        expected=expected,
        found=found,
        remedy="correct the file before it is released; a released file is corrected by a new release",
    )
