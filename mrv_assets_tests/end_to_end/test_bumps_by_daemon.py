"""The published restatements of the Twin Cities, made by a running daemon as the factor releases arrive."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import pytest

from mrv_assets.cli.replay import Scenario
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.orchestration.factor_version import ACTIVITY_TAG, FACTORS_TAG, factor_version
from mrv_assets.orchestration.instance import open_instance
from mrv_assets.pipeline.figures import live_figures
from mrv_assets.pipeline.run import Run
from mrv_assets.report.published import PublishedStep
from mrv_assets.storage.slot_paths import record_key
from mrv_assets_tests.end_to_end.daemon import asked, daemon
from mrv_assets_tests.end_to_end.dagster_dev import dagster_dev
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.golden.twin_cities import PLACES, REGION, with_region
from mrv_assets_tests.world import BOUNDARIES, TWIN_CITIES, committed_references, project_toml

pytestmark = [
    pytest.mark.slow,
    pytest.mark.server,
    # Dagster resolves a request of two dimensions into tags of its own and then finds their names wrong.
    pytest.mark.filterwarnings(r"ignore:Non-compliant tag keys like \['dagster/partition/:DeprecationWarning"),
]

PERIOD = "2021"
"""The one period that all published steps report."""

PROJECT = "metc"
"""One project instead of eleven: a run of Dagster takes seconds, and the total is of all counties either way."""

RELEASE_FILES = ("factors.csv", "release.toml")
"""The files of a release, its description last: without it there is no release."""

SHOWN_WITHIN_S = 600
BY_HAND = "by hand"
"""The run that brings activity: the sensor under test looks at what has activity, and at no landing folder."""

Sealed = Mapping[tuple[Slot, int], tuple[bytes, bytes]]
"""The bytes of record and content of every generation of every certificate."""


def _home(folder: Path) -> Home:
    """Return a home with a project for all counties that are delivered, and no factor release yet."""
    known = {path: data for path, data in committed_references().items() if not path.startswith("factors/")}
    known[BOUNDARIES] = with_region(known[BOUNDARIES])
    project = project_toml(
        PROJECT,
        county_fips=PLACES[REGION],
        path="electricity.csv",
        columns={"row_id": "record_id", "epoch": "year", "activity_qty": "mwh_delivered"},
    )
    return Home.create(folder, references=known | {f"projects/{PROJECT}.toml": project}, landing={})


def _release(home: Home, version: str) -> None:
    for name in RELEASE_FILES:
        path = f"factors/{version}/{name}"
        home.refer(path, committed_references()[path])


def _deliver(home: Home, scenario: Scenario, step: PublishedStep) -> None:
    """Land the source of a step and read it, no further than activity."""
    for path, data in scenario.files[step.landing].items():
        home.land(path, data)
    run = Run(home.world(), run_id=BY_HAND)
    run.advance(Asset.ACTIVITY, _key(step))
    run.close()


def _key(step: PublishedStep) -> PartitionKey:
    """Return the partition that stands for the counties of a step."""
    return PartitionKey(project_id=PROJECT, period=PERIOD, factor_version=step.factor_version)


def _shown(home: Home) -> list[tuple[str, Decimal]]:
    """Return the factor version behind the live figure, and the figure, t CO2e to 0.001; nothing before the first."""
    figures = live_figures(home.world().slots, project_id=PROJECT, period=PERIOD)
    return [(figure.factor_version, round(figure.totals.net_tco2e, 3)) for figure in figures]


def _wait_until_published(home: Home, step: PublishedStep, log: Path) -> None:
    """Wait until the ledger shows the release of a step, and the total that was published."""
    published = [(step.factor_version, step.published_total_tco2e[PERIOD])]
    deadline = time.monotonic() + SHOWN_WITHIN_S
    while (shown := _shown(home)) != published:
        assert time.monotonic() < deadline, f"{shown} is not {published}: {log.read_text()[-3000:]}"
        time.sleep(1)


def _certificates(home: Home) -> Sealed:
    world = home.world()
    return {
        (slot, record.generation): (
            world.store.get(record_key(slot, record.generation)) or b"",
            world.slots.load_bytes(record),
        )
        for slot, _ in world.slots.list_slots(asset=Asset.CERTIFICATE)
        for record in world.slots.history(slot)
    }


def _assert_only_added(before: Sealed, after: Sealed, step: PublishedStep) -> None:
    """Every older certificate is there byte for byte, and every newer one is of the release of the step."""
    assert {place: after.get(place) for place in before} == before
    added = {slot.factor_version for slot, _ in after.keys() - before.keys()}
    assert added == {step.factor_version}


def _assert_each_run_was_asked_for_once(home: Home, scenario: Scenario) -> None:
    with open_instance(home.settings) as instance:
        runs = instance.get_runs()
    assert {run.tags["dagster/sensor_name"] for run in runs} == {factor_version.name}
    wanted = ("dagster/partition", FACTORS_TAG, ACTIVITY_TAG)
    assert set(Counter(tuple(run.tags[name] for name in wanted) for run in runs).values()) == {1}
    assert len(runs) == len(scenario.replay.steps)


def _assert_the_daemon_read_no_source(home: Home) -> None:
    events = [event for entry in home.world().journal.entries() for event in entry.events]
    by_daemon = [event.outcome for event in events if event.asset is Asset.ACTIVITY and event.run_id != BY_HAND]
    assert set(by_daemon) == {Outcome.SKIPPED}


def test_releases_alone_bring_the_published_totals_and_leave_old_certificates_as_they_are(tmp_path: Path) -> None:
    """After each release and the corrected activity the ledger shows the published total, and no run is spare."""
    home, log, scenario = _home(tmp_path), tmp_path / "dagster-dev.log", Scenario.read(TWIN_CITIES)
    sealed: Sealed = {}
    delivered = ""
    with dagster_dev(home, log) as server:
        server.start_sensor(factor_version.name)
        for step in scenario.replay.steps:
            if step.landing != delivered:
                _deliver(home, scenario, step)
                delivered = step.landing
            _release(home, step.factor_version)
            _wait_until_published(home, step, log)
            before, sealed = sealed, _certificates(home)
            _assert_only_added(before, sealed, step)
    with daemon(home.settings, factor_version) as dagster:
        tick = dagster.look()
        assert asked(tick) == []
        assert str(tick.skip_message).startswith("Every period that has activity is reported")
    _assert_each_run_was_asked_for_once(home, scenario)
    _assert_the_daemon_read_no_source(home)
