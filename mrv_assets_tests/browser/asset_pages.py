"""The pages of Dagit that are about assets: the catalogue, the dialog that launches a backfill, and one asset's page.

Everything is found by what a person reads. What does not belong here: jobs and runs (run_pages).
"""

from __future__ import annotations

from collections.abc import Iterable

from playwright.sync_api import Page, expect

from mrv_assets_tests.browser.chromium import RUN_WITHIN_MS


def choose_assets(page: Page, names: Iterable[str]) -> None:
    """Tick the assets in the catalogue and ask to materialise them."""
    page.get_by_role("link", name="Catalog").click()
    for name in names:
        # The box itself is drawn by its label.
        page.locator("label").filter(has=page.get_by_test_id(f"checkbox-{name}")).click()
    page.get_by_role("button", name="Materialize selected").click()


def choose_partitions(page: Page, *, periods: Iterable[str], series: Iterable[str], expected: int) -> None:
    """Tick periods and series in the open dialog, and read there how many partitions that makes."""
    dialog = page.get_by_role("dialog").first
    for values in (periods, series):
        # A list that has its choice does not say so any more, so the first that does is the next one.
        dialog.get_by_text("Select a partition or create one").first.click()
        for value in values:
            page.get_by_role("menuitem", name=value).click()
        page.keyboard.press("Escape")
        expect(page.get_by_role("menuitem")).to_have_count(0)
    expect(dialog.get_by_text(f"{expected} partitions", exact=True)).to_be_visible()


def launch_backfill(page: Page) -> str:
    """Launch what the dialog holds and return the id that Dagit answers with."""
    page.get_by_role("dialog").get_by_role("button", name="Launch backfill").click()
    created = page.get_by_text("Created backfill").first
    expect(created).to_be_visible()
    return created.inner_text().split()[-1]


def open_asset(page: Page, name: str) -> None:
    """Open the page of an asset from the catalogue."""
    page.get_by_role("link", name="Catalog").click()
    page.get_by_role("link", name=f"{name} {name}", exact=True).click()


def open_tab(page: Page, name: str) -> None:
    """Open a tab of the page, not one of a part of it."""
    page.get_by_role("tab", name=name, exact=True).first.click()


def expect_checks_passed(page: Page, names: Iterable[str]) -> None:
    """Read on the page of checks that it lists exactly these, and that all of them succeeded."""
    expected = sorted(names)
    expect(page.get_by_text(f"Checks ({len(expected)})")).to_be_visible()
    for name in expected:
        expect(page.get_by_text(name, exact=True).first).to_be_visible()
    expect(page.get_by_text("Succeeded", exact=True)).to_have_count(len(expected))


def expect_materialized(page: Page, partitions: int) -> None:
    """Wait on the page of partitions until all of them are there, and none is missing or has failed."""
    expect(page.get_by_text(f"Materialized ({partitions})")).to_be_visible(timeout=RUN_WITHIN_MS)
    for nothing in ("Missing (0)", "Failed (0)", "Materializing (0)"):
        expect(page.get_by_text(nothing)).to_be_visible()
