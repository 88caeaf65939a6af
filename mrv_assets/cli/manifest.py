"""`mrv manifest`: the sheets of all backfills, newest last, or one of them in full."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.factors_files import asked_wrongly
from mrv_assets.cli.manifest_text import manifest_json, print_manifest, print_manifests
from mrv_assets.cli.terminal import DONE, print_json
from mrv_assets.domain.errors import listed
from mrv_assets.storage.manifests import load_manifest, manifest_runs


def list_manifests(*, as_json: bool) -> int:
    """Print a line for each backfill that has come to its end."""
    store = open_for_reading(enter()).store
    manifests = sorted((load_manifest(store, run_id) for run_id in manifest_runs(store)), key=lambda m: m.started_utc)
    if as_json:
        print_json([_head(manifest_json(one)) for one in manifests])
    else:
        print_manifests(manifests)
    return DONE


def show_manifest(run: str, *, markdown: Path | None, plot: Path | None, as_json: bool) -> int:
    """Print one manifest; also as Markdown and as a picture into files, where these are named.

    `run` is a run id or the beginning of one. Raises ContractError when no backfill, or more than one, begins so, and
    for a picture of a kind that cannot be drawn.
    """
    if plot is not None and plot.suffix not in (".png", ".svg"):
        raise asked_wrongly("picture is of no known kind", where="--plot", expected=".png or .svg", found=str(plot))
    store = open_for_reading(enter()).store
    named = [run_id for run_id in manifest_runs(store) if run_id.startswith(run)]
    if len(named) > 1:
        raise asked_wrongly("run is not named clearly", where=run, expected="one backfill", found=listed(named))
    manifest = load_manifest(store, named[0] if named else run)
    if markdown is not None:
        from mrv_assets.report.backfill_markdown import manifest_markdown

        markdown.write_text(manifest_markdown(manifest) + "\n", encoding="utf-8")
    if plot is not None:
        from mrv_assets.report.backfill_plot import backfill_plot

        plot.write_bytes(backfill_plot(manifest, plot.suffix))
    if as_json:
        print_json(manifest_json(manifest))
    else:
        print_manifest(manifest)
    return DONE


def _head(d: Mapping[str, object]) -> dict[str, object]:
    return {name: d[name] for name in ("run_id", "started_utc", "request", "requested", "counts", "total", "sha256")}
