"""What Dagster loads: the platform, wired for the deployment that the environment describes.

Settings are read once, when the code location starts (`MRV_HOME`, `MRV_STORE`, `MRV_REFERENCE`, `MRV_LANDING`).
"""
# ruff: noqa: E402 - each run of Dagster is a process that loads all of this

from mrv_assets.garbage import collect_rarely

collect_rarely()

import os
from pathlib import Path

from mrv_assets.domain.run_manifest import RunManifest
from mrv_assets.orchestration.deployment import deployment
from mrv_assets.orchestration.instance import require_local_databases
from mrv_assets.pipeline.impact import Impact
from mrv_assets.report.restatement import causes_between
from mrv_assets.settings import Settings
from mrv_assets.storage.posix_files import Files
from mrv_assets.telemetry import configure


def shown(impact: Impact) -> tuple[str, bytes]:
    """Return the preview of a factor bump as Markdown and as a picture."""
    from mrv_assets.report import impact_plot  # noqa: PLC0415 - matplotlib costs a second, which only a preview needs

    return impact_plot.shown(impact)


def shown_manifest(manifest: RunManifest) -> tuple[str, bytes | None]:
    """Return the manifest of a backfill as Markdown and, where a figure moved, as a picture."""
    from mrv_assets.report import backfill_plot  # noqa: PLC0415 - likewise

    return backfill_plot.shown(manifest)


# Structured events of runs and services go to stderr, where Dagster captures them with the run.
configure(None)
if instance_home := os.environ.get("DAGSTER_HOME"):
    require_local_databases(Path(instance_home), Files().mount_table())
definitions = deployment(
    Settings.from_env(os.environ), show_impact=shown, show_manifest=shown_manifest, causes=causes_between
)
