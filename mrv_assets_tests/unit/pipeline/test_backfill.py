"""What a backfill does and says of it: every partition on its own, nothing twice, and the tonnes that it moved."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.domain.backfill import Mode
from mrv_assets.domain.cause import Cause
from mrv_assets.domain.errors import BrokenChain, Refusal, StoreUnavailable
from mrv_assets.domain.journal_entry import DocumentKind
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.domain.run_manifest import PartitionDone, RunManifest
from mrv_assets.pipeline.backfill import done, walk
from mrv_assets.pipeline.backfill_checks import Diagnosis, validate
from mrv_assets.pipeline.backfill_submission import corrections
from mrv_assets.pipeline.backfill_window import resolve
from mrv_assets.pipeline.fsck import check_store, repair_store
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.withdrawing import withdraw
from mrv_assets.pipeline.world import World
from mrv_assets.storage.manifests import load_manifest, manifest_key
from mrv_assets_tests.unit.pipeline.backfills import asked, backfill, planned
from mrv_assets_tests.unit.pipeline.bumps import MIDDLE, OLD, Bench, ledger
from mrv_assets_tests.unit.pipeline.landings import NEWEST, key, projects, rows
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore
from mrv_assets_tests.world import BOUNDARIES, memory_store, run_partition

CLEAN = Diagnosis(unhashed=())
C, S, R = Outcome.COMMITTED, Outcome.SKIPPED, Outcome.REFUSED


def counts(manifest: RunManifest) -> tuple[int, int, int]:
    """Committed, skipped and refused."""
    return manifest.counts[C], manifest.counts[S], manifest.counts[R]


def test_a_first_backfill_reports_every_partition_and_a_second_one_skips_them() -> None:
    """The second run moves nothing, adds no generation, and says so for each partition."""
    bench = Bench()
    first = backfill(bench.world, asked("2021"), run_id="one")
    before = list(bench.store.list("commits/"))
    second = backfill(bench.world, asked("2021"), run_id="two")
    assert (counts(first), counts(second)) == ((2, 0, 0), (0, 2, 0))
    assert (first.findings, second.findings) == ((), ())
    assert first.total.delta_tco2e > 0
    assert second.total.delta_tco2e == 0
    assert second.total.before_tco2e == first.total.after_tco2e
    assert list(bench.store.list("commits/")) == before


def test_a_refused_partition_stops_no_other_and_is_named_with_its_remedy() -> None:
    """Between two sound periods a period without rows is refused, and the manifest tells why."""
    bench = Bench(newest=NEWEST)
    bench.deliver(rows("anoka 2020 7", "anoka 2022 5"))
    manifest = backfill(bench.world, asked("2020..2022", "anoka"))
    assert [one.outcome for one in manifest.partitions] == [C, R, C]
    trouble = manifest.partitions[1].trouble
    assert trouble is not None
    assert (trouble.family, "rows_present" in trouble.red_gates, bool(trouble.remedy)) == ("refusal", True, True)
    assert (manifest.is_clean, manifest.findings) == (False, ())


def test_a_partition_that_is_refused_half_way_keeps_its_figure() -> None:
    """The activity that came through stays, the ledger is not moved, and the partition counts as refused."""
    bench = Bench()
    bench.report()
    bench.deliver(rows("anoka 2021 9", "carver 2021 5"))
    bench.say("anoka", constants={"activity_id": "electricity.delivered", "unit": "MWh", "region": "NOWHERE"})
    manifest = backfill(bench.world, asked("2021"))
    anoka, carver = manifest.partitions
    assert (anoka.outcome, carver.outcome) == (R, S)
    assert {one.asset: one.outcome for one in anoka.assets}[Asset.ACTIVITY] is C
    assert anoka.before == anoka.after
    assert anoka.before is not None
    assert manifest.total.delta_tco2e == 0


@pytest.mark.parametrize(
    ("change", "causes"),
    [
        pytest.param(lambda b: b.deliver(rows("anoka 2021 9", "carver 2021 5")), (Cause.INPUT,), id="a delivery"),
        pytest.param(lambda b: b.release(MIDDLE, NEWEST), (Cause.FACTOR,), id="a factor bump"),
        pytest.param(
            lambda b: (b.release(MIDDLE, NEWEST), b.deliver(rows("anoka 2021 9", "carver 2021 5"))),
            (Cause.INPUT, Cause.FACTOR),
            id="both at once",
        ),
    ],
)
def test_a_figure_that_moves_is_told_with_before_after_and_cause(
    change: Callable[[Bench], object], causes: tuple[Cause, ...]
) -> None:
    """The delta is the difference of what the ledger showed and shows, and the totals by cause add up to it."""
    bench = Bench()
    bench.report()
    change(bench)
    manifest = backfill(bench.world, asked("2021", "anoka"))
    [anoka] = manifest.partitions
    assert anoka.before is not None
    assert anoka.after is not None
    assert anoka.causes == causes
    assert anoka.delta_tco2e == anoka.after.tonnes.net - anoka.before.tonnes.net != 0
    assert sum(one.delta_tco2e for one in manifest.by_cause) == manifest.total.delta_tco2e


def test_to_certify_moves_no_figure_and_tells_what_would_be_reported() -> None:
    """The certificate of the new release is there, the ledger shows the old one, and the causes are told."""
    bench = Bench()
    bench.report()
    bench.release(MIDDLE, NEWEST)
    manifest = backfill(bench.world, asked("2021", mode=Mode.CERTIFY))
    assert counts(manifest) == (2, 0, 0)
    assert manifest.total.moved == 0
    assert {one.certified.factor_version for one in manifest.partitions if one.certified} == {NEWEST}
    assert {one.causes for one in manifest.partitions} == {(Cause.FACTOR,)}
    assert bench.live() == {"anoka": OLD, "carver": OLD}
    reported = backfill(bench.world, asked("2021"), run_id="two")
    assert reported.total.moved == 2


def test_quarters_can_be_certified_while_their_year_is_reported_but_not_reported() -> None:
    """To certify looks over the overlap, because nothing is reported twice; to report is refused before it begins."""
    bench = Bench()
    bench.report(OLD, "anoka")
    quarters = [f"anoka 2021-Q{n} 1" for n in (1, 2, 3, 4)]
    bench.deliver(rows(*quarters))
    for path, data in projects("anoka", reporting="quarter").items():
        bench.references.replace(path, data)
    assert counts(backfill(bench.world, asked("2021", "anoka", mode=Mode.CERTIFY))) == (4, 0, 0)
    with pytest.raises(Refusal, match=r"not safe to backfill over .*overlapping_periods"):
        backfill(bench.world, asked("2021", "anoka"), run_id="two")
    assert bench.live() == {"anoka": OLD}


def test_a_held_ledger_is_told_with_the_reason_and_is_no_finding() -> None:
    """An older release is certified, and the ledger stays at the newer one that supersedes it."""
    bench = Bench(newest=NEWEST)
    bench.report(NEWEST)
    manifest = backfill(bench.world, asked("2021", factor_version=OLD))
    assert (counts(manifest), manifest.findings, manifest.total.moved) == ((2, 0, 0), (), 0)
    assert all(one.held and one.held.startswith("superseded: ") for one in manifest.partitions)


def test_forced_content_that_comes_out_equal_is_skipped() -> None:
    """Everything is computed again, nothing is added, and the manifest says skipped."""
    bench = Bench()
    bench.report()
    before = set(bench.store.list("commits/"))
    manifest = backfill(bench.world, asked("2021", force=True))
    assert counts(manifest) == (0, 2, 0)
    assert {one.reason for done_ in manifest.partitions for one in done_.assets} == {"content unchanged"}
    assert set(bench.store.list("commits/")) == before


def test_a_chunk_that_is_tried_again_says_what_the_run_did() -> None:
    """What an earlier attempt of the same run committed counts as committed, with the figure from before the run."""
    bench = Bench()
    bench.report()
    bench.deliver(rows("anoka 2021 9", "carver 2021 5"))
    partition = key("anoka", "2021", OLD)
    told = []
    for _ in range(2):
        run = Run(bench.world.at_a_glance(), run_id="one")
        told.append(done(run.world, walk(run, partition, assets=tuple(Asset), force=False), runs={"one"}))
        run.close()
    assert told[0] == told[1]
    assert (told[1].outcome, told[1].causes) == (C, (Cause.INPUT,))


def test_a_run_that_is_executed_again_skips_what_the_first_did() -> None:
    """Another run id finds the work done: the second manifest moves nothing, and both together count once."""
    bench = Bench()
    one = backfill(bench.world, asked("2021", "anoka"), run_id="one")
    two = backfill(bench.world, asked("2021"), run_id="two")
    assert [done_.outcome for done_ in two.partitions] == [S, C]
    assert one.total.delta_tco2e + two.total.delta_tco2e == two.total.after_tco2e


def test_a_slot_that_another_run_moves_meanwhile_is_looked_at_anew() -> None:
    """The listing of the backfill is older than the other run's commits; it finds them and adds nothing."""
    bench = Bench()
    glance = bench.world.at_a_glance()
    bench.report(OLD, "anoka")
    run = Run(glance, run_id="late")
    walked = walk(run, key("anoka", "2021", OLD), assets=tuple(Asset), force=False)
    assert walked.error is None
    assert [stage.kept.outcome for stage in walked.stages if stage.kept] == [S] * len(Asset)
    assert bench.world.slots.newest(ledger("anoka")) == 1


