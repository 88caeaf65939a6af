"""Many processes, one slot: every commit gets a number of its own, and equal runs agree on one commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import TypeVar

from mrv_assets.domain.errors import CommitConflict, MrvError
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.run import Run
from mrv_assets_tests.faults.checked import checked
from mrv_assets_tests.faults.children import FORKSERVER, hush
from mrv_assets_tests.faults.figures import LEDGER, MWH, NEW, NEW_MWH, NEW_T, reported, world_at
from mrv_assets_tests.faults.line import Line
from mrv_assets_tests.world import outcomes, run_partition

T = TypeVar("T")
_start: list[Barrier] = []


def distinct_writers(scratch: Path, *, processes: int, commits: int) -> Line:
    """Let each process commit so many contents of its own to one slot, each commit told in the journal."""
    root = scratch / "store"
    _together(processes, partial(_commit_all, root, commits))
    world = world_at(root)
    history, entries = world.slots.history(Slot.of(Asset.ACTIVITY, NEW)), list(world.journal.entries())
    expected = list(range(1, processes * commits + 1))
    numbers = [record.generation for record in history]
    told = sorted(event.generation or 0 for entry in entries for event in entry.events)
    contents = {record.content_digest for record in history}
    is_right = numbers == told == expected and len(contents) == len(expected)
    return Line(
        scenario=f"{processes} processes × {commits} commits on one slot",
        injected=len(expected),
        old=0,
        new=len(contents),
        torn=0,
        breaches=checked(world).breaches,
        changed=0,
        healed=len(numbers),
        completed=0,
        corrupt=int(not is_right),
        shown=f"{len(numbers)} contiguous generations, {len(entries)} entries",
    )


def identical_runs(scratch: Path, *, processes: int) -> Line:
    """Start so many runs of one partition at once: in every slot one commits and the others skip."""
    root = scratch / "store"
    done = _together(processes, partial(_run_whole, root))
    by_asset = {asset: Counter(run[number] for run in done) for number, asset in enumerate(Asset)}
    expected = Counter({Outcome.COMMITTED: 1, Outcome.SKIPPED: processes - 1})
    wrong = sum(found != expected for found in by_asset.values())
    world = world_at(root)
    ledger = by_asset[Asset.LEDGER]
    is_once = len(world.slots.history(LEDGER)) == 1 and reported(world) == NEW_T
    return Line(
        scenario=f"{processes} identical runs at once",
        injected=processes,
        old=0,
        new=processes,
        torn=0,
        breaches=checked(world).breaches,
        changed=0,
        healed=len(done),
        completed=0,
        corrupt=wrong + int(not is_once),
        shown=f"{ledger[Outcome.COMMITTED]} commit, {ledger[Outcome.SKIPPED]} skips in each of {len(by_asset)} slots",
    )


def _together(processes: int, work: Callable[[int], T]) -> list[T]:
    """Do `work` in so many processes, which all wait until the last has started."""
    barrier = FORKSERVER.Barrier(processes)
    with ProcessPoolExecutor(processes, mp_context=FORKSERVER, initializer=_expect, initargs=(barrier,)) as pool:
        return list(pool.map(partial(_after_barrier, work), range(processes)))


def _expect(barrier: Barrier) -> None:
    hush()
    _start.append(barrier)


def _after_barrier(work: Callable[[int], T], number: int) -> T:
    _start[-1].wait(600)
    return work(number)


def _commit_all(root: Path, commits: int, writer: int) -> None:
    """Bring in so many sources that nobody else has, deciding again whenever another writer was faster."""
    for number in range(commits):
        run = Run(world_at(root, mwh=MWH + 100 * writer + number), run_id=f"writer {writer}, source {number}")
        while not _is_kept(run):
            pass
        run.close()


def _is_kept(run: Run) -> bool:
    try:
        return run.advance(Asset.ACTIVITY, NEW).outcome is Outcome.COMMITTED
    except CommitConflict:
        return False


def _run_whole(root: Path, number: int) -> list[Outcome]:
    try:
        return outcomes(run_partition(world_at(root, mwh=NEW_MWH), NEW, run_id=f"run-{number}"))
    except MrvError as error:
        raise AssertionError(f"run {number} failed: {error}") from error
