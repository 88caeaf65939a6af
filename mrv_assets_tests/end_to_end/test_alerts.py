"""The sensor that tells people, as Dagster evaluates it: failed runs, restatements and late figures to real servers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from dagster import DagsterInstance, Definitions, job, op

from mrv_assets.domain.errors import MrvError, StoreUnavailable
from mrv_assets.domain.partition import PartitionKey
from mrv_assets.orchestration.alerts import alerts_sensor
from mrv_assets.orchestration.deployment import deployment
from mrv_assets.orchestration.instance import open_instance
from mrv_assets.orchestration.jobs import REPORT_PARTITION
from mrv_assets.orchestration.partitions import dagster_key, register
from mrv_assets.report.restatement import causes_between
from mrv_assets_tests.end_to_end.daemon import Daemon, daemon
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.unit.alerts.files import SECRET, SLACK, WEBHOOK, environment, mail
from mrv_assets_tests.unit.alerts.servers import mail_server
from mrv_assets_tests.unit.openlineage.endpoint import Endpoint, endpoint
from mrv_assets_tests.unit.pipeline.landings import committed, key, projects, rows
from mrv_assets_tests.world import run_partition

ALERTS = alerts_sensor(causes_between)
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
pytestmark = pytest.mark.filterwarnings(r"ignore:Non-compliant tag keys like \['dagster/partition/:DeprecationWarning")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """An endpoint that is asked without a proxy, whose URL is in the environment."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with endpoint() as served:
        for name, value in environment(served.url).items():
            monkeypatch.setenv(name, value)
        yield served


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A deployment with one project, whose figures are due 90 days after the year."""
    [(path, toml)] = projects("anoka").items()
    due = b'\n[reporting_due]\ndays = 90\nsince = "2021"\n'
    return Home.create(tmp_path, references=committed() | {path: toml + due}, landing={})


def configure(home: Home, *tables: str) -> None:
    """Say where alerts go; of late figures, which there are in every world of the past, nothing before this year."""
    home.settings.alerts.parent.mkdir(parents=True, exist_ok=True)
    home.settings.alerts.write_text("\n".join([f"since = {datetime.now(UTC).year}-01-01", *tables]))


def fail(home: Home, instance: DagsterInstance, partition: PartitionKey) -> str:
    """Let the run of a partition be refused; return its id."""
    register(instance, [partition])
    done = (
        deployment(home.settings)
        .get_repository_def()
        .get_job(REPORT_PARTITION)
        .execute_in_process(
            instance=instance, partition_key=dagster_key(partition), run_config=_QUIET, raise_on_error=False
        )
    )
    assert not done.success
    return done.run_id


def look(dagster: Daemon) -> str:
    """Evaluate the sensor once and return its reason, or what it raised."""
    try:
        return str(dagster.look().skip_message)
    except MrvError as error:
        return str(error)


def kinds(server: Endpoint) -> list[str]:
    """Return the kinds of the alerts that came."""
    return [message["kind"] for message in server.taken]


def test_without_a_file_it_says_so(home: Home) -> None:
    """Nothing leaves a deployment that nobody asked to tell."""
    assert ALERTS.default_status.value == "STOPPED"
    with daemon(home.settings, ALERTS) as dagster:
        assert "No alerts are configured" in look(dagster)


def test_a_refused_partition_is_told_once_in_the_platforms_own_words(home: Home, server: Endpoint) -> None:
    """By partition and run, with what was expected, found, and what to do."""
    configure(home, WEBHOOK + 'alerts = ["failure"]')
    home.land("source.csv", rows("anoka 2022 -8"))
    with daemon(home.settings, ALERTS) as dagster, open_instance(home.settings) as instance:
        run_id = fail(home, instance, key("anoka", "2022"))
        assert "ops: failure: 1, restatement: 0, late: 0" in look(dagster)
        assert "ops: failure: 0" in look(dagster)
    [message] = server.taken
    assert message["facts"]["run_id"] == run_id
    assert message["title"].startswith("Run failed: anoka mrow-")
    [error] = message["facts"]["errors"]
    assert error["family"] == "refusal"
    assert "activity anoka 2022" in error["where"]
    assert any(line.startswith("remedy: ") for line in message["lines"])


def test_a_restatement_and_a_late_figure_are_told(home: Home, server: Endpoint) -> None:
    """Of what the store holds, whoever ran it: here nobody asked Dagster."""
    [(path, toml)] = projects("anoka").items()
    year = datetime.now(UTC).year - 1
    home.refer(path, toml + f'\n[reporting_due]\ndays = 1\nsince = "{year}"\n'.encode())
    configure(home, WEBHOOK)
    for quantity in (8, 9):
        home.land("source.csv", rows(f"anoka 2021 {quantity}"))
        run_partition(home.world(), key("anoka", "2021"))
    with daemon(home.settings, ALERTS) as dagster:
        assert "ops: failure: 0, restatement: 1, late: 1" in look(dagster)
        assert "ops: failure: 0, restatement: 0, late: 0" in look(dagster)
    restated, late = server.taken
    assert restated["facts"]["restatements"][0]["delta_net_tco2e"].startswith("0.")
    assert late["title"] == f"Figure is late: anoka {year}, due {year + 1}-01-01"


def test_a_target_that_is_away_stops_no_other_and_gets_what_it_missed(home: Home, server: Endpoint) -> None:
    """The tick fails, so that somebody looks; the mail went out meanwhile, once."""
    with mail_server() as smtp, daemon(home.settings, ALERTS) as dagster, open_instance(home.settings) as instance:
        configure(home, *(table + 'alerts = ["failure"]' for table in (WEBHOOK, mail(smtp.port))))
        home.land("source.csv", rows("anoka 2022 -8"))
        fail(home, instance, key("anoka", "2022"))
        server.answers = [503]
        with pytest.raises(StoreUnavailable, match=r"alert target ops.*found status 503"):
            dagster.look()
        assert (len(smtp.mails), kinds(server)) == (1, [])
        look(dagster)
        assert (len(smtp.mails), kinds(server)) == (1, ["failure"])


def test_an_instance_that_was_made_anew_is_told_from_the_day_on(home: Home, server: Endpoint) -> None:
    """A cursor that does not fit what Dagster has recorded is none; nor is one that was deleted."""
    configure(home, WEBHOOK + 'alerts = ["failure"]')
    home.land("source.csv", rows("anoka 2022 -8"))
    with daemon(home.settings, ALERTS) as dagster, open_instance(home.settings) as instance:
        first = fail(home, instance, key("anoka", "2022"))
        look(dagster)
        instance.delete_run(first)
        second = fail(home, instance, key("anoka", "2022"))
        look(dagster)
        for file in home.settings.alert_cursors.glob("*.json"):
            file.unlink()
        look(dagster)
    assert [message["facts"]["run_id"] for message in server.taken] == [first, second, second]


def test_a_breach_that_fsck_finds_is_told_through_its_job(home: Home, server: Endpoint) -> None:
    """With how many there are; the table is on the step."""
    configure(home, WEBHOOK + 'alerts = ["failure"]')
    home.land("source.csv", rows("anoka 2021 8"))
    run_partition(home.world(), key("anoka", "2021"))
    [figure] = (home.settings.home / "store" / "published").rglob("*.parquet")
    figure.unlink()
    with daemon(home.settings, ALERTS) as dagster, open_instance(home.settings) as instance:
        fsck = deployment(home.settings).get_repository_def().get_job("fsck")
        fsck.execute_in_process(instance=instance, run_config=_QUIET, raise_on_error=False)
        look(dagster)
    [message] = server.taken
    assert message["title"] == "Run failed: job fsck"
    assert message["lines"][0] == "what: 1 breach(es), 1 repairable: see `mrv fsck`"


@op
def stumble() -> None:
    """Fail with an error of somebody else, whose text holds what nobody may see."""
    raise RuntimeError(f"GET https://user:{SECRET}@host failed")


@job
def foreign() -> None:
    """Run what fails."""
    stumble()


def test_nothing_that_is_written_holds_a_secret(home: Home, server: Endpoint) -> None:
    """Not the text of an error that is not ours, not a cursor, a log, nor Dagster's record of ticks."""
    configure(home, WEBHOOK, SLACK)
    with daemon(home.settings, ALERTS) as dagster, open_instance(home.settings) as instance:
        found = Definitions(jobs=[foreign]).get_job_def("foreign")
        with suppress(RuntimeError):
            found.execute_in_process(instance=instance, run_config=_QUIET)
        server.answers = [404, 404]
        said = look(dagster) + look(dagster)
    assert SECRET not in said
    told = [message for message in server.taken if message.get("kind") == "failure"]
    assert [message["facts"]["errors"][0]["what"] for message in told] == ["an error that no room expected"]
    assert all(SECRET not in str(message) for message in server.taken)
    for file in home.settings.alert_cursors.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes()
