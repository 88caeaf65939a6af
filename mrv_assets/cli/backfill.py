"""`mrv backfill`: the job `backfill_window` in this process, with a progress bar, and its manifest at the end."""

from __future__ import annotations

from collections import Counter
from types import TracebackType

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.manifest_text import manifest_json, print_manifest
from mrv_assets.cli.terminal import DONE, REFUSED, print_error, print_json, stderr
from mrv_assets.domain.backfill import BackfillRequest
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import PartitionKey
from mrv_assets.domain.run_manifest import PartitionDone, RunManifest
from mrv_assets.storage.manifests import load_manifest


def run_backfill(request: BackfillRequest, *, chunk_size: int, summary: bool, as_json: bool) -> int:
    """Run the backfill, print its manifest, and return the exit code: 1 when anything was refused.

    Raises the error of a run that ended before it had a manifest.
    """
    settings = enter()
    # Dagster costs seconds to import; a refusal before this does not wait for it.
    with stderr().status("Starting"):
        from mrv_assets.orchestration.backfill_config import Events, Options
        from mrv_assets.orchestration.launch import launch_backfill

    events = Events.SUMMARY if summary else Events.EVERY_GATE
    options = Options(chunk_size=chunk_size, dry_run=False, events=events)
    with Bar() as bar:
        run = launch_backfill(settings, request, options, watch=bar, show=_shown)
    if run.error is not None:
        return print_error(run.error)
    manifest = load_manifest(open_for_reading(settings).store, run.run_id)
    if as_json:
        print_json(manifest_json(manifest))
    else:
        print_manifest(manifest)
    return DONE if manifest.is_clean else REFUSED


def _shown(manifest: RunManifest) -> tuple[str, bytes | None]:
    # Drawing costs a second to import, and a manifest without a change has nothing to draw.
    from mrv_assets.report.backfill_markdown import manifest_markdown

    if not manifest.total.moved:
        return manifest_markdown(manifest), None
    from mrv_assets.report.backfill_plot import shown

    return shown(manifest)


class Bar:
    """A progress bar over all partitions, with a live count of what became of them."""

    def __init__(self) -> None:
        self._outcomes: dict[PartitionKey, Outcome] = {}
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[counts]}"),
            console=stderr(),
            transient=True,
        )
        self._task = self._progress.add_task("Planning", total=None, counts="")

    def __enter__(self) -> Bar:
        """Show the bar."""
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        self._progress.stop()

    def begin(self, partitions: int) -> None:
        """Hear how many partitions there are."""
        self._progress.update(self._task, total=partitions, description="Carrying")

    def advance(self, partition: PartitionDone) -> None:
        """Count a partition, once also when its chunk is tried again."""
        self._outcomes[partition.key] = partition.outcome
        counts = Counter(self._outcomes.values())
        told = ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome if counts[outcome])
        self._progress.update(self._task, completed=len(self._outcomes), counts=told)
