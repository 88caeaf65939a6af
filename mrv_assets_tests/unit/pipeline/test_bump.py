"""What a look at the factor releases asks for, and when it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from mrv_assets.domain.errors import BrokenChain, StoreUnavailable
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.asking import Attempts
from mrv_assets.storage.slot_paths import record_key
from mrv_assets_tests.unit.pipeline.bumps import FIRST, MIDDLE, OLD, WRONG, Bench, both, ledger
from mrv_assets_tests.unit.pipeline.landings import NEWEST, key, named, projects, rows
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore
from mrv_assets_tests.world import memory_store, run_partition

ANOKA, CARVER = both(NEWEST)


def _nothing_reported(_: Bench) -> None:
    """No period has activity."""


def _up_to_date(bench: Bench) -> None:
    bench.report()


def _one_bump(bench: Bench) -> None:
    bench.report()
    bench.release(MIDDLE)


def _two_bumps(bench: Bench) -> None:
    bench.report()
    bench.release(MIDDLE, NEWEST)


def _a_bump_that_one_project_has_already(bench: Bench) -> None:
    bench.report()
    bench.release(MIDDLE, NEWEST)
    bench.report(NEWEST, "carver")


def _a_pin_on_the_old_release(bench: Bench) -> None:
    bench.report()
    bench.release(MIDDLE, NEWEST)
    bench.say("anoka", pins={"2021": OLD})


def _a_pin_of_another_period(bench: Bench) -> None:
    bench.report()
    bench.release(MIDDLE)
    bench.say("anoka", pins={"2020": OLD})


def _a_pin_that_goes_back(bench: Bench) -> None:
    bench.report()
    bench.say("carver", pins={"2021": FIRST})


def _pins_only_and_none(bench: Bench) -> None:
    bench.report()
    bench.release(MIDDLE, NEWEST)
    bench.say("anoka", publication="pinned")


def _pins_only_and_one(bench: Bench) -> None:
    bench.report()
    bench.release(MIDDLE, NEWEST)
    bench.say("anoka", publication="pinned", pins={"2021": MIDDLE})


def _a_withdrawn_bump(bench: Bench) -> None:
    bench.report()
    bench.release(MIDDLE)
    bench.withdraw(MIDDLE)


def _a_withdrawn_bump_between(bench: Bench) -> None:
    bench.report()
    bench.release(MIDDLE, NEWEST)
    bench.withdraw(MIDDLE)


def _a_withdrawn_live_release(bench: Bench) -> None:
    bench.report()
    bench.withdraw(OLD)
    bench.withdraw(WRONG)


@pytest.mark.parametrize(
    ("happened", "asked", "live"),
    [
        (_nothing_reported, [], {}),
        (_up_to_date, [], {"anoka": OLD, "carver": OLD}),
        (_one_bump, both(MIDDLE), {"anoka": MIDDLE, "carver": MIDDLE}),
        (_two_bumps, both(NEWEST), {"anoka": NEWEST, "carver": NEWEST}),
        (_a_bump_that_one_project_has_already, [ANOKA], {"anoka": NEWEST, "carver": NEWEST}),
        (_a_pin_on_the_old_release, [CARVER], {"anoka": OLD, "carver": NEWEST}),
        (_a_pin_of_another_period, both(MIDDLE), {"anoka": MIDDLE, "carver": MIDDLE}),
        (_a_pin_that_goes_back, both(FIRST)[1:], {"anoka": OLD, "carver": FIRST}),
        (_pins_only_and_none, [CARVER], {"anoka": OLD, "carver": NEWEST}),
        (_pins_only_and_one, [both(MIDDLE)[0], CARVER], {"anoka": MIDDLE, "carver": NEWEST}),
        (_a_withdrawn_bump, [], {"anoka": OLD, "carver": OLD}),
        (_a_withdrawn_bump_between, both(NEWEST), {"anoka": NEWEST, "carver": NEWEST}),
        (_a_withdrawn_live_release, both(FIRST), {"anoka": FIRST, "carver": FIRST}),
    ],
    ids=lambda value: value.__name__.strip("_").replace("_", " ") if callable(value) else None,
)
def test_what_is_asked_for_moves_the_ledger_and_is_asked_for_once(
    happened: Callable[[Bench], None], asked: list[str], live: dict[str, str]
) -> None:
    """One request for each partition; after the runs the ledger shows what it should, and nothing is asked for."""
    bench = Bench()
    happened(bench)
    first = bench.look()
    assert named(request.key for request in first.requests) == asked
    assert {request.attempt for request in first.requests} <= {1}
    assert first.notes == ()
    assert bench.run() == asked
    assert bench.live() == live
    bench.tick(days=2)
    assert (bench.asked(), bench.look().notes) == ([], ())


def test_runs_that_somebody_else_started_count_as_well() -> None:
    """The store tells what is done, not what was asked for."""
    bench = Bench()
    _two_bumps(bench)
    bench.run(is_told=False)
    assert bench.asked() == []


def test_a_bump_reuses_activity_and_footprints() -> None:
    """The slots that factors do not touch keep their one generation, and the older figure stays in the history."""
    bench = Bench()
    _one_bump(bench)
    bench.run()
    kept = {slot.asset: newest for slot, newest in bench.world.slots.list_slots(project_id="anoka")}
    assert (kept[Asset.ACTIVITY], kept[Asset.NORMALIZED], kept[Asset.LEDGER]) == (1, 1, 2)


@pytest.mark.parametrize("memory", [None, "", "carver", "zebra", "\x00", "anoka " * 999])
def test_a_lost_cursor_changes_nothing(memory: str | None) -> None:
    """The same is asked for, before and after the runs."""
    bench = Bench()
    _one_bump(bench)
    bench.memory = memory
    assert bench.asked() == both(MIDDLE)
    bench.memory = memory
    bench.run()
    bench.memory = memory
    assert bench.asked() == []


def test_a_run_that_failed_is_asked_for_again_under_another_name() -> None:
    """A run key is used once, so that what Dagster remembers of it cannot keep a partition from being run."""
    bench = Bench()
    _one_bump(bench)
    names = set()
    for attempt in (1, 2, 3):
        requests = bench.look().requests
        assert named(request.key for request in requests) == both(MIDDLE)
        assert {request.attempt for request in requests} == {attempt}
        names |= {request.name for request in requests}
        bench.fail(times=attempt)
        assert bench.asked() == []
        bench.tick(days=1)
    assert len(names) == 6


def test_a_deleted_run_brings_no_name_back() -> None:
    """With one run of two deleted the count says two again; the name is another one all the same."""
    bench = Bench()
    _one_bump(bench)
    first = bench.look().requests[0]
    bench.fail(times=1)
    bench.tick(days=1)
    second = bench.look().requests[0]
    bench.runs.ended[second.key, second.mark] = Attempts(count=1, last=bench.clock.now)
    bench.tick(days=1)
    third = bench.look().requests[0]
    assert (second.attempt, third.attempt) == (2, 2)
    assert len({first.name, second.name, third.name}) == 3
    bench.runs.ended.clear()
    assert bench.look().requests[0].name == first.name


def test_a_run_that_says_it_went_well_is_not_believed_against_the_store() -> None:
    """A store that was restored from before the run is asked for again."""
    bench = Bench()
    _one_bump(bench)
    before = {path: bench.store.get(path) or b"" for path in bench.store.list("")}
    bench.run()
    bench.store = memory_store(before)
    bench.tick(days=1)
    assert bench.asked() == both(MIDDLE)


@pytest.mark.parametrize("last", [Asset.FACTORED, Asset.AGGREGATED, Asset.CERTIFICATE])
def test_a_run_that_ended_half_way_is_asked_for_again(last: Asset) -> None:
    """A certificate that the ledger does not show is not enough."""
    bench = Bench()
    _one_bump(bench)
    bench.until(key("anoka", "2021", MIDDLE), last)
    assert bench.run() == both(MIDDLE)
    assert bench.asked() == []


def test_a_newer_activity_behind_the_figure_is_carried_through() -> None:
    """An older version was run with a corrected file: the version to report is asked for with it, first attempt."""
    bench = Bench(newest=MIDDLE)
    bench.report(MIDDLE)
    before = bench.look()
    bench.deliver(rows("anoka 2021 9", "carver 2021 5"))
    run_partition(bench.world, key("anoka", "2021", OLD))
    [request] = bench.look().requests
    assert (before.requests, str(request.key), request.attempt) == ((), both(MIDDLE)[0], 1)
    assert bench.run() == both(MIDDLE)[:1]
    assert bench.asked() == []


def test_an_activity_that_moves_no_tonne_is_settled_by_one_run() -> None:
    """Rows have other names: the certificate stays as it is, and a run that has seen that is not repeated."""
    bench = Bench()
    bench.report()
    bench.deliver(rows("anoka 2021 7", "carver 2021 5").replace(b"\n0,", b"\nzero,"))
    bench.until(key("anoka", "2021", OLD), Asset.ACTIVITY)
    assert bench.run() == both(OLD)[:1]
    bench.tick(days=2)
    assert bench.asked() == []
    assert len(bench.world.slots.history(ledger("anoka"))) == 1


def test_a_partition_with_a_run_under_way_is_left_alone() -> None:
    """Whoever started that run, the landing sensor for one; the count is told."""
    bench = Bench()
    _one_bump(bench)
    bench.runs.under_way = {key("anoka", "2021", MIDDLE)}
    decision = bench.look()
    assert named(request.key for request in decision.requests) == both(MIDDLE)[1:]
    assert decision.notes == ("partitions with a run under way: 1",)


def test_another_release_does_not_wait_for_the_failures_of_the_last() -> None:
    """Nine failed runs with one release say nothing of the next, nor of other activity."""
    bench = Bench()
    _one_bump(bench)
    bench.fail(times=9)
    assert bench.asked() == []
    bench.release(NEWEST)
    assert bench.asked() == both(NEWEST)
    bench.fail(times=9)
    bench.deliver(rows("anoka 2021 9", "carver 2021 5"))
    bench.until(key("anoka", "2021", NEWEST), Asset.ACTIVITY)
    assert bench.asked() == [ANOKA]


def _a_withdrawn_pin(bench: Bench) -> str:
    bench.say("anoka", pins={"2021": OLD})
    bench.withdraw(OLD)
    return (
        "anoka: pinned factor release was withdrawn [project anoka, pin of 2021]: expected a factor release that was"
        f" not withdrawn; found {OLD}, withdrawn on 2026-01-31 by R. Reviewer: the vintage is the wrong one."
    )


def _an_unknown_pin(bench: Bench) -> str:
    bench.say("anoka", pins={"2021": "mrow-9"})
    return "anoka: factor version is unknown [factor release mrow-9]"


def _a_line_of_nothing(bench: Bench) -> str:
    bench.say("anoka", line="nothing")
    return "anoka: factor line has no single newest release [factor line nothing]"


def _a_malformed_project(bench: Bench) -> str:
    bench.references.replace("projects/anoka.toml", b"id =")
    return "anoka: project or inventory file is malformed [projects/anoka.toml]"


def _a_project_that_is_away(bench: Bench) -> str:
    faulty = FaultyStore(bench.references)
    faulty.refuse("get", prefix="projects/anoka.toml")
    bench.references = faulty
    return "anoka: store is away"


@pytest.mark.parametrize(
    "refused",
    [_a_withdrawn_pin, _an_unknown_pin, _a_line_of_nothing, _a_malformed_project, _a_project_that_is_away],
    ids=lambda refused: refused.__name__.strip("_").replace("_", " "),
)
def test_a_refused_project_is_told_and_stops_no_other(refused: Callable[[Bench], str]) -> None:
    """One note with the whole reason, however many periods it has."""
    bench = Bench()
    _one_bump(bench)
    says = refused(bench)
    decision = bench.look()
    assert named(request.key for request in decision.requests) == both(MIDDLE)[1:]
    [note] = decision.notes
    assert note.startswith(says)


def test_a_live_release_that_is_gone_is_told() -> None:
    """Whether the ledger may move cannot be known without it."""
    bench = Bench(newest=MIDDLE)
    bench.report(MIDDLE)
    bench.until(key("anoka", "2021", OLD), Asset.CERTIFICATE)
    kept = {path: bench.references.get(path) or b"" for path in bench.references.list("") if MIDDLE not in path}
    bench.references = memory_store(kept)
    decision = bench.look()
    assert named(request.key for request in decision.requests) == both(OLD)[1:]
    assert decision.notes[0].startswith(f"anoka: factor version is unknown [factor release {MIDDLE}]")


def test_a_fork_of_the_line_stops_only_those_that_follow_it() -> None:
    """Nobody guesses which end is meant; a pin decides."""
    bench = Bench()
    bench.report()
    bench.release(NEWEST)  # supersedes a release that is not there
    bench.say("carver", pins={"2021": NEWEST})
    decision = bench.look()
    assert named(request.key for request in decision.requests) == [CARVER]
    assert f"found {OLD}, {NEWEST}" in decision.notes[0]


def test_a_store_that_is_away_ends_the_look() -> None:
    """What is done cannot be known without it, so nothing is asked for and the next look tries again."""
    bench = Bench()
    _one_bump(bench)
    store = FaultyStore(bench.store)
    bench.store = store
    for operation in ("list", "get"):
        store.refuse(operation, prefix="commits/")
        with pytest.raises(StoreUnavailable, match="store is away"):
            bench.look()
    assert bench.asked() == both(MIDDLE)


def test_a_damaged_record_ends_the_look() -> None:
    """Tampering is nothing to pass over in a list of notes."""
    bench = Bench()
    bench.report()
    bench.store.replace(record_key(Slot.of(Asset.CERTIFICATE, key("anoka", "2021", OLD)), 1), b"{}")
    with pytest.raises(BrokenChain, match="generation record cannot be read"):
        bench.look()


@pytest.mark.parametrize(
    ("happened", "lists", "reads"),
    [
        pytest.param(_up_to_date, 1, 4, id="done: certificate and ledger"),
        pytest.param(_one_bump, 2, 2, id="pending: activity, and what was ever withdrawn"),
    ],
)
def test_a_look_lists_once_and_reads_no_record_twice(happened: Callable[[Bench], None], lists: int, reads: int) -> None:
    """Two partitions; nothing is written, and no content is read."""
    bench = Bench()
    happened(bench)
    store = FaultyStore(bench.store)
    bench.store = store
    bench.look()
    assert Counter(operation for operation, _ in store.calls) == {"list": lists, "get": reads}
    assert len(set(store.calls)) == len(store.calls)


def test_a_look_that_takes_long_goes_on_at_the_next() -> None:
    """Every project has its turn however slow the store is."""
    bench = Bench()
    _one_bump(bench)
    bench.clock.step = timedelta(seconds=25)
    first, second = bench.look(), bench.look()
    assert [named(r.key for r in look.requests) for look in (first, second)] == [both(MIDDLE)[:1], both(MIDDLE)[1:]]
    assert first.notes == ("projects that are left for the next look: 1",)


def test_one_malformed_withdrawal_holds_the_whole_line() -> None:
    """It is not known whether the release may be used, so nothing is guessed."""
    bench = Bench(projects_toml=projects("anoka"))
    bench.report(OLD, "anoka")
    bench.release(MIDDLE)
    bench.withdraw(MIDDLE, b"on = yesterday")
    decision = bench.look()
    assert decision.requests == ()
    assert "withdrawal of a factor release is malformed" in decision.notes[0]


def test_two_marks_differ_by_release_and_by_activity() -> None:
    """The first part is shared by every partition of the release, the second is the partition's own."""
    bench = Bench()
    _one_bump(bench)
    anoka, carver = (request.mark for request in bench.look().requests)
    bench.release(NEWEST)
    newer = bench.look().requests[0].mark
    assert anoka[0] == carver[0] != newer[0]
    assert anoka[1] == newer[1] != carver[1]


def test_a_moved_key_is_no_partition() -> None:
    """Only slots that have activity are candidates: a ledger without it asks for nothing."""
    bench = Bench()
    bench.report()
    record = bench.world.slots.current(ledger("anoka"))
    assert record is not None
    moved = replace(record, slot=replace(record.slot, project_id="dakota"))
    bench.store.replace(record_key(moved.slot, 1), moved.to_bytes())
    assert (bench.asked(), bench.look().notes) == ([], ())
