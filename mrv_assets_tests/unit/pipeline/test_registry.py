"""Attaching what a registry shows: only what a reported certificate bears out, each entry once, all or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from mrv_assets.domain.errors import DigestMismatch, GateError, Refusal
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.domain.registry import Entry, Issuance
from mrv_assets.domain.registry_book import Book
from mrv_assets.domain.registry_file import Stated
from mrv_assets.pipeline.fsck import check_store, repair_store
from mrv_assets.pipeline.registry import attach
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World
from mrv_assets.storage.blobs import blob_key
from mrv_assets.storage.breach import BreachKind
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.registry_records import CHAIN, read_registry, registry_key
from mrv_assets.storage.slot_paths import record_key
from mrv_assets_tests import planted_forest as forest
from mrv_assets_tests.mortal_store import Killed, MortalStore
from mrv_assets_tests.registered import (
    CREDITS,
    NOW,
    block,
    forest_objects,
    forest_world,
    issuance,
    recorded,
    retirement,
    stated,
    told,
    world_over,
)
from mrv_assets_tests.tampering import rewritten
from mrv_assets_tests.unit.storage.drafts import no_pause
from mrv_assets_tests.world import memory_store, run_partition

ALL = stated(block(1, CREDITS))
GOLD = stated(block(1, 4031, series="GS1", registry="gold-standard"), rule_set=forest.GOLD, registry_project="GS1")
RETIRED = retirement(block(1, 1000))
CERTIFICATE = Slot.of(Asset.CERTIFICATE, forest.KEY)


def done(world: World, *entries: Stated, is_dry_run: bool = False) -> list[str]:
    """Attach, and say in a word what became of each."""
    found = attach(world, entries, recorded_by="somebody", is_dry_run=is_dry_run, pause=no_pause)
    return ["skipped" if one.is_skipped else str(one.record.number if one.record else "planned") for one in found]


def entries(world: World) -> list[Entry]:
    """Return what is recorded, oldest first."""
    return [record.entry for record in read_registry(world.store)]


def breaches(world: World) -> list[BreachKind]:
    """Return the kinds that a check finds."""
    return [breach.kind for breach in check_store(world).breaches]


def restated() -> World:
    """Return a forest whose project file says another standard since, so that another certificate is reported."""
    files = forest.replaced(forest.references(), forest.PROJECT, "side by side", "one beside the other")
    world = world_over(memory_store(forest_objects()), references=files)
    run_partition(world, forest.KEY, run_id="restated")
    return world


def test_what_a_certificate_allows_is_recorded_once() -> None:
    """All credits and a retirement in one file; the same file again is skipped and adds nothing; a check is content."""
    world = forest_world()
    assert done(world, ALL, RETIRED) == ["1", "2"]
    assert done(world, ALL, RETIRED) == ["skipped", "skipped"]
    [issued, retired] = entries(world)
    assert isinstance(issued, Issuance)
    assert (issued.project_id, issued.period, issued.superseded_by) == ("planted-forest", "2025", None)
    assert issued.certificate_sha256 == forest.certificate(world).sha256
    assert retired == RETIRED
    assert breaches(world) == []


def test_a_dry_run_records_nothing() -> None:
    """It tells what would be done, and refuses what would be refused."""
    world = forest_world()
    assert done(world, ALL, RETIRED, is_dry_run=True) == ["planned", "planned"]
    assert entries(world) == []
    done(world, ALL)
    assert done(world, ALL, RETIRED, RETIRED, is_dry_run=True) == ["skipped", "planned", "skipped"]
    with pytest.raises(GateError, match="credits were not issued"):
        done(world, retirement(block(CREDITS + 1, CREDITS + 1)), is_dry_run=True)


def test_the_same_claim_with_another_day_is_skipped_and_told() -> None:
    """The record stands as it is; what the file says otherwise is named."""
    world = forest_world()
    done(world, ALL)
    [found] = attach(world, [replace(ALL, issued_on=date(2026, 2, 2))], recorded_by="somebody", pause=no_pause)
    assert found.is_skipped
    assert found.differs == ("issued_on: recorded 2026-02-01, stated 2026-02-02",)
    assert len(entries(world)) == 1


def test_the_certificate_may_be_named_by_its_digits() -> None:
    """By first digits, by partition or by factor version it is the same issuance."""
    world = forest_world()
    names = ["planted-forest 2025", str(forest.KEY), *(forest.certificate(world).sha256[:n] for n in (8, 64))]
    assert done(world, *(replace(ALL, certificate=name) for name in names)) == ["1", "skipped", "skipped", "skipped"]


@pytest.mark.parametrize(
    ("attached", "message"),
    [
        pytest.param([stated(block(1, CREDITS + 1))], "at most 3473 credits for 2025", id="one credit too many"),
        pytest.param(
            [stated(block(1, 3000)), stated(block(3001, CREDITS + 1))],
            "3000 issued already and 474",
            id="in two blocks",
        ),
        pytest.param([replace(GOLD, block=block(1, 4032, series="GS1", registry="gold-standard"))], "4031", id="gold"),
        pytest.param([replace(ALL, rule_set="vm0042@2.1")], "an assessment under vm0042@2.1", id="not assessed"),
        pytest.param([replace(ALL, rule_set=forest.RISK)], "a rule set that comes to whole credits", id="a rating"),
        pytest.param([replace(ALL, certificate="0" * 64)], "certificate is not found", id="no certificate"),
        pytest.param([replace(ALL, certificate="planted-forest 2024")], "certificate is not found", id="not reported"),
        pytest.param([replace(ALL, issued_on=date(2026, 6, 3))], "of a day to come", id="issued tomorrow"),
        pytest.param([ALL, retirement(block(1, 9), on=date(2026, 6, 3))], "of a day to come", id="retired tomorrow"),
        pytest.param([replace(ALL, vintage_first=date(2025, 1, 2))], "that the serial number says", id="vintage"),
        pytest.param([ALL, GOLD], "tonnes of a vintage are issued twice", id="both programmes"),
        pytest.param([stated(block(1, 9)), stated(block(9, 19))], "credits are claimed twice", id="overlap"),
        pytest.param([RETIRED], "credits were not issued", id="not issued"),
        pytest.param([RETIRED, ALL], "credits were not issued", id="issued after"),
        pytest.param([ALL, RETIRED, retirement(block(1000, 1001))], "credits are claimed twice", id="retired twice"),
    ],
)
def test_what_may_not_be_attached_is_refused_as_a_whole(attached: Sequence[Stated], message: str) -> None:
    """One entry that does not hold, and nothing of the file is recorded."""
    world = forest_world()
    with pytest.raises(Refusal, match=message) as caught:
        done(world, *attached)
    assert caught.value.remedy
    assert entries(world) == []


def test_the_limit_counts_what_was_issued_before() -> None:
    """Blocks of several files count together."""
    world = forest_world()
    done(world, stated(block(1, 3000)))
    with pytest.raises(GateError, match="3000 issued already and 474 in this block"):
        done(world, stated(block(3001, CREDITS + 1)))
    assert done(world, stated(block(3001, CREDITS))) == ["2"]


def test_gold_standard_issues_its_own() -> None:
    """Fields and a limit of its own, whole credits under 403."""
    world = forest_world()
    assert done(world, GOLD) == ["1"]
    assert breaches(world) == []


def test_an_earlier_certificate_is_allowed_and_says_so() -> None:
    """The registry issued on it, so that is what is recorded, with the certificate that is reported instead."""
    old = forest.certificate(forest_world()).sha256
    world = restated()
    assert done(world, replace(ALL, certificate=old)) == ["1"]
    [issued] = entries(world)
    assert isinstance(issued, Issuance)
    assert (issued.certificate_sha256, issued.superseded_by) == (old, forest.certificate(world).sha256)
    assert breaches(world) == []


def test_a_restated_figure_makes_no_new_tonnes() -> None:
    """What was issued on the certificate before counts against the one after."""
    world = restated()
    done(world, replace(ALL, certificate=forest.certificate(forest_world()).sha256))
    with pytest.raises(GateError, match="3473 issued already and 1 in this block"):
        done(world, stated(block(5001, 5001)))


def test_a_certificate_that_was_never_reported_bears_nothing_out() -> None:
    """A figure that is held, or whose run ended early, is nobody's figure yet."""
    world = world_over(memory_store())
    run = Run(world, run_id="early")
    for asset in list(Asset)[:-1]:
        run.advance(asset, forest.KEY)
    run.close()
    with pytest.raises(GateError, match="certificate was never reported"):
        done(world, replace(ALL, certificate=str(forest.KEY)))


