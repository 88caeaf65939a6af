"""What a registry says of credits: a block was issued on a certificate, a block was retired or cancelled for good.

What does not belong here: how it is kept (registry_record), what may not be said beside other things that were said
(registry_book), and how many credits a certificate allows (issuance_limits).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TypeAlias

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Period, checked_id
from mrv_assets.domain.registry_block import RegistryBlock
from mrv_assets.domain.said import said

_SHA256 = re.compile(r"[0-9a-f]{64}")


class Ending(StrEnum):
    """How a credit left circulation for good: used by somebody, or taken back."""

    RETIRED = "retired"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuance:
    """A block of credits that a registry issued on the figure that a certificate seals, by the credits of a rule set.

    `project_id` and `period` are the certificate's, `registry_project` is the registry's name of the project. The
    vintage is its first and last day, both inclusive. `superseded_by` is the certificate that the ledger reported when
    the issuance was recorded, None when it was this one. Raises ContractError for a vintage outside the period or
    of two calendar years (VCS Registration and Issuance Process v4.4, 4.1.2), an issuance before the vintage was over,
    and a serial number that says another project or vintage.
    """

    project_id: str
    period: str
    certificate_sha256: str
    rule_set: str
    block: RegistryBlock
    registry_project: str
    vintage_first: date
    vintage_last: date
    issued_on: date
    superseded_by: str | None = None

    def __post_init__(self) -> None:
        checked_id(self.project_id, what="project_id")
        period = Period.parse(self.period)
        self._require(_SHA256.fullmatch(self.certificate_sha256) is not None, "a sha256", self.certificate_sha256)
        is_one_year = self.vintage_first <= self.vintage_last and self.vintage_first.year == self.vintage_last.year
        self._require(is_one_year, "vintage days of one calendar year, in order", self.vintage)
        is_inside = period.first <= self.vintage_first and self.vintage_last <= period.last
        self._require(is_inside, f"a vintage from {period.first} to {period.last}", self.vintage)
        self._require(self.vintage_last < self.issued_on, f"issued after {self.vintage_last}", str(self.issued_on))
        self._require(bool(self.rule_set.isprintable() and "@" in self.rule_set), "id@version", repr(self.rule_set))
        _said(self.registry_project, "the project at the registry", where=str(self.block))
        serial = self.block.verra
        if serial is not None:
            told = (serial.project, serial.first, serial.last)
            is_told = told == (self.registry_project, self.vintage_first, self.vintage_last)
            stated = f"project {self.registry_project}, vintage {self.vintage}"
            self._require(is_told, "the project and the vintage that the serial number says", stated)

    @property
    def quantity(self) -> int:
        """How many credits: the size of the block."""
        return self.block.count

    @property
    def vintage(self) -> str:
        """The vintage for people."""
        return f"{self.vintage_first} to {self.vintage_last}"

    @property
    def claim(self) -> tuple[object, ...]:
        """What two issuances have in common that are one: the block and the certificate."""
        return "issuance", self.block.line, self.block.serials, self.certificate_sha256

    def shares_days(self, other: Issuance) -> bool:
        """Tell whether a day is in both vintages."""
        return self.vintage_first <= other.vintage_last and other.vintage_first <= self.vintage_last

    def _require(self, is_so: bool, expected: str, found: str) -> None:  # noqa: FBT001 - the one thing it is asked
        if not is_so:
            raise ContractError(
                "issuance does not hold",
                where=str(self.block),
                expected=expected,
                found=found,
                remedy="correct the record from what the registry shows; nothing is kept until it holds",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """A block of credits that left circulation for good on a day, with the reason and on whose behalf.

    Raises ContractError for a reason that says nothing, and for a retirement without a beneficiary; a cancellation
    needs none.
    """

    block: RegistryBlock
    ending: Ending
    retired_on: date
    reason: str
    beneficiary: str | None

    def __post_init__(self) -> None:
        _said(self.reason, "why it was retired or cancelled", where=f"{self.block}, reason")
        if self.beneficiary is not None or self.ending is Ending.RETIRED:
            _said(self.beneficiary or "", "on whose behalf it was retired", where=f"{self.block}, beneficiary")

    @property
    def claim(self) -> tuple[object, ...]:
        """What two retirements have in common that are one: the block and how it ended."""
        return self.ending.value, self.block.line, self.block.serials


Entry: TypeAlias = Issuance | Retirement


def _said(text: str, expected: str, *, where: str) -> str:
    return said(text, of="registry record", lacking=expected, where=where, expected=expected)
