"""What a look at the landing place asks for, and when it does not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mrv_assets.domain.errors import BrokenChain, StoreUnavailable
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.released import RELEASED
from mrv_assets.pipeline.asking import REQUESTS, Attempts, wait_after
from mrv_assets.pipeline.run import Run
from mrv_assets.storage.slot_paths import record_key
from mrv_assets_tests.unit.pipeline.landings import (
    DELIVERY,
    NEWEST,
    START,
    Aged,
    Place,
    key,
    named,
    projects,
    rows,
)
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore
from mrv_assets_tests.unit.storage.items import document, encoded, multihash
from mrv_assets_tests.world import memory_store, run_partition

ALL = named([key("anoka", "2021"), key("carver", "2021"), key("anoka", "2022")])


def test_a_new_file_asks_for_every_whole_period_of_every_project() -> None:
    """Each with the newest release of its line, the older period first, as the first attempt."""
    decision = Place().look()
    assert named(request.key for request in decision.requests) == ALL
    assert {request.attempt for request in decision.requests} == {1}
    assert len({request.name for request in decision.requests}) == 3
    assert decision.notes == ()


def test_the_same_file_twice_asks_for_nothing() -> None:
    """Once the figures rest on it there is nothing to do, and the file is not read again to know that."""
    place = Place()
    assert place.run() == ALL
    assert place.asked() == []
    assert len(place.reads) == 1
    assert place.look().notes == ()


def test_runs_that_somebody_else_started_count_as_well() -> None:
    """The store tells what is done, not what was asked for."""
    place = Place()
    place.run(is_told=False)
    assert place.asked() == []


def test_a_touched_file_asks_for_nothing() -> None:
    """A new time of change makes it be read again, and it says what it said."""
    place = Place()
    place.run()
    place.landing.inner.modified = START - timedelta(hours=1)  # type: ignore[attr-defined]
    assert place.asked() == []
    place.deliver(DELIVERY)
    assert place.asked() == []
    assert len(place.reads) == 3


def test_a_changed_file_asks_again_and_the_partitions_it_leaves_alone_are_settled_by_one_run() -> None:
    """Nobody knows before a run which partitions another file means; a run that found nothing new is not repeated."""
    place = Place()
    place.run()
    place.deliver(DELIVERY.replace(b"2022,8", b"2022,9"))
    assert place.run() == ALL
    assert place.asked() == []
    slots = place.world.slots
    assert [len(slots.history(Slot.of(Asset.LEDGER, key(*of)))) for of in (("anoka", "2021"), ("anoka", "2022"))] == [
        1,
        2,
    ]


def test_a_file_that_comes_back_asks_again() -> None:
    """That its bytes were run before says nothing once other bytes made the activity."""
    place = Place()
    other = DELIVERY.replace(b"2022,8", b"2022,9")
    for data, expected in ((DELIVERY, ALL), (other, ALL), (DELIVERY, ["anoka 2022 " + NEWEST])):
        place.deliver(data)
        assert place.run() == expected
        place.tick(days=1)
        assert place.asked() == []


def test_a_changed_project_asks_again() -> None:
    """How the file is read is as much a part of the delivery as its bytes."""
    place = Place()
    place.run()
    before = place.look()
    place.references.replace("projects/anoka.toml", projects("anoka")["projects/anoka.toml"] + b"\n# said anew\n")
    decision = place.look()
    assert named(request.key for request in decision.requests) == [ALL[0], ALL[2]]
    assert before.requests == ()
    assert len(place.reads) == 2


def test_a_file_that_moves_no_tonne_is_settled_by_one_more_run() -> None:
    """Rows have other names: the strata and the certificate stay, and a run that has seen that is not repeated."""
    place = Place({"source.csv": rows("anoka 2021 7")})
    place.run()
    place.deliver(rows("anoka 2021 7").replace(b"\n0,", b"\nzero,"))
    assert place.run() == [ALL[0]]
    assert len(place.world.slots.history(Slot.of(Asset.LEDGER, key("anoka", "2021")))) == 1
    place.tick(days=2)
    assert place.run() == [ALL[0]]
    place.tick(days=2)
    assert place.asked() == []


def test_a_corrected_crs_is_asked_for_once() -> None:
    """It moves no coordinate and no tonne, and still goes all the way to the ledger."""
    place = Place()
    place.run()
    corrected = projects("anoka", declared_crs="EPSG:4326")["projects/anoka.toml"]
    place.references.replace("projects/anoka.toml", corrected)
    assert place.run() == [ALL[0], ALL[2]]
    place.tick(days=2)
    assert place.asked() == []


@pytest.mark.parametrize(
    ("today", "expected"),
    [
        pytest.param("2022-12-31T23:59:59", ALL[:2], id="last day"),
        pytest.param("2023-01-01T00:00:00", ALL, id="the day after"),
        pytest.param("2021-12-31T12:00:00", [], id="a year earlier"),
    ],
)
def test_a_period_is_asked_for_when_it_is_over(today: str, expected: list[str]) -> None:
    """Its last day lies before today, UTC; a year that still runs may get more rows."""
    place = Place()
    place.clock.now = datetime.fromisoformat(today).replace(tzinfo=UTC)
    assert place.asked() == expected


def test_a_period_that_is_covered_in_part_is_told_and_not_asked_for() -> None:
    """Three quarters are no year; neither is a fiscal year."""
    place = Place(
        {"source.csv": rows("anoka 2021-Q1 1", "anoka 2021-Q2 1", "anoka 2019-04-01_2020-03-31 1", "carver 2021 5")}
    )
    decision = place.look()
    assert named(request.key for request in decision.requests) == [ALL[1]]
    across = (
        "anoka: epochs '2019-04-01_2020-03-31' of source.csv lie in no single year, as it reports;"
        " nothing is asked for by them"
    )
    assert decision.notes == (across, "anoka: source.csv covers only a part of '2021'")


def test_a_project_may_report_shorter_periods() -> None:
    """Its file says how long they are."""
    place = Place(
        {"source.csv": rows("anoka 2021-01 1", "anoka 2021-02 1", "anoka 2021-03 1", "anoka 2021-04 1")},
        references=projects("anoka", reporting="quarter"),
    )
    assert place.asked() == named([key("anoka", "2021-Q1")])


def test_a_pinned_period_is_asked_for_with_its_pin() -> None:
    """Other periods of the project take the newest release."""
    pins = {"2021": "mrow-2024.02.01"}
    place = Place(references=projects("anoka", pins=pins))
    assert place.run() == named([key("anoka", "2021", "mrow-2024.02.01"), key("anoka", "2022")])
    assert place.asked() == []


def test_a_held_ledger_is_no_reason_to_ask_again() -> None:
    """A project that publishes pins only, and pins none, is computed, certified and left out of the ledger."""
    place = Place(references=projects("anoka", publication="pinned"))
    assert place.run() == [ALL[0], ALL[2]]
    assert place.world.slots.current(Slot.of(Asset.LEDGER, key("anoka", "2021"))) is None
    assert place.asked() == []


def test_a_newer_factor_release_asks_for_what_was_reported_with_an_older_one() -> None:
    """The delivery is the same; its figure no longer is what the platform would report."""
    place = Place({"source.csv": rows("anoka 2021 7")})
    references = place.references
    unlisted = (path for path in references.list("") if NEWEST not in path and not path.endswith(RELEASED))
    place.references = memory_store({path: references.get(path) or b"" for path in unlisted})
    assert place.run() == named([key("anoka", "2021", "mrow-2024.06.24")])
    assert place.asked() == []
    place.references = references
    assert place.asked() == [ALL[0]]


def _until(place: Place, partition: PartitionKey, last: Asset) -> None:
    run = Run(place.world, run_id="partly")
    for asset in list(Asset)[: list(Asset).index(last) + 1]:
        run.advance(asset, partition)
    run.close()


@pytest.mark.parametrize("last", [asset for asset in Asset if asset is not Asset.LEDGER])
def test_a_run_that_ended_half_way_is_asked_for_again(last: Asset) -> None:
    """An activity that is made from the file is not enough: certificate and ledger must rest on it."""
    place = Place({"source.csv": rows("anoka 2021 7")})
    place.run()
    place.deliver(rows("anoka 2021 9"))
    _until(place, key("anoka", "2021"), last)
    place.tick(days=1)
    assert place.asked() == [ALL[0]]


def test_a_partition_with_a_run_under_way_is_left_alone() -> None:
    """Whoever started that run; the others are asked for, and the count is told."""
    place = Place()
    place.runs.under_way = {key("anoka", "2021")}
    decision = place.look()
    assert named(request.key for request in decision.requests) == ALL[1:]
    assert decision.notes == ("partitions with a run under way: 1",)


@pytest.mark.parametrize(
    ("attempts", "seconds"),
    [(1, 30), (2, 60), (3, 120), (8, 3840), (12, 61_440), (13, 86_400), (100, 86_400), (10_000, 86_400)],
)
def test_the_wait_doubles_up_to_a_day(attempts: int, seconds: int) -> None:
    """Half a minute after the first attempt; it never overflows."""
    assert wait_after(attempts) == timedelta(seconds=seconds)


def test_a_run_that_failed_is_asked_for_again_after_a_wait() -> None:
    """Not before, and then under another name, because Dagster runs no name twice."""
    place = Place({"source.csv": rows("anoka 2021 7")})
    first = place.look().requests[0]
    place.fail(times=3)
    waiting = place.look()
    assert waiting.requests == ()
    assert waiting.notes == (
        f"anoka 2021 {NEWEST}: runs that came to nothing: 3; the next after 2023-06-01 00:02:00 UTC",
    )
    place.tick(seconds=119)
    assert place.look().requests == ()
    place.tick(seconds=1)
    [again] = place.look().requests
    assert (again.key, again.attempt) == (first.key, 4)
    assert again.name != first.name


def test_a_corrected_file_waits_for_nothing() -> None:
    """Other bytes are another delivery, whose first attempt is due at once."""
    place = Place({"source.csv": rows("anoka 2021 7")})
    place.fail(times=9)
    assert place.asked() == []
    place.deliver(rows("anoka 2021 8"))
    [request] = place.look().requests
    assert request.attempt == 1


@pytest.mark.parametrize("memory", [None, "", "null", '{"format":"mrv-landing-9"}', "\x00", "[" * 9999])
def test_a_lost_memory_changes_nothing_but_the_work(memory: str | None) -> None:
    """The same is asked for as with it, before and after the runs."""
    place = Place()
    remembered = place.look()
    place.memory = memory
    forgotten = place.look()
    assert (forgotten.requests, forgotten.notes) == (remembered.requests, remembered.notes)
    place.run()
    place.memory = memory
    assert place.asked() == []


def _two_sources(first: bytes) -> Place:
    """Return a place where anoka and carver have a source each, anoka's with these bytes."""
    references = projects("anoka", path="a.csv") | projects("carver", path="c.csv")
    return Place({"a.csv": first, "c.csv": rows("carver 2021 5")}, references=references)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"row_id,project\n1,anoka\n", "source file does not have the mapped columns", id="no epochs"),
        pytest.param(b"row_id,project,epoch\n\xff\xfe\n", "source file cannot be read as declared", id="unreadable"),
    ],
)
def test_a_refused_source_is_told_and_stops_no_other(data: bytes, says: str) -> None:
    """The refusal is repeated from memory at every look, and is gone when the file is corrected."""
    place = _two_sources(data)
    for _ in range(2):
        decision = place.look()
        assert named(request.key for request in decision.requests) == [ALL[1]]
        [note] = decision.notes
        assert says in note
    assert place.reads.count("a.csv") == 1
    place.deliver(rows("anoka 2021 7"), "a.csv")
    assert place.asked() == [ALL[0], ALL[1]]


