"""The platform wired for one deployment: assets, checks, jobs, sensors, and resources over the configured stores."""

from dagster import Definitions, in_process_executor
from dagster._config.pythonic_config.resource import PartialResource
from dagster_aws.s3 import S3Resource

from mrv_assets.alerts.restated import Causes
from mrv_assets.orchestration.alerts import alerts_sensor
from mrv_assets.orchestration.assets import ASSETS
from mrv_assets.orchestration.backfill import ShowManifest, Unwatched, Watch, backfill_job, unadorned
from mrv_assets.orchestration.checks import CHECKS
from mrv_assets.orchestration.factor_version import factor_version
from mrv_assets.orchestration.impact import ShowImpact, impact_asset
from mrv_assets.orchestration.io_manager import GenerationIOManager
from mrv_assets.orchestration.jobs import JOBS
from mrv_assets.orchestration.landing import landing
from mrv_assets.orchestration.lineage_export import lineage_export
from mrv_assets.orchestration.maintenance import fsck_job
from mrv_assets.orchestration.period_close import period_close
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.settings import Settings


def deployment(
    settings: Settings,
    *,
    show_impact: ShowImpact | None = None,
    show_manifest: ShowManifest = unadorned,
    watch: Watch | None = None,
    causes: Causes = lambda _before, _after: (),
) -> Definitions:
    """Wire the platform for `settings`; stores on S3 are asked with AWS's standard environment."""
    return wired(
        RunRecorder.of(settings, S3Resource()),
        show_impact=show_impact,
        show_manifest=show_manifest,
        watch=watch,
        causes=causes,
    )


def wired(
    recorder: PartialResource[RunRecorder],
    *,
    show_impact: ShowImpact | None = None,
    show_manifest: ShowManifest = unadorned,
    watch: Watch | None = None,
    causes: Causes = lambda _before, _after: (),
) -> Definitions:
    """Wire the platform over the world that the recorder opens, with the preview of a bump if there is what shows it.

    `watch` looks on while `backfill_window` carries partitions in this process; `causes` tells the alert of a
    restatement what differs between two certificates.

    Steps of a run share one process: a run of six small steps takes about a second this way, and a hundred with the
    multiprocess executor.
    """
    return Definitions(
        assets=[*ASSETS, *([] if show_impact is None else [impact_asset(show_impact)])],
        asset_checks=CHECKS,
        jobs=[*JOBS, backfill_job(show_manifest), fsck_job],
        sensors=[landing, factor_version, lineage_export, alerts_sensor(causes)],
        schedules=[period_close],
        executor=in_process_executor,
        resources={
            "recorder": recorder,
            "generations": GenerationIOManager(recorder=recorder),
            "watch": watch or Unwatched(),
        },
    )
