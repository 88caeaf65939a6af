"""A run manifest on a page: every change, refusal and hold is told, and the picture goes from before to after."""

from __future__ import annotations

from decimal import Decimal

from mrv_assets.domain.backfill import Mode
from mrv_assets.domain.run_manifest import RunManifest, Total
from mrv_assets.report.backfill_markdown import manifest_markdown
from mrv_assets.report.backfill_plot import STEPS, backfill_plot, shown, steps_of
from mrv_assets_tests.unit.pipeline.backfills import asked, backfill
from mrv_assets_tests.unit.pipeline.bumps import MIDDLE, OLD, Bench
from mrv_assets_tests.unit.pipeline.landings import NEWEST


def moved() -> RunManifest:
    """A bump of two figures and a period that is refused."""
    bench = Bench()
    bench.report()
    bench.release(MIDDLE, NEWEST)
    return backfill(bench.world, asked("2021..2022"))


def total(name: str, change: str) -> Total:
    """A group that changed by so much from 0."""
    return Total(name=name, partitions=1, moved=1, recertified=0, before_tco2e=Decimal(0), after_tco2e=Decimal(change))


def test_the_page_tells_counts_tonnes_causes_and_what_was_refused() -> None:
    """The first line has the sums; every moved figure and every refusal has a row."""
    manifest = moved()
    page = manifest_markdown(manifest)
    assert page.startswith("**4 partitions**: 2 committed, 0 skipped, 2 refused.")
    assert "figures moved: 2, re-certified with the same tonnes: 0" in page
    assert "| factor changed | 2 | 2 |" in page
    assert sum(f"| anoka 2021 {NEWEST} |" in line for line in page.splitlines()) == 1
    assert sum(line.startswith(("| anoka 2022 ", "| carver 2022 ")) for line in page.splitlines()) == 2


def test_a_held_figure_has_a_row_with_what_its_certificate_comes_to() -> None:
    """Certified figures that the ledger does not show are told with the reason."""
    bench = Bench(newest=NEWEST)
    bench.report(NEWEST)
    page = manifest_markdown(backfill(bench.world, asked("2021", factor_version=OLD)))
    assert "**What is held**\n\n| partition | certified, t | why |" in page
    assert "superseded: the ledger reports" in page


def test_a_manifest_without_a_change_has_no_picture() -> None:
    """There is nothing to draw where no tonne moved, and the page says so by its counts."""
    bench = Bench()
    bench.report()
    assert shown(backfill(bench.world, asked("2021", mode=Mode.CERTIFY)))[1] is None


def test_the_picture_is_drawn_by_cause_or_by_project() -> None:
    """One cause alone is told in the title, and the steps are the projects; both kinds of file are drawn."""
    manifest = moved()
    drawn = backfill_plot(manifest, ".svg")
    assert b"by project, factor changed" in drawn
    assert backfill_plot(manifest, ".png").startswith(b"\x89PNG")


def test_many_steps_are_the_largest_ones_and_all_others_as_one() -> None:
    """No tonne is left out of the picture: the steps add up to the whole change."""
    totals = [total(f"p{n:03}", f"{n}.5") for n in range(40)]
    steps = steps_of(totals)
    assert len(steps) == STEPS + 1
    assert steps[-1].label == "28 others"
    assert sum(step.change_tco2e for step in steps) == sum(one.delta_tco2e for one in totals)
