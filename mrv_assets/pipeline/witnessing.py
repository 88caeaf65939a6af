"""Holding the journal against checkpoints that were published outside, and publishing the next one.

A journal that was cut, rewritten or exchanged does not come to the root that somebody else has kept. What does not
belong here: where checkpoints are kept (storage).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mrv_assets.domain.checkpoint import TreeHead, origin_of
from mrv_assets.domain.consistency import ConsistencyProof
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.dsse import CHECKPOINT, Envelope
from mrv_assets.domain.errors import BrokenChain, ContractError
from mrv_assets.domain.journal_entry import JournalEntry
from mrv_assets.domain.merkle import Frontier, consistency_proof, leaf_hash
from mrv_assets.domain.trust import Trust
from mrv_assets.pipeline.world import World
from mrv_assets.storage.journal import entry_key
from mrv_assets.storage.witness import Witness
from mrv_assets.verify.signatures import verify_signatures

_KEEP = "stop, keep the store as it is and restore the journal from a replica; the checkpoint shows what it was"


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnessed:
    """A checkpoint that the journal comes to: where it is kept, what it says, and which keys it says have signed."""

    where: str
    head: TreeHead
    signed_by: tuple[str, ...]


def hold_against(world: World, said: Iterable[tuple[str, Envelope]]) -> tuple[Witnessed, ...]:
    """Return the checkpoints, the shortest first, when the journal comes to every one of them.

    Signatures are not looked at. Raises BrokenChain, naming the checkpoint, for a journal that is shorter than one
    says, has another tree, or begins with another entry; and what `Journal.raw` raises for an entry that is gone.
    """
    heads = [(where, _head(where, envelope), envelope) for where, envelope in said]
    size = world.journal.size()
    for where, head, _ in heads:
        if head.size > size:
            raise _broken("journal was rolled back", where, f"{head.size} entries at least", f"{size} entries")
    roots = _roots(world, {head.size for _, head, _ in heads})
    for where, head, _ in heads:
        found = roots[head.size]
        if found != head:
            what = "journal was rewritten" if found.origin == head.origin else "checkpoint of another journal"
            raise _broken(what, where, _text(head), _text(found))
    return tuple(
        Witnessed(where=where, head=head, signed_by=tuple(one.key_id for one in envelope.signatures))
        for where, head, envelope in sorted(heads, key=lambda each: each[1].size)
    )


def publish_checkpoint(world: World, witness: Witness) -> tuple[Envelope, bool]:
    """Keep the present checkpoint outside; return it and whether it is a new one there.

    First the journal is held against what is kept there already, so that a rewritten one is not published over it.
    Raises ContractError for an empty journal, what `hold_against` raises, and what the witness raises.
    """
    hold_against(world, witness.checkpoints())
    checkpoint = world.journal.present().envelope
    if checkpoint is None:
        raise ContractError(
            "journal is empty",
            where=world.store.uri,
            expected="at least one entry",
            found="none",
            remedy="run a partition first",
        )
    return checkpoint, witness.keep(checkpoint)


def signed_when(world: World, said: Iterable[tuple[str, Envelope]], trust: Trust) -> dict[str, list[str]]:
    """Return the owners of the keys that signed each checkpoint, by where it is kept; none for an unsigned one.

    A key that had ended when the last entry of the checkpoint was written is refused. Raises as `verify_signatures`
    for a checkpoint that carries signatures.
    """
    owners: dict[str, list[str]] = {}
    for where, envelope in said:
        if not envelope.signatures:
            owners[where] = []
            continue
        number = _head(where, envelope).size
        since = JournalEntry.from_bytes(world.journal.raw(number), where=entry_key(number)).written_utc
        keys = verify_signatures(envelope, trust, since_utc=since, until_utc=None, where=where)
        owners[where] = [key.owner for key in keys]
    return owners


def prove_consistency(world: World, first: int, second: int | None) -> ConsistencyProof:
    """Return the proof between the trees of two sizes, `second` being the present one when it is None.

    Raises ContractError for sizes that the journal has not had, in this order.
    """
    size = world.journal.size()
    second = size if second is None else second
    if not 1 <= first <= second <= size:
        raise ContractError(
            "journal has not had these sizes",
            where=world.store.uri,
            expected=f"two sizes from 1 to {size}, the smaller one first",
            found=f"{first} and {second}",
            remedy="take the sizes from the two checkpoints",
        )
    leaves = [leaf_hash(world.journal.raw(number)) for number in range(1, second + 1)]
    return ConsistencyProof(first=first, second=second, nodes=consistency_proof(leaves, first))


def _head(where: str, envelope: Envelope) -> TreeHead:
    if envelope.payload_type != CHECKPOINT:
        raise _broken("this is no checkpoint", where, CHECKPOINT, envelope.payload_type)
    return TreeHead.from_bytes(envelope.payload, where=where)


def _roots(world: World, sizes: set[int]) -> Mapping[int, TreeHead]:
    """Return the tree heads of the journal at these sizes; it is read once, as far as the largest."""
    heads: dict[int, TreeHead] = {}
    frontier, origin = Frontier.empty(), ""
    for number in range(1, max(sizes, default=0) + 1):
        data = world.journal.raw(number)
        frontier = frontier.grown(leaf_hash(data))
        origin = origin or origin_of(sha256_hex(data))
        if number in sizes:
            heads[number] = TreeHead(origin=origin, size=number, root=frontier.root.hex(), last=sha256_hex(data))
    return heads


def _text(head: TreeHead) -> str:
    return f"{head.size} entries with root {head.root}, the last one {head.last}, of {head.origin}"


def _broken(what: str, where: str, expected: str, found: str) -> BrokenChain:
    return BrokenChain(what, where=where, expected=expected, found=found, remedy=_KEEP)
