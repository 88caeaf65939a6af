"""A whole life of two projects against a dictionary: runs, re-runs, bumps, corrections, withdrawals, crashes, overlaps.

The model knows four things: what was delivered, how the releases follow each other, one figure for each project and
period, and which of them a person took back. Whatever the order of events and wherever a run dies, the ledger equals
the model, nothing that was sealed changes, and a run that repeats another adds nothing.
"""

from __future__ import annotations

from contextlib import suppress
from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from mrv_assets.domain.errors import ContractError, GateError
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.figures import read_figure, read_nothing
from mrv_assets.pipeline.run import Kept
from mrv_assets.pipeline.withdrawing import reinstate, withdraw
from mrv_assets.pipeline.world import World
from mrv_assets.storage.journal import CHECKPOINT
from mrv_assets.storage.parquet import read_parquet
from mrv_assets.storage.published import published_key
from mrv_assets.storage.withdrawals import words_of
from mrv_assets.verify import verify_history, verify_withdrawals
from mrv_assets_tests.mortal_store import Killed, MortalStore
from mrv_assets_tests.world import (
    TickingClock,
    committed_references,
    csv_bytes,
    memory_store,
    outcomes,
    project_toml,
    run_partition,
)

PROJECTS = ("anoka", "carver")
PERIODS = ("2021", "2021", "2021-Q1")
"""The whole year twice as often as the quarter that overlaps it."""
VERSIONS = ("mrow-2024.02.01", "mrow-2024.02.06", "mrow-2024.02.26", "mrow-2024.06.24")
"""Each supersedes the one before."""

POUND = Decimal("0.00045359237")
FACTORS = {
    "mrow-2024.02.01": (Decimal("995.8") + 28 * Decimal("0.107") + 265 * Decimal("0.015")) * POUND,
    "mrow-2024.02.06": (Decimal("1098.4") + 28 * Decimal("0.119") + 265 * Decimal("0.017")) * POUND,
    "mrow-2024.02.26": (Decimal("995.8") + 28 * Decimal("0.107") + 265 * Decimal("0.015")) * POUND,
    "mrow-2024.06.24": (Decimal("995.8") + Decimal("27.9") * Decimal("0.107") + 273 * Decimal("0.015")) * POUND,
}
"""t CO2e per MWh, computed here by hand: eGRID pounds of CO2, CH4 and N2O times the potentials of AR5 and AR6."""

MAX_CALLS_OF_A_WITHDRAWAL = 40
MAX_CALLS = 130
"""More store calls than one run makes, so that some crashes come after its last call."""

megawatt_hours = st.integers(min_value=0, max_value=10**10).map(lambda thousandths: Decimal(thousandths) / 1000)
projects = st.sampled_from(PROJECTS)
quarters = st.tuples(megawatt_hours, megawatt_hours)
places = st.tuples(projects, st.sampled_from(PERIODS))
keys = st.builds(
    PartitionKey, project_id=projects, period=st.sampled_from(PERIODS), factor_version=st.sampled_from(VERSIONS)
)


