"""What a project monitors beside its activity: named quantities, facts and tables of one monitoring period.

What a rule asks for is taken by name, and what is not there is an error by name: silence is never a zero. What does not
belong here: reading the files (stages) and what a rule makes of it (crediting, compliance).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation

from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import ContractError

_MOST_WHOLE_DIGITS, _MOST_DIGITS, _MOST_DECIMALS = 40, 60, 40
# Python itself reads more: digits of any script, and 1_000 as 1000.
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitoring:
    """The evidence of one project and monitoring period, everything as text as it was given.

    `quantities` are decimal text by name, the unit as suffix (`leakage_tco2e`). `facts` are words, `yes`, `no`, days.
    `tables` are rows of cells by column; an empty cell is a missing value. `where` names the package in errors.
    """

    where: str
    quantities: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Sequence[Mapping[str, str]]] = field(default_factory=dict)

    def quantity(self, name: str) -> Decimal:
        """Return a finite number. Raises ContractError when it is missing or is none."""
        text = self.quantities.get(name)
        if text is None:
            raise self.missing(f"quantity {name}")
        return self.number(text, f"quantity {name}")

    def fact(self, name: str) -> str:
        """Return a word. Raises ContractError when it is missing or blank."""
        text = self.facts.get(name, "").strip()
        if not text:
            raise self.missing(f"fact {name}")
        return text

    def is_so(self, name: str) -> bool:
        """Return whether a fact is `yes`. Raises ContractError when it is missing or neither `yes` nor `no`."""
        text = self.fact(name)
        if text not in ("yes", "no"):
            raise self.unusable(f"fact {name}", expected="yes or no", found=text)
        return text == "yes"

    def day(self, name: str) -> date:
        """Return a fact that is a day. Raises ContractError when it is missing or is none."""
        text = self.fact(name)
        try:
            return date.fromisoformat(text)
        except ValueError:
            raise self.unusable(f"fact {name}", expected="a day such as 2024-12-31", found=text) from None

    def table(self, name: str, *columns: str) -> Sequence[Mapping[str, str]]:
        """Return the rows of a table that has these columns. Raises ContractError when one is missing."""
        if name not in self.tables:
            raise self.missing(f"table {name}")
        rows = self.tables[name]
        lacking = [column for column in columns if any(column not in row for row in rows)]
        if lacking:
            raise self.missing(f"table {name}, columns {', '.join(lacking)}")
        return rows

    def cell(self, table: str, row: Mapping[str, str], column: str) -> Decimal:
        """Return a cell that is a finite number. Raises ContractError naming table, row and column when it is none."""
        what = f"table {table}, row {next(iter(row.values()), '?')}, column {column}"
        text = row.get(column, "").strip()
        if not text:
            raise self.missing(what)
        return self.number(text, what)

    def number(self, text: str, what: str) -> Decimal:
        """Read decimal text. Raises ContractError naming `what` for anything but a finite number of a sane size.

        That is below 1e40, with at most 60 digits and 40 decimals: products of two such numbers stay exact. Digits are
        0 to 9, with nothing between them but a point.
        """
        try:
            value = Decimal(text) if _NUMBER.fullmatch(text.strip()) else Decimal("NaN")
        except InvalidOperation:
            value = Decimal("NaN")
        if not value.is_finite():
            raise self.unusable(what, expected="a finite number as decimal text", found=text)
        _, digits, exponent = value.as_tuple()
        if value.adjusted() >= _MOST_WHOLE_DIGITS or len(digits) > _MOST_DIGITS or int(exponent) < -_MOST_DECIMALS:
            raise self.unusable(what, expected="a number below 1e40 with at most 60 digits and 40 decimals", found=text)
        return value

    def missing(self, what: str) -> ContractError:
        """Return the error of evidence that a rule needs and that is not there."""
        return ContractError(
            "evidence is missing",
            where=f"{self.where}, {what}",
            expected="evidence for the rule that asks for it",
            found="nothing",
            remedy="add it to the project's monitoring package of this period; what is not shown does not count",
        )

    def unusable(self, what: str, *, expected: str, found: str) -> ContractError:
        """Return the error of evidence that is there and that no rule can use."""
        return ContractError(
            "evidence cannot be used",
            where=f"{self.where}, {what}",
            expected=expected,
            found=repr(found),
            remedy="correct it in the project's monitoring package of this period",
        )

    def digest_of(self, *names: str) -> str:
        """Return the digest of what was shown under these names of quantities, facts and tables, missing ones too."""
        shown = {
            name: [self.quantities.get(name), self.facts.get(name), [dict(row) for row in self.tables.get(name, ())]]
            for name in sorted(names)
        }
        return sha256_hex(canonical_json(shown))
