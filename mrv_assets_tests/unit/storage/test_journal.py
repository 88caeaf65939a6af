"""The journal: one chain, whatever is lost, raced or removed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from mrv_assets.domain.digest import self_sealed_json, sha256_hex
from mrv_assets.domain.errors import BrokenChain, CommitConflict, CommitStateUnknown
from mrv_assets.domain.journal_entry import JournalEntry
from mrv_assets.storage.journal import CHECKPOINT, ENTRIES, Journal, entry_key
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.settle import ATTEMPTS
from mrv_assets_tests.unit.storage.drafts import clock, event, no_pause
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore


def journal(store: ObjectStore) -> Journal:
    """Return the journal of a store, with a stopped clock and no waiting."""
    return Journal(store, clock, pause=no_pause)


def append_runs(store: ObjectStore, count: int) -> None:
    """Append one entry per run, from run-0 on."""
    for number in range(count):
        journal(store).append(f"run-{number}", [event(f"run-{number}")])


def test_an_empty_journal_has_no_entries(store: FaultyStore) -> None:
    """Its size is 0 and it yields nothing."""
    assert journal(store).size() == 0
    assert list(journal(store).entries()) == []


def test_a_run_is_one_entry_with_all_its_events(store: FaultyStore) -> None:
    """What is appended reads back, numbered from 1."""
    events = [event("run-1", generation=1), event("run-1", generation=2)]
    assert journal(store).append("run-1", events) == 1
    (entry,) = journal(store).entries()
    assert (entry.number, entry.prev, entry.run_id) == (1, None, "run-1")
    assert list(entry.events) == events


def test_no_events_are_no_entry(store: FaultyStore) -> None:
    """A run that touched nothing leaves nothing."""
    assert journal(store).append("run-1", []) == 0
    assert store.calls == []


def test_entries_are_chained(store: FaultyStore) -> None:
    """Each entry names the sha256 of the one before it."""
    append_runs(store, 3)
    entries = list(journal(store).entries())
    raw = [store.get(entry_key(number)) or b"" for number in (1, 2, 3)]
    assert [entry.number for entry in entries] == [1, 2, 3]
    assert [entry.prev for entry in entries] == [None, sha256_hex(raw[0]), sha256_hex(raw[1])]
    assert [entry.run_id for entry in journal(store).entries(start=2)] == ["run-1", "run-2"]
    assert list(journal(store).entries(start=4)) == []


def test_entries_are_created_and_never_replaced(store: FaultyStore) -> None:
    """Only the checkpoint is ever replaced."""
    append_runs(store, 3)
    assert store.count("replace", prefix=ENTRIES) == 0
    assert store.count("replace") == store.count("replace", prefix=CHECKPOINT) == 3


def test_the_checkpoint_names_the_last_entry(store: FaultyStore) -> None:
    """Its size is the length of the journal, its head the sha256 of the last entry."""
    append_runs(store, 2)
    checkpoint = journal(store).checkpoint()
    assert (checkpoint.size, checkpoint.head) == (2, sha256_hex(store.get(entry_key(2)) or b""))


def test_a_lagging_checkpoint_is_caught_up_with(store: FaultyStore) -> None:
    """A checkpoint that could not be written costs a longer listing, not an entry."""
    append_runs(store, 2)
    store.refuse("replace", prefix=CHECKPOINT, times=3)
    append_runs(store, 3)
    assert journal(store).checkpoint().size == 2
    assert journal(store).size() == 5
    assert journal(store).append("run-5", [event("run-5")]) == 6
    assert [entry.number for entry in journal(store).entries()] == [1, 2, 3, 4, 5, 6]
    assert journal(store).checkpoint().size == 6


def test_catching_up_moves_a_lagging_checkpoint_once(store: FaultyStore) -> None:
    """It names the last entry then, and what is not behind is not written."""
    append_runs(store, 1)
    store.refuse("replace", prefix=CHECKPOINT, times=2)
    append_runs(store, 2)
    assert journal(store).catch_up() is True
    assert journal(store).checkpoint().size == 3
    store.calls.clear()
    assert journal(store).catch_up() is False
    assert store.count("replace") == 0


def test_appending_does_not_read_the_past(store: FaultyStore) -> None:
    """The hundredth append asks for no more than the second."""
    append_runs(store, 2)
    store.calls.clear()
    append_runs(store, 1)
    cost = len(store.calls)
    append_runs(store, 20)
    store.calls.clear()
    append_runs(store, 1)
    assert len(store.calls) == cost


def test_the_checkpoint_goes_only_forward(store: FaultyStore) -> None:
    """A slow writer does not put its older checkpoint over a newer one."""

    class SlowWriter(FaultyStore):
        def put_if_absent(self, key: str, data: bytes) -> bool:
            is_created = super().put_if_absent(key, data)
            if key == entry_key(1):
                append_runs(self.inner, 2)
            return is_created

    assert journal(SlowWriter(store)).append("slow", [event("slow")]) == 1
    assert journal(store).checkpoint().size == 3


def test_a_lost_answer_leaves_one_entry(store: FaultyStore) -> None:
    """The entry landed, its response did not: it is recognised by its write id."""
    store.lose_answer("put_if_absent", prefix=ENTRIES)
    assert journal(store).append("run-1", [event()]) == 1
    assert journal(store).size() == 1


def test_an_entry_that_cannot_be_read_back_is_unknown(store: FaultyStore) -> None:
    """No answer to the create and none to the question: the platform says so."""
    store.lose_answer("put_if_absent", prefix=ENTRIES, times=ATTEMPTS)
    store.refuse("get", prefix=ENTRIES, times=ATTEMPTS)
    with pytest.raises(CommitStateUnknown, match="unknown whether a write landed"):
        journal(store).append("run-1", [event()])
    assert journal(store).size() == 1


def test_five_racing_runs_leave_one_chain(tmp_path: Path) -> None:
    """Five writers of ten entries each give fifty entries, none lost, none twice, all chained."""

    def append_ten(worker: int) -> list[int]:
        own = journal(PosixStore(tmp_path))
        return [own.append(f"run-{worker}-{number}", [event()]) for number in range(10)]

    with ThreadPoolExecutor(5) as pool:
        numbers = [number for numbers in pool.map(append_ten, range(5)) for number in numbers]
    entries = list(journal(PosixStore(tmp_path)).entries())
    assert sorted(numbers) == [entry.number for entry in entries] == list(range(1, 51))
    assert len({entry.run_id for entry in entries}) == 50


def test_a_race_that_is_never_won_is_a_conflict(store: FaultyStore) -> None:
    """A writer that always comes second gives up after a bounded number of rounds."""

    class AlwaysSecond(FaultyStore):
        def put_if_absent(self, key: str, data: bytes) -> bool:
            self.inner.put_if_absent(key, data.replace(b"run-1", b"run-2"))
            return super().put_if_absent(key, data)

    with pytest.raises(CommitConflict, match="kept taking the next journal number"):
        journal(AlwaysSecond(store)).append("run-1", [event()])


def rewritten(data: bytes) -> bytes:
    """Return the entry with another run id, sealed anew by somebody who knows the format."""
    document = json.loads(data) | {"run_id": "somebody else"}
    del document["self_sha256"]
    return self_sealed_json(document)


@pytest.mark.parametrize(
    ("number", "change", "found"),
    [
        pytest.param(2, rewritten, "journal/entries/000000000003.json", id="rewritten in the middle"),
        pytest.param(1, rewritten, "journal/entries/000000000002.json", id="rewritten at the start"),
        pytest.param(2, lambda data: data + b" ", "in another spelling", id="trailing space"),
        pytest.param(2, lambda data: data[:-9], "JSONDecodeError", id="cut short"),
        pytest.param(2, lambda data: data.replace(b"2021", b"202103"), "IdentityError", id="no period"),
    ],
)
def test_a_changed_entry_is_found(tmp_path: Path, number: int, change: Callable[[bytes], bytes], found: str) -> None:
    """Any change to an entry breaks it or the one after it."""
    append_runs(PosixStore(tmp_path), 3)
    path = tmp_path / entry_key(number)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(BrokenChain, match=found):
        list(journal(PosixStore(tmp_path)).entries())


def test_a_changed_last_entry_is_found_by_the_checkpoint(tmp_path: Path) -> None:
    """The head of the checkpoint seals the entry that nothing follows yet; nothing is appended to it."""
    append_runs(PosixStore(tmp_path), 2)
    path = tmp_path / entry_key(2)
    path.write_bytes(rewritten(path.read_bytes()))
    with pytest.raises(BrokenChain, match="an entry whose sha256 is not"):
        journal(PosixStore(tmp_path)).append("run-3", [event()])


@pytest.mark.parametrize("number", [2, 3], ids=["in the middle", "at the end"])
def test_a_removed_entry_is_found(tmp_path: Path, number: int) -> None:
    """A journal that was cut, inside or at its end, is not taken for a shorter one."""
    append_runs(PosixStore(tmp_path), 3)
    (tmp_path / entry_key(number)).unlink()
    with pytest.raises(BrokenChain, match="no entry, though the journal goes on"):
        list(journal(PosixStore(tmp_path)).entries())


def test_a_damaged_checkpoint_is_not_guessed_around(tmp_path: Path) -> None:
    """A checkpoint that is not as it was written stops the journal."""
    append_runs(PosixStore(tmp_path), 1)
    (tmp_path / CHECKPOINT).write_bytes(b'{"size": 0}')
    with pytest.raises(BrokenChain, match="journal cannot be read"):
        journal(PosixStore(tmp_path)).append("run-2", [event()])


SOURCE = {"source_uri": "file:///landing/x.csv", "source_sha256": "0" * 64}


def test_an_entry_tells_the_source_of_its_events(store: FaultyStore) -> None:
    """What an event says of its source file is read back; an event without one is written as before there was any."""
    journal(store).append("run-1", [replace(event(), source=SOURCE), event()])
    [entry] = journal(store).entries()
    assert [dict(told.source) for told in entry.events] == [SOURCE, {}]
    written = json.loads(store.get(entry_key(1)) or b"")["events"]
    assert ["source" in told for told in written] == [True, False]


# As the platform wrote it before events told their source.
OLD_ENTRY = (
    b'{"events":[{"asset":"aggregated","content_digest":"ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec'
    b'9432297b9ec9f73","event_id":"4305859a2c7a0a5e3576ea2d89ce8ebf","factor_version":"mrow-2024.02.01","g'
    b'eneration":1,"idempotency_key":"8fd2f468289597ac","inputs":{"factored":"d8f197e4b7188349d5b45af90951'
    b'13c71835f9fe10313fa6e7dcdbd7fe8846cc"},"inputs_digest":"32381523e63197c929b67f793a8098bed0ae3a6fa902'
    b'634fdbcc6fa4567f3346","occurred_utc":"2026-01-02T03:04:05.000000+00:00","outcome":"committed","perio'
    b'd":"2021","project_id":"metc-anoka","reason":"inputs changed","record_sha256":"70ce871f8a3d3fb449bc3'
    b'c3ace6547cef02dfc74ffe48d912532a724bfdbe5b9","run_id":"run-1"}],"number":1,"prev":null,"run_id":"run'
    b'-1","schema":"mrv-journal-entry-1","self_sha256":"241f2810572ba23ec3dadefe5baa216b14fcc0ce7c8caa4709'
    b'b971a421a0c8dd","write_id":"write-1","written_utc":"2026-01-02T03:04:05.000000+00:00"}'
)


def test_an_entry_of_before_is_read_and_keeps_its_bytes() -> None:
    """What was written without a source still is the exact text that the chain was sealed over."""
    entry = JournalEntry.from_bytes(OLD_ENTRY, where="entry")
    assert [dict(told.source) for told in entry.events] == [{}]
    assert entry.to_bytes() == OLD_ENTRY


@pytest.mark.parametrize("source", [{}, [], None, ["x"], "x"])
def test_a_source_that_the_platform_would_not_write_is_refused(store: FaultyStore, source: object) -> None:
    """No source is no member; an empty one, or something else, was not written by us."""
    journal(store).append("run-1", [event()])
    document = json.loads(store.get(entry_key(1)) or b"")
    del document["self_sha256"]
    document["events"][0]["source"] = source
    with pytest.raises(BrokenChain, match="journal cannot be read"):
        JournalEntry.from_bytes(self_sealed_json(document), where="entry")


def test_foreign_objects_are_not_entries(store: FaultyStore) -> None:
    """What does not look like an entry does not lengthen the journal."""
    append_runs(store, 1)
    for name in ("000000000009.json.bak", "9.json", "sub/000000000009.json"):
        store.put_if_absent(f"{ENTRIES}{name}", b"not ours")
    assert journal(store).size() == 1


class LateListing(FaultyStore):
    """Lists a folder as a system may that is written to meanwhile: entry 2 is not among the names yet."""

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[str]:
        listed = super().list(prefix, start_after=start_after)
        return (key for key in listed if key != entry_key(2))


def test_a_listing_that_misses_an_entry_is_no_gap(store: FaultyStore) -> None:
    """Entries are asked for by number, so a listing only has to show the last one."""
    append_runs(store, 3)
    assert [entry.number for entry in journal(LateListing(store)).entries()] == [1, 2, 3]