class History(RuleBasedStateMachine):
    """The model: `delivered` MWh of two quarters by project; `reported` version and tonnes by project and period.

    `last` is the version that was reported last there, `withdrawn` where a figure was taken back and may not return.
    """

    def __init__(self) -> None:
        super().__init__()
        self.store = MortalStore(memory_store())
        self.landing = memory_store()
        self.world = World.over(
            store=self.store,
            references=memory_store(committed_references() | {f"projects/{p}.toml": _project(p) for p in PROJECTS}),
            landing=self.landing,
            clock=TickingClock(),
        )
        self.delivered: dict[str, tuple[Decimal, Decimal]] = {}
        self.reported: dict[tuple[str, str], tuple[str, Decimal]] = {}
        self.last: dict[tuple[str, str], str] = {}
        self.withdrawn: set[tuple[str, str]] = set()
        self.sealed: dict[str, bytes | None] = {}
        self.runs = 0

    @initialize(first=quarters, second=quarters)
    def deliver_both(self, first: tuple[Decimal, Decimal], second: tuple[Decimal, Decimal]) -> None:
        self.delivered = {"anoka": first, "carver": second}
        self._land()

    @rule(project=projects, quantities=quarters)
    def correct_activity(self, project: str, quantities: tuple[Decimal, Decimal]) -> None:
        self.delivered[project] = quantities
        self._land()

    @rule(key=keys)
    def run_to_the_end(self, key: PartitionKey) -> None:
        self._run_as_expected(key)

    @rule(key=keys)
    def run_twice(self, key: PartitionKey) -> None:
        if self._run_as_expected(key):
            before = self._objects()
            assert outcomes(self._run(key)) == [Outcome.SKIPPED] * len(Asset)
            after = self._objects()
            assert {k: after[k] for k in after if not k.startswith("journal/")} == {
                k: before[k] for k in before if not k.startswith("journal/")
            }

    @rule(key=keys, call=st.integers(min_value=1, max_value=MAX_CALLS), has_landed=st.booleans())
    def die_in_the_middle_and_run_again(self, key: PartitionKey, call: int, *, has_landed: bool) -> None:
        before = self._figure(key.project_id, key.period)
        self.store.die_at(call, has_landed=has_landed)
        with suppress(Killed, GateError):
            self._run(key)
        self.store.live_again()
        after = self._figure(key.project_id, key.period)
        assert after in (before, self._expected(key)), "a reader saw a figure that is neither old nor new"
        self._run_as_expected(key)

    @rule(place=places)
    def take_back(self, place: tuple[str, str]) -> None:
        if place in self.reported:
            withdraw(self.world, *place, by="a person", reason="a doubt")
            self._is_taken_back(place)
        elif place not in self.withdrawn:
            with pytest.raises(ContractError, match="no figure to withdraw"):
                withdraw(self.world, *place, by="a person", reason="a doubt")

    @rule(place=places, call=st.integers(min_value=1, max_value=MAX_CALLS_OF_A_WITHDRAWAL), has_landed=st.booleans())
    def die_while_taking_back_and_do_it_again(self, place: tuple[str, str], call: int, *, has_landed: bool) -> None:
        if place not in self.reported:
            return
        self.store.die_at(call, has_landed=has_landed)
        with suppress(Killed):
            withdraw(self.world, *place, by="a person", reason="a doubt")
        self.store.live_again()
        assert self._figure(*place) in (None, self.reported[place])
        withdraw(self.world, *place, by="a person", reason="a doubt")
        self._is_taken_back(place)

    @rule(place=places)
    def let_return(self, place: tuple[str, str]) -> None:
        is_free = place in self.withdrawn and not self._is_reported_elsewhere(place)
        if is_free:
            reinstate(self.world, *place, by="a person", reason="no doubt")
            self.withdrawn.discard(place)
        elif place in self.withdrawn:
            with pytest.raises(ContractError, match="reported elsewhere"):
                reinstate(self.world, *place, by="a person", reason="no doubt")

    @invariant()
    def ledger_equals_the_model(self) -> None:
        places = [(project, period) for project in PROJECTS for period in PERIODS]
        assert {place: figure for place in places if (figure := self._figure(*place))} == self.reported

    @invariant()
    def nothing_sealed_has_changed(self) -> None:
        now = self._objects()
        changed = [key for key, data in self.sealed.items() if now.get(key) != data]
        assert changed == []
        self.sealed = {key: data for key, data in now.items() if not key.startswith("published/")}

    @invariant()
    def every_history_is_a_chain_and_every_figure_is_certified(self) -> None:
        for slot, newest in list(self.world.slots.list_slots()):
            history = self.world.slots.history(slot)
            verify_history(history)
            assert len(history) == newest
            if slot.asset is Asset.LEDGER:
                verify_withdrawals(history, words_of(self.store, history))
                for record in history:
                    (read_figure if record.withdrawal is None else read_nothing)(self.world.slots, record)

    @invariant()
    def the_published_view_shows_what_is_reported(self) -> None:
        shown = set(self.store.list("published/"))
        places = {published_key(_ledger_slot(*place)): place for place in self.last}
        assert shown == set(places)
        rows = [row for key in shown for row in read_parquet(self.store.get(key) or b"").to_pylist()]
        assert sorted(row["net_tco2e"] for row in rows) == sorted(tonnes for _, tonnes in self.reported.values())
        for key, place in places.items():
            record = self.world.slots.current(_ledger_slot(*place))
            assert record is not None
            assert self.store.get(key) == self.world.slots.load_bytes(record)

    @invariant()
    def the_journal_is_a_chain(self) -> None:
        assert len(list(self.world.journal.entries())) == self.world.journal.size()

    def _run_as_expected(self, key: PartitionKey) -> bool:
        """Run to the end and move the model as the run should have; tell whether a figure was accepted."""
        place = (key.project_id, key.period)
        if place in self.withdrawn:
            assert self._run(key)[-1].reason.startswith("withdrawn on ")
            return True
        if self._is_reported_elsewhere(place):
            with pytest.raises(GateError, match="no_overlap"):
                self._run(key)
            return False
        self._run(key)
        expected = self._expected(key)
        if expected is not None:
            self.reported[place], self.last[place] = expected, expected[0]
        return True

    def _is_reported_elsewhere(self, place: tuple[str, str]) -> bool:
        return any(project == place[0] and period != place[1] for project, period in self.reported)

    def _is_taken_back(self, place: tuple[str, str]) -> None:
        del self.reported[place]
        self.withdrawn.add(place)

    def _expected(self, key: PartitionKey) -> tuple[str, Decimal] | None:
        """Return the figure after a finished run: forward along the line of releases, never back."""
        place = (key.project_id, key.period)
        if place in self.withdrawn:
            return None
        if place in self.last and VERSIONS.index(key.factor_version) < VERSIONS.index(self.last[place]):
            return self.reported.get(place)
        quantities = self.delivered[key.project_id] if key.period == "2021" else self.delivered[key.project_id][:1]
        return key.factor_version, sum((_tonnes(q, key.factor_version) for q in quantities), Decimal(0))

    def _land(self) -> None:
        rows = [
            f"{project}-{epoch},{project},{epoch},{quantity}"
            for project, quantities in self.delivered.items()
            for epoch, quantity in zip(("2021-Q1", "2021-Q2"), quantities, strict=True)
        ]
        self.landing.replace("source.csv", csv_bytes("row_id,project,epoch,activity_qty", rows))

    def _run(self, key: PartitionKey) -> list[Kept]:
        self.runs += 1
        return run_partition(self.world, key, run_id=f"run-{self.runs}")

    def _figure(self, project: str, period: str) -> tuple[str, Decimal] | None:
        record = self.world.slots.current(_ledger_slot(project, period))
        if record is None or record.withdrawal is not None:
            return None
        figure = self.world.slots.load_table(record).to_pylist()[0]
        return figure["factor_version"], figure["net_tco2e"]

    def _objects(self) -> dict[str, bytes | None]:
        """Return every object but the journal's checkpoint, which is a hint and moves."""
        return {key: self.store.get(key) for key in self.store.list("") if key != CHECKPOINT}


def _project(project: str) -> bytes:
    return project_toml(project, where={"project": project})


def _ledger_slot(project: str, period: str) -> Slot:
    return Slot(asset=Asset.LEDGER, project_id=project, period=period, factor_version=None)


def _tonnes(quantity: Decimal, version: str) -> Decimal:
    return (quantity * FACTORS[version]).quantize(Decimal("1e-9"), ROUND_HALF_EVEN)


History.TestCase.settings = settings(
    max_examples=25, stateful_step_count=8, suppress_health_check=[HealthCheck.too_slow], deadline=None
)
TestHistory = pytest.mark.slow(History.TestCase)