def test_an_item_that_contradicts_its_file_keeps_it_from_being_asked_for() -> None:
    """Until the item is corrected, which is noticed although the file is the same."""
    place = _two_sources(rows("anoka 2021 7"))
    wrong = document(href="a.csv", checksum=multihash(b"other"))
    place.deliver(encoded(wrong), "a.csv.stac.json")
    decision = place.look()
    assert named(request.key for request in decision.requests) == [ALL[1]]
    assert "STAC Item beside the source file is refused" in decision.notes[0]
    place.deliver(encoded(document(href="a.csv", checksum=multihash(rows("anoka 2021 7")))), "a.csv.stac.json")
    assert place.asked() == [ALL[0], ALL[1]]


def test_an_item_that_arrives_later_is_part_of_the_delivery() -> None:
    """It is asked for once; a run that finds the file as it was settles it, and a corrected item asks anew."""
    place = Place({"source.csv": rows("anoka 2021 7")})
    place.run()
    place.deliver(encoded(document(href="source.csv")), "source.csv.stac.json")
    assert place.run() == [ALL[0]]
    assert place.asked() == []
    place.deliver(encoded(document(href="source.csv", id="corrected")), "source.csv.stac.json")
    assert place.run() == [ALL[0]]
    assert place.asked() == []


def test_a_source_that_cannot_be_had_now_is_told_and_tried_again() -> None:
    """A landing place that does not answer is no refusal, and nothing of it is remembered."""
    place = _two_sources(rows("anoka 2021 7"))
    place.landing.refuse("fetch", prefix="a.csv")
    decision = place.look()
    assert named(request.key for request in decision.requests) == [ALL[1]]
    assert "store is away" in decision.notes[0]
    assert place.asked() == [ALL[0], ALL[1]]


