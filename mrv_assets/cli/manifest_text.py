"""How run manifests look in the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from mrv_assets.cli.terminal import plain_table, stdout
from mrv_assets.domain.digest import Json
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.run_manifest import RunManifest, Total
from mrv_assets.report.wording import signed_tonnes, tonnes

_SHOWN = 40
_STYLES = {Outcome.COMMITTED: "green", Outcome.SKIPPED: "cyan", Outcome.REFUSED: "red"}


def manifest_json(manifest: RunManifest) -> dict[str, Json]:
    """Return the manifest with its digest in JSON-ready values."""
    return {**manifest.to_json(), "sha256": manifest.sha256}


def print_manifests(manifests: Sequence[RunManifest]) -> None:
    """Print a line for each."""
    if not manifests:
        stdout().print("No backfill has come to its end yet. `mrv backfill WINDOW` runs one.")
        return
    table = plain_table()
    table.add_column("run", no_wrap=True)
    for name in ("started, UTC", "window"):
        table.add_column(name, overflow="fold")
    for name in ("committed", "skipped", "refused"):
        table.add_column(name, justify="right")
    table.add_column("change, t", justify="right", no_wrap=True)
    for one in manifests:
        counts = [str(one.counts[outcome]) for outcome in Outcome]
        change = signed_tonnes(one.total.delta_tco2e)
        table.add_row(one.run_id[:8], one.started_utc[:16], one.request.window.text, *counts, change)
    stdout().print(table)


def print_manifest(manifest: RunManifest) -> None:
    """Print what was refused and found, the tonnes by cause, project and period, and the counts last."""
    _print_refused(manifest)
    for finding in manifest.findings:
        stdout().print(Text(f"found by the validation: {finding}", style="red"))
    groups = (("cause", manifest.by_cause), ("project", manifest.by_project), ("period", manifest.by_period))
    for name, totals in groups:
        moved = sorted((one for one in totals if one.moved), key=lambda one: -abs(one.delta_tco2e))
        if moved:
            _print_totals(name, moved)
    held = [done for done in manifest.partitions if done.held]
    for done in held[:_SHOWN]:
        stdout().print(f"held: {done.key}: {done.held}")
    if len(held) > _SHOWN:
        stdout().print(f"… and {len(held) - _SHOWN} more that are held")
    line = Text(f"{manifest.requested} partitions: ")
    for outcome, count in manifest.counts.items():
        line.append(f"{count} {outcome}", style=_STYLES[outcome] if count else "dim").append("  ")
    stdout().print(line)
    total = manifest.total
    stdout().print(
        f"reported net, t CO2e: {tonnes(total.before_tco2e)} → {tonnes(total.after_tco2e)} "
        f"({signed_tonnes(total.delta_tco2e)}); figures moved: {total.moved}, re-certified: {total.recertified}"
    )
    stdout().print(f"manifest {manifest.sha256[:16]} of run {manifest.run_id}", style="dim")


def _print_refused(manifest: RunManifest) -> None:
    rows = [(str(one.key), one.trouble) for one in manifest.partitions if one.trouble]
    rows += [(str(one), one.trouble) for one in manifest.unresolved]
    if not rows:
        return
    table = plain_table(title="Refused")
    table.add_column("partition", overflow="fold")
    table.add_column("why", overflow="fold")
    table.add_column("remedy", overflow="fold")
    for name, trouble in rows[:_SHOWN]:
        table.add_row(name, f"{trouble.what} [{trouble.where}]: {trouble.found}", trouble.remedy)
    stdout().print(table)
    if len(rows) > _SHOWN:
        stdout().print(f"… and {len(rows) - _SHOWN} more: mrv manifest {manifest.run_id[:8]} --json")


def _print_totals(name: str, totals: Sequence[Total]) -> None:
    table = plain_table(title=f"By {name}, net t CO2e")
    table.add_column(name, overflow="fold")
    table.add_column("moved", justify="right")
    for column in ("before", "after", "change"):
        table.add_column(column, justify="right", no_wrap=True)
    for one in totals[:_SHOWN]:
        table.add_row(
            one.name, str(one.moved), tonnes(one.before_tco2e), tonnes(one.after_tco2e), signed_tonnes(one.delta_tco2e)
        )
    stdout().print(table)
    if len(totals) > _SHOWN:
        stdout().print(f"… and {len(totals) - _SHOWN} more")
