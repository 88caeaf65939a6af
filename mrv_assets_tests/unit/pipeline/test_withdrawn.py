"""A withdrawn release: nothing new is computed or reported with it, and what rests on it stays and verifies."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mrv_assets.domain.errors import FactorError
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.audit import stored_intact
from mrv_assets.pipeline.figures import read_figure
from mrv_assets.pipeline.succession import standing
from mrv_assets.verify import verify_history
from mrv_assets_tests.unit.pipeline.bumps import FIRST, MIDDLE, OLD, WRONG, Bench, ledger
from mrv_assets_tests.unit.pipeline.landings import NEWEST, key
from mrv_assets_tests.world import memory_store, outcomes, run_partition

TOLD = rf"was withdrawn \[%s anoka 2021 {OLD}\].*{OLD}, withdrawn on 2026-01-31 by R. Reviewer: the vintage"
PARTITION = key("anoka", "2021", OLD)


def _stored(bench: Bench) -> dict[str, bytes]:
    return {path: bench.store.get(path) or b"" for path in bench.store.list("") if not path.startswith("journal/")}


def test_new_work_with_it_is_refused_and_remembered() -> None:
    """The refusal names day, person and reason; the journal keeps it, and nothing behind `normalized` is stored."""
    bench = Bench()
    bench.withdraw(OLD)
    with pytest.raises(FactorError, match=TOLD % "factored"):
        run_partition(bench.world, PARTITION)
    [entry] = bench.world.journal.entries()
    last = entry.events[-1]
    assert (last.slot.asset, last.outcome) == (Asset.FACTORED, Outcome.REFUSED)
    assert "R. Reviewer" in last.reason
    assert {slot.asset for slot, _ in bench.world.slots.list_slots()} == {Asset.ACTIVITY, Asset.NORMALIZED}


def test_a_rerun_of_what_was_certified_skips_all_of_it() -> None:
    """Its inputs are unchanged, so it is no new work; no object is added."""
    bench = Bench()
    bench.report(OLD, "anoka")
    bench.withdraw(OLD)
    before = _stored(bench)
    assert set(outcomes(run_partition(bench.world, PARTITION))) == {Outcome.SKIPPED}
    assert _stored(bench) == before


def test_a_forced_recomputation_with_it_is_refused() -> None:
    """Whoever insists would make something new."""
    bench = Bench()
    bench.report(OLD, "anoka")
    bench.withdraw(OLD)
    with pytest.raises(FactorError, match=TOLD % "factored"):
        run_partition(bench.world, PARTITION, force=True)


@pytest.mark.parametrize(
    ("last", "refused"), [(Asset.FACTORED, Asset.AGGREGATED), (Asset.AGGREGATED, Asset.CERTIFICATE)]
)
def test_a_run_that_ended_before_the_certificate_is_not_finished(last: Asset, refused: Asset) -> None:
    """No certificate is issued any more on factors that were withdrawn meanwhile."""
    bench = Bench()
    bench.until(PARTITION, last)
    bench.withdraw(OLD)
    with pytest.raises(FactorError, match=TOLD % refused.value):
        run_partition(bench.world, PARTITION)
    assert bench.world.slots.current(Slot.of(refused, PARTITION)) is None


@pytest.mark.parametrize("pins", [{}, {"2021": OLD}], ids=["follows the line", "pinned"])
def test_a_certificate_that_was_not_reported_yet_is_held(pins: dict[str, str]) -> None:
    """It verifies; the ledger does not move to it, and the run says why."""
    bench = Bench()
    bench.say("anoka", pins=pins)
    bench.until(PARTITION, Asset.CERTIFICATE)
    bench.withdraw(OLD)
    *_, last = run_partition(bench.world, PARTITION)
    assert (last.outcome, last.record) == (Outcome.SKIPPED, None)
    assert last.reason == f"{OLD}, withdrawn on 2026-01-31 by R. Reviewer: the vintage is the wrong one"


def test_what_was_certified_with_it_verifies() -> None:
    """Also after the ledger has moved on: every generation is whole, and the old figure equals its certificate."""
    bench = Bench()
    bench.report(OLD, "anoka")
    bench.withdraw(OLD)
    bench.run()
    assert bench.live() == {"anoka": WRONG}
    for version in (OLD, WRONG):
        assert stored_intact(bench.world, key("anoka", "2021", version)).passed
    history = bench.world.slots.history(ledger("anoka"))
    verify_history(history)
    assert [record.pins["factor_version"] for record in history] == [OLD, WRONG]
    assert [read_figure(bench.world.slots, record).factor_version for record in history] == [OLD, WRONG]


@pytest.mark.parametrize(
    ("live", "withdrawn", "version", "expected"),
    [
        pytest.param(NEWEST, [NEWEST], MIDDLE, "moves", id="back to the release before it"),
        pytest.param(NEWEST, [NEWEST], OLD, "superseded: .* was withdrawn, and .* before it", id="not further back"),
        pytest.param(NEWEST, [NEWEST, MIDDLE], OLD, "moves", id="back over two that were withdrawn"),
        pytest.param(NEWEST, [NEWEST, MIDDLE], FIRST, "superseded: ", id="and not over one that was not"),
        pytest.param(NEWEST, [NEWEST, MIDDLE], MIDDLE, f"{MIDDLE}, withdrawn on", id="never to a withdrawn one"),
        pytest.param(NEWEST, [MIDDLE], OLD, f"superseded: the ledger reports {NEWEST}", id="one in the middle"),
        pytest.param(MIDDLE, [MIDDLE], NEWEST, "moves", id="forward from a withdrawn one"),
        pytest.param(OLD, [MIDDLE], NEWEST, "moves", id="forward over a withdrawn one"),
        pytest.param(OLD, [NEWEST], NEWEST, f"{NEWEST}, withdrawn on", id="forward to a withdrawn one"),
        pytest.param(NEWEST, [NEWEST], NEWEST, f"{NEWEST}, withdrawn on", id="the withdrawn one itself"),
        pytest.param(OLD, [FIRST, WRONG, OLD], MIDDLE, "moves", id="everything before it was withdrawn"),
        pytest.param(OLD, [FIRST, WRONG, OLD], FIRST, f"{FIRST}, withdrawn on", id="and nothing stands before it"),
    ],
)
def test_a_withdrawn_live_version_gives_way_to_what_stands_in_its_place(
    live: str, withdrawn: Sequence[str], version: str, expected: str
) -> None:
    """The next release before it that was not withdrawn, or what supersedes that one; never one further back."""
    bench = Bench(newest=NEWEST)
    bench.report(live, "anoka")
    for one in withdrawn:
        bench.withdraw(one)
    partition = key("anoka", "2021", version)
    found = standing(bench.world, partition, bench.world.slots.current(Slot.of(Asset.LEDGER, partition)))
    assert found.rival is None
    assert ("moves" if found.hold is None else found.hold).startswith(expected.partition(": .*")[0])
    assert expected == "moves" or found.hold is not None


def test_a_fork_behind_a_withdrawn_live_version_is_taken() -> None:
    """A correction may supersede the release before the withdrawn one; then it stands in the place of both."""
    bench = Bench()
    bench.report(OLD, "anoka")
    bench.withdraw(OLD)
    toml = (bench.references.get(f"factors/{OLD}/release.toml") or b"").replace(OLD.encode(), b"mrow-b")
    bench.references.replace("factors/mrow-b/release.toml", toml)
    bench.references.replace("factors/mrow-b/factors.csv", bench.references.get(f"factors/{OLD}/factors.csv") or b"")
    assert bench.run() == [str(key("anoka", "2021", "mrow-b"))]
    assert bench.live() == {"anoka": "mrow-b"}


def test_a_withdrawal_that_is_taken_back_lets_the_ledger_move_forward_again() -> None:
    """The file is gone, so the release is the newest once more; the figure before it stays in the history."""
    bench = Bench()
    bench.report(OLD, "anoka")
    sound = bench.references
    bench.references = memory_store({path: sound.get(path) or b"" for path in sound.list("")})
    bench.withdraw(OLD)
    bench.run()
    bench.references = sound
    assert bench.run() == [str(PARTITION)]
    assert bench.live() == {"anoka": OLD}
    assert bench.asked() == []
