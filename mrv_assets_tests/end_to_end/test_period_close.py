"""The schedule of the calendar, as Dagster evaluates it: it asks for closed periods until the store has figures."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from dagster import DagsterInstance, DefaultScheduleStatus, build_schedule_context
from dagster._core.definitions.schedule_definition import ScheduleExecutionData

from mrv_assets.orchestration.deployment import deployment
from mrv_assets.orchestration.instance import initialise_home, open_instance
from mrv_assets.orchestration.landing import DELIVERY_TAG
from mrv_assets.orchestration.period_close import period_close
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.unit.pipeline.landings import NEWEST, committed, key, projects, rows
from mrv_assets_tests.world import run_partition

# Dagster resolves a request of two dimensions into tags of its own and then finds their names wrong.
pytestmark = pytest.mark.filterwarnings(r"ignore:Non-compliant tag keys like \['dagster/partition/:DeprecationWarning")


@contextmanager
def opened(folder: Path) -> Iterator[tuple[Home, DagsterInstance]]:
    """Give a home with two projects, of which one has delivered two years, and its instance."""
    home = Home.create(folder, references=committed() | projects("anoka", "carver"), landing={})
    home.land("source.csv", rows("anoka 2021 7", "anoka 2022 8"))
    rested = (datetime.now(UTC) - timedelta(hours=1)).timestamp()
    os.utime(Path(home.environment["MRV_LANDING"]) / "source.csv", (rested, rested))
    initialise_home(home.settings)
    with open_instance(home.settings) as instance:
        yield home, instance


def tick(home: Home, instance: DagsterInstance) -> ScheduleExecutionData:
    """Evaluate the schedule once, as the daemon does."""
    repository = deployment(home.settings).get_repository_def()
    resources = repository.get_top_level_resources()
    with build_schedule_context(instance=instance, repository_def=repository, resources=resources) as context:
        return repository.get_schedule_def("period_close").evaluate_tick(context)


def test_it_waits_to_be_started_and_then_looks_once_a_day() -> None:
    """At six in the morning, UTC."""
    assert period_close.default_status is DefaultScheduleStatus.STOPPED
    assert (period_close.cron_schedule, period_close.execution_timezone) == ("0 6 * * *", "UTC")


def test_closed_periods_are_asked_for_until_the_store_has_them(tmp_path: Path) -> None:
    """Their partitions are registered; then the reason of the tick names what never came."""
    with opened(tmp_path) as (home, instance):
        requests = tick(home, instance).run_requests or []
        assert [request.partition_key for request in requests] == [f"{y}|anoka@{NEWEST}" for y in (2021, 2022)]
        assert all(request.tags[DELIVERY_TAG] for request in requests)
        assert set(instance.get_dynamic_partitions("period")) == {"2021", "2022"}
        for period in ("2021", "2022"):
            run_partition(home.world(), key("anoka", period))
        after = tick(home, instance)
        assert after.run_requests == []
        assert "carver: no delivery yet of" in str(after.skip_message)
        assert (home.settings.home / "landing-memory.json").is_file()
