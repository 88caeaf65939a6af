"""Figures that a person takes back, and their return: what the ledger says and what readers see."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from io import BytesIO
from itertools import count

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mrv_assets.domain.errors import ContractError, GateError
from mrv_assets.domain.journal_entry import DocumentKind
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey, Period, Slot
from mrv_assets.domain.window import Window
from mrv_assets.pipeline.approving import to_approve, waiting
from mrv_assets.pipeline.audit import inventory_complete, reported_figures, stored_intact
from mrv_assets.pipeline.certificates import certificate_of, find_certificate, reported_now, taken_back
from mrv_assets.pipeline.doctor import diagnose
from mrv_assets.pipeline.figures import figure_history, ledger_history, live_figures
from mrv_assets.pipeline.fsck import check_store, repair_store
from mrv_assets.pipeline.impact import factor_impact
from mrv_assets.pipeline.rollup import roll_up
from mrv_assets.pipeline.trace import trace
from mrv_assets.pipeline.verifying import verify_stored
from mrv_assets.pipeline.withdrawing import reinstate, withdraw
from mrv_assets.storage.breach import BreachKind
from mrv_assets.storage.preflight_store import preflight
from mrv_assets.storage.published import published_key
from mrv_assets.storage.withdrawals import withdrawal_key
from mrv_assets.verify.reader import Reader
from mrv_assets.verify.verification import State
from mrv_assets_tests.mortal_store import Killed, MortalStore
from mrv_assets_tests.unit.pipeline.bumps import FIRST, MIDDLE, OLD, WRONG, Bench, ledger
from mrv_assets_tests.unit.pipeline.landings import key, rows
from mrv_assets_tests.world import memory_store, outcomes, run_partition

BY, WHY = "R. Reviewer", "the meter was read twice"
ANOKA = ledger("anoka")


@pytest.fixture
def bench() -> Bench:
    """Anoka and Carver, each with a figure of 2021."""
    found = Bench()
    found.report()
    return found


def shown(bench: Bench) -> Decimal:
    """Return the sum over the published view, as any engine reads it that knows nothing of withdrawals."""
    tables = [pq.read_table(BytesIO(bench.store.get(path) or b"")) for path in bench.store.list("published/")]
    return sum((Decimal(net) for net in pa.concat_tables(tables).column("net_tco2e").to_pylist()), Decimal(0))


def live(bench: Bench) -> dict[str, Decimal]:
    """Return the net tonnes that are reported, by project."""
    figures = live_figures(bench.world.slots, project_id=None, period=None)
    return {figure.project_id: figure.totals.net_tco2e for figure in figures}


def withdrawn(bench: Bench) -> None:
    """Take back the figure of Anoka."""
    withdraw(bench.world, "anoka", "2021", by=BY, reason=WHY)


def test_a_withdrawn_figure_leaves_nothing_in_its_place(bench: Bench) -> None:
    """The next generation has no row; the figure before it, its certificate and every other slot stay byte for byte."""
    before = {path: bench.store.get(path) for path in bench.store.list("commits/")}
    carver = live(bench)["carver"]
    done = withdraw(bench.world, "anoka", "2021", by=f" {BY} ", reason=WHY, in_favour_of="2021-Q1 to 2021-Q4")
    assert done.kept.outcome is Outcome.COMMITTED
    record = bench.world.slots.current(ANOKA)
    assert record is not None
    assert (record.generation, record.rows, record.upstream) == (2, 0, ())
    assert record.reason == f"withdrawn on 2023-06-01 by {BY}: {WHY}, in favour of 2021-Q1 to 2021-Q4"
    assert all(bench.store.get(path) == data for path, data in before.items())
    assert live(bench) == {"carver": carver}
    assert shown(bench) == carver
    assert stored_intact(bench.world, key("anoka", "2021", OLD)).passed


def test_the_journal_tells_of_the_word_and_of_the_generation(bench: Bench) -> None:
    """The document is in one entry, the commit in the next, and a check of the store finds nothing."""
    withdrawn(bench)
    told = [document for entry in bench.world.journal.entries() for document in entry.documents]
    assert [(one.kind, one.key) for one in told] == [(DocumentKind.WITHDRAWAL, withdrawal_key("anoka", "2021", 1))]
    assert check_store(bench.world).breaches == ()
    assert diagnose(bench.world).findings == ()


def test_no_run_brings_a_withdrawn_figure_back(bench: Bench) -> None:
    """Runs of any version, forced or not, and corrections leave the ledger as it is and say who withdrew it and why."""
    withdrawn(bench)
    bench.release(MIDDLE)
    for version, force in ((OLD, False), (OLD, True), (FIRST, False), (MIDDLE, False)):
        *_, last = run_partition(bench.world, key("anoka", "2021", version), force=force)
        assert (last.outcome, last.reason) == (Outcome.SKIPPED, f"withdrawn on 2023-06-01 by {BY}: {WHY}")
    bench.deliver(rows("anoka 2021 9", "carver 2021 5"))
    *earlier, last = run_partition(bench.world, key("anoka", "2021", MIDDLE))
    assert earlier[-1].outcome is Outcome.COMMITTED
    assert last.outcome is Outcome.SKIPPED
    assert bench.world.slots.newest(ANOKA) == 2


def test_nobody_asks_for_a_withdrawn_figure(bench: Bench) -> None:
    """A newer release asks for the other project alone, and for nothing once that is reported."""
    withdrawn(bench)
    bench.release(MIDDLE)
    bench.tick()
    assert bench.run() == [str(key("carver", "2021", MIDDLE))]
    bench.tick(minutes=30)
    assert bench.asked() == []


def test_readers_of_what_is_reported_pass_over_a_withdrawn_figure(bench: Bench) -> None:
    """Roll-up, completeness, approvals, impact and preflight see no figure there; the history and the trace tell it."""
    sealed = certificate_of(bench.world.slots, "anoka", "2021").content_digest
    withdrawn(bench)
    world = bench.world
    bench.references.replace(
        "inventories/two.toml", b'id = "two"\ntitle = "two"\nprojects = ["anoka", "carver"]\nperiods = ["2021"]'
    )
    with pytest.raises(ContractError, match="nothing for 2021-01-01 to 2021-12-31"):
        roll_up(world, "anoka", Period.parse("2021"))
    assert reported_figures(world) == {("carver", "2021")}
    assert "missing anoka" in inventory_complete(world, key("anoka", "2021", OLD)).observed
    bench.release(MIDDLE)
    assert [one.key.project_id for one in factor_impact(world, MIDDLE).partitions] == ["carver"]
    report = preflight(bench.store, "anoka", Window.parse("2021..2021"))
    assert (report.overlapping_periods, report.unhashed_partitions) == ((), ())
    assert [type(one).__name__ for one in ledger_history(world.slots, ANOKA)] == ["Figure", "GenerationRecord"]
    assert [one.generation for one in figure_history(world.slots, ANOKA)] == [1]
    assert reported_now(world.slots, "anoka", "2021") is None
    assert taken_back(world.slots, "anoka", "2021", sealed) == f"withdrawn on 2023-06-01 by {BY}: {WHY}"
    assert list(waiting(world)) == []
    with pytest.raises(ContractError, match="taken back: withdrawn on"):
        find_certificate(world.slots, "anoka 2021")


def test_a_trace_of_a_withdrawn_figure_shows_who_took_it_back_and_what_it_was(bench: Bench) -> None:
    """From the period and from the certificate the walk passes the word, the figure and all that it rests on."""
    sealed = certificate_of(bench.world.slots, "anoka", "2021").content_digest
    withdrawn(bench)
    for asked in ("anoka 2021", sealed[:12]):
        found = trace(bench.world, asked)
        assert found.breaks == ()
        [word] = [node for node in found.nodes if node.kind == "withdrawal"]
        assert (word.facts["said_by"], word.facts["reason"]) == (BY, WHY)
        ledgers = [node.facts["generation"] for node in found.nodes if node.kind == "ledger"]
        assert sorted(ledgers) == ["1", "2"]
        assert {edge.role.value for edge in found.edges} >= {"silenced by", "withdraws", "reports"}


def test_a_certificate_whose_figure_was_withdrawn_says_so(bench: Bench) -> None:
    """It is whole, was reported as a generation of the ledger, and the check names who withdrew the figure."""
    record = certificate_of(bench.world.slots, "anoka", "2021")
    withdrawn(bench)
    reader = Reader(trust=None, now_utc="2026-01-01T00:00:00+00:00", allow_unsigned=True)
    outcome = verify_stored(bench.world, record, reader)
    assert [(one.name, one.state, one.said) for one in outcome.withdrawn] == [
        ("figure", State.WITHDRAWN, f"withdrawn on 2023-06-01 by {BY}: {WHY}")
    ]
    assert "generation 1 of the ledger" in next(one.said for one in outcome.checks if one.name == "ledger")


def test_a_reinstated_period_reports_what_its_certificate_says(bench: Bench) -> None:
    """The figure returns as a further generation that names the word; after that it is a figure like any other."""
    before = live(bench)
    withdrawn(bench)
    found = reinstate(bench.world, "anoka", "2021", by="A. Auditor", reason="it was sound")
    assert not found.is_before
    assert live(bench) == {"carver": before["carver"]}
    *_, last = run_partition(bench.world, key("anoka", "2021", OLD))
    assert (last.outcome, last.reason) == (Outcome.COMMITTED, "reinstated on 2023-06-01 by A. Auditor: it was sound")
    assert live(bench) == before
    assert shown(bench) == sum(before.values())
    assert outcomes(run_partition(bench.world, key("anoka", "2021", OLD))) == [Outcome.SKIPPED] * len(Asset)
    assert check_store(bench.world).breaches == ()
    assert trace(bench.world, "anoka 2021").breaks == ()
    assert taken_back(bench.world.slots, "anoka", "2021", "0" * 64) is None


def test_what_is_reinstated_and_not_run_is_asked_for(bench: Bench) -> None:
    """A crash between the word and the run leaves nothing to remember: the factor sensor finds it."""
    withdrawn(bench)
    reinstate(bench.world, "anoka", "2021", by=BY, reason="it was sound")
    assert bench.run() == [str(key("anoka", "2021", OLD))]
    assert set(live(bench)) == {"anoka", "carver"}


def test_a_figure_may_be_withdrawn_and_return_again_and_again(bench: Bench) -> None:
    """Each time with words of its own, and every generation stays."""
    for number in range(3):
        withdraw(bench.world, "anoka", "2021", by=BY, reason=f"doubt {number}")
        reinstate(bench.world, "anoka", "2021", by=BY, reason=f"no doubt {number}")
        run_partition(bench.world, key("anoka", "2021", OLD))
    assert bench.world.slots.newest(ANOKA) == 7
    assert len(list(bench.store.list("withdrawals/"))) == 6
    assert check_store(bench.world).breaches == ()


def test_the_same_call_twice_changes_nothing(bench: Bench) -> None:
    """Who comes second is told who was first, in withdrawing and in reinstating."""
    withdrawn(bench)
    again = withdraw(bench.world, "anoka", "2021", by="Somebody Else", reason="another reason")
    assert (again.is_before, again.withdrawal.withdrawn_by, again.kept.outcome) == (True, BY, Outcome.SKIPPED)
    assert bench.world.slots.newest(ANOKA) == 2
    reinstate(bench.world, "anoka", "2021", by=BY, reason="it was sound")
    second = reinstate(bench.world, "anoka", "2021", by="Somebody Else", reason="another reason")
    assert (second.is_before, second.reinstatement.reinstated_by) == (True, BY)


def test_what_is_not_reported_is_not_withdrawn(bench: Bench) -> None:
    """Nor is what was withdrawn, reinstated and not reported since; and what stands is not reinstated."""
    with pytest.raises(ContractError, match="no figure to withdraw"):
        withdraw(bench.world, "anoka", "2020", by=BY, reason=WHY)
    with pytest.raises(ContractError, match="no withdrawal to end"):
        reinstate(bench.world, "anoka", "2021", by=BY, reason=WHY)
    withdrawn(bench)
    reinstate(bench.world, "anoka", "2021", by=BY, reason="it was sound")
    with pytest.raises(ContractError, match="nothing is reported since"):
        withdraw(bench.world, "anoka", "2021", by=BY, reason=WHY)


@pytest.mark.parametrize(
    ("by", "why", "what"),
    [
        pytest.param("", WHY, "--by", id="nobody"),
        pytest.param(BY, " ... ", "--because", id="no reason"),
        pytest.param(BY, "a\x1b[2Jb", "--because", id="control code"),
    ],
)
def test_nobody_withdraws_without_a_name_and_a_reason(bench: Bench, by: str, why: str, what: str) -> None:
    """Then nothing is kept."""
    with pytest.raises(ContractError, match=what):
        withdraw(bench.world, "anoka", "2021", by=by, reason=why)
    assert list(bench.store.list("withdrawals/")) == []


def test_a_figure_that_anybody_may_not_move_does_not_move_over_a_withdrawal() -> None:
    """A project that publishes by approval needs it for another figure than the last; for the same one it does not."""
    bench = Bench(projects_toml=None, newest=WRONG)
    bench.say("anoka", publication="approve")
    bench.report(FIRST, "anoka")
    withdrawn(bench)
    reinstate(bench.world, "anoka", "2021", by=BY, reason="with other factors")
    *_, last = run_partition(bench.world, key("anoka", "2021", WRONG))
    assert last.reason.startswith("held until it is approved")
    assert to_approve(bench.world, key("anoka", "2021", WRONG)).promotion.awaits_approval
    *_, last = run_partition(bench.world, key("anoka", "2021", FIRST))
    assert last.outcome is Outcome.COMMITTED
    assert check_store(bench.world).breaches == ()


def _death(bench: Bench, call: int, *, has_landed: bool) -> MortalStore | None:
    """Let a withdrawal die at a call, over a store of its own like the bench's; None when it ends before that call."""
    store = MortalStore(memory_store({path: bench.store.get(path) or b"" for path in bench.store.list("")}))
    bench.store = store
    store.die_at(call, has_landed=has_landed)
    try:
        withdrawn(bench)
    except Killed:
        return store
    finally:
        store.live_again()
    return None


