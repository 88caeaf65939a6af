"""Registry records as they are kept: numbered, chained, created once; who comes second decides again."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mrv_assets.domain.errors import BrokenChain, CommitConflict, GateError
from mrv_assets.domain.registry import Entry
from mrv_assets.domain.registry_book import Book
from mrv_assets.domain.registry_record import RegistryRecord
from mrv_assets.storage.breach import BreachKind
from mrv_assets.storage.fsck import fsck
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.registry_records import keep_entries, read_registry, registry_key
from mrv_assets_tests.registered import block, issuance, recorded, retirement, told
from mrv_assets_tests.unit.storage.drafts import no_pause
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore
from mrv_assets_tests.world import memory_store

FIRST, SECOND = issuance(block(1, 100)), issuance(block(101, 200))
RIVAL = issuance(block(50, 150))


def keep(store: ObjectStore, *entries: Entry) -> tuple[RegistryRecord, ...]:
    """Record the entries that are not there yet."""

    def draft(records: Sequence[RegistryRecord]) -> Sequence[Entry]:
        book = Book(record.entry for record in records)
        added = [entry for entry in entries if book.same(entry) is None]
        for entry in added:
            book.add(entry)
        return added

    return keep_entries(store, draft, recorded_by="somebody", recorded_utc="", pause=no_pause)


def chained(*entries: Entry) -> dict[str, bytes]:
    """Return the entries as a chain, whatever they say."""
    files: dict[str, bytes] = {}
    prev = None
    for number, entry in enumerate(entries, start=1):
        record = recorded(entry, number=number, prev=prev)
        files[registry_key(number)], prev = record.to_bytes(), record.sha256
    return files


def kinds(store: ObjectStore) -> list[BreachKind]:
    """Return what a check finds."""
    return [breach.kind for breach in fsck(store, gates=None).breaches]


def test_records_are_numbered_and_chained() -> None:
    """Each names the one before, and a second time adds nothing."""
    store = memory_store()
    first, second = keep(store, FIRST, SECOND)
    assert (second.number, second.prev) == (2, first.sha256)
    assert keep(store, SECOND, FIRST) == ()
    assert read_registry(store) == (first, second)
    assert list(store.list("")) == [registry_key(1), registry_key(2)]
    assert kinds(told(store)) == []


def test_a_lost_answer_is_recognised(store: FaultyStore) -> None:
    """The write landed and its response did not: one record, and it is ours."""
    store.lose_answer("put_if_absent", prefix="registry/")
    assert keep(store, FIRST) == read_registry(store)


class Racing:
    """A draft beside which another writer takes the next number."""

    def __init__(self, store: ObjectStore, *rivals: Entry) -> None:
        self.store, self.rivals = store, list(rivals)

    def __call__(self, records: Sequence[RegistryRecord]) -> Sequence[Entry]:
        """Let the rival be faster, once each."""
        book = Book(record.entry for record in records)
        book.add(FIRST)
        if self.rivals:
            prev = records[-1].sha256 if records else None
            rival = recorded(self.rivals.pop(), number=len(records) + 1, prev=prev, write_id="rival")
            assert self.store.put_if_absent(registry_key(rival.number), rival.to_bytes())
        return [FIRST]


def test_a_lost_race_for_other_credits_is_decided_again() -> None:
    """The second takes the next number, and both stand."""
    store = memory_store()
    [kept] = keep_entries(store, Racing(store, SECOND), recorded_by="", recorded_utc="", pause=no_pause)
    assert (kept.number, [record.entry for record in read_registry(store)]) == (2, [SECOND, FIRST])


def test_a_lost_race_for_the_same_credits_is_refused() -> None:
    """Who was first stands, and nothing of the second is kept."""
    store = memory_store()
    with pytest.raises(GateError, match="credits are claimed twice"):
        keep_entries(store, Racing(store, RIVAL), recorded_by="", recorded_utc="", pause=no_pause)
    assert [record.entry for record in read_registry(store)] == [RIVAL]


def test_a_race_that_is_always_lost_is_given_up() -> None:
    """Ten lost rounds are a conflict."""
    store = memory_store()
    rivals = [issuance(block(number, number)) for number in range(1001, 1031)]
    with pytest.raises(CommitConflict, match="other writers kept taking the next number of the registry records"):
        keep_entries(store, Racing(store, *rivals), recorded_by="", recorded_utc="", pause=no_pause)
    assert FIRST not in [record.entry for record in read_registry(store)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({registry_key(1): None}, "not whole.*1.json", id="the first is gone"),
        pytest.param({registry_key(1): chained(RIVAL)[registry_key(1)]}, "not whole.*2.json", id="written anew"),
        pytest.param({registry_key(2): chained(FIRST)[registry_key(1)]}, "not whole.*2.json", id="put twice"),
        pytest.param({registry_key(2): b"{}"}, "cannot be read", id="no record"),
    ],
)
def test_a_damaged_history_is_tampering(change: dict[str, bytes | None], message: str) -> None:
    """It stops everything that would rest on it, and a check names it."""
    files = {key: data for key, data in (chained(FIRST, SECOND) | change).items() if data is not None}
    store = memory_store(files)
    with pytest.raises(BrokenChain, match=message):
        read_registry(store)
    with pytest.raises(BrokenChain, match=message):
        keep(store, retirement(block(1, 1)))
    assert kinds(told(store)) == [BreachKind.REGISTRY_BROKEN]


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        pytest.param([FIRST, SECOND, retirement(block(90, 110))], [], id="control"),
        pytest.param([FIRST, RIVAL], [BreachKind.CREDIT_CLAIMED_TWICE], id="overlap"),
        pytest.param([FIRST, FIRST], [BreachKind.CREDIT_CLAIMED_TWICE], id="twice"),
        pytest.param(
            [FIRST, retirement(block(1, 9)), retirement(block(9, 9))], [BreachKind.CREDIT_CLAIMED_TWICE], id="retired"
        ),
        pytest.param([retirement(block(1, 9)), FIRST], [BreachKind.RETIREMENT_UNISSUED], id="retired first"),
        pytest.param([RIVAL, FIRST, SECOND], [BreachKind.CREDIT_CLAIMED_TWICE] * 2, id="one against two"),
    ],
)
def test_a_forged_chain_that_is_whole_is_still_seen(entries: list[Entry], found: list[BreachKind]) -> None:
    """Whoever writes records past the checks, numbered and chained, is found by what they say."""
    assert kinds(told(memory_store(chained(*entries)))) == found
