"""The decisions of one run: when it skips, when it adds, when it refuses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mrv_assets.domain.errors import ContractError, GateError, NonDeterministic
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.run import Judged, Run
from mrv_assets.pipeline.world import World
from mrv_assets_tests.refusals import KEY, SOUND_SOURCE, references
from mrv_assets_tests.world import memory_store, memory_world, run_partition


@pytest.fixture
def world() -> World:
    """A world with one project and a sound source, nothing run yet."""
    return memory_world(references=references(), landing=memory_store({"source.csv": SOUND_SOURCE}))


def test_an_asset_whose_upstream_is_empty_is_refused_and_the_journal_says_so(world: World) -> None:
    """Running a downstream asset alone names the empty slot and what to do."""
    run = Run(world, run_id="alone")
    with pytest.raises(ContractError, match=r"upstream has no content yet.*normalized.*materialise normalized"):
        run.advance(Asset.FACTORED, KEY)
    run.close()
    (entry,) = world.journal.entries()
    assert [event.outcome for event in entry.events] == [Outcome.REFUSED]


def test_a_skip_loads_no_table(world: World) -> None:
    """A plan whose inputs are unchanged says so before anything is computed."""
    run_partition(world, KEY)
    planned = Run(world, run_id="again").plan(Asset.NORMALIZED, KEY)
    assert planned.skip == "inputs unchanged"


def test_content_judged_by_a_new_gate_gets_a_generation_of_its_own(world: World) -> None:
    """The blob is the same; the new record carries the new outcome, so that a certificate can demand it."""
    run_partition(world, KEY)
    run = Run(world, run_id="new gate")
    judged = run.make(run.plan(Asset.ACTIVITY, KEY, force=True))
    new = GateOutcome(gate="newly_asked", passed=True, observed="yes", limit="yes")
    kept = run.keep(replace(judged, gates=(*judged.gates, new)))
    first, second = world.slots.history(Slot.of(Asset.ACTIVITY, KEY))
    assert kept.outcome is Outcome.COMMITTED
    assert first.blob == second.blob
    assert "newly_asked" in {gate.gate for gate in second.gates}


def test_other_content_from_the_same_inputs_is_refused(world: World) -> None:
    """A stage that gives another content for the inputs of the current generation is not deterministic."""
    run_partition(world, KEY)
    run = Run(world, run_id="again")
    judged = run.make(run.plan(Asset.ACTIVITY, KEY, force=True))
    assert judged.staged is not None
    other = replace(judged, content_digest="0" * 64)
    with pytest.raises(NonDeterministic, match=r"the same pinned inputs gave other content.*generation 1"):
        run.keep(other)


def test_a_red_judgement_cannot_be_kept(world: World) -> None:
    """Whoever hands a red judgement to be kept gets the refusal, and the slot stays empty."""
    run = Run(world, run_id="red")
    judged = run.make(run.plan(Asset.ACTIVITY, KEY))
    red = GateOutcome(gate="rows_present", passed=False, observed="0", limit="1", remedy="deliver rows")
    with pytest.raises(GateError, match="activity is refused by rows_present"):
        run.keep(Judged(planned=judged.planned, staged=judged.staged, content_digest=None, gates=(red,)))
    assert world.slots.current(Slot.of(Asset.ACTIVITY, KEY)) is None


def test_what_changed_is_named_in_the_reason(world: World) -> None:
    """A corrected source file is the reason of the next generation, by name and digest."""
    run_partition(world, KEY)
    landing = memory_store({"source.csv": SOUND_SOURCE.replace(b"654030.848", b"654031.848")})
    after = World.over(store=world.store, references=memory_store(references()), landing=landing, clock=world.clock)
    run_partition(after, KEY)
    reasons = [record.reason for record in after.slots.history(Slot.of(Asset.ACTIVITY, KEY))]
    assert reasons[0] == "first content of the slot"
    assert reasons[1].startswith("changed: source source.csv ")
