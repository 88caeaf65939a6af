"""Blocks of serial numbers, counted inclusively, and the serial of a Verra unit as text.

The form is that of public registry rows, not of a published specification. What does not belong here: writing
submissions (report).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

from mrv_assets.domain.errors import ContractError


@dataclass(frozen=True, slots=True, kw_only=True)
class SerialBlock:
    """Consecutive serial numbers, both ends inclusive: 1000 to 1010 are eleven."""

    first: int
    last: int

    def __post_init__(self) -> None:
        if not 0 <= self.first <= self.last:
            raise ContractError(
                "serial block is empty or runs backwards",
                where=f"block {self.first}-{self.last}",
                expected="a last number on or after the first, both 0 or more",
                found=f"{self.first} to {self.last}",
                remedy="both ends belong to the block; correct the end",
            )

    @property
    def count(self) -> int:
        """How many units the block has."""
        return self.last - self.first + 1

    @classmethod
    def starting(cls, first: int, *, count: int) -> SerialBlock:
        """Return the block of so many units from `first` on. Raises ContractError for fewer than one."""
        return cls(first=first, last=first + count - 1)

    def overlaps(self, other: SerialBlock) -> bool:
        """Tell whether a number is in both."""
        return self.first <= other.last and other.first <= self.last

    def split(self, count: int) -> tuple[SerialBlock, SerialBlock]:
        """Return the first `count` units and the rest. Raises ContractError unless both have at least one."""
        return self.starting(self.first, count=count), self.starting(self.first + count, count=self.count - count)


def overlapping(blocks: list[SerialBlock]) -> list[tuple[SerialBlock, SerialBlock]]:
    """Return pairs of blocks that share a number, at least one where any do; equal blocks overlap."""
    ordered = sorted(blocks, key=lambda block: (block.first, block.last))
    found: list[tuple[SerialBlock, SerialBlock]] = []
    widest: SerialBlock | None = None
    for block in ordered:
        if widest is not None and widest.overlaps(block):
            found.append((widest, block))
        if widest is None or block.last > widest.last:
            widest = block
    return found


_VERRA = re.compile(
    r"(?P<account>[0-9]+)-(?P<first>[0-9]+)-(?P<last>[0-9]+)-(?P<program>[A-Z]+)-(?P<unit>[A-Z]+)-(?P<registry>[0-9]+)"
    r"-(?P<verification>[A-Z]+)-(?P<country>[A-Z]{2})-(?P<project_type>[0-9]+)-(?P<project>[0-9]+)"
    r"-(?P<vintage_first>[0-9]{8})-(?P<vintage_last>[0-9]{8})-(?P<flag>[0-9])"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerraSerial:
    """A Verra serial read into its parts. `text` is as it was given, and the parts say no more than it does."""

    text: str
    block: SerialBlock
    country: str
    project_type: str
    project: str
    vintage_first: date
    vintage_last: date

    @property
    def is_one_vintage(self) -> bool:
        """Whether both days are in one calendar year, as the Registration and Issuance Process v4.4 §4.1.2 has it."""
        return self.vintage_first.year == self.vintage_last.year

    @classmethod
    def parse(cls, text: str) -> VerraSerial:
        """Read a serial. Raises ContractError for another form, days that do not exist, and a block that is empty."""
        match = _VERRA.fullmatch(text)
        if match is None:
            raise _unreadable(text, "account-first-last-VCS-VCU-n-VER-country-type-project-ddmmyyyy-ddmmyyyy-flag")
        first, last = (_day(match[name], text) for name in ("vintage_first", "vintage_last"))
        if last < first:
            raise _unreadable(text, "a vintage that ends on or after its first day")
        return cls(
            text=text,
            block=SerialBlock(first=int(match["first"]), last=int(match["last"])),
            country=match["country"],
            project_type=match["project_type"],
            project=match["project"],
            vintage_first=first,
            vintage_last=last,
        )


def _day(digits: str, text: str) -> date:
    try:
        return datetime.strptime(digits, "%d%m%Y").date()  # noqa: DTZ007 - a day has no zone
    except ValueError:
        raise _unreadable(text, "days that exist, as ddmmyyyy") from None


def _unreadable(text: str, expected: str) -> ContractError:
    return ContractError(
        "serial cannot be read",
        where="Verra serial",
        expected=expected,
        found=repr(text),
        remedy="copy the serial as the registry shows it",
    )
