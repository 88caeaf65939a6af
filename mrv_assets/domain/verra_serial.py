"""The serial number of the Verra registry: a block of running numbers of one vintage of one project.

The form was read from published rows, not from a specification. What does not belong here: the columns of those rows
(report) and what is said of a block (registry).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.issuance import SerialBlock

_SERIAL = re.compile(
    r"(?P<account>\d+)-(?P<start>\d{1,18})-(?P<end>\d{1,18})-VCS-VCU-(?P<batch>\d+)-VER-(?P<country>[A-Z]{2})"
    r"-(?P<project_type>\d+)-(?P<project>\d+)-(?P<first>\d{8})-(?P<last>\d{8})-(?P<flag>\d+)",
    re.ASCII,
)
_COMPACT = "%d%m%Y"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerraSerial:
    """A serial number of the Verra registry: a block, inclusive, of one vintage of one project."""

    account: str
    block: SerialBlock
    batch: str
    country: str
    project_type: str
    project: str
    first: date
    last: date
    flag: str

    @property
    def text(self) -> str:
        """The serial number as the registry writes it."""
        return f"{self.account}-{self.block.start}-{self.block.end}-{self._tail}"

    @property
    def series(self) -> str:
        """The serial number without its running numbers: equal for every part of one issued block."""
        return f"{self.account}-{self._tail}"

    @property
    def is_plain(self) -> bool:
        """Tell whether no number has a leading zero, so that no other text says the same."""
        numbers = (self.account, self.batch, self.project_type, self.project, self.flag)
        return all(number == "0" or not number.startswith("0") for number in numbers)

    @property
    def _tail(self) -> str:
        first, last = (day.strftime(_COMPACT) for day in (self.first, self.last))
        return f"VCS-VCU-{self.batch}-VER-{self.country}-{self.project_type}-{self.project}-{first}-{last}-{self.flag}"

    @classmethod
    def parse(cls, text: str) -> VerraSerial:
        """Read a serial number. Raises ContractError for any other form, a backward block, a vintage over two years."""
        match = _SERIAL.fullmatch(text)
        if match is None:
            raise malformed_serial(
                text, "{account}-{start}-{end}-VCS-VCU-{batch}-VER-{country}-{type}-{project}-{days}-{flag}"
            )
        try:
            first, last = (datetime.strptime(match[name], _COMPACT).date() for name in ("first", "last"))  # noqa: DTZ007 - a day has no zone
        except ValueError as error:
            raise malformed_serial(text, "two days that exist, as ddmmyyyy") from error
        if last < first or first.year != last.year:
            raise malformed_serial(text, "a vintage within one calendar year")
        return cls(
            block=SerialBlock(start=int(match["start"]), end=int(match["end"])),
            first=first,
            last=last,
            **{name: match[name] for name in ("account", "batch", "country", "project_type", "project", "flag")},
        )


def malformed_serial(text: str, expected: str) -> ContractError:
    """Return the refusal of a serial number."""
    return ContractError(
        "serial number is malformed",
        where=f"serial {text}",
        expected=expected,
        found=text,
        remedy="correct the registry_* facts of the submission, or the row that the serial was read from",
    )
