"""What a plan says of a partition: run, skip or blocked, and why; and that it touches nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from mrv_assets.domain.cause import Cause
from mrv_assets.domain.contract import CONTRACTS
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline import recipes
from mrv_assets.pipeline.backfill_plan import Action
from mrv_assets_tests.unit.pipeline.backfills import asked, backfill, planned
from mrv_assets_tests.unit.pipeline.bumps import OLD, Bench
from mrv_assets_tests.unit.pipeline.landings import NEWEST, key, rows
from mrv_assets_tests.world import memory_store


@dataclass
class Situation:
    """A place, what is asked for, and the code that computes."""

    bench: Bench = field(default_factory=Bench)
    what: dict[str, object] = field(default_factory=dict)
    code: str | None = None
    contract: str | None = None


def _nothing(_: Situation) -> None:
    """Nothing was ever run."""


def _reported(s: Situation) -> None:
    s.bench.report()


def _source(s: Situation) -> None:
    s.bench.report()
    s.bench.deliver(rows("anoka 2021 9", "carver 2021 5"))


def _project(s: Situation) -> None:
    s.bench.report()
    s.bench.say("anoka", pins={"1999": OLD})


def _bump(s: Situation) -> None:
    s.bench.report()
    s.bench.release("mrow-2024.06.24", NEWEST)


def _bump_and_source(s: Situation) -> None:
    _bump(s)
    s.bench.deliver(rows("anoka 2021 9", "carver 2021 5"))


def _code(s: Situation) -> None:
    s.bench.report()
    s.code = "f" * 64


def _contract(s: Situation) -> None:
    s.bench.report()
    s.contract = "9.9.9"


def _forced(s: Situation) -> None:
    s.bench.report()
    s.what["force"] = True


def _lost_blob(s: Situation) -> None:
    s.bench.report()
    record = s.bench.world.slots.current(Slot.of(Asset.NORMALIZED, key("anoka", "2021", OLD)))
    assert record is not None
    lost = [path for path in s.bench.store.list("blobs/") if record.blob.sha256 in path]
    s.bench.store = memory_store(
        {path: s.bench.store.get(path) or b"" for path in s.bench.store.list("") if path not in lost}
    )


def _no_source(s: Situation) -> None:
    s.bench.references = memory_store(
        {path: s.bench.references.get(path) or b"" for path in s.bench.references.list("")}
    )
    s.bench.say("anoka", path="nowhere.csv")


def _withdrawn(s: Situation) -> None:
    s.bench.withdraw(OLD)
    s.what["factor_version"] = OLD


def _half_way(s: Situation) -> None:
    s.bench.until(key("anoka", "2021", OLD), Asset.FACTORED)


def _older(s: Situation) -> None:
    s.bench.release("mrow-2024.06.24", NEWEST)
    s.bench.report(NEWEST)
    s.bench.report(OLD)
    s.what["factor_version"] = OLD


RUN, SKIP, BLOCKED = Action.RUN, Action.SKIP, Action.BLOCKED
SITUATIONS = [
    pytest.param(_nothing, RUN, {Cause.NEVER_RUN}, r"activity: first content of the slot", id="never run"),
    pytest.param(_reported, SKIP, set(), r"inputs unchanged", id="up to date"),
    pytest.param(_source, RUN, {Cause.INPUT}, r"activity: changed: source source.csv", id="another delivery"),
    pytest.param(_project, RUN, {Cause.INPUT}, r"activity: changed: project anoka", id="another project file"),
    pytest.param(_bump, RUN, {Cause.FACTOR}, r"factored: first content of the slot", id="a factor bump"),
    pytest.param(_bump_and_source, RUN, {Cause.INPUT, Cause.FACTOR}, r"activity: changed: source", id="both"),
    pytest.param(_code, RUN, {Cause.CODE}, r"activity: changed: code .* → ffffffffffff", id="other code"),
    pytest.param(_contract, RUN, {Cause.CONTRACT}, r"activity: changed: contract .* → 9.9.9", id="another contract"),
    pytest.param(_forced, RUN, {Cause.FORCED}, r"activity: forced recomputation", id="forced"),
    pytest.param(_lost_blob, RUN, {Cause.UNHASHED}, r"normalized: forced recomputation", id="content that is gone"),
    pytest.param(_half_way, RUN, {Cause.NEVER_RUN}, r"aggregated: first content", id="a run that ended half-way"),
    pytest.param(_no_source, BLOCKED, set(), r"activity: source file is missing", id="no delivery"),
    pytest.param(_withdrawn, BLOCKED, {Cause.NEVER_RUN}, r"factored: factor release was withdrawn", id="withdrawn"),
    pytest.param(_older, SKIP, set(), r"superseded: the ledger reports", id="held behind a newer release"),
]


@pytest.mark.parametrize(("arrange", "action", "causes", "reason"), SITUATIONS)
def test_a_plan_says_what_is_to_be_done_and_why(
    arrange: Callable[[Situation], None],
    action: Action,
    causes: set[Cause],
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each kind of change has its own cause, and the reason names what differs."""
    situation = Situation()
    arrange(situation)
    if situation.code:
        monkeypatch.setattr(recipes, "stage_code", lambda _: situation.code)
    if situation.contract:
        versions = {c.asset: _Renamed(c, situation.contract) for c in CONTRACTS}
        monkeypatch.setattr(recipes, "_CONTRACT", versions)
    [plan] = planned(situation.bench.world, asked("2021", "anoka", **situation.what))
    assert (plan.action, set(plan.causes)) == (action, causes)
    assert re.match(reason, plan.reason)


@dataclass
class _Renamed:
    """A contract of another version."""

    inner: object
    version: str

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)


@pytest.mark.parametrize(("arrange", "action"), [(p.values[0], p.values[1]) for p in SITUATIONS[:6]])
def test_a_plan_touches_nothing(arrange: Callable[[Situation], None], action: Action) -> None:
    """No object of the store is written, changed or removed by planning, whatever the plan says."""
    situation = Situation()
    arrange(situation)
    store = situation.bench.store
    before = {path: store.get(path) for path in store.list("")}
    [plan] = planned(situation.bench.world, asked("2021", "anoka", **situation.what))
    assert plan.action is action
    assert {path: store.get(path) for path in store.list("")} == before


def test_a_published_file_that_is_not_the_sealed_one_is_unhashed() -> None:
    """It counts as unknown under the policy that allows it, and its partition is computed again."""
    bench = Bench()
    bench.report()
    path = "published/ledger/project_id=anoka/period=2021/ledger.parquet"
    older = bench.store.get(path)
    bench.deliver(rows("anoka 2021 9", "carver 2021 5"))
    bench.report()
    bench.store.replace(path, older or b"")
    with pytest.raises(Refusal, match=r"not safe to backfill over .*unhashed_partitions"):
        planned(bench.world, asked("2021"))
    plans = {plan.key.project_id: plan for plan in planned(bench.world, asked("2021", policy="recompute"))}
    assert Cause.UNHASHED not in plans["carver"].causes
    assert (plans["anoka"].action, plans["anoka"].causes) == (RUN, (Cause.UNHASHED,))
    manifest = backfill(bench.world, asked("2021", policy="recompute"))
    assert (manifest.findings, len(manifest.remedied)) == ((), 1)
    assert planned(bench.world, asked("2021"))[0].action is SKIP
