"""`mrv registry show`: who issued the credits of a serial number, on which certificate, and what became of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.registry_text import kind, record_json, told
from mrv_assets.cli.terminal import print_json, stdout
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.registry import Issuance
from mrv_assets.domain.registry_block import RegistryBlock
from mrv_assets.domain.registry_record import RegistryRecord, records_of
from mrv_assets.storage.registry_records import read_registry


def show_serial(serial: str, *, as_json: bool) -> None:
    """Print what is said of each credit of a serial number. Raises ContractError for one that no record names."""
    world = open_for_reading(enter())
    found = records_of(read_registry(world.store), serial)
    if not found:
        raise ContractError(
            "serial number is in no registry record",
            where=f"serial {serial}",
            expected="a serial number, as its registry shows it, of a block that is attached",
            found="none",
            remedy="see `mrv registry list` for the blocks that are, or attach it",
        )
    asked = next(iter(found))
    if as_json:
        print_json({"blocks": [_json(block, records) for block, records in found.items()]})
        return
    stdout().print(str(asked.text), style="bold", soft_wrap=True)
    for block, records in found.items():
        _print(block, records)


def _json(block: RegistryBlock, records: Sequence[RegistryRecord]) -> dict[str, object]:
    return {
        "registry": block.registry,
        "serial": block.text,
        "quantity": block.count,
        "issued": _shared(block, _issued(records)),
        "retired": _shared(block, _ended(records)),
        "records": [record_json(record) for record in records],
    }


def _print(block: RegistryBlock, records: Sequence[RegistryRecord]) -> None:
    issued, ended = _shared(block, _issued(records)), _shared(block, _ended(records))
    stdout().print(
        f"{block.registry}: {block.count:,} credits, {issued:,} issued, {ended:,} retired or cancelled", soft_wrap=True
    )
    for record in records:
        stdout().print(f"  #{record.number} {kind(record.entry)} {record.entry.block.text}", soft_wrap=True)
        stdout().print(f"     {told(record.entry)}", soft_wrap=True)


def _issued(records: Sequence[RegistryRecord]) -> list[RegistryBlock]:
    return [record.entry.block for record in records if isinstance(record.entry, Issuance)]


def _ended(records: Sequence[RegistryRecord]) -> list[RegistryBlock]:
    return [record.entry.block for record in records if not isinstance(record.entry, Issuance)]


def _shared(block: RegistryBlock, others: Iterable[RegistryBlock]) -> int:
    """Return how many credits of a block are in others, which share none among themselves."""
    ours = block.serials
    return sum(min(ours.end, one.serials.end) - max(ours.start, one.serials.start) + 1 for one in others)