@pytest.mark.parametrize("has_landed", [pytest.param(True, id="landed"), pytest.param(False, id="not landed")])
def test_a_withdrawal_that_dies_anywhere_is_completed_by_the_same_call(bench: Bench, *, has_landed: bool) -> None:
    """Readers see the figure or nothing, `fsck` completes journal and view and names the rest, which the call does."""
    figures, before = live(bench), bench.store
    for call in count(1):
        bench.store = before
        if _death(bench, call, has_landed=has_landed) is None:
            break
        assert live(bench).get("anoka") in (None, figures["anoka"])
        repair_store(bench.world, check_store(bench.world))
        is_half_done = "anoka" in live(bench) and bool(list(bench.store.list("withdrawals/")))
        left = [breach.kind for breach in check_store(bench.world).breaches]
        assert left == [BreachKind.WITHDRAWAL_INCOMPLETE] * is_half_done
        assert shown(bench) == sum(live(bench).values())
        withdrawn(bench)
        assert live(bench) == {"carver": figures["carver"]}
        assert shown(bench) == figures["carver"]
        assert check_store(bench.world).breaches == ()
    assert call > len(("keep", "tell", "content", "record", "publish", "tell"))


def test_a_word_without_its_generation_takes_nothing_back(bench: Bench) -> None:
    """A figure that was restated meanwhile is another one: the word of the older figure does not reach it."""
    before = bench.store
    for call in count(1):
        bench.store = before
        assert _death(bench, call, has_landed=True) is not None
        if list(bench.store.list("withdrawals/")):
            break
    bench.deliver(rows("anoka 2021 9", "carver 2021 5"))
    run_partition(bench.world, key("anoka", "2021", OLD))
    assert set(live(bench)) == {"anoka", "carver"}
    done = withdraw(bench.world, "anoka", "2021", by=BY, reason="the correction as well")
    assert (done.is_before, done.withdrawal.generation) == (False, 2)
    assert set(live(bench)) == {"carver"}


