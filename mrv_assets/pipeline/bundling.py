"""Gathering what is handed out with a figure: certificate, records, ledger, journal entries and proofs.

Nothing is judged here: whoever receives a bundle checks it. What does not belong here: what a bundle is (domain) and
checking it (verify).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mrv_assets.domain.bundle import Bundle, ProvenEntry
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.checkpoint import Checkpoint
from mrv_assets.domain.dsse import IN_TOTO, Envelope
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.journal_entry import JournalEntry
from mrv_assets.domain.lineage import LineageEvent, Outcome
from mrv_assets.domain.merkle import inclusion_proof, leaf_hash
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.figures import upstream_record
from mrv_assets.pipeline.world import World
from mrv_assets.storage.journal import entry_key
from mrv_assets.storage.seals import read_seals, seal_key

_MADE_FROM = (Asset.ACTIVITY, Asset.NORMALIZED, Asset.FACTORED, Asset.AGGREGATED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The journal as its checkpoint counts it, read once: its leaves, and which entry tells of which commit or seal."""

    checkpoint: Checkpoint
    leaves: Sequence[bytes]
    numbers: Mapping[str, int]

    @classmethod
    def of(cls, world: World) -> Told:
        """Read the journal. Raises BrokenChain for an entry that is gone or cannot be read."""
        checkpoint = world.journal.checkpoint()
        leaves: list[bytes] = []
        numbers: dict[str, int] = {}
        for number in range(1, checkpoint.size + 1):
            data = world.journal.raw(number)
            leaves.append(leaf_hash(data))
            entry = JournalEntry.from_bytes(data, where=entry_key(number))
            commits = [event.event_id for event in entry.events if event.outcome is Outcome.COMMITTED]
            for name in (*commits, *(document.key for document in entry.documents)):
                numbers.setdefault(name, number)
        return cls(checkpoint=checkpoint, leaves=tuple(leaves), numbers=numbers)


def bundle_of(world: World, certificate: GenerationRecord, *, told: Told | None = None) -> Bundle:
    """Return the bundle of one generation of a certificate, as things stand in the store.

    The tree of the proofs is that of the journal's checkpoint, signed as that is; `told` is the journal where it was
    read already. Raises ContractError when the journal does not tell of it yet, BrokenChain and DigestMismatch for what
    cannot be read.
    """
    statement = world.slots.load_bytes(certificate)
    chain = [upstream_record(world.slots, certificate, asset) for asset in _MADE_FROM]
    ledger = _reported(world, certificate, Certificate.from_bytes(statement, where=str(certificate.slot)))
    commits = [certificate, *([ledger] if ledger else [])]
    sealed = read_seals(world.store, certificate.content_digest)
    envelope = sealed or Envelope(payload_type=IN_TOTO, payload=statement, signatures=())
    seals = [seal_key(certificate.content_digest, one.key_id) for one in envelope.signatures]
    told = told or Told.of(world)
    return Bundle(
        envelope=envelope,
        records=tuple(record.to_bytes() for record in (*chain, *commits)),
        ledger=world.slots.load_bytes(ledger) if ledger else None,
        entries=tuple(_proven(world, told, commits, seals)),
        checkpoint=told.checkpoint.envelope,
    )


def _reported(world: World, sealing: GenerationRecord, certificate: Certificate) -> GenerationRecord | None:
    """Return the newest generation of the ledger that reports what a certificate seals, None when none ever did."""
    slot = Slot.of(Asset.LEDGER, certificate.key)
    for number in range(world.slots.newest(slot), 0, -1):
        record = world.slots.record(slot, number)
        if any((ref.slot, ref.generation) == (sealing.slot, sealing.generation) for ref in record.upstream):
            return record
    return None


def _proven(
    world: World, told: Told, commits: Sequence[GenerationRecord], seals: Sequence[str]
) -> Iterator[ProvenEntry]:
    """Yield the entries that tell of these commits and seals, each once, with its proof.

    The entry that tells of a seal shows when a key signed, which may be long after the certificate was made.
    """
    numbers = {told.numbers[key] for key in seals if key in told.numbers}
    for record in commits:
        name = LineageEvent.of_commit(record, factor_version=None).event_id
        if name not in told.numbers:
            raise _untold(record)
        numbers.add(told.numbers[name])
    for number in sorted(numbers):
        proof = inclusion_proof(told.leaves, number - 1)
        yield ProvenEntry(number=number, data=world.journal.raw(number), proof=proof)


def _untold(record: GenerationRecord) -> ContractError:
    return ContractError(
        "journal does not tell of a generation yet",
        where=f"{record.slot}, generation {record.generation}",
        expected=f"an entry of run {record.run_id}",
        found="none up to the checkpoint",
        remedy="wait until the run has ended; if it died, `mrv fsck --repair` tells the journal of it",
    )
