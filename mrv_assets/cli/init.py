"""`mrv init`: the home folder with an initialised Dagster instance, once, before any service starts."""

from __future__ import annotations

from mrv_assets.cli.deployment import enter
from mrv_assets.cli.terminal import stderr, stdout


def create_home() -> None:
    """Create what is missing of the home and say where everything is."""
    settings = enter()
    with stderr().status("Initialising Dagster's instance"):
        from mrv_assets.orchestration.instance import initialise_home

        initialise_home(settings)
    console = stdout()
    console.print(f"Home is ready: {settings.home}", soft_wrap=True)
    console.print(f"  Dagster   {settings.dagster_home}", soft_wrap=True)
    console.print(f"  store     {settings.store}", soft_wrap=True)
    console.print(f"  landing   {settings.landing}", soft_wrap=True)
    console.print("Next: `mrv demo`, or put source files into the landing folder and `mrv run PROJECT PERIOD`.")
