"""Replaying published states through Dagster: what is in the store already is left alone, the rest is run.

Reconciled against the store before every step, never against a cursor: a partition of a step is satisfied when
its ledger slot has a generation with the step's factor version whose certificate names the step's source file.
A source whose change moves no tonne of a project leaves its certificate as it is; then the journal tells that a
run has been through the step. What does not belong here: the terminal (demo), and comparing totals (report).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError, GateError, listed
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.figures import Figure, read_figure
from mrv_assets.pipeline.world import World
from mrv_assets.report.published import PublishedStep, Replay
from mrv_assets.storage.object_store import ObjectStore

if TYPE_CHECKING:
    from mrv_assets.orchestration.results import PartitionRun

Runner: TypeAlias = "Callable[[Sequence[PartitionKey]], Iterator[PartitionRun]]"
Notice: TypeAlias = Callable[[PartitionKey], None]
Files: TypeAlias = Mapping[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A replay file with the source files of its steps, by landing folder and path in it."""

    replay: Replay
    files: Mapping[str, Files]

    @classmethod
    def read(cls, folder: Path) -> Scenario:
        """Read `published.toml` and the landing folders that it names. Raises ContractError when one is missing."""
        path = folder / "published.toml"
        if not path.is_file():
            raise _missing(str(path), "a replay file")
        replay = Replay.parse(path.read_bytes(), where=str(path))
        return cls(
            replay=replay,
            files={step.landing: _landing_files(folder / "landing" / step.landing) for step in replay.steps},
        )

    def source_digest(self, world: World, step: PublishedStep, project_id: str) -> tuple[str, str]:
        """Return path and sha256 of the source file of a project at a step. Raises ContractError when there is none."""
        path = world.references.project(project_id).source.path
        if path not in self.files[step.landing]:
            raise _missing(f"landing/{step.landing}/{path}", f"the source of {project_id}")
        return path, sha256_hex(self.files[step.landing][path])


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What a step did with one partition, and the figure it stands for.

    `outcome` is skipped when nothing was added anywhere, else committed; `has_moved` tells whether that added a
    figure to the ledger, which new content below it need not do.
    """

    key: PartitionKey
    outcome: Outcome
    has_moved: bool
    figure: Figure


def replay_step(
    world: World,
    landing: ObjectStore,
    scenario: Scenario,
    number: int,
    *,
    run: Runner,
    notice: Notice,
) -> tuple[Replayed, ...]:
    """Bring step `number`, counted from 1, into the ledger and return what came of each partition.

    The last step runs every partition, so that its skips are those of the runs. `notice` is told each partition
    before it is looked at or run. Raises the error of a run that fails, ContractError when the step cannot be
    replayed without turning the landing folder back, or would overwrite a source that is not the replay's.
    """
    steps = scenario.replay.steps
    step = steps[number - 1]
    before = {key: figure_of_step(world, scenario, step, key) for key in step.keys}
    to_run = [key for key, figure in before.items() if figure is None or number == len(steps)]
    if to_run:
        _refuse_turning_back(world, scenario, number, to_run)
        _land(landing, scenario, step)
    added = _added(to_run, run, notice)
    replayed = []
    for key in step.keys:
        if key not in added:
            notice(key)
        figure = figure_of_step(world, scenario, step, key) if key in added else before[key]
        if figure is None:
            raise _not_reported(world, step, key)
        replayed.append(_replayed(key, figure, added.get(key, frozenset())))
    return tuple(replayed)


def figure_of_step(world: World, scenario: Scenario, step: PublishedStep, key: PartitionKey) -> Figure | None:
    """Return the newest figure that the ledger reported for a partition at a step, None when it never did."""
    path, digest = scenario.source_digest(world, step, key.project_id)
    of_version = [
        record
        for record in world.slots.history(Slot.of(Asset.LEDGER, key))
        if record.withdrawal is None and record.pins["factor_version"] == key.factor_version
    ]
    figures = [read_figure(world.slots, record) for record in of_version]
    named = [figure for figure in figures if digest in figure.source_digests]
    if named or not figures:
        return named[-1] if named else None
    generation = _generation_in_journal(world, key, source=f"source {path}", digest=digest)
    return next((figure for figure in figures if figure.generation == generation), None)


def _generation_in_journal(world: World, key: PartitionKey, *, source: str, digest: str) -> int | None:
    """Return the ledger generation after the last run that took the partition from this source to the ledger."""
    found: int | None = None
    for entry in world.journal.entries():
        ours = [event for event in entry.events if event.key == key and event.outcome is not Outcome.REFUSED]
        has_read = any(event.asset is Asset.ACTIVITY and event.inputs.get(source) == digest for event in ours)
        for event in ours:
            if has_read and event.asset is Asset.LEDGER:
                found = event.generation
    return found


def _replayed(key: PartitionKey, figure: Figure, added: frozenset[Asset]) -> Replayed:
    outcome = Outcome.COMMITTED if added else Outcome.SKIPPED
    return Replayed(key=key, outcome=outcome, has_moved=Asset.LEDGER in added, figure=figure)


def _added(keys: Sequence[PartitionKey], run: Runner, notice: Notice) -> dict[PartitionKey, frozenset[Asset]]:
    """Run the partitions and return for each the assets to which its run added a generation."""
    added: dict[PartitionKey, frozenset[Asset]] = {}
    if not keys:
        return added
    notice(keys[0])
    for done, following in zip(run(keys), [*keys[1:], None], strict=True):
        if done.error is not None:
            raise done.error
        added[done.key] = frozenset(r.asset for r in done.assets if r.outcome is Outcome.COMMITTED)
        if following is not None:
            notice(following)
    return added


def _land(landing: ObjectStore, scenario: Scenario, step: PublishedStep) -> None:
    """Put the step's source files in place. A file that the replay did not bring is never overwritten."""
    for path, data in scenario.files[step.landing].items():
        there = landing.get(path)
        if there is not None and there not in [files.get(path) for files in scenario.files.values()]:
            raise ContractError(
                "landing folder holds another source file",
                where=f"{landing.uri}/{path}",
                expected="no such file, or one that this replay has put there",
                found=f"a file with sha256 {sha256_hex(there)}",
                remedy="replay into a home of its own: MRV_HOME=/another/folder mrv demo",
            )
        if there != data:
            landing.replace(path, data)


