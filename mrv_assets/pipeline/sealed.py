"""A certificate with the generations that it names, each held against what the certificate says of it.

What does not belong here: computing any of it again (remake) and comparing (compared).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.contract import Contract, contract_of
from mrv_assets.domain.errors import DigestMismatch
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset
from mrv_assets.storage.slots import SlotStore
from mrv_assets.verify import verify_certificate


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A certificate, its record and its bytes, and the records of the contents that it rests on, by asset in order."""

    record: GenerationRecord
    certificate: Certificate
    statement: bytes
    chain: Mapping[Asset, GenerationRecord]

    def contract(self, asset: Asset) -> Contract:
        """Return the contract that the sealed table of an asset keeps."""
        return contract_of(asset, self.chain[asset].pins.get("contract"))


def sealed_chain(slots: SlotStore, record: GenerationRecord) -> Sealed:
    """Read a certificate and the records that it rests on. No content but the certificate's own bytes is read.

    Raises what `verify_certificate` raises, and DigestMismatch naming the generation whose record is not what the
    certificate states.
    """
    statement = slots.load_bytes(record)
    certificate = verify_certificate(statement, record)
    _require_same("digest of the certificate", record, certificate.sha256, record.content_digest)
    found = {ref.slot.asset: slots.record(ref.slot, ref.generation) for ref in record.upstream}
    chain: dict[Asset, GenerationRecord] = {}
    for subject in certificate.subjects:
        theirs = found.get(subject.asset)
        stated = theirs.stated_sha256 if theirs else "no record"
        _require_same(f"record of {subject.asset}", theirs or record, subject.record_sha256, stated)
        if theirs is not None:
            _require_same(f"content of {subject.asset}", theirs, subject.content_digest, theirs.content_digest)
            chain[subject.asset] = theirs
    return Sealed(record=record, certificate=certificate, statement=statement, chain=chain)


def _require_same(what: str, record: GenerationRecord, expected: str, found: str) -> None:
    if expected != found:
        raise DigestMismatch(
            f"{what} is not what the certificate states",
            where=f"{record.slot}, generation {record.generation}",
            expected=expected,
            found=found,
            remedy="stop, keep the store as it is and compare it with a replica",
        )
