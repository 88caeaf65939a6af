"""Factors that are a product of named coefficients, such as wood density, carbon fraction and 44/12, and its exactness.

Coefficients are read as rational numbers and multiplied in the declared order; their units have to cancel. What does
not belong here: how a factor applies to activity rows (factors).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import prod

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.factor_cells import csv_rows, malformed, refuse_blanks
from mrv_assets.domain.factor_uncertainty import UNCERTAINTY_COLUMNS, Uncertainty
from mrv_assets.domain.units import canonical_unit

CHAINS, COEFFICIENTS = "chains.csv", "coefficients.csv"
"""The files of a release with chained factors, beside `factors.csv`; both or none."""

COEFFICIENT_COLUMNS = [
    "name",
    "value",
    "numerator_unit",
    "denominator_unit",
    *UNCERTAINTY_COLUMNS,
    "source",
    "source_ref",
]

_TIMES = " * "
_VALUE = re.compile(r"[0-9]{1,40}(\.[0-9]{1,40})?|[0-9]{1,40}/[0-9]{1,40}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A unit and the substance that is measured in it, nothing where it is not said: `t of C`, `m3`."""

    unit: str
    substance: str

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Read `unit` or `unit of substance`. Raises ContractError for a unit that is unknown or ambiguous."""
        unit, _, substance = text.partition(" of ")
        return cls(unit=canonical_unit(unit.strip()), substance=substance.strip())

    def __str__(self) -> str:
        return f"{self.unit} of {self.substance}" if self.substance else self.unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """One published number of a chain: so many `numerator` per `denominator`, exact, with what its source states."""

    line: int
    name: str
    value: Fraction
    numerator: Measure
    denominator: Measure
    uncertainty: Uncertainty | None
    source: str
    source_ref: str


def parse_coefficients(data: bytes, *, where: str) -> Mapping[str, Coefficient]:
    """Read `coefficients.csv` by name.

    Raises FactorError naming the line for a name that is none or stands twice (both lines), a value that is neither a
    plain decimal nor a fraction of whole numbers, an unknown unit, a malformed uncertainty, or a missing source.
    """
    found: dict[str, Coefficient] = {}
    for line, row in csv_rows(data, COEFFICIENT_COLUMNS, where=f"{where}, {COEFFICIENTS}"):
        coefficient = _coefficient(line, row, f"{where}, {COEFFICIENTS} line {line}")
        other = found.setdefault(coefficient.name, coefficient)
        if other is not coefficient:
            raise malformed(
                "coefficient appears twice",
                where=f"{where}, {COEFFICIENTS} lines {other.line} and {line}",
                expected="one row per name",
                found=coefficient.name,
            )
    return found


def linked(text: str, coefficients: Mapping[str, Coefficient], *, where: str) -> Sequence[Coefficient]:
    """Return the coefficients of a chain such as `density * carbon-fraction`, in its order.

    Raises FactorError naming `where` for a name that is not known or stands twice, and for two neighbours of which the
    first does not end in what the second begins with.
    """
    names = text.split(_TIMES)
    for name in names:
        if name not in coefficients:
            raise malformed(
                "chain names no coefficient",
                where=where,
                expected=f"names of {COEFFICIENTS} joined by {_TIMES!r}: {', '.join(coefficients)}",
                found=repr(name),
            )
    if len(set(names)) < len(names):
        raise malformed("chain multiplies twice", where=where, expected="every coefficient once", found=text)
    chain = tuple(coefficients[name] for name in names)
    for one, other in pairwise(chain):
        if one.numerator != other.denominator:
            raise malformed(
                "units along the chain do not cancel",
                where=where,
                expected=f"{other.name} per {one.numerator}, which {one.name} ends in",
                found=f"{one.name} in {one.numerator} per {one.denominator}, then {other.name} in {other.numerator} "
                f"per {other.denominator}",
            )
    return chain


def require_ends(
    chain: Sequence[Coefficient], *, numerator_unit: str, denominator_unit: str, gas: str, where: str
) -> None:
    """Refuse with FactorError a chain that does not lead from the unit of the activity to the mass of the gas."""
    first, last = chain[0], chain[-1]
    if first.denominator.unit != denominator_unit:
        raise malformed(
            "chain does not begin with the unit of the activity",
            where=where,
            expected=f"{first.name} per {denominator_unit}",
            found=f"{first.name} per {first.denominator}",
        )
    expected = Measure(unit=numerator_unit, substance=gas)
    if last.numerator != expected:
        raise malformed(
            "chain does not end in the mass of the gas",
            where=where,
            expected=f"{last.name} in {expected}",
            found=f"{last.name} in {last.numerator}",
        )


def product(chain: Sequence[Coefficient]) -> Fraction:
    """Return the exact product of the coefficients."""
    return prod((coefficient.value for coefficient in chain), start=Fraction(1))


def _coefficient(line: int, row: dict[str, str], where: str) -> Coefficient:
    refuse_blanks(row, ("source", "source_ref"), where=where)
    if not _NAME.fullmatch(row["name"]):
        raise malformed(
            "coefficient has no name that a chain can hold",
            where=where,
            expected="1 to 64 of A-Z a-z 0-9 . _ + -, the first a letter or digit",
            found=repr(row["name"]),
        )
    return Coefficient(
        line=line,
        name=row["name"],
        value=_value(row["value"], where),
        numerator=_measure(row["numerator_unit"], where),
        denominator=_measure(row["denominator_unit"], where),
        uncertainty=Uncertainty.parse(row, where=where),
        source=row["source"],
        source_ref=row["source_ref"],
    )


def _value(text: str, where: str) -> Fraction:
    denominator = text.partition("/")[2]
    if not _VALUE.fullmatch(text) or (denominator and not int(denominator)):
        raise malformed(
            "coefficient is no number",
            where=where,
            expected="a plain decimal of 0 or more such as 0.47, or a fraction of whole numbers such as 44/12",
            found=repr(text),
        )
    return Fraction(text)


def _measure(text: str, where: str) -> Measure:
    try:
        return Measure.parse(text)
    except ContractError as error:
        raise malformed("unit is refused", where=where, expected=error.expected, found=error.where) from error
