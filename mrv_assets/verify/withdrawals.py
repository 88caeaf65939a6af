"""Checks of what a person took back: a ledger that reports nothing, and a figure that returned, each rest on a word.

What does not belong here: fetching the words (storage) and the figures themselves (figures).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import pyarrow as pa

from mrv_assets.domain.errors import DigestMismatch, GateError, Tampering
from mrv_assets.domain.figure_withdrawal import FigureWithdrawal, Reinstatement
from mrv_assets.domain.generation import GenerationRecord, InputRef
from mrv_assets.domain.partition import Asset

WITHDRAWAL_STATED = "withdrawal_stated"
_KEEP = "stop, keep the store as it is and compare it with a replica"
_UNSAID = "do not rely on it; ask the operator who took the figure back, and compare with a replica"


def verify_withdrawals(
    records: Sequence[GenerationRecord], words: Mapping[str, FigureWithdrawal | Reinstatement]
) -> None:
    """Check that a ledger slot went silent, and reported again, only by the word of a person that was for this.

    `records` are its generations, oldest first, `words` by the key that a record names them by. Raises DigestMismatch
    for a word that is gone or another one, GateError for one that takes back another figure, and for a figure that
    returned without one.
    """
    for before, record in pairwise([None, *records]):
        if record is None:
            continue
        if record.withdrawal is not None:
            _verify_withdrawn(record, before, _word(record.withdrawal, words, record))
        elif before is not None and before.withdrawal is not None:
            _verify_returned(record, before.withdrawal, words)


def verify_nothing_reported(table: pa.Table, record: GenerationRecord) -> None:
    """Check that the ledger table of a withdrawn figure has no row. Raises DigestMismatch when it has one."""
    if table.num_rows:
        raise DigestMismatch(
            "withdrawn figure is reported all the same",
            where=_where(record),
            expected="no row",
            found=f"{table.num_rows}",
            remedy=_KEEP,
        )


def _verify_withdrawn(
    record: GenerationRecord, before: GenerationRecord | None, word: FigureWithdrawal | Reinstatement
) -> None:
    """Hold a generation that reports nothing to its word: of the figure before it, or of the same word once more."""
    if before is not None and before.withdrawal == record.withdrawal:
        return
    expected = "nothing" if before is None else f"generation {before.generation}, {_certificate(before)}"
    found = "no withdrawal"
    if isinstance(word, FigureWithdrawal):
        found = f"generation {word.generation}, {word.withdrawn.certificate_sha256}"
        place = (word.project_id, word.period) == (record.slot.project_id, record.slot.period)
        found = found if place else f"{word.project_id} {word.period}, {found}"
    _require(record, expected, found)


def _verify_returned(
    record: GenerationRecord, withdrawal: InputRef, words: Mapping[str, FigureWithdrawal | Reinstatement]
) -> None:
    if record.reinstatement is None:
        _require(record, f"a reinstatement after {withdrawal.name}", "none")
        return
    word = _word(record.reinstatement, words, record)
    found = f"withdrawal {word.withdrawal_sha256}" if isinstance(word, Reinstatement) else "no reinstatement"
    _require(record, f"withdrawal {withdrawal.digest}", found)


def _word(
    ref: InputRef, words: Mapping[str, FigureWithdrawal | Reinstatement], record: GenerationRecord
) -> FigureWithdrawal | Reinstatement:
    word = words.get(ref.name)
    if word is None:
        expected, found = f"{ref.name} with sha256 {ref.digest}", "nothing"
        raise Tampering("withdrawal is gone", where=_where(record), expected=expected, found=found, remedy=_KEEP)
    if word.sha256 != ref.digest:
        raise DigestMismatch(
            f"withdrawal {ref.name} is not what was sealed",
            where=_where(record),
            expected=ref.digest,
            found=word.sha256,
            remedy=_KEEP,
        )
    return word


def _require(record: GenerationRecord, expected: str, found: str) -> None:
    if expected != found:
        raise GateError(
            "ledger went silent, or reported again, without the word of a person for this",
            gate=WITHDRAWAL_STATED,
            where=_where(record),
            expected=expected,
            found=found,
            remedy=_UNSAID,
        )


def _certificate(record: GenerationRecord) -> str:
    found = [ref.content_digest for ref in record.upstream if ref.slot.asset is Asset.CERTIFICATE]
    return found[0] if found else "no certificate"


def _where(record: GenerationRecord) -> str:
    return f"{record.slot}, generation {record.generation}"