def test_a_view_that_was_lost_after_a_withdrawal_is_made_again(bench: Bench) -> None:
    """What is shown again is nothing, never the figure before."""
    withdrawn(bench)
    figure = bench.world.slots.load_bytes(bench.world.slots.record(ANOKA, 1))
    for data in (None, figure):
        path = published_key(ANOKA)
        if data is not None:
            bench.store.replace(path, data)
            [breach] = check_store(bench.world).breaches
            assert (breach.kind, breach.is_repairable) == (BreachKind.VIEW_STALE, True)
        repair_store(bench.world, check_store(bench.world))
        assert set(live(bench)) == {"carver"}
        assert shown(bench) == live(bench)["carver"]


def split(bench: Bench) -> list[PartitionKey]:
    """Let Anoka report by quarter from now on, with a delivery by quarter; return the quarters."""
    bench.say("anoka", reporting="quarter")
    bench.deliver(rows(*(f"anoka 2021-Q{n} {n}" for n in range(1, 5)), "carver 2021 5"))
    return [key("anoka", f"2021-Q{n}", OLD) for n in range(1, 5)]


def test_quarters_are_refused_while_the_year_is_live(bench: Bench) -> None:
    """The gate names the command that takes the year back; the certificates of the quarters are there already."""
    for quarter in split(bench):
        with pytest.raises(GateError, match="no_overlap") as refused:
            run_partition(bench.world, quarter)
        assert "`mrv ledger withdraw anoka 2021 --by NAME --because TEXT`" in refused.value.remedy
        assert bench.world.slots.newest(Slot.of(Asset.CERTIFICATE, quarter)) == 1
    assert set(live(bench)) == {"anoka", "carver"}


