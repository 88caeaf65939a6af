"""Sensors on a real daemon whose runs are killed, which burns their run keys, and whose cursors are taken away.

The store alone tells what is done, so nothing is left out for a key that is burned, and nothing is computed twice for a
cursor that is gone. What does not belong here: what a sensor decides (unit/pipeline).
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path

from mrv_assets.domain.partition import PartitionKey
from mrv_assets.orchestration.factor_version import factor_version
from mrv_assets.orchestration.landing import landing
from mrv_assets.pipeline.figures import live_figures
from mrv_assets_tests.chaos.line import Course, Line, line
from mrv_assets_tests.chaos.place import SECOND, keys, lay_out, release_second
from mrv_assets_tests.chaos.services import Services, services
from mrv_assets_tests.chaos.storm import kill_one, runs_of
from mrv_assets_tests.chaos.truth import Truth, compare, run_in_peace
from mrv_assets_tests.end_to_end.home import Home

_SHOWN_WITHIN_S = 600
_TWO_LOOKS_S = 75
"""The daemon evaluates a sensor every half minute."""

_RESET = """
mutation Reset($name: String!) {
  setSensorCursor(sensorSelector: {
    sensorName: $name, repositoryName: "__repository__", repositoryLocationName: "mrv_assets"
  }, cursor: null) { __typename ... on PythonError { message } }
}"""


def cursors(name: str, scratch: Path, *, partitions: int, kills: int, seed: int) -> Line:
    """Let a delivery and then a release be run by the sensors; kill `kills` of the runs of each, and reset twice."""
    first, second = keys(partitions), keys(partitions, SECOND)
    truth = _truth(scratch / "undisturbed", first, second)
    home, rng, began = lay_out(scratch / "cursors", first), random.Random(seed), time.monotonic()
    with services(home, scratch, []) as running:
        running.server.start_sensor(landing.name)
        killed = sum(kill_one(running, "worker", rng) for _ in range(kills))
        _wait_until_shown(home, first)
        spare = _runs_after_resets(running, home)
        release_second(home)
        running.server.start_sensor(factor_version.name)
        killed += sum(kill_one(running, "worker", rng) for _ in range(kills))
        _reset(running)
        _wait_until_shown(home, second)
        spare += _runs_after_resets(running, home)
    runs, lost = runs_of(home)
    course = Course(
        partitions=partitions,
        planned=2 * kills,
        kills=killed,
        runs=runs,
        failed=lost,
        unsaid=spare,
        seconds=time.monotonic() - began,
        shown=f"runs asked for after cursors were reset: {spare}",
    )
    return line(name, course, compare(home.world(), truth), truth)


def _truth(folder: Path, first: Sequence[PartitionKey], second: Sequence[PartitionKey]) -> Truth:
    home = lay_out(folder, first)
    run_in_peace(home.world(), first)
    release_second(home)
    run_in_peace(home.world(), second)
    return Truth.of(home.world())


def _wait_until_shown(home: Home, wanted: Sequence[PartitionKey]) -> None:
    expected = {(key.project_id, key.period, key.factor_version) for key in wanted}
    deadline = time.monotonic() + _SHOWN_WITHIN_S
    while (shown := _shown(home)) != expected:
        assert time.monotonic() < deadline, f"{len(expected - shown)} partitions were left out"
        time.sleep(1)


def _shown(home: Home) -> set[tuple[str, str, str]]:
    figures = live_figures(home.world().slots, project_id=None, period=None)
    return {(figure.project_id, figure.period, figure.factor_version) for figure in figures}


def _runs_after_resets(running: Services, home: Home) -> int:
    """Take the cursors away and return how many runs are asked for in the next two looks: none is right.

    Runs that were asked for before are waited for first.
    """
    time.sleep(_TWO_LOOKS_S / 2)
    before, _ = runs_of(home)
    _reset(running)
    time.sleep(_TWO_LOOKS_S)
    return runs_of(home)[0] - before


def _reset(running: Services) -> None:
    for name in (landing.name, factor_version.name):
        answer = running.server.ask(_RESET, name=name)["setSensorCursor"]
        assert answer["__typename"] == "Sensor", answer
