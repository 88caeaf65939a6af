"""How what a registry says is kept: one immutable record for each entry, which names the record before it by digest.

The order of the records decides who was first. What does not belong here: what an entry says (registry), and creating
records (storage).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any

from mrv_assets.domain.digest import Json, self_sealed_json, sha256_hex
from mrv_assets.domain.errors import BrokenChain, ContractError, Refusal
from mrv_assets.domain.issuance import SerialBlock
from mrv_assets.domain.registry import Ending, Entry, Issuance, Retirement
from mrv_assets.domain.registry_block import RegistryBlock

SCHEMA = "mrv-registry-record-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryRecord:
    """One entry with its place in the chain. `write_id` is fresh for every attempt, so a writer recognises its own."""

    number: int
    prev: str | None
    entry: Entry
    recorded_by: str
    recorded_utc: str
    write_id: str

    def to_bytes(self) -> bytes:
        """Return the canonical, self-sealed bytes; their sha256 is the next record's `prev`."""
        kind = "issuance" if isinstance(self.entry, Issuance) else "retirement"
        return self_sealed_json(
            {
                "schema": SCHEMA,
                "number": self.number,
                "prev": self.prev,
                kind: entry_json(self.entry),
                "recorded_by": self.recorded_by,
                "recorded_utc": self.recorded_utc,
                "write_id": self.write_id,
            }
        )

    @property
    def sha256(self) -> str:
        """Return the digest that the next record names."""
        return sha256_hex(self.to_bytes())

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> RegistryRecord:
        """Read a record. Raises BrokenChain naming `where` unless these are the bytes that the platform writes."""
        try:
            record = _record(json.loads(data))
            is_exact = record.to_bytes() == data
        except (ValueError, KeyError, TypeError, Refusal) as error:
            raise _unreadable(where, f"{type(error).__name__}: {error}") from error
        if not is_exact:
            raise _unreadable(where, "bytes that were altered, or that say the same in another spelling")
        return record


def entry_json(entry: Entry) -> dict[str, Json]:
    """Return what a record says in canonical JSON, days as ISO 8601; `quantity` and `serial` are derived."""
    block = entry.block
    about: dict[str, Json] = {
        "registry": block.registry,
        "series": block.series,
        "first": block.serials.start,
        "last": block.serials.end,
        "serial": block.text,
        "quantity": block.count,
    }
    if isinstance(entry, Retirement):
        told = {"ending": entry.ending.value, "reason": entry.reason, "beneficiary": entry.beneficiary}
        return {**about, **told, "retired_on": entry.retired_on.isoformat()}
    return {
        **about,
        "project_id": entry.project_id,
        "period": entry.period,
        "certificate_sha256": entry.certificate_sha256,
        "rule_set": entry.rule_set,
        "registry_project": entry.registry_project,
        "vintage_first": entry.vintage_first.isoformat(),
        "vintage_last": entry.vintage_last.isoformat(),
        "issued_on": entry.issued_on.isoformat(),
        "superseded_by": entry.superseded_by,
    }


def records_of(records: Sequence[RegistryRecord], serial: str) -> Mapping[RegistryBlock, tuple[RegistryRecord, ...]]:
    """Return the records that share a credit with a serial number as a registry shows it, oldest first.

    By the block that the text means, one for each registry that has such a series; none for a text that names no credit
    of theirs.
    """
    found: dict[RegistryBlock, tuple[RegistryRecord, ...]] = {}
    for registry in sorted({record.entry.block.registry for record in records}):
        with suppress(ContractError):  # not a serial number of this registry
            block = RegistryBlock.parse(registry, serial)
            found[block] = tuple(record for record in records if record.entry.block.overlaps(block))
    return {block: shared for block, shared in found.items() if shared}


def _record(d: Mapping[str, Any]) -> RegistryRecord:
    if d["schema"] != SCHEMA:
        raise ValueError(f"schema {d['schema']!r}")
    return RegistryRecord(
        number=d["number"],
        prev=d["prev"],
        entry=_issuance(d["issuance"]) if "issuance" in d else _retirement(d["retirement"]),
        recorded_by=d["recorded_by"],
        recorded_utc=d["recorded_utc"],
        write_id=d["write_id"],
    )


def _issuance(d: Mapping[str, Any]) -> Issuance:
    return Issuance(
        project_id=d["project_id"],
        period=d["period"],
        certificate_sha256=d["certificate_sha256"],
        rule_set=d["rule_set"],
        block=_block(d),
        registry_project=d["registry_project"],
        vintage_first=date.fromisoformat(d["vintage_first"]),
        vintage_last=date.fromisoformat(d["vintage_last"]),
        issued_on=date.fromisoformat(d["issued_on"]),
        superseded_by=d["superseded_by"],
    )


def _retirement(d: Mapping[str, Any]) -> Retirement:
    return Retirement(
        block=_block(d),
        ending=Ending(d["ending"]),
        retired_on=date.fromisoformat(d["retired_on"]),
        reason=d["reason"],
        beneficiary=d["beneficiary"],
    )


def _block(d: Mapping[str, Any]) -> RegistryBlock:
    serials = SerialBlock(start=d["first"], end=d["last"])
    return RegistryBlock(registry=d["registry"], series=d["series"], serials=serials)


def _unreadable(where: str, found: str) -> BrokenChain:
    return BrokenChain(
        "registry record cannot be read",
        where=where,
        expected=f"a {SCHEMA} document, byte for byte as the platform writes it",
        found=found,
        remedy="stop, keep the store as it is and restore the record from a replica",
    )