def test_a_year_gives_way_to_quarters_and_no_day_is_ever_reported_twice(bench: Bench) -> None:
    """Certified first, then the year withdrawn, then the quarters run: after each step no two live figures overlap."""
    quarters = split(bench)
    for quarter in quarters:
        bench.until(quarter, Asset.CERTIFICATE)
        assert_no_day_twice(bench)
    withdraw(bench.world, "anoka", "2021", by=BY, reason="by quarter", in_favour_of="2021-Q1 to 2021-Q4")
    assert_no_day_twice(bench)
    for quarter in quarters:
        run_partition(bench.world, quarter)
        assert_no_day_twice(bench)
    assert roll_up(bench.world, "anoka", Period.parse("2021")).totals.activity_rows == 4
    with pytest.raises(ContractError, match="are reported elsewhere"):
        reinstate(bench.world, "anoka", "2021", by=BY, reason="by year again")
    for quarter in quarters:
        withdraw(bench.world, "anoka", quarter.period, by=BY, reason="by year again", in_favour_of="2021")
        assert_no_day_twice(bench)
    reinstate(bench.world, "anoka", "2021", by=BY, reason="by year again")
    bench.deliver(rows("anoka 2021 10", "carver 2021 5"))
    run_partition(bench.world, key("anoka", "2021", OLD))
    assert_no_day_twice(bench)
    assert [one.period for one in live_figures(bench.world.slots, project_id="anoka", period=None)] == ["2021"]
    assert check_store(bench.world).breaches == ()


