"""However much of a bump is done and remembered, what is asked for is what is missing, and then it is done."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.pipeline.asking import Attempts, Mark
from mrv_assets_tests.unit.pipeline.bumps import LINE, MIDDLE, OLD, Bench
from mrv_assets_tests.unit.pipeline.landings import NEWEST, START, Runs, key, projects
from mrv_assets_tests.world import memory_store, run_partition

PROJECTS = ("anoka", "carver")
ENDED = st.builds(
    Attempts,
    count=st.integers(1, 9),
    last=st.sampled_from([START - timedelta(days=days) for days in (2, 9)]),
    succeeded=st.none() | st.just(START - timedelta(days=30)) | st.just(START + timedelta(days=1)),
)
REACHED = st.sampled_from([None, *list(Asset)[list(Asset).index(Asset.FACTORED) :]])


@dataclass
class Invented(Runs):
    """Runs that are remembered of a project under every mark, whether they were ever there or not."""

    invented: dict[str, Attempts] = field(default_factory=dict)

    def attempts(self, key: PartitionKey, mark: Mark) -> Attempts:  # noqa: ARG002 - of all marks alike
        return self.invented.get(key.project_id, Attempts())


def _reported_with_old() -> Bench:
    bench = Bench()
    bench.report(OLD)
    return bench


_OLD = _reported_with_old()


def _bench() -> Bench:
    """Return a bench where both projects report the old release; the runs behind it are done once."""
    bench = Bench(newest=NEWEST, projects_toml=projects(*PROJECTS))
    bench.store = memory_store({path: _OLD.store.get(path) or b"" for path in _OLD.store.list("")})
    bench.clock.now = _OLD.clock.now
    return bench


@settings(max_examples=25)
@given(
    reached=st.dictionaries(st.tuples(st.sampled_from(PROJECTS), st.sampled_from(LINE[3:])), REACHED, max_size=4),
    remembered=st.dictionaries(st.sampled_from(PROJECTS), ENDED),
    cursor=st.none() | st.sampled_from(["", "carver", "nobody"]) | st.text(max_size=5),
    withdrawn=st.sets(st.sampled_from([MIDDLE, NEWEST])),
)
def test_after_the_runs_nothing_is_asked_for_and_the_ledger_shows_what_it_should(
    reached: dict[tuple[str, str], Asset | None],
    remembered: dict[str, Attempts],
    cursor: str | None,
    withdrawn: set[str],
) -> None:
    """Each partition is asked for at most once, and exactly those that the ledger does not show are."""
    bench = _bench()
    bench.runs = Invented(invented=remembered)
    bench.memory = cursor
    for (project_id, version), last in sorted(reached.items(), key=str):
        if last is not None:
            bench.until(key(project_id, "2021", version), last)
    for version in sorted(withdrawn):
        bench.withdraw(version)
    wanted = next(version for version in reversed(LINE) if version not in withdrawn)
    missing = [name for name in PROJECTS if bench.live()[name] != wanted]
    requests = bench.look().requests
    assert [request.key for request in requests] == [key(name, "2021", wanted) for name in missing]
    for request in requests:
        run_partition(bench.world, request.key)
    assert bench.live() == dict.fromkeys(PROJECTS, wanted)
    assert (bench.asked(), bench.look().notes) == ([], ())