def test_however_many_slots_another_run_moves_meanwhile_a_partition_comes_through() -> None:
    """All six of its slots are newer than the listing, and what is delivered by now is newer still."""
    bench = Bench()
    bench.report(OLD, "anoka")
    glance = bench.world.at_a_glance()
    for quantity in (8, 9):
        bench.tick()
        bench.deliver(rows(f"anoka 2021 {quantity}", "carver 2021 5"))
        if quantity == 8:
            bench.report(OLD, "anoka")
    walked = walk(Run(glance, run_id="late"), key("anoka", "2021", OLD), assets=tuple(Asset), force=False)
    assert walked.error is None
    assert [stage.kept.record.generation for stage in walked.stages if stage.kept and stage.kept.record] == [3] * 6


def _deliver(bench: Bench) -> None:
    bench.deliver(rows("anoka 2021 9", "carver 2021 5"))


def _edit_project(bench: Bench) -> None:
    bench.deliver(rows("anoka 2021 9"), "other.csv")
    bench.say("anoka", path="other.csv")


def _move_boundary(bench: Bench) -> None:
    data = bench.references.get(BOUNDARIES)
    assert data is not None
    bench.references.replace(BOUNDARIES, data.replace(b"-93.5", b"-93.6"))


@pytest.mark.parametrize("replace_input", [_deliver, _edit_project, _move_boundary])
def test_nothing_is_made_from_what_another_run_replaced_meanwhile(replace_input: Callable[[Bench], None]) -> None:
    """The look knows the old file; what is made rests on the new one, and the ledger does not go back."""
    bench = Bench()
    bench.report(OLD, "anoka")
    bench.release(MIDDLE)
    glance = bench.world.at_a_glance()
    assert glance.slots.current(ledger("anoka")) is not None
    assert Run(glance, run_id="late").unchanged((Asset.ACTIVITY,), key("anoka", "2021", OLD)) is not None
    glance.references.boundary(glance.references.project("anoka"))
    bench.tick()
    replace_input(bench)
    bench.report(OLD, "anoka")
    reported = bench.world.slots.current(Slot.of(Asset.NORMALIZED, key("anoka", "2021")))
    assert reported is not None
    assert reported.generation == 2
    walked = walk(Run(glance, run_id="late"), key("anoka", "2021", MIDDLE), assets=tuple(Asset), force=False)
    assert walked.error is None
    told = done(glance, walked, runs={"late"})
    [undisturbed] = backfill(_fresh(bench), asked("2021", "anoka", factor_version=MIDDLE)).partitions
    assert bench.world.slots.current(reported.slot) == reported
    assert told.after is not None
    assert undisturbed.after is not None
    assert told.after.tonnes == undisturbed.after.tonnes