def _refuse_turning_back(world: World, scenario: Scenario, number: int, keys: Sequence[PartitionKey]) -> None:
    """Refuse to bring an older source back for partitions that have a later step behind them."""
    wanted = {(key.project_id, key.period) for key in keys}
    later = [
        key
        for step in scenario.replay.steps[number:]
        for key in step.keys
        if (key.project_id, key.period) in wanted and figure_of_step(world, scenario, step, key) is not None
    ]
    if later:
        raise ContractError(
            "step cannot be replayed after a later one",
            where=f"step {number}, {scenario.replay.steps[number - 1].title}",
            expected="a ledger that has not seen a later step of these partitions",
            found=f"a later step in {listed([str(key) for key in later])}",
            remedy="replay into a home of its own: MRV_HOME=/another/folder mrv demo",
        )


def _not_reported(world: World, step: PublishedStep, key: PartitionKey) -> GateError:
    live = world.slots.current(Slot.of(Asset.LEDGER, key))
    return GateError(
        "run came through, but the ledger does not report its figure",
        gate="succession",
        where=str(key),
        expected=f"a ledger generation of {step.factor_version}",
        found=f"the ledger reports {live.pins['factor_version'] if live else 'nothing'}",
        remedy="see `mrv status`: a newer release or a pin of the project holds the ledger where it is",
    )


def _landing_files(folder: Path) -> Files:
    if not folder.is_dir():
        raise _missing(str(folder), "the source files of a step")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _missing(where: str, expected: str) -> ContractError:
    return ContractError(
        "replay is not complete",
        where=where,
        expected=expected,
        found="nothing",
        remedy="run from a checkout of the project, or name a folder with --replay",
    )
