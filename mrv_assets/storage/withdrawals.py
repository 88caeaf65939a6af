"""Withdrawals and reinstatements of figures, created once each and never changed.

`withdrawals/project_id=…/period=…/<generation>.json` takes back one generation of the ledger, and
`<generation>-reinstated.json` beside it ends that. What does not belong here: what they say (domain) and the ledger
that follows (pipeline).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from typing import TypeAlias, TypeVar

from mrv_assets.domain.errors import BrokenChain, IdentityError
from mrv_assets.domain.figure_withdrawal import FigureWithdrawal, Reinstatement, not_kept
from mrv_assets.domain.generation import REINSTATEMENT, WITHDRAWAL, GenerationRecord
from mrv_assets.domain.partition import Asset, Period, Slot
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.settle import Pause, settle

Word: TypeAlias = FigureWithdrawal | Reinstatement
_T = TypeVar("_T", FigureWithdrawal, Reinstatement)

WITHDRAWALS = "withdrawals/"
_KEY = re.compile(r"withdrawals/project_id=([^/]+)/period=([^/]+)/[0-9]{12}(-reinstated)?\.json")


def withdrawal_key(project_id: str, period: str, generation: int) -> str:
    """Return the key of the withdrawal of a generation of the ledger, whether there is one or not."""
    return f"{WITHDRAWALS}project_id={project_id}/period={period}/{generation:012d}.json"


def reinstatement_key(project_id: str, period: str, generation: int) -> str:
    """Return the key of what ends the withdrawal of a generation of the ledger, whether there is one or not."""
    return withdrawal_key(project_id, period, generation).removesuffix(".json") + "-reinstated.json"


def key_of(word: Word) -> str:
    """Return the key that a withdrawal or reinstatement is kept under."""
    named = withdrawal_key if isinstance(word, FigureWithdrawal) else reinstatement_key
    return named(word.project_id, word.period, word.generation)


def is_withdrawal_key(key: str) -> bool:
    """Tell whether an object of this key is meant to be a withdrawal or a reinstatement."""
    return _KEY.fullmatch(key) is not None


def load_withdrawal(store: ObjectStore, key: str) -> FigureWithdrawal:
    """Return the withdrawal under a key. Raises BrokenChain when it is gone, unreadable or of something else."""
    return _withdrawal(key, _there(store, key))


def find_withdrawal(store: ObjectStore, slot: Slot, generation: int) -> FigureWithdrawal | None:
    """Return the withdrawal of a generation, None when there is none. Raises BrokenChain for one of something else."""
    key = withdrawal_key(slot.project_id, slot.period, generation)
    data = store.get(key)
    return None if data is None else _withdrawal(key, data)


def find_reinstatement(store: ObjectStore, withdrawal: FigureWithdrawal) -> Reinstatement | None:
    """Return what ends a withdrawal, None while it stands. Raises BrokenChain for one of something else."""
    key = reinstatement_key(withdrawal.project_id, withdrawal.period, withdrawal.generation)
    data = store.get(key)
    return None if data is None else _reinstatement(key, data)


def keep_withdrawal(store: ObjectStore, withdrawal: FigureWithdrawal, *, pause: Pause = time.sleep) -> FigureWithdrawal:
    """Create the withdrawal and return the one that is there for good: this one, or who withdrew the same before.

    Raises CommitStateUnknown when the store does not say whether it landed, StoreUnavailable when it did not.
    """
    key, data = key_of(withdrawal), withdrawal.to_bytes()
    return _withdrawal(key, settle(store, key, data, pause=pause))


def keep_reinstatement(store: ObjectStore, reinstatement: Reinstatement, *, pause: Pause = time.sleep) -> Reinstatement:
    """Create the reinstatement and return the one that is there for good. Raises as `keep_withdrawal`."""
    key, data = key_of(reinstatement), reinstatement.to_bytes()
    return _reinstatement(key, settle(store, key, data, pause=pause))


def words_of(store: ObjectStore, records: Iterable[GenerationRecord]) -> dict[str, Word]:
    """Return the withdrawals and reinstatements that generations name, by key. Raises BrokenChain for one not there."""
    named = {ref.name for record in records for ref in record.inputs if ref.kind in (WITHDRAWAL, REINSTATEMENT)}
    return {key: _word(key, _there(store, key)) for key in sorted(named)}


def read_words(store: ObjectStore) -> Iterator[Word | BrokenChain]:
    """Yield every withdrawal and reinstatement, and in the place of one that cannot be read what is wrong with it."""
    for key in store.list(WITHDRAWALS):
        if is_withdrawal_key(key):
            try:
                yield _word(key, _there(store, key))
            except BrokenChain as error:
                yield error


def ever_withdrawn(store: ObjectStore) -> frozenset[Slot]:
    """Return the ledger slots of which a figure was withdrawn at some time, from one listing; they may report again."""
    slots = (_slot(key) for key in store.list(WITHDRAWALS))
    return frozenset(slot for slot in slots if slot is not None)


def _slot(key: str) -> Slot | None:
    match = _KEY.fullmatch(key)
    if match is None:
        return None
    try:
        return Slot(asset=Asset.LEDGER, project_id=match[1], period=Period.parse(match[2]).text, factor_version=None)
    except IdentityError:
        return None  # no writer of ours makes such a name; `mrv fsck` tells of it


def _there(store: ObjectStore, key: str) -> bytes:
    data = store.get(key)
    if data is None:
        expected = "the word of a person that a generation of the ledger rests on"
        raise not_kept("withdrawal is gone", key, expected=expected, found="no object")
    return data


def _word(key: str, data: bytes) -> Word:
    return _reinstatement(key, data) if key.endswith("-reinstated.json") else _withdrawal(key, data)


def _withdrawal(key: str, data: bytes) -> FigureWithdrawal:
    return _named(key, FigureWithdrawal.from_bytes(data, where=key))


def _reinstatement(key: str, data: bytes) -> Reinstatement:
    return _named(key, Reinstatement.from_bytes(data, where=key))


def _named(key: str, word: _T) -> _T:
    if key_of(word) != key:
        expected = "the withdrawal of the generation that its name tells"
        raise not_kept("withdrawal is of something else", key, expected=expected, found=f"that of {key_of(word)}")
    return word