def assert_no_day_twice(bench: Bench) -> None:
    """Assert that live figures share no day, and that the published view adds up to them."""
    periods = [Period.parse(one.period) for one in live_figures(bench.world.slots, project_id="anoka", period=None)]
    assert not any(a.overlaps(b) for n, a in enumerate(periods) for b in periods[n + 1 :])
    figures = live_figures(bench.world.slots, project_id=None, period=None)
    assert shown(bench) == sum(figure.totals.net_tco2e for figure in figures)


SUCCESSION = b'[[succession]]\nproject = "carver"\nsucceeds = ["anoka"]\nbecause = "renamed in 2022"\n'


@pytest.mark.parametrize(
    ("first", "then"),
    [pytest.param("anoka", "carver", id="new after old"), pytest.param("carver", "anoka", id="old after new")],
)
def test_no_day_is_reported_under_two_names_of_one_project(first: str, then: str) -> None:
    """Whichever comes second is refused, and told which figure to withdraw; after that it is reported."""
    bench = Bench()
    bench.references.replace("successions.toml", SUCCESSION)
    bench.report(OLD, first)
    with pytest.raises(GateError, match="no_overlap") as refused:
        run_partition(bench.world, key(then, "2021", OLD))
    assert f"`mrv ledger withdraw {first} 2021 --by NAME --because TEXT`" in refused.value.remedy
    withdraw(bench.world, first, "2021", by=BY, reason="renamed", in_favour_of=f"{then} 2021")
    run_partition(bench.world, key(then, "2021", OLD))
    assert set(live(bench)) == {then}
    with pytest.raises(ContractError, match=f"{then} 2021"):
        reinstate(bench.world, first, "2021", by=BY, reason="back")


