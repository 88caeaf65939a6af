"""The installed Chromium, driven by Playwright: found, started without a window, and a witness of what goes wrong.

Playwright brings no browser here: the machine's own is used. What does not belong here: what Dagit looks like (dagit).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

VIEWPORT_WIDTH, VIEWPORT_HEIGHT = 1400, 900
WAIT_MS = 60_000
"""How long one click or one expected text may take: two cores may be busy with other tests."""
RUN_WITHIN_MS = 900_000
"""How long a run or a backfill may take: the daemon looks at backfills every 30 s, and two cores may be busy."""

_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
# A container's root has no sandbox, and only our own pages are opened. The rest is what would talk to the network.
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def installed_chromium() -> str | None:
    """Return the program that `MRV_CHROMIUM` names, else the first Chromium on the path, else None."""
    return os.environ.get("MRV_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)


@contextmanager
def chromium_page(executable: str, *, failures: Path) -> Iterator[Page]:
    """Open one page in a browser of its own; what it shows when something fails is kept in the folder `failures`."""
    expect.set_options(timeout=WAIT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=_ARGUMENTS)
        page = browser.new_page(
            viewport={"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT}, locale="en-US", timezone_id="UTC"
        )
        page.set_default_timeout(WAIT_MS)
        with ExitStack() as at_the_end:
            at_the_end.callback(browser.close)
            at_the_end.callback(partial(_keep_failure, page, failures))
            yield page
            at_the_end.pop_all()
        browser.close()


def _keep_failure(page: Page, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / "failed.png", full_page=True)
    (folder / "failed.html").write_text(page.content())
