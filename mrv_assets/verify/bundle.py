"""The check of a bundle: everything that an outsider can know of a certificate, from one file and a list of keys.

What was altered is named by its leaf; what cannot be known is told, never passed over. What does not belong here:
reading files, and showing the outcome.
"""

from __future__ import annotations

from collections.abc import Collection

from mrv_assets.domain.bundle import Bundle
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import BrokenChain
from mrv_assets.verify.chain import verify_chain, verify_ledger
from mrv_assets.verify.contents import verify_contents
from mrv_assets.verify.journal import verify_journal
from mrv_assets.verify.outside import verify_outside
from mrv_assets.verify.reader import AtHand, Reader
from mrv_assets.verify.reading import STOP, Parts, read_parts
from mrv_assets.verify.sealed import Signed, certificate_signed, head_signed
from mrv_assets.verify.statement import verify_statement
from mrv_assets.verify.verification import Check, Verification, held, not_checked, withdrawn

NOTHING = AtHand()


def verify_bundle(bundle: Bundle, *, where: str, reader: Reader, at_hand: AtHand = NOTHING) -> Verification:
    """Check a bundle and return what held and what could not be checked.

    Raises the first breach: Tampering of some kind, naming the leaf, before Unsigned and Untrusted (Refusal), which are
    no sign that something was altered; GateError for a figure that did not pass its gates.
    """
    parts = read_parts(bundle, where)
    signed = certificate_signed(parts, reader)
    head = _head_signed(parts, reader)
    certificate = verify_statement(parts, signed)
    records, ledger = verify_chain(parts, certificate.key), verify_ledger(parts, certificate)
    journal = verify_journal(parts, head)
    if parts.spoilt is not None:
        raise parts.spoilt
    for one in (signed, head):
        if one.error is not None:
            raise one.error
    return Verification(
        certificate=certificate,
        checks=(
            signed.check("signature", parts.envelope),
            held("statement", f"canonical, {sum(len(one.gates) for one in certificate.subjects)} gates passed"),
            records,
            ledger,
            journal,
            *([head.check("checkpoint", parts.checkpoint)] if parts.checkpoint else []),
            *_outside(parts, reader, at_hand),
            verify_contents(parts, at_hand.blobs),
            _predecessor(certificate, at_hand.history, where),
            *([withdrawn("figure", at_hand.withdrawn)] if at_hand.withdrawn else []),
        ),
    )


def _head_signed(parts: Parts, reader: Reader) -> Signed:
    if parts.checkpoint is None:
        return Signed(keys=())  # which the check of the journal refuses
    return head_signed(parts.checkpoint, reader, not_before=_newest(parts), where=f"{parts.where}, checkpoint")


def _newest(parts: Parts) -> str:
    """Return when the last entry of the bundle was written; the tree head is younger."""
    written = [told.entry.written_utc for told in sorted(parts.entries, key=lambda told: told.proven.number)]
    return written[-1] if written else parts.sealing.written_utc


def _outside(parts: Parts, reader: Reader, at_hand: AtHand) -> list[Check]:
    if not at_hand.outside:
        why = "none was given: a journal that was rewritten as a whole shows only against one (--checkpoint)"
        return [not_checked("published checkpoint", why)]
    if parts.head is None:
        return []
    places = [f"{parts.where}, published checkpoint {number}" for number in range(1, len(at_hand.outside) + 1)]
    return [
        verify_outside(one, parts.head, reader=reader, growth=at_hand.growth, where=place)
        for one, place in zip(at_hand.outside, places, strict=True)
    ]


def _predecessor(certificate: Certificate, history: Collection[str] | None, where: str) -> Check:
    """Check that the certificate which this one takes the place of was there."""
    name = "predecessor"
    before = str(certificate.supersedes)
    if certificate.supersedes is None:
        return held(name, "none: the first certificate of its kind")
    if history is None:
        return not_checked(name, f"takes the place of {before[:16]}, which only the store can show")
    if before not in history:
        raise BrokenChain(
            "predicate.supersedes names a certificate that never was",
            where=where,
            expected="one of this slot's history, or one that the ledger has reported",
            found=before,
            remedy=STOP,
        )
    return held(name, f"takes the place of {before[:16]}, which is in the history")
