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
from mrv_assets.pipeline.world import World
from mrv_assets.storage.manifests import load_manifest, manifest_key
from mrv_assets_tests.unit.pipeline.backfills import asked, backfill, planned
from mrv_assets_tests.unit.pipeline.bumps import MIDDLE, OLD, Bench, ledger
from mrv_assets_tests.unit.pipeline.landings import NEWEST, key, projects, rows
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore
from mrv_assets_tests.world import memory_store

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


def test_what_cannot_be_had_now_is_told_as_transient_and_the_next_partition_goes_on() -> None:
    """The store that is away for one source file leaves the other project whole."""
    bench = Bench()
    bench.say("anoka", path="away.csv")
    landing = FaultyStore(bench.landing.inner)
    landing.refuse("fetch", prefix="away.csv")
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