def test_an_altered_certificate_is_tampering() -> None:
    """It is checked against its record before anything rests on it."""
    world = forest_world()
    record = world.slots.current(CERTIFICATE)
    assert record is not None
    world.store.replace(blob_key(record.blob), b"{}")
    with pytest.raises(DigestMismatch, match="not the bytes that were sealed"):
        done(world, ALL)


@pytest.fixture(params=["memory", "posix"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    """A store of each kind in which the forest is reported."""
    if request.param == "memory":
        return memory_store(forest_objects())
    found = PosixStore(tmp_path / "store")
    for key, data in forest_objects().items():
        found.put_if_absent(key, data)
    return found


def test_of_two_writers_at_once_one_has_the_credits(store: ObjectStore) -> None:
    """Eight writers, each with overlapping blocks of its own: whoever is refused has left nothing that overlaps."""

    def write(number: int) -> str:
        try:
            return done(world_over(store), stated(block(number * 10 + 1, number * 10 + 15)))[0]
        except GateError as error:
            return error.what

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(write, range(8)))
    kept = entries(world_over(store))
    Book(kept)
    assert len(kept) == len([one for one in told if one.isdigit()])
    assert set(told) - {str(number) for number in range(1, 9)} == {"credits are claimed twice"}


def test_the_same_file_of_several_writers_is_recorded_once(store: ObjectStore) -> None:
    """Each entry is one writer's, and the others skip it."""
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda _: done(world_over(store), ALL, RETIRED), range(4)))
    assert sorted(one for each in told for one in each if one != "skipped") == ["1", "2"]
    assert len(entries(world_over(store))) == 2