def test_a_file_that_was_not_delivered_yet_is_told() -> None:
    """One line, with the place where it is expected."""
    place = Place({})
    decision = place.look()
    assert decision.requests == ()
    [note] = decision.notes
    assert "source file is missing [memory://test/source.csv]" in note


def test_a_malformed_project_stops_no_other() -> None:
    """It is told like a refused source."""
    place = Place(references=projects("carver") | {"projects/anoka.toml": b"id ="})
    decision = place.look()
    assert named(request.key for request in decision.requests) == [ALL[1]]
    assert "project or inventory file is malformed [projects/anoka.toml]" in decision.notes[0]


def test_a_factor_line_without_a_newest_release_stops_no_other() -> None:
    """Which version to ask for cannot be known, and that is told."""
    place = Place(references=projects("anoka", line="nothing") | projects("carver"))
    decision = place.look()
    assert named(request.key for request in decision.requests) == [ALL[1]]
    assert decision.notes[0].startswith("anoka: factor line has no single newest release")


def test_a_withdrawn_pin_stops_no_other_period() -> None:
    """The pin is refused with its reason; the period beside it is asked for."""
    place = Place(references=projects("anoka", pins={"2021": "mrow-2024.02.06"}))
    place.references.replace(
        "factors/mrow-2024.02.06/withdrawn.toml", b'on = 2026-01-31\nby = "R. Reviewer"\nbecause = "wrong vintage"\n'
    )
    decision = place.look()
    assert named(request.key for request in decision.requests) == [ALL[2]]
    [note] = decision.notes
    assert note.startswith("anoka: pinned factor release was withdrawn [project anoka, pin of 2021]")
    assert "mrow-2024.02.06, withdrawn on 2026-01-31 by R. Reviewer: wrong vintage" in note


