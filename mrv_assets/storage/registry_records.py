"""Registry records: `registry/records/<n, 12 digits>.json`, created once each, every one naming the one before it.

What does not belong here: what a record says (domain) and deciding what may be said (pipeline).
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.registry import Entry
from mrv_assets.domain.registry_book import CLAIMED_ONCE, Book
from mrv_assets.domain.registry_record import RegistryRecord
from mrv_assets.storage.breach import BreachKind, Findings
from mrv_assets.storage.chained import Chain
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.settle import Pause

REGISTRY = "registry/"
CHAIN: Chain[RegistryRecord] = Chain(
    folder=f"{REGISTRY}records/",
    name="registry records",
    document="record",
    read=lambda data, where: RegistryRecord.from_bytes(data, where=where),
)


def registry_key(number: int) -> str:
    """Return the key of one record."""
    return CHAIN.key(number)


def read_registry(store: ObjectStore) -> tuple[RegistryRecord, ...]:
    """Return all records, oldest first. Raises BrokenChain as `Chain.read_all`."""
    return CHAIN.read_all(store)


def keep_entries(
    store: ObjectStore,
    draft: Callable[[tuple[RegistryRecord, ...]], Sequence[Entry]],
    *,
    recorded_by: str,
    recorded_utc: str,
    pause: Pause = time.sleep,
) -> tuple[RegistryRecord, ...]:
    """Create a record of each entry that `draft` adds to those that exist, in order; return those that were created.

    When another writer takes a number, `draft` is asked again with what is there then; what it raises ends the writing,
    and what was created before stays. Raises as `Chain.keep`.
    """

    def drafted(before: tuple[RegistryRecord, ...]) -> tuple[RegistryRecord, ...]:
        made: list[RegistryRecord] = []
        prev = before[-1].sha256 if before else None
        for number, entry in enumerate(draft(before), start=len(before) + 1):
            made.append(
                RegistryRecord(
                    number=number,
                    prev=prev,
                    entry=entry,
                    recorded_by=recorded_by,
                    recorded_utc=recorded_utc,
                    write_id=uuid.uuid4().hex,
                )
            )
            prev = made[-1].sha256
        return tuple(made)

    return CHAIN.keep(store, drafted, pause=pause)


def check_claims(records: Sequence[RegistryRecord], findings: Findings) -> None:
    """Note each record that says what may not be said beside those before it: no writer of ours makes such a one."""
    book = Book()
    for record in records:
        try:
            book.add(record.entry)
        except GateError as error:
            is_twice = error.gate == CLAIMED_ONCE
            kind = BreachKind.CREDIT_CLAIMED_TWICE if is_twice else BreachKind.RETIREMENT_UNISSUED
            found = f"{error.where}: {error.found}"
            findings.add(kind, registry_key(record.number), expected=error.expected, found=found)
