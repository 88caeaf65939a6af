"""A run over n partitions that dies after k of them: the k are there, the rest are not, and nothing is half there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.run import Run
from mrv_assets.storage.posix_files import Files
from mrv_assets_tests.faults.checked import checked
from mrv_assets_tests.faults.children import KILLED, end_of
from mrv_assets_tests.faults.figures import OLD, OLD_T, PERIODS, reported, sealed, world_at
from mrv_assets_tests.faults.files import DoomedFiles, Fault
from mrv_assets_tests.faults.line import Injury, Line, State, summed

KEYS: Sequence[PartitionKey] = [replace(OLD, period=period) for period in PERIODS]


def dies_after_k_of_n(scratch: Path, *, kills: int) -> Line:
    """Kill a run over four partitions at `kills` calls spread over it, and run it once more."""
    files = DoomedFiles()
    run_all(scratch / "undisturbed", files, "undisturbed")
    total, counts, injuries = len(files.calls), set(), []
    for number in range(kills):
        root = scratch / f"kill-{number}"
        at = 1 + number * total // kills
        code = end_of(run_all, root, DoomedFiles(Fault.SIGKILL, at=at), "killed")
        if code != KILLED:
            raise AssertionError(f"the run was to be killed at call {at} and ended with {code}")
        done, injury = _after(root)
        counts.add(done)
        injuries.append(injury)
    found = ", ".join(str(count) for count in sorted(counts))
    return summed(f"a run over {len(KEYS)} partitions dies after k", injuries, shown=f"k = {found}")


def run_all(root: Path, files: Files, run_id: str) -> None:
    """Walk all partitions in one run, as a backfill in bulk does: one listing, one journal entry."""
    run = Run(world_at(root, files=files).at_a_glance(), run_id=run_id)
    try:
        for key in KEYS:
            for asset in Asset:
                run.advance(asset, key)
    finally:
        run.close()


def _after(root: Path) -> tuple[int, Injury]:
    """Return how many partitions were done, and the injury; done is exactly what has a generation record."""
    world = world_at(root)
    figures = [reported(world, Slot.of(Asset.LEDGER, key)) for key in KEYS]
    done = sum(figure is not None for figure in figures)
    is_torn = figures != [OLD_T] * done + [None] * (len(KEYS) - done)
    before = sealed(world.store)
    run_all(root, Files(), "again")
    after, health = sealed(world.store), checked(world_at(root))
    histories = [world.slots.history(slot) for slot, _ in world.slots.list_slots()]
    is_once = [len(history) for history in histories] == [1] * (len(KEYS) * len(Asset))
    return done, Injury(
        seen=State.TORN if is_torn else State.NEW if done else State.OLD,
        breaches=health.breaches,
        changed=sum(1 for key, digest in before.items() if after.get(key) != digest),
        is_healed=is_once and all(reported(world, Slot.of(Asset.LEDGER, key)) == OLD_T for key in KEYS),
        completed=health.completed,
    )
