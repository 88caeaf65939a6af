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
    sections = (_refused, _findings, _totals, _moves, _holds)
    return "\n\n".join([head, *(part for section in sections for part in section(manifest, rest))])


def _titled(title: str, text: str) -> str:
    return f"**{title}**\n\n{text}"


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


def _totals(manifest: RunManifest, rest: str) -> Iterable[str]:
    for name, totals in (
        ("cause", manifest.by_cause),
        ("project", manifest.by_project),
        ("period", manifest.by_period),
    ):
        rows = [_cells(one) for one in totals if one.moved]
        if rows:
            yield _titled(f"By {name}", table((name, *_TONNES), rows, shown=_SHOWN, rest=rest))


def _moves(manifest: RunManifest, rest: str) -> Iterable[str]:
    moves = [done for done in manifest.partitions if done.has_moved]
    rows = [_moved(done) for done in sorted(moves, key=lambda done: -abs(done.delta_tco2e))]
    columns = ("partition", "before, t", "after, t", "change, t", "cause")
    if rows:
        yield _titled("What moved, the largest first", table(columns, rows, shown=_SHOWN, rest=rest))


def _holds(manifest: RunManifest, rest: str) -> Iterable[str]:
    rows = [_held(done) for done in manifest.partitions if done.held]
    columns = ("partition", "certified, t", "why")
    if rows:
        yield _titled("What is held", table(columns, rows, shown=_SHOWN, rest=rest))


def _refused(manifest: RunManifest, rest: str) -> Iterable[str]:
    rows = [(str(done.key), done.trouble.what, done.trouble.remedy) for done in manifest.partitions if done.trouble]
    for one in manifest.unresolved:
        rows.append((str(one), one.trouble.what, one.trouble.remedy))
    columns = ("partition", "why", "remedy")
    if rows:
        yield _titled("What was refused", table(columns, rows, shown=_SHOWN, rest=rest))


def _findings(manifest: RunManifest, rest: str) -> Iterable[str]:
    rows = [(finding,) for finding in manifest.findings]
    if rows:
        yield _titled("What the validation found", table(("finding",), rows, shown=_SHOWN, rest=rest))
