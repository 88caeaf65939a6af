"""Which leaf of which record contradicts a statement that was not altered itself.

What does not belong here: finding out which of the two was altered (statement).
"""

from __future__ import annotations

import re

from mrv_assets.domain.errors import DigestMismatch, Tampering
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset
from mrv_assets.verify.chain import verify_chain
from mrv_assets.verify.journal import require_told
from mrv_assets.verify.leaves import Leaf
from mrv_assets.verify.reading import STOP, Parts, broken, named

_OF_SUBJECT = re.compile(r"predicate\.(?:pinned_configuration|validation_outcomes|output_artifacts)\[([0-3])\]\.?(.*)")
_IDENTITY = re.compile(r"predicate\.(project_id|period|factor_version|idempotency_key)")
_RENAMED = (("totals.", "evidence."), ("input_identity", "inputs"), ("standard", "pins.standard"))


def record_altered(parts: Parts, leaf: Leaf) -> Tampering:
    """Return the error that names the record, and its leaf, behind a leaf of the statement that it contradicts."""
    if _IDENTITY.fullmatch(leaf.path):
        return broken(
            f"certificate and its records are of two figures: {leaf.path}",
            parts.where,
            f"records of {leaf.stated}, as the certificate says",
            f"those of {leaf.found}",
        )
    of_subject = _OF_SUBJECT.fullmatch(leaf.path)
    if of_subject is None:
        return _said_otherwise(parts.sealing, _in_record(leaf.path), leaf, parts)
    record, path = parts.records[int(of_subject[1])], of_subject[2]
    if path == "record_sha256":  # all that the certificate repeats of the record is right
        return _hidden(parts, record, leaf)
    return _said_otherwise(record, path.replace("measured.", "evidence."), leaf, parts)


def _hidden(parts: Parts, record: GenerationRecord, leaf: Leaf) -> Tampering:
    """Return the error for a leaf that the certificate covers by a digest alone: whatever else repeats it names it."""
    try:
        verify_chain(parts, parts.key)
    except Tampering as error:
        return error
    for index, ref in enumerate(record.inputs):
        if ref not in parts.sealing.inputs:
            return _said_otherwise(record, f"inputs[{index}] {ref.name}", leaf, parts)
    try:
        require_told(parts, is_proven=True)
    except Tampering as error:
        return error
    return _said_otherwise(record, f"a leaf of {Asset(record.slot.asset)} that nothing else repeats", leaf, parts)


def _in_record(path: str) -> str:
    """Return where the record of the certificate says what stands under a path of the statement."""
    path = path.removeprefix("predicate.")
    for stated, recorded in _RENAMED:
        if path.startswith(stated):
            return recorded + path.removeprefix(stated)
    return path


def _said_otherwise(record: GenerationRecord, path: str, leaf: Leaf, parts: Parts) -> DigestMismatch:
    what = f"{named(record)}: {path} is not what the certificate says"
    return DigestMismatch(what, where=parts.where, expected=leaf.stated, found=leaf.found, remedy=STOP)