def test_a_store_that_is_away_ends_the_look() -> None:
    """What is done cannot be known without it, so nothing is asked for and the next look tries again."""
    place = Place()
    store = FaultyStore(place.store)
    place.store = store
    store.refuse("list", prefix="commits/")
    with pytest.raises(StoreUnavailable, match="store is away"):
        place.look()
    assert place.asked() == ALL


def test_a_damaged_record_ends_the_look() -> None:
    """Tampering is nothing to pass over in a list of notes."""
    place = Place()
    place.run()
    place.store.replace(record_key(Slot.of(Asset.CERTIFICATE, key("anoka", "2021")), 1), b"{}")
    with pytest.raises(BrokenChain, match="generation record cannot be read"):
        place.look()


def test_a_file_that_was_just_written_is_left_to_rest() -> None:
    """A copy under way looks like a short file; half a minute after the last write it is read."""
    place = Place()
    aged = place.landing.inner
    assert isinstance(aged, Aged)
    aged.modified = START - timedelta(seconds=29)
    decision = place.look()
    assert decision.requests == ()
    assert decision.notes == ("source.csv was changed a moment ago; it is read when it has rested for 30 s",)
    assert len(place.reads) == 0
    place.tick()
    assert place.asked() == ALL


def test_a_file_from_the_future_is_read() -> None:
    """A clock that is wrong elsewhere must not keep a delivery waiting for ever."""
    place = Place()
    place.landing.inner.modified = START + timedelta(days=3650)  # type: ignore[attr-defined]
    assert place.asked() == ALL