def _fresh(bench: Bench) -> World:
    """The same references and delivery over an empty store."""
    return World.over(store=memory_store(), references=bench.references, landing=bench.landing, clock=bench.clock)


def test_a_period_that_another_run_reports_meanwhile_is_not_reported_twice() -> None:
    """A quarter that came after the listing keeps its year out, by the gate and not by the validation."""
    bench = Bench()
    bench.deliver(rows("anoka 2021-Q1 1", "anoka 2021-Q2 1", "anoka 2021-Q3 1", "anoka 2021-Q4 1"))
    glance = bench.world.at_a_glance()
    run_partition(bench.world, key("anoka", "2021-Q1", OLD))
    walked = walk(Run(glance, run_id="late"), key("anoka", "2021", OLD), assets=tuple(Asset), force=False)
    assert walked.red == ("no_overlap",)


def test_a_run_that_goes_on_from_one_that_was_interrupted_tells_of_both() -> None:
    """The first run was killed after one partition and kept no manifest; the second one's holds the whole change."""
    bench = Bench()
    bench.report()
    bench.release(MIDDLE, NEWEST)
    run_partition(bench.world, key("anoka", "2021", NEWEST), run_id="killed")
    manifest = backfill(bench.world, asked("2021"), run_id="again", goes_on_from=["killed"])
    undisturbed = Bench()
    undisturbed.report()
    undisturbed.release(MIDDLE, NEWEST)
    whole = backfill(undisturbed.world, asked("2021"))
    assert (manifest.total, manifest.by_cause) == (whole.total, whole.by_cause)
    assert counts(manifest) == counts(whole) == (2, 0, 0)


