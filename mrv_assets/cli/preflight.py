"""`mrv preflight`: what stands in the way of a backfill, in our own store or in a foreign hive tree.

What does not belong here: finding it (storage.preflight) and adopting a tree (adopt).
"""

from __future__ import annotations

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.terminal import DONE, REFUSED, plain_table, print_json, stdout
from mrv_assets.domain.window import Window
from mrv_assets.storage.adoptions import latest_manifest
from mrv_assets.storage.opening import open_store
from mrv_assets.storage.preflight import preflight_tree
from mrv_assets.storage.preflight_report import Report, findings
from mrv_assets.storage.preflight_store import left_overs_of, preflight


def run_preflight(project: str, window: str, *, uri: str | None, as_json: bool) -> int:
    """Print what a preflight of a project and a window finds and return the exit code: 0 when it is safe, else 1.

    Without `uri` over our own store, with it over the foreign hive tree there. Raises IdentityError for a project or
    window that is not canonical, ContractError when there is nothing at `uri`.
    """
    settings = enter()
    store, asked = open_for_reading(settings).store, Window.parse(window)
    if uri is None:
        report = preflight(store, project, asked, left_overs=tuple(left_overs_of(store, project)))
    else:
        tree = open_store(uri, allow_network_fs=settings.allow_network_fs)
        report = preflight_tree(tree, project, asked, adoption=latest_manifest(store, tree.uri))
    if as_json:
        print_json(report.to_json())
    else:
        _print(report)
    return DONE if report.idempotent_safe else REFUSED


def _print(report: Report) -> None:
    console, found = stdout(), list(findings(report))
    console.print(f"{report.project_id} {report.window} in {report.source}", style="bold", soft_wrap=True)
    console.print(
        f"{report.window_periods} period(s) asked, {report.partitions_found} partition(s) found, "
        f"{len(report.adopted_partitions)} of them adopted"
    )
    if found:
        table = plain_table()
        for name in ("finding", "where", "what"):
            table.add_column(name, overflow="fold", no_wrap=False)
        for one in found:
            table.add_row(one.kind, one.where, one.what)
        console.print("", table, "", sep="\n")
    harmless = sum(stray.is_harmless for stray in report.stray_objects)
    if harmless:
        console.print(f"{harmless} object(s) that no reader sees", style="dim")
    if not found:
        console.print("Safe: a backfill over this window counts nothing twice.", style="green")
        return
    console.print(f"NOT SAFE: {len(found)} finding(s).", style="bold red")
    for remedy in sorted({one.remedy for one in found}):
        console.print(f"  {remedy}")
