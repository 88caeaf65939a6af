"""What a bump over a hundred partitions runs, and what it takes from the release before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline import recipes
from mrv_assets.storage.slot_paths import record_key
from mrv_assets_tests.unit.pipeline.bumps import MIDDLE, OLD, Bench
from mrv_assets_tests.unit.pipeline.landings import projects, rows
from mrv_assets_tests.world import run_partition

NAMES = [f"site-{number:03d}" for number in range(100)]
STAGES = {
    Asset.ACTIVITY: "ingest",
    Asset.NORMALIZED: "normalize",
    Asset.FACTORED: "apply_factors",
    Asset.AGGREGATED: "aggregate",
    Asset.CERTIFICATE: "certify",
    Asset.LEDGER: "ledger_row",
}
"""What computes each asset, by the name under which the recipes call it."""

AS_BEFORE = (Asset.ACTIVITY, Asset.NORMALIZED)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[Asset]:
    """How often each stage has computed. It computes as ever."""
    counted: Counter[Asset] = Counter()

    def counting(asset: Asset, stage: Callable[..., Any]) -> Callable[..., Any]:
        def counted_stage(*args: Any, **kwargs: Any) -> Any:
            counted[asset] += 1
            return stage(*args, **kwargs)

        return counted_stage

    for asset, name in STAGES.items():
        monkeypatch.setattr(recipes, name, counting(asset, getattr(recipes, name)))
    return counted


def _reported() -> Bench:
    """Return a hundred projects that have reported 2021 with one release."""
    bench = Bench(projects_toml=projects(*NAMES))
    bench.deliver(rows(*(f"{name} 2021 {number + 1}" for number, name in enumerate(NAMES))))
    bench.report(OLD, *NAMES)
    return bench


def _certificates(bench: Bench) -> dict[str, bytes | None]:
    """Return every record of a certificate with its bytes."""
    certified = bench.world.slots.list_slots(asset=Asset.CERTIFICATE)
    keys = [record_key(slot, number + 1) for slot, newest in certified for number in range(newest)]
    return {key: bench.store.get(key) for key in keys}


@pytest.mark.slow
def test_a_bump_computes_no_activity_and_no_footprint(calls: Counter[Asset]) -> None:
    """In a hundred partitions both are skipped and their stages not called; the four behind are computed once each."""
    bench = _reported()
    assert calls == dict.fromkeys(Asset, len(NAMES))
    calls.clear()
    before, certified = bench.world.journal.size(), _certificates(bench)
    bench.release(MIDDLE)
    while requests := bench.look().requests:
        for request in requests:
            run_partition(bench.world, request.key, run_id=f"bump {request.key}")
    assert calls == {asset: len(NAMES) for asset in Asset if asset not in AS_BEFORE}
    told = [event for entry in bench.world.journal.entries(before + 1) for event in entry.events]
    assert Counter((event.asset, event.outcome) for event in told) == {
        (asset, Outcome.SKIPPED if asset in AS_BEFORE else Outcome.COMMITTED): len(NAMES) for asset in Asset
    }
    assert {event.factor_version for event in told} == {MIDDLE}
    assert bench.live() == dict.fromkeys(NAMES, MIDDLE)
    after = _certificates(bench)
    assert {key: after.get(key) for key in certified} == certified
    assert sorted(after.keys() - certified.keys()) == sorted(key.replace(OLD, MIDDLE) for key in certified)
