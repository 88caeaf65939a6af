"""A block of credits at a registry: which registry, which series of serial numbers, and from which to which.

What does not belong here: what is said of a block (registry).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.issuance import SerialBlock
from mrv_assets.domain.verra_serial import VerraSerial

VERRA = "verra"
LARGEST_SERIAL = 10**18 - 1
_REGISTRY = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_SERIES = re.compile(r"[!-~]{1,120}")
_PLAIN = re.compile(r"(?P<series>.+)-(?P<start>[1-9][0-9]*)-(?P<end>[1-9][0-9]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryBlock:
    """The serial numbers of `serials`, both ends in it, of one series of a registry.

    `series` is everything of a serial number's text that is not the running number. Two blocks share a credit when
    registry and series are the same, capitals or not, and a number is in both. Raises ContractError for a registry that
    is no lower-case name, a series with blanks, and a number above `LARGEST_SERIAL`.
    """

    registry: str
    series: str
    serials: SerialBlock

    def __post_init__(self) -> None:
        if not _REGISTRY.fullmatch(self.registry):
            raise _refused(self, "a registry as a lower-case name, such as verra or gold-standard", self.registry)
        if not _SERIES.fullmatch(self.series):
            raise _refused(self, "a series of 1 to 120 ASCII characters without blanks", self.series)
        if self.serials.end > LARGEST_SERIAL:
            raise _refused(self, f"serial numbers up to {LARGEST_SERIAL}", str(self.serials.end))
        serial = self.verra
        if serial is not None and not (serial.series == self.series and serial.is_plain):
            raise _refused(self, "numbers without leading zeros, as the Verra registry writes them", self.series)

    @classmethod
    def parse(cls, registry: str, text: str) -> RegistryBlock:
        """Read a serial number as its registry shows it: Verra's form, `{series}-{first}-{last}` of every other one.

        Raises ContractError for another text, and for one that says the same in another spelling.
        """
        block = _of_verra(text) if registry == VERRA else _of_others(registry, text)
        if block.text != text:
            raise _refused(block, f"the spelling {block.text}", text)
        return block

    @property
    def line(self) -> tuple[str, str]:
        """What two blocks have in common that can share a credit."""
        return self.registry, self.series.upper()

    @property
    def count(self) -> int:
        """How many credits it holds: last minus first plus one."""
        return self.serials.count

    @property
    def text(self) -> str:
        """The serial number as the registry writes it."""
        if self.registry == VERRA:
            return _verra(self).text
        return f"{self.series}-{self.serials.start}-{self.serials.end}"

    @property
    def verra(self) -> VerraSerial | None:
        """What the text says of project and vintage at the Verra registry, None of any other."""
        return _verra(self) if self.registry == VERRA else None

    def overlaps(self, other: RegistryBlock) -> bool:
        """Tell whether a credit is in both."""
        return self.line == other.line and self.serials.overlaps(other.serials)

    def part(self, start: int, end: int) -> RegistryBlock:
        """Return the block of the same series from `start` to `end`."""
        return replace(self, serials=SerialBlock(start=start, end=end))

    def __str__(self) -> str:
        return f"{self.registry} {self.text}"


def _of_verra(text: str) -> RegistryBlock:
    serial = VerraSerial.parse(text)
    return RegistryBlock(registry=VERRA, series=serial.series, serials=serial.block)


def _of_others(registry: str, text: str) -> RegistryBlock:
    match = _PLAIN.fullmatch(text)
    if match is None or max(len(match["start"]), len(match["end"])) > len(str(LARGEST_SERIAL)):
        raise ContractError(
            "serial number is malformed",
            where=f"{registry} {text}",
            expected="{series}-{first}-{last}, both numbers without leading zeros and inclusive",
            found=text,
            remedy="write it as the registry shows it, or give series, first and last",
        )
    serials = SerialBlock(start=int(match["start"]), end=int(match["end"]))
    return RegistryBlock(registry=registry, series=match["series"], serials=serials)


def _verra(block: RegistryBlock) -> VerraSerial:
    account, _, tail = block.series.partition("-")
    return VerraSerial.parse(f"{account}-{block.serials.start}-{block.serials.end}-{tail}")


def _refused(block: RegistryBlock, expected: str, found: str) -> ContractError:
    return ContractError(
        "block of credits is malformed",
        where=f"{block.registry} {block.series} {block.serials.start} to {block.serials.end}",
        expected=expected,
        found=found,
        remedy="write registry and serial number as the registry shows them",
    )
