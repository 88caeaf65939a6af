"""Checkpoints that were published elsewhere against the one of a bundle: is it one journal, and did it only grow?

What does not belong here: publishing checkpoints and fetching them.
"""

from __future__ import annotations

from mrv_assets.domain.checkpoint import TreeHead
from mrv_assets.domain.dsse import CHECKPOINT, Envelope
from mrv_assets.domain.merkle import verify_consistency
from mrv_assets.verify.reader import Growth, Reader
from mrv_assets.verify.reading import broken
from mrv_assets.verify.sealed import head_signed
from mrv_assets.verify.verification import Check, held, not_checked, unsigned

_NAME = "published checkpoint"


def verify_outside(published: Envelope, head: TreeHead, *, reader: Reader, growth: Growth | None, where: str) -> Check:
    """Check one published checkpoint against the head of a bundle.

    Raises BrokenChain for another journal, for two roots of one size (somebody shows different readers different
    journals: both are named) and for a journal that did not grow from one into the other; what `head_signed` tells.
    """
    if published.payload_type != CHECKPOINT:
        raise broken(f"{_NAME}: payloadType is another one", where, CHECKPOINT, published.payload_type[:100])
    other = TreeHead.from_bytes(published.payload, where=where)
    signed = head_signed(published, reader, not_before=None, where=where)
    if signed.error is not None:
        raise signed.error
    _require_one_journal(other, head, where)
    name = f"{_NAME}, size {other.size}"
    shown = _compared(other, head, growth, where)
    if shown is None:
        return not_checked(name, f"no proof that {_between(other, head)} is only appending: give one, or the store")
    return held(name, shown) if signed.keys else unsigned(name, f"{shown}; but it is UNSIGNED")


def _require_one_journal(other: TreeHead, head: TreeHead, where: str) -> None:
    if other.origin != head.origin:
        raise broken("published checkpoint is of another journal: origin", where, str(head.origin), str(other.origin))
    if other.size == head.size and (other.root, other.last) != (head.root, head.last):
        raise broken(
            "there are two journals (equivocation): two roots of one size, shown to different readers",
            where,
            f"root {other.root} of {other.size} entries, as was published",
            f"root {head.root} of {head.size} entries, in the bundle",
        )


def _compared(other: TreeHead, head: TreeHead, growth: Growth | None, where: str) -> str | None:
    """Return what was shown, None where it could not be. Raises BrokenChain."""
    if other.size == head.size:
        return f"the same journal of {head.size} entries, root {head.root[:16]}"
    first, second = sorted((other, head), key=lambda one: one.size)
    proof = growth(first.size, second.size) if growth is not None else None
    if proof is None:
        return None
    verify_consistency(
        first=first.size,
        second=second.size,
        first_root=_root(first, where),
        second_root=_root(second, where),
        proof=proof,
        where=f"{where}: journal was rewritten or rolled back, or the proof is of another one",
    )
    return f"{_between(other, head)} is only appending"


def _root(head: TreeHead, where: str) -> bytes:
    try:
        return bytes.fromhex(head.root)
    except (ValueError, TypeError) as error:
        raise broken("checkpoint root is no digest", where, "64 hex digits", str(error)) from error


def _between(other: TreeHead, head: TreeHead) -> str:
    first, second = sorted((other.size, head.size))
    return f"what happened to the journal from {first} to {second} entries"