def test_one_look_asks_for_so_many_runs_and_tells_how_many_wait() -> None:
    """The oldest periods go first; the rest follows when these are under way."""
    months = [f"{year}-{month:02d}" for year in range(2017, 2022) for month in range(1, 13)]
    place = Place(
        {"source.csv": rows(*(f"anoka {month} 1" for month in months))}, references=projects("anoka", reporting="month")
    )
    decision = place.look()
    assert [request.key.period for request in decision.requests] == months[:REQUESTS]
    assert decision.notes == (f"partitions that wait for their turn: {len(months) - REQUESTS}",)
    place.runs.under_way = {request.key for request in decision.requests}
    assert [request.key.period for request in place.look().requests] == months[REQUESTS:]


def test_a_look_that_takes_long_goes_on_at_the_next() -> None:
    """Every source has its turn however slow they are, and none is read twice for it."""
    ids = [f"p{number}" for number in range(5)]
    references: dict[str, bytes] = {}
    for name in ids:
        references |= projects(name, path=f"{name}.csv")
    place = Place({f"{name}.csv": rows(f"{name} 2021 7") for name in ids}, references=references)
    place.clock.step = timedelta(seconds=5)
    asked: list[list[str]] = []
    for _ in range(4):
        decision = place.look()
        asked.append([request.key.project_id for request in decision.requests])
        place.runs.under_way |= {request.key for request in decision.requests}
    assert len(asked[0]) < len(ids)
    assert sorted(name for names in asked for name in names) == ids
    assert sorted(place.reads) == [f"{name}.csv" for name in ids]


def test_runs_without_a_delivery_of_ours_are_no_attempts() -> None:
    """A run that was started by hand and failed makes nobody wait."""
    place = Place({"source.csv": rows("anoka 2021 7")})
    place.runs.ended[key("anoka", "2021"), ("another delivery",)] = Attempts(count=9, last=place.clock.now)
    assert place.asked() == [ALL[0]]


def test_a_red_partition_is_asked_for_until_it_is_mended() -> None:
    """A file that every run refuses is asked for ever more seldom, and no run of it changes the store."""
    place = Place({"source.csv": rows("anoka 2021 -7")})
    asked = 0
    for hours in range(48):
        place.clock.now = START + timedelta(hours=hours)
        for request in place.look().requests:
            asked += 1
            run = Run(place.world, run_id="red")
            assert run.make(run.plan(Asset.ACTIVITY, request.key)).red
            place.runs.ended[request.key, request.mark] = Attempts(count=request.attempt, last=place.clock.now)
    assert 8 < asked < 15
    assert list(place.store.list("commits/")) == []


def test_a_second_project_on_a_known_file_is_found() -> None:
    """The file is read once more for it, and the first project is not asked for again."""
    place = Place(references=projects("anoka"))
    place.run()
    place.references.replace("projects/carver.toml", projects("carver")["projects/carver.toml"])
    assert place.asked() == [ALL[1]]
    run_partition(place.world, key("carver", "2021"))
    assert place.asked() == []
    assert len(place.reads) == 2
