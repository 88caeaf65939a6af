"""The statement of a certificate against the records that it rests on: the same figure, or the leaf that differs.

What does not belong here: signatures, the ledger and the journal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from mrv_assets.domain.certificate import Certificate, Totals
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import DigestMismatch, MrvError, SignatureInvalid
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.subject import Subject
from mrv_assets.verify.blame import record_altered
from mrv_assets.verify.figures import verify_certificate
from mrv_assets.verify.leaves import Leaf, first_leaf
from mrv_assets.verify.reading import STOP, Parts, named
from mrv_assets.verify.sealed import Signed

_ZERO = Decimal(0)
ONLY_STATED = ("supersedes", "assessments", "uncertainty")
"""Leaves of the predicate that no record repeats."""


def verify_statement(parts: Parts, signed: Signed) -> Certificate:
    """Check that the statement says what the records say, leaf by leaf, and return it.

    Raises SignatureInvalid naming the first leaf that the records contradict, where a trusted signature does not hold;
    DigestMismatch naming the leaf and the record where it does; BrokenChain for what is no statement, and what
    `verify_certificate` raises.
    """
    payload, record = parts.envelope.payload, parts.sealing
    leaf, is_sealed = _leaf(parts), sha256_hex(payload) == record.content_digest
    if signed.is_altered and signed.error is not None:
        raise _altered(signed.error, leaf, is_sealed=is_sealed)
    if leaf is not None and (signed.keys or is_sealed):
        raise record_altered(parts, leaf)
    if leaf is not None:
        raise _mismatch(f"{leaf.path} is not what the records say", f"{parts.where}, certificate", leaf)
    Certificate.from_bytes(payload, where=f"{parts.where}, certificate")
    if not is_sealed:
        raise _not_sealed(parts, signed)
    if record.blob.sha256 != record.content_digest:
        what = f"{named(record)}: blob.sha256 is not that of the certificate"
        raise _mismatch(what, parts.where, Leaf(path=what, stated=record.blob.sha256, found=record.content_digest))
    return verify_certificate(payload, record)


def _leaf(parts: Parts) -> Leaf | None:
    """Return the first leaf of the statement that the records contradict."""
    try:
        stated = json.loads(parts.envelope.payload)
        if not isinstance(stated, dict) or not isinstance(stated.get("predicate"), dict):
            return None
        return first_leaf(stated, _expected(parts, stated["predicate"]))
    except (ValueError, RecursionError):
        return None  # it is no statement, which who reads it says


def _expected(parts: Parts, stated: Mapping[str, Any]) -> object:
    """Return the statement as it follows from the records, with what only the statement can say."""
    record, said = parts.sealing, parts.sealing.evidence
    certificate = Certificate(
        key=parts.key,
        standard=record.pins.get("standard", ""),
        totals=Totals(emissions_tco2e=_ZERO, removals_tco2e=_ZERO, activity_rows=0),
        inputs=record.inputs,
        subjects=tuple(Subject.of(one) for one in parts.records[: len(Asset) - 2]),
        supersedes=None,
    )
    document: dict[str, Any] = json.loads(certificate.to_bytes())
    figure = {name: said.get(name, "") for name in certificate.totals.tonnes}
    rows = stated.get("totals", {}).get("activity_rows") if isinstance(stated.get("totals"), dict) else None
    only = {name: stated[name] for name in ONLY_STATED if name in stated}
    document["predicate"] |= {"totals": {**figure, "activity_rows": rows}, **only}
    return document


def _altered(error: MrvError, leaf: Leaf | None, *, is_sealed: bool) -> SignatureInvalid:
    """Return the error for a statement, or a signature, that was changed after it was signed."""
    if leaf is not None:
        return SignatureInvalid(
            f"{error.what}: {leaf.path} was changed",
            where=error.where,
            expected=f"{leaf.found}, as the records say; {error.expected}",
            found=leaf.stated,
            remedy=STOP,
        )
    where = (
        "the signature itself, or the statement and all that names it"
        if is_sealed
        else (f"a leaf that only the statement holds, such as predicate.{', predicate.'.join(ONLY_STATED)}")
    )
    return SignatureInvalid(
        f"{error.what}: changed is {where}", where=error.where, expected=error.expected, found=error.found, remedy=STOP
    )


def _mismatch(what: str, where: str, leaf: Leaf) -> DigestMismatch:
    return DigestMismatch(what, where=where, expected=leaf.found, found=leaf.stated, remedy=STOP)


def _not_sealed(parts: Parts, signed: Signed) -> DigestMismatch:
    record, sha256 = parts.sealing, sha256_hex(parts.envelope.payload)
    if signed.keys:
        what, expected, found = f"{named(record)}: content_digest is another one", sha256, record.content_digest
    else:
        leaves = ", ".join(f"predicate.{name}" for name in ONLY_STATED)
        what = f"certificate was changed in a leaf that only it holds, such as {leaves}"
        expected, found = record.content_digest, sha256
    return DigestMismatch(what, where=parts.where, expected=expected, found=found, remedy=STOP)
