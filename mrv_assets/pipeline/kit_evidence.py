"""What of a kit is evidence: the statement, records, the ledger's figure, and the blobs that the certificate names.

What does not belong here: inputs (kit_inputs), code (kit_code) and the archive (kit).
"""

from __future__ import annotations

from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.sealed import Sealed
from mrv_assets.pipeline.world import World
from mrv_assets.storage.blobs import blob_key, load_blob
from mrv_assets.storage.seals import read_seals

STATEMENT = "certificate/statement.json"
ENVELOPE = "certificate/envelope.dsse.json"
RECORD = "certificate/record.json"
LEDGER = "certificate/ledger.parquet"
LEDGER_RECORD = "certificate/ledger-record.json"
_ON_A_MACHINE = "file:"


def stated_path(asset: Asset) -> str:
    """Return where a kit keeps what the record of an asset states."""
    return f"certificate/stated/{asset.value}.json"


def certificate_files(world: World, sealed: Sealed) -> dict[str, bytes]:
    """Return the statement with its record, what the records of its chain state, and the figure that reports it.

    The records themselves are there as well, but one that names a folder of the machine that it was made on.
    """
    files = {STATEMENT: sealed.statement, RECORD: sealed.record.to_bytes()}
    for asset, record in sealed.chain.items():
        files[stated_path(asset)] = record.stated_bytes
        if not names_a_folder(record):
            files[f"certificate/records/{asset.value}.json"] = record.to_bytes()
    return files | _figure(world, sealed.record) | _signatures(world, sealed.record)


def _signatures(world: World, record: GenerationRecord) -> dict[str, bytes]:
    """Return the statement in its envelope, nothing where nobody has signed it.

    Journal entries and proofs are left to a bundle: an entry tells of a whole run, also of folders and other projects.
    """
    envelope = read_seals(world.store, record.content_digest)
    return {ENVELOPE: envelope.to_bytes()} if envelope else {}


def names_a_folder(record: GenerationRecord) -> bool:
    """Tell whether a record names a folder of the machine that it was made on, which is nobody else's business."""
    return any(text.startswith(_ON_A_MACHINE) for text in record.evidence.values())


def blob_files(world: World, sealed: Sealed, *, but: frozenset[Asset]) -> dict[str, bytes]:
    """Return the tables of the chain and the rows set aside, as they are stored, but those of some assets.

    Raises Tampering for one that is gone or another one.
    """
    return {
        blob_key(ref): load_blob(world.store, ref, where=f"{record.slot}, generation {record.generation}")
        for asset, record in sealed.chain.items()
        if asset not in but
        for ref in record.blobs
    }


def _figure(world: World, certificate: GenerationRecord) -> dict[str, bytes]:
    """Return the newest figure of the ledger that this generation of a certificate seals, nothing where none does."""
    slot = Slot(
        asset=Asset.LEDGER,
        project_id=certificate.slot.project_id,
        period=certificate.slot.period,
        factor_version=None,
    )
    for number in range(world.slots.newest(slot), 0, -1):
        record = world.slots.record(slot, number)
        if any(
            (ref.slot, ref.content_digest) == (certificate.slot, certificate.content_digest) for ref in record.upstream
        ):
            return {LEDGER: world.slots.load_bytes(record), LEDGER_RECORD: record.to_bytes()}
    return {}
