"""A run manifest as Markdown: what a reviewer reads first, for the page of the run and for a file.

What does not belong here: the picture (backfill_plot) and the terminal (cli).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.run_manifest import PartitionDone, RunManifest, Total
from mrv_assets.report.markdown import table
from mrv_assets.report.wording import signed_tonnes, tonnes

_SHOWN = 100
_TONNES = ("partitions", "moved", "before, t", "after, t", "change, t")


def manifest_markdown(manifest: RunManifest) -> str:
    """Return the counts, the tonnes by project, period and cause, every figure that moved and everything refused."""
    counts, total = manifest.counts, manifest.total
    head = (
        f"**{manifest.requested:,} partitions**: {counts[Outcome.COMMITTED]:,} committed, "
        f"{counts[Outcome.SKIPPED]:,} skipped, {counts[Outcome.REFUSED]:,} refused. "
        f"Reported net: {tonnes(total.before_tco2e)} → {tonnes(total.after_tco2e)} t CO2e "
        f"(**{signed_tonnes(total.delta_tco2e)} t**; figures moved: {total.moved:,}, "
        f"re-certified with the same tonnes: {total.recertified:,})."
    )
    rest = f"`mrv manifest {manifest.run_id} --json`"
    parts = [head, *_refused(manifest, rest), *_findings(manifest, rest)]
    for name, totals in (
        ("cause", manifest.by_cause),
        ("project", manifest.by_project),
        ("period", manifest.by_period),
    ):
        moved = [one for one in totals if one.moved]
        if moved:
            parts.append(table((name, *_TONNES), [_cells(one) for one in moved], shown=_SHOWN, rest=rest))
    moves = [done for done in manifest.partitions if done.has_moved]
    if moves:
        largest = sorted(moves, key=lambda done: -abs(done.delta_tco2e))
        columns = ("partition", "before, t", "after, t", "change, t", "cause")
        parts.append(table(columns, [_moved(done) for done in largest], shown=_SHOWN, rest=rest))
    held = [done for done in manifest.partitions if done.held]
    if held:
        parts.append(
            table(("held partition", "certified, t", "why"), [_held(done) for done in held], shown=_SHOWN, rest=rest)
        )
    return "\n\n".join(parts)


def _cells(total: Total) -> Sequence[str]:
    return (
        total.name,
        f"{total.partitions:,}",
        f"{total.moved:,}",
        tonnes(total.before_tco2e),
        tonnes(total.after_tco2e),
        signed_tonnes(total.delta_tco2e),
    )


def _moved(done: PartitionDone) -> Sequence[str]:
    before = tonnes(done.before.tonnes.net) if done.before else "none"
    after = tonnes(done.after.tonnes.net) if done.after else "none"
    return str(done.key), before, after, signed_tonnes(done.delta_tco2e), done.cause


def _held(done: PartitionDone) -> Sequence[str]:
    certified = tonnes(done.certified.tonnes.net) if done.certified else ""
    return str(done.key), certified, done.held or ""


def _refused(manifest: RunManifest, rest: str) -> Iterable[str]:
    rows = [(str(done.key), done.trouble.what, done.trouble.remedy) for done in manifest.partitions if done.trouble]
    for one in manifest.unresolved:
        rows.append((str(one), one.trouble.what, one.trouble.remedy))
    return [table(("refused", "why", "remedy"), rows, shown=_SHOWN, rest=rest)] if rows else []


def _findings(manifest: RunManifest, rest: str) -> Iterable[str]:
    rows = [(finding,) for finding in manifest.findings]
    return [table(("found by the validation",), rows, shown=_SHOWN, rest=rest)] if rows else []