def test_a_project_whose_file_is_gone_can_still_be_withdrawn(bench: Bench) -> None:
    """A name that nobody uses any more is taken back by the record alone."""
    bench.references.replace("projects/anoka.toml", b"no project any more")
    withdrawn(bench)
    assert set(live(bench)) == {"carver"}


def test_a_file_of_successions_that_cannot_be_read_refuses_figures(bench: Bench) -> None:
    """Nobody can tell then whether a day is reported under another name."""
    bench.references.replace("successions.toml", b"[[succession]]\n")
    bench.deliver(rows("anoka 2021 9", "carver 2021 5"))
    with pytest.raises(GateError, match="no_overlap"):
        run_partition(bench.world, key("anoka", "2021", OLD))


Correct = Callable[[Bench], None]


def _moved(bench: Bench) -> None:
    """Draw the boundary anew in a file of its own, a year later, and let the project point to it."""
    old = "boundaries/twin-cities-counties.geojson"
    new = old.replace("counties", "counties-2023-01-01")
    data = bench.references.get(old)
    toml = bench.references.get("projects/anoka.toml")
    assert data is not None
    assert toml is not None
    bench.references.replace(new, data.replace(b"-93.", b"-93.0", 1))
    bench.references.replace("projects/anoka.toml", toml.replace(old.encode(), new.encode()))


@pytest.mark.parametrize(
    ("correct", "moved"),
    [
        pytest.param(_moved, ("boundary", "project"), id="corrected boundary"),
        pytest.param(lambda b: b.deliver(rows("anoka 2021 7", "anoka 2021 2")), ("source",), id="late activity"),
    ],
)
def test_a_correction_is_a_new_generation_with_its_reason(
    bench: Bench, correct: Correct, moved: tuple[str, ...]
) -> None:
    """The figure before and its certificate stay byte for byte, and one figure is live."""
    slots = bench.world.slots
    old = certificate_of(slots, "anoka", "2021")
    statement = slots.load_bytes(old)
    correct(bench)
    first, *_, last = run_partition(bench.world, key("anoka", "2021", OLD))
    assert first.record is not None
    assert all(name in first.record.reason for name in moved)
    assert slots.load_bytes(slots.record(old.slot, old.generation)) == statement
    assert [one.project_id for one in live_figures(slots, project_id="anoka", period=None)] == ["anoka"]
    assert stored_intact(bench.world, key("anoka", "2021", OLD)).passed
    assert last.outcome in (Outcome.COMMITTED, Outcome.SKIPPED)
