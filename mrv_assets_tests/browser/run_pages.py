"""The pages of Dagit that are about jobs and runs: a backfill's page, the launchpad, and the steps of a run.

What does not belong here: assets (asset_pages).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from playwright.sync_api import Locator, Page, expect

from mrv_assets_tests.browser.chromium import RUN_WITHIN_MS

_ENDED = re.compile("^(Success|Failure|Canceled)$")


def open_backfill(page: Page, backfill_id: str) -> None:
    """Open the page of a backfill from the list of all."""
    page.get_by_role("navigation").get_by_role("link", name="Runs").click()
    page.get_by_role("tab", name="Backfills").click()
    page.get_by_role("link", name=backfill_id).first.click()


def expect_backfill_completed(page: Page, *, assets: int, partitions: int) -> None:
    """Wait until the backfill on the page has succeeded, with all partitions of every asset done and none failed."""
    # One is the status, the other the head of a column.
    expect(page.get_by_text("Succeeded", exact=True)).to_have_count(2, timeout=RUN_WITHIN_MS)
    # Targeted, in progress, succeeded, failed.
    row = rf"100% completed\s*{partitions}\s*0\s*{partitions}\s*0"
    expect(page.locator("body")).to_contain_text(re.compile(rf"({row}.*){{{assets}}}", re.DOTALL))


def open_launchpad(page: Page, job: str) -> None:
    """Open the launchpad of a job from the list of jobs, and wait until it has said what is missing."""
    page.get_by_role("link", name="Jobs").click()
    page.get_by_role("link", name=job).first.click()
    page.get_by_role("tab", name="Launchpad").click()
    expect(page.get_by_role("button", name="Launch Run")).to_be_visible()


def configure(page: Page, yaml: str, *, documented: Sequence[str]) -> None:
    """Put a configuration in place of the proposed one, read the documentation beside it, and see no errors."""
    expect(page.get_by_text("Missing required config entry")).to_be_visible()
    page.locator(".CodeMirror").first.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(yaml)
    expect(page.get_by_text("No errors")).to_be_visible()
    # What is said beside the editor is about the level that the cursor is at.
    page.locator(".CodeMirror-code").get_by_text("window").first.click()
    for sentence in documented:
        expect(page.get_by_role("code").filter(has_text=sentence)).to_be_attached()
    # Away from the field, whose description would cover the ones beside it.
    page.mouse.move(0, 0)


def launch_run(page: Page) -> None:
    """Launch the run, whose page opens, and wait for its success."""
    page.get_by_role("button", name="Launch Run").click()
    expect(page.get_by_text(_ENDED)).to_be_visible(timeout=RUN_WITHIN_MS)
    expect(page.get_by_text("Success", exact=True)).to_be_visible()


def open_step(page: Page, name: str) -> None:
    """Choose a step of the run, so that only its events are listed."""
    page.get_by_text(name, exact=True).first.click()
    expect(page.get_by_text("STEP_OUTPUT").first).to_be_visible()


def open_markdown(page: Page, label: str) -> Locator:
    """Open the Markdown that a step has put beside its output, and return the dialog that shows it."""
    row = page.get_by_role("row").filter(has=page.get_by_role("cell", name=label, exact=True))
    row.get_by_text("[Show Markdown]").click()
    dialog = page.get_by_role("dialog").filter(has_text=label)
    expect(dialog).to_be_visible()
    return dialog


def close(dialog: Locator) -> None:
    """Close a dialog."""
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)


def expect_whole(shown: Locator, *, within: Locator) -> None:
    """See that a picture is not cut off at the right edge of what shows it."""
    inner, outer = shown.bounding_box(), within.bounding_box()
    assert inner is not None
    assert outer is not None
    assert inner["x"] + inner["width"] <= outer["x"] + outer["width"], f"{inner} is cut off by {outer}"
