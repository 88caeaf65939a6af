"""Checking certificates out of their own store, one and all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mrv_assets.domain.errors import BrokenChain, MrvError, StoreUnavailable, Tampering
from mrv_assets.pipeline.certificates import certificate_of
from mrv_assets.pipeline.verifying import all_certificates, judge_all, verify_stored
from mrv_assets.pipeline.world import World
from mrv_assets.storage.blobs import blob_key
from mrv_assets.storage.journal import entry_key
from mrv_assets.storage.slots import SlotStore
from mrv_assets.verify.reader import Reader
from mrv_assets_tests.handed_out import NOW, Place, place, whole
from mrv_assets_tests.signing import TRUST
from mrv_assets_tests.unit.pipeline.bumps import FIRST as OLDER
from mrv_assets_tests.unit.pipeline.bumps import MIDDLE as NEWER
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore

READER = Reader(trust=TRUST, now_utc=NOW)


def test_everything_is_at_hand_in_the_store() -> None:
    """Contents and predecessor are checked, and what was published earlier grew into what is there."""
    found = whole()
    record = certificate_of(found.world.slots, "anoka", "2021", NEWER)
    outcome = verify_stored(found.world, record, READER, outside=(found.rolled_back(to=2).checkpoint(),))
    assert (outcome.unsigned, outcome.unchecked) == ((), ())


def test_a_journal_that_was_rolled_back_is_told() -> None:
    """It is shorter than a checkpoint that was published."""
    shorter = whole().rolled_back(to=1)
    record = certificate_of(shorter.world.slots, "anoka", "2021", OLDER)
    with pytest.raises(BrokenChain, match="it was rolled back"):
        verify_stored(shorter.world, record, READER, outside=(whole().checkpoint(),))


def test_a_journal_whose_last_entry_is_gone_is_told() -> None:
    """The checkpoint counts an entry that is not there."""
    broken = without(place(), entry_key(3))
    with pytest.raises(BrokenChain, match="no entry, though the journal goes on"):
        verify_stored(broken, certificate_of(broken.slots, "anoka", "2021", OLDER), READER)
    judged = list(judge_all(broken, all_certificates(broken), READER))
    assert [type(one.outcome) for one in judged] == [BrokenChain] * 3


def without(found: Place, *keys: str) -> World:
    """Return the world over a copy of a store in which objects are missing."""
    return found.copied(lambda key: key not in keys).world


def test_each_certificate_is_judged_by_itself() -> None:
    """One whose table is gone is listed, and the others hold."""
    found = place()
    record = certificate_of(found.world.slots, "carver", "2021", OLDER)
    factored = found.world.slots.record(record.upstream[2].slot, record.upstream[2].generation)
    broken = without(found, blob_key(factored.blob))
    judged = list(judge_all(broken, all_certificates(broken), READER))
    failed = [one for one in judged if isinstance(one.outcome, MrvError)]
    assert (len(judged), [one.record.slot.project_id for one in failed]) == (3, ["carver"])
    assert isinstance(failed[0].outcome, Tampering)


def test_a_store_that_does_not_answer_is_no_breach() -> None:
    """It ends the check: nothing can be said then."""
    found = whole()
    records = all_certificates(found.world)
    store = FaultyStore(found.world.store)
    away = replace(found.world, store=store, slots=SlotStore(store, found.world.clock))
    store.refuse("get", prefix="blobs/")
    with pytest.raises(StoreUnavailable, match="store is away"):
        list(judge_all(away, records, READER))
