"""Every scenario with its two sizes: the small one of `make test` and the whole one of `make faults`.

What does not belong here: how a scenario is carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mrv_assets.domain.partition import Asset
from mrv_assets_tests.faults.answers import Answer, every_answer, ignored_conditions, ignored_conditions_unprobed
from mrv_assets_tests.faults.every_call import every_call
from mrv_assets_tests.faults.files import Fault
from mrv_assets_tests.faults.flips import KINDS, every_object
from mrv_assets_tests.faults.globs import ENGINES, named_like_data, published_with_left_overs, while_committing
from mrv_assets_tests.faults.leftovers import foreign_files
from mrv_assets_tests.faults.line import Line
from mrv_assets_tests.faults.partial_runs import dies_after_k_of_n
from mrv_assets_tests.faults.races import distinct_writers, identical_runs
from mrv_assets_tests.faults.ranges import single_run_ranges
from mrv_assets_tests.faults.ratchets import InPlaceRatchet, PlatformRatchet
from mrv_assets_tests.faults.retries import behind_an_append, behind_the_write
from mrv_assets_tests.faults.storm import storm
from mrv_assets_tests.faults.subjects import InPlace, Platform

SEED = 20260102
Do = Callable[[Path], Line]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One line of the table, in two sizes."""

    small: Do
    whole: Do

    @classmethod
    def same(cls, do: Do) -> Scenario:
        """Return a scenario that is quick enough to be whole at any time."""
        return cls(small=do, whole=do)


def _every_call(name: str, subject: Callable[[], InPlace | Platform], fault: Fault, *, step: int) -> Scenario:
    is_control = name.startswith("control")
    do = partial(every_call, f"{name}: {fault}", subject(), fault, is_control=is_control)
    return Scenario(small=partial(do, step=step), whole=do)


def _storm(name: str, ratchet: InPlaceRatchet | PlatformRatchet, *, kills: int) -> Scenario:
    do = partial(storm, name, ratchet, seed=SEED, is_control=name.startswith("control"))
    return Scenario(small=partial(do, kills=6), whole=partial(do, kills=kills))


def _ledger_only() -> Platform:
    return Platform((Asset.LEDGER,))


def _answered(answer: Answer, _: Path, *, step: int = 1) -> Line:
    return every_answer(answer, step=step)


_COMMIT = {f"commit-{fault.name.lower()}": _every_call("one commit", _ledger_only, fault, step=29) for fault in Fault}
_RUN = {
    f"run-{fault.name.lower()}": _every_call("whole run", Platform, fault, step=step)
    for fault, step in ((Fault.EIO_ONCE, 97), (Fault.ENOSPC, 37), (Fault.SIGKILL, 43))
}
_CONTROL = {
    f"control-{fault.name.lower()}": _every_call("control, in place", InPlace, fault, step=1)
    for fault in (Fault.EIO_FOR_GOOD, Fault.ENOSPC, Fault.SIGKILL)
}
_ANSWERS = {
    f"store-{answer.name.lower()}": Scenario(small=partial(_answered, answer, step=6), whole=partial(_answered, answer))
    for answer in Answer
}
_FLIPS = {
    f"flip-{kind.replace(' ', '-')}": Scenario(
        small=partial(every_object, kind, flips=2, seed=SEED), whole=partial(every_object, kind, flips=5, seed=SEED)
    )
    for kind in KINDS
}
_GLOBS = {
    f"glob-{engine.lower()}": Scenario(
        small=partial(while_committing, engine, runs=5), whole=partial(while_committing, engine, runs=25)
    )
    for engine in ENGINES
}

SCENARIOS: Mapping[str, Scenario] = {
    **_COMMIT,
    **_RUN,
    **_CONTROL,
    "storm": _storm("random SIGKILL, looping reader", PlatformRatchet(), kills=140),
    "control-storm": _storm("control, in place: random SIGKILL", InPlaceRatchet(), kills=15),
    "distinct-writers": Scenario(
        small=partial(distinct_writers, processes=4, commits=5),
        whole=partial(distinct_writers, processes=8, commits=25),
    ),
    "identical-runs": Scenario(small=partial(identical_runs, processes=3), whole=partial(identical_runs, processes=8)),
    **_ANSWERS,
    "store-lies": Scenario.same(lambda _: ignored_conditions()),
    "control-store-lies": Scenario.same(lambda _: ignored_conditions_unprobed()),
    "retry-behind-record": Scenario.same(lambda _: behind_the_write("commits/ledger/")),
    "retry-behind-blob": Scenario.same(lambda _: behind_the_write("blobs/")),
    "control-retry-append": Scenario.same(lambda _: behind_an_append()),
    "single-run-ranges": Scenario.same(lambda _: single_run_ranges()),
    "dies-after-k": Scenario(small=partial(dies_after_k_of_n, kills=4), whole=partial(dies_after_k_of_n, kills=24)),
    "foreign-files": Scenario.same(foreign_files),
    "left-overs": Scenario.same(published_with_left_overs),
    "control-left-over": Scenario.same(named_like_data),
    **_FLIPS,
    **_GLOBS,
}