@pytest.mark.parametrize("has_landed", [pytest.param(False, id="before"), pytest.param(True, id="after it landed")])
def test_a_writer_that_died_at_any_call_is_healed_by_a_repeat(*, has_landed: bool) -> None:
    """The same file again records what is missing and nothing twice."""
    counted = MortalStore(memory_store(forest_objects()))
    done(world_over(counted), ALL, RETIRED)
    for call in range(1, counted.calls + 1):
        store = MortalStore(memory_store(forest_objects()))
        store.die_at(call, has_landed=has_landed)
        with pytest.raises(Killed, match="store call"):
            done(world_over(store), ALL, RETIRED)
        store.live_again()
        done(world_over(store), ALL, RETIRED)
        assert len(entries(world_over(store))) == 2, f"not healed after call {call}"
        left = {BreachKind.DOCUMENT_NOT_IN_JOURNAL, BreachKind.CHECKPOINT_BEHIND}
        assert set(breaches(world_over(store))) <= left
        healed = world_over(store)
        repair_store(healed, check_store(healed))
        assert breaches(healed) == []


def test_an_issuance_that_no_certificate_bears_out_is_a_breach() -> None:
    """Forged past the checks with a chain that is whole: a certificate that is not there, and one credit too many."""
    world = forest_world()
    sha256 = forest.certificate(world).sha256
    first = recorded(issuance(block(1, 10), certificate="0" * 64))
    second = recorded(issuance(block(11, 11 + CREDITS), certificate=sha256), number=2, prev=first.sha256)
    for record in (first, second):
        world.store.put_if_absent(registry_key(record.number), record.to_bytes())
    told(world.store)
    report = check_store(world)
    assert [(b.kind, b.key) for b in report.breaches] == [
        (BreachKind.ISSUANCE_UNCERTIFIED, registry_key(1)),
        (BreachKind.ISSUANCE_UNCERTIFIED, registry_key(2)),
    ]
    assert "found none" not in report.breaches[0].found
    assert "10 issued already and 3474" in report.breaches[1].found


def test_a_record_that_goes_with_its_certificate_is_a_breach() -> None:
    """The certificate's record is gone: that, what rests on it, and the issuance are told."""
    world = forest_world()
    done(world, ALL)
    left = {key: data for key in world.store.list("") if (data := world.store.get(key)) is not None}
    del left[record_key(CERTIFICATE, 1)]
    assert BreachKind.ISSUANCE_UNCERTIFIED in breaches(world_over(memory_store(left)))


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"recorded_by": "nobody"}, id="by whom"),
        pytest.param({"recorded_utc": "2020-01-01"}, id="when"),
        pytest.param({"write_id": "x"}, id="attempt"),
        pytest.param({"prev": "0" * 64}, id="the one before"),
        pytest.param({"number": 2}, id="number"),
    ],
)
def test_a_record_that_was_written_anew_is_a_breach(changes: dict[str, str | int]) -> None:
    """The next record names the one that it was."""
    world = forest_world()
    done(world, ALL, RETIRED)
    data = world.store.get(CHAIN.key(1))
    assert data is not None
    world.store.replace(CHAIN.key(1), rewritten(data, **changes))
    assert set(breaches(world)) == {BreachKind.REGISTRY_BROKEN, BreachKind.DOCUMENT_ALTERED}


def test_a_day_that_has_begun_somewhere_is_no_day_to_come() -> None:
    """The clock is UTC, and registries have zones."""
    world = replace(forest_world(), clock=lambda: NOW.replace(hour=11))
    assert done(world, replace(ALL, issued_on=date(2026, 6, 2)), is_dry_run=True) == ["planned"]
