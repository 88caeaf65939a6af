"""Rolling periods up: each day once, sums exact, shared errors kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Asset, Period, Slot
from mrv_assets.pipeline.rollup import RolledUp, roll_up
from mrv_assets.pipeline.world import World
from mrv_assets.storage.slot_paths import record_key
from mrv_assets_tests.unit.pipeline.landings import committed, key, projects, rows
from mrv_assets_tests.unit.pipeline.test_figure_uncertainty import N2O, SAID
from mrv_assets_tests.world import TickingClock, memory_store, run_partition

MONTHS = {f"2021-{month:02d}": 3 + month for month in range(1, 13)}


def reported(periods: Sequence[str], *, is_said: bool = True) -> World:
    """Return a world that reports these periods, of a project that says how uncertain it is."""
    [(path, project)] = projects("anoka").items()
    said = SAID.format(co2="0.05", head="", n2o=N2O).encode() if is_said else b""
    world = World.over(
        store=memory_store(),
        references=memory_store(committed() | {path: project + said}),
        landing=memory_store({"source.csv": rows(*(f"anoka {epoch} {amount}" for epoch, amount in MONTHS.items()))}),
        clock=TickingClock(),
    )
    for period in periods:
        run_partition(world, key("anoka", period))
    return world


def rolled(world: World, period: str) -> RolledUp:
    """Roll Anoka up."""
    return roll_up(world, "anoka", Period.parse(period))


def test_months_make_a_year_as_the_year_itself_does() -> None:
    """The sum of rounded rows is the same figure, and as sure: one meter and one rate, one error."""
    by_month, as_year = rolled(reported(list(MONTHS)), "2021"), rolled(reported(["2021"]), "2021")
    assert by_month.totals == as_year.totals
    assert [part.period for part in by_month.parts] == list(MONTHS)
    assert by_month.uncertainty == as_year.uncertainty
    assert by_month.uncertainty is not None
    assert by_month.uncertainty.emissions.half_width_95 is not None
    assert by_month.uncertainty.emissions.half_width_95 > Decimal("0.05")


def test_a_quarter_is_rolled_up_of_its_months_alone() -> None:
    """What lies outside is left out."""
    found = rolled(reported(list(MONTHS)), "2021-Q2")
    assert [part.period for part in found.parts] == ["2021-04", "2021-05", "2021-06"]


def test_months_and_quarters_may_stand_side_by_side() -> None:
    """Periods of several forms make one, when no day is in two."""
    found = rolled(reported(["2021-Q1", "2021-04", "2021-05", "2021-06"]), "2021-01-01_2021-06-30")
    assert found.totals.activity_rows == 6


def test_a_project_that_says_nothing_of_uncertainty_is_rolled_up_without() -> None:
    """Unknown stays unknown."""
    assert rolled(reported(["2021-Q1", "2021-Q2"], is_said=False), "2021-01-01_2021-06-30").uncertainty is None


@pytest.mark.parametrize(
    ("periods", "asked", "words"),
    [
        pytest.param(["2021-01", "2021-03"], "2021-Q1", "nothing for 2021-02-01 to 2021-02-28", id="a gap"),
        pytest.param(["2021-01", "2021-02"], "2021-Q1", "nothing for 2021-03-01 to 2021-03-31", id="no end"),
        pytest.param(["2021-02", "2021-03"], "2021-Q1", "nothing for 2021-01-01 to 2021-01-31", id="no begin"),
        pytest.param([], "2021", "nothing for 2021-01-01 to 2021-12-31", id="nothing at all"),
        pytest.param(["2021"], "2021-Q1", "2021 reaches beyond it", id="a longer figure"),
        pytest.param(["2021-Q1", "2021-Q2"], "2021-03-01_2021-06-30", "2021-Q1 reaches beyond it", id="across"),
    ],
)
def test_a_period_whose_days_are_not_each_reported_once_is_refused(periods: list[str], asked: str, words: str) -> None:
    """With the days that are missing, or the figure that cannot be cut."""
    with pytest.raises(ContractError, match=words):
        rolled(reported(periods), asked)


def test_figures_in_other_warming_potentials_are_not_added() -> None:
    """A tonne of CO2e is another one by AR5 than by AR6; each figure is told with what it is in."""
    world = reported(["2021-Q1"])
    run_partition(world, key("anoka", "2021-Q2", "mrow-2024.02.26"))
    with pytest.raises(ContractError, match="2021-Q1 with ar6, 2021-Q2 with ar5"):
        rolled(world, "2021-01-01_2021-06-30")


def test_a_figure_of_an_earlier_contract_is_told_when_it_cannot_say_how_sure_it_is() -> None:
    """Its table does not say whose factors it was made with; running the partition again makes one that does."""
    world = reported(["2021-Q1"])
    slot = Slot.of(Asset.FACTORED, key("anoka", "2021-Q1"))
    record = world.slots.record(slot, 1)
    earlier = replace(record, pins={**record.pins, "contract": "mrv-factored-1.0.0"})
    world.store.replace(record_key(slot, 1), earlier.to_bytes())
    with pytest.raises(ContractError, match=r"whose factors it was made with.*mrv-factored-1\.0\.0"):
        rolled(world, "2021-Q1")
