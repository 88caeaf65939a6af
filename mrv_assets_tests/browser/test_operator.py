"""What an operator does in Dagit, by clicking and typing: a partition backfill, a correction in bulk, its manifest."""

from __future__ import annotations

from itertools import product

import pytest
from dagster import AssetKey
from playwright.sync_api import Page, expect

from mrv_assets.compliance.gates import GATES
from mrv_assets.domain.partition import Asset
from mrv_assets.orchestration.backfill import BACKFILL_WINDOW
from mrv_assets.orchestration.checks import CHECKS
from mrv_assets.pipeline.audit import reported_figures
from mrv_assets_tests.browser import asset_pages, run_pages
from mrv_assets_tests.browser.album import Album
from mrv_assets_tests.browser.chromium import chromium_page
from mrv_assets_tests.browser.two_counties import CORRECTED, KEYS, PROJECTS, YEARS
from mrv_assets_tests.end_to_end.dagster_dev import DagsterDev
from mrv_assets_tests.end_to_end.home import Home

pytestmark = [pytest.mark.slow, pytest.mark.server]

LEDGER_CHECKS = [
    *(gate.name for gate in GATES[Asset.LEDGER]),
    *(key.name for check in CHECKS for key in check.check_keys if key.asset_key == AssetKey(Asset.LEDGER.value)),
]
WINDOW = """\
ops:
  ingest:
    config:
      projects: [metc-anoka, metc-pierce]
      window: 2020..2022
"""
DOCUMENTED = ("Ids of the projects, such as metc-anoka.", "Plan only: tell what would be done, and write nothing.")


def _backfill_six_partitions(page: Page, album: Album) -> None:
    asset_pages.choose_assets(page, [asset.value for asset in Asset])
    asset_pages.choose_partitions(page, periods=YEARS, series=PROJECTS, expected=len(KEYS))
    album.take(page, "dagit-launch")
    backfill = asset_pages.launch_backfill(page)
    # While the daemon has not noticed yet that the runs are over, their results can be read.
    _read_the_ledger(page, album)
    run_pages.open_backfill(page, backfill)
    run_pages.expect_backfill_completed(page, assets=len(Asset), partitions=len(KEYS))
    album.take(page, "backfill-completed")


def _read_the_ledger(page: Page, album: Album) -> None:
    asset_pages.open_asset(page, Asset.LEDGER.value)
    asset_pages.open_tab(page, "Partitions")
    asset_pages.expect_materialized(page, len(KEYS))
    album.take(page, "partitions")
    asset_pages.open_tab(page, "Checks")
    asset_pages.expect_checks_passed(page, LEDGER_CHECKS)
    album.take(page, "dagit-checks")


def _carry_the_correction(page: Page, album: Album) -> None:
    run_pages.open_launchpad(page, BACKFILL_WINDOW)
    run_pages.configure(page, WINDOW, documented=DOCUMENTED)
    album.take(page, "dagit-launchpad")
    run_pages.launch_run(page)


def _read_the_manifest(page: Page, album: Album) -> None:
    run_pages.open_step(page, "export")
    manifest = run_pages.open_markdown(page, "manifest")
    expect(manifest).to_contain_text("6 partitions: 2 committed, 4 skipped, 0 refused.")
    for name in ("input changed", "metc-anoka", "2021", "2022"):
        expect(manifest.get_by_role("cell", name=name, exact=True).first).to_be_visible()
    album.take(manifest, "dagit-manifest")
    run_pages.close(manifest)
    waterfall = run_pages.open_markdown(page, "waterfall")
    picture = waterfall.get_by_role("img", name="tonnes before and after, by cause")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.complete && image.naturalWidth") > 500
    run_pages.expect_whole(picture, within=waterfall)
    album.take(waterfall, "dagit-waterfall")


def test_an_operator_backfills_corrects_and_reads_the_manifest_by_clicking(
    chromium: str, server: DagsterDev, home: Home, album: Album
) -> None:
    """Six partitions are green on the checks page; a corrected delivery then moves two figures, says the manifest."""
    with chromium_page(chromium, failures=album.folder / "failures") as page:
        page.goto(server.url)
        _backfill_six_partitions(page, album)
        assert reported_figures(home.world()) == set(product(PROJECTS, YEARS))
        home.land("electricity.csv", CORRECTED)
        _carry_the_correction(page, album)
        _read_the_manifest(page, album)