def test_what_another_run_reports_afterwards_is_not_told_as_ours() -> None:
    """Before and after are those of our own commit, whatever the ledger shows when the manifest is drawn up."""
    bench = Bench()
    run = Run(bench.world.at_a_glance(), run_id="ours")
    walked = walk(run, key("anoka", "2021", OLD), assets=tuple(Asset), force=False)
    bench.release(MIDDLE)
    run_partition(bench.world, key("anoka", "2021", MIDDLE), run_id="theirs")
    told = done(bench.world, walked, runs={"ours"})
    assert (told.before, told.held) == (None, None)
    assert told.after is not None
    assert told.after.factor_version == OLD


def test_a_published_file_of_no_figure_is_not_taken_for_remedied() -> None:
    """A whole file where the ledger holds nothing cannot be published anew, so it stands in the way by any policy."""
    bench = Bench()
    for path, data in projects("anoka", reporting="quarter").items():
        bench.references.replace(path, data)
    bench.deliver(rows("anoka 2021-Q1 1", "anoka 2021-Q2 1"))
    backfill(bench.world, asked("2021-Q1", "anoka"))
    figure = bench.store.get("published/ledger/project_id=anoka/period=2021-Q1/ledger.parquet") or b""
    bench.store.replace("published/ledger/project_id=anoka/period=2021-Q2/ledger.parquet", figure)
    with pytest.raises(Refusal, match=r"not safe to backfill over .*2021-Q2"):
        backfill(bench.world, asked("2021-Q1..2021-Q2", "anoka", policy="recompute"), run_id="two")


def test_a_withdrawn_period_is_held_and_counts_for_nothing() -> None:
    """A backfill over it leaves the ledger silent, says who took the figure back, and finds nothing wrong."""
    bench = Bench()
    bench.report()
    withdraw(bench.world, "anoka", "2021", by="R. Reviewer", reason="claimed twice", in_favour_of=None)
    bench.release(MIDDLE, NEWEST)
    anoka, carver = backfill(bench.world, asked("2021")).partitions
    assert (anoka.before, anoka.after) == (None, None)
    assert anoka.held is not None
    assert "claimed twice" in anoka.held
    assert carver.has_moved
    assert load_manifest(bench.store, "backfill").findings == ()


def test_what_cannot_be_had_now_is_told_as_transient_and_the_next_partition_goes_on() -> None:
    """The store that is away for one source file leaves the other project whole."""
    bench = Bench()
    bench.say("anoka", path="away.csv")
    landing = FaultyStore(bench.landing.inner)
    landing.refuse("fetch", prefix="away.csv", times=9)
    world = World.over(store=bench.store, references=bench.references, landing=landing, clock=bench.clock)
    run = Run(world, run_id="one")
    anoka = walk(run, key("anoka", "2021", OLD), assets=tuple(Asset), force=False)
    carver = walk(run, key("carver", "2021", OLD), assets=tuple(Asset), force=False)
    assert isinstance(anoka.error, StoreUnavailable)
    assert carver.error is None


def test_the_manifest_is_kept_once_and_told_in_the_journal() -> None:
    """It reads back whole, a second keeping changes nothing, and its loss is a breach."""
    bench = Bench()
    manifest = backfill(bench.world, asked("2021"))
    assert load_manifest(bench.store, "backfill") == manifest
    [entry] = [entry for entry in bench.world.journal.entries() if entry.documents]
    assert [(one.kind, one.sha256) for one in entry.documents] == [(DocumentKind.RUN_MANIFEST, manifest.sha256)]
    assert check_store(bench.world).breaches == ()


def test_a_manifest_that_was_altered_is_refused() -> None:
    """One digit of a tonne that is changed is found by the bytes themselves, and by the journal."""
    bench = Bench()
    manifest = backfill(bench.world, asked("2021"))
    text = manifest.to_bytes().decode()
    total = format(manifest.total.after_tco2e, "f")
    bench.store.replace(manifest_key("backfill"), text.replace(total, f"1{total}", 1).encode())
    with pytest.raises(BrokenChain, match=r"run manifest cannot be read"):
        load_manifest(bench.store, "backfill")
    assert check_store(bench.world).breaches != ()


def test_a_manifest_whose_entry_was_lost_comes_back_into_the_journal() -> None:
    """A crash between the manifest and its entry leaves a document that a repair tells of."""
    bench = Bench()
    backfill(bench.world, asked("2021"))
    last = max(bench.store.list("journal/entries/"))
    kept = [path for path in bench.store.list("") if path not in (last, "journal/checkpoint.json")]
    bench.store = memory_store({path: bench.store.get(path) or b"" for path in kept})
    assert check_store(bench.world).breaches != ()
    repair_store(bench.world, check_store(bench.world))
    assert check_store(bench.world).breaches == ()


def test_corrections_are_the_figures_that_moved() -> None:
    """What is to be forwarded is each moved figure once, and nothing of what was skipped."""
    bench = Bench()
    bench.report()
    bench.deliver(rows("anoka 2021 9", "carver 2021 5"))
    manifest = backfill(bench.world, asked("2021"))
    assert [one.partition.key.project_id for one in corrections(bench.world, manifest)] == ["anoka"]


def _lost(manifest: RunManifest) -> RunManifest:
    """A manifest that forgets its last partition."""
    return _with(manifest, manifest.partitions[:-1])


def _twice(manifest: RunManifest) -> RunManifest:
    return _with(manifest, [*manifest.partitions, manifest.partitions[0]])


def _with(manifest: RunManifest, partitions: Sequence[PartitionDone]) -> RunManifest:
    return replace(manifest, partitions=partitions)


@pytest.mark.parametrize(
    ("spoil", "finding"),
    [
        pytest.param(_lost, r"carver .* came to 0 outcomes, not 1", id="a partition that is missing"),
        pytest.param(_twice, r"anoka .* came to 2 outcomes, not 1", id="a partition that counts twice"),
    ],
)
def test_the_validation_counts_what_was_asked_for(spoil: Callable[[RunManifest], RunManifest], finding: str) -> None:
    """Each requested partition has exactly one outcome."""
    bench = Bench()
    manifest = backfill(bench.world, asked("2021"))
    resolved = resolve(bench.world.at_a_glance(), asked("2021"))
    [found] = validate(bench.world.at_a_glance(), resolved, spoil(manifest).partitions, diagnosis=CLEAN)
    assert re.search(finding, found)


def test_the_validation_finds_a_claim_that_the_store_does_not_bear_out() -> None:
    """Partitions that are told as done, in a store where nothing is, are found asset by asset."""
    bench = Bench()
    manifest = backfill(bench.world, asked("2021"))
    empty = Bench()
    resolved = resolve(empty.world.at_a_glance(), asked("2021"))
    found = validate(empty.world.at_a_glance(), resolved, manifest.partitions, diagnosis=CLEAN)
    assert sum("came through, and" in one for one in found) == 2 * len(Asset)


def test_tonnes_of_a_manifest_are_exact_sums() -> None:
    """The totals by project, period and all are the same exact number."""
    bench = Bench()
    bench.deliver(rows("anoka 2020 0.1", "anoka 2021 0.2", "carver 2021 0.3"))
    manifest = backfill(bench.world, asked("2020..2021"))
    total = manifest.total.after_tco2e
    assert total != Decimal(0)
    assert {sum((t.after_tco2e for t in ones), Decimal(0)) for ones in (manifest.by_project, manifest.by_period)} == {
        total
    }
    live = [bench.world.slots.current(slot) for slot, _ in bench.world.slots.list_slots(asset=Asset.LEDGER)]
    assert total == sum((Decimal(one.evidence["net_tco2e"]) for one in live if one), Decimal(0))


def test_planned_and_done_agree() -> None:
    """What the plan skips is skipped, what it runs is committed, and what it blocks is refused."""
    bench = Bench()
    bench.report(OLD, "carver")
    bench.say("nobody", path="nowhere.csv")
    plans = {plan.key: plan.action.value for plan in planned(bench.world, asked("2021"))}
    manifest = backfill(bench.world, asked("2021"))
    words = {C: "run", S: "skip", R: "blocked"}
    assert {one.key: words[one.outcome] for one in manifest.partitions} == plans
    assert Slot.of(Asset.LEDGER, key("anoka", "2021")) == ledger("anoka")
