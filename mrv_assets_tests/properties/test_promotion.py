"""Whatever is run, corrected, approved and replayed: nothing large moves the ledger that nobody approved."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from mrv_assets.domain.approval import APPROVAL
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.pipeline.approving import Waiting, approve, waiting
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.report.restatement import causes_between
from mrv_assets.storage.approvals import read_approvals
from mrv_assets_tests.unit.pipeline.bumps import FIRST, LINE, WRONG, Bench, ledger
from mrv_assets_tests.unit.pipeline.landings import NEWEST, key, projects, rows
from mrv_assets_tests.world import run_partition

LIMIT = Decimal("0.1")
STEPS = st.one_of(
    st.sampled_from(["7", "7.3", "7.6", "8", "9"]).map(lambda quantity: ("deliver", quantity)),
    st.sampled_from([FIRST, WRONG, NEWEST]).map(lambda version: ("run", version)),
    st.just(("approve", "")),
)


def _figure(record: GenerationRecord) -> Decimal:
    return Decimal(record.evidence["net_tco2e"])


def _is_large(before: GenerationRecord, after: GenerationRecord) -> bool:
    return abs(_figure(after) - _figure(before)) > LIMIT * abs(_figure(before))


@settings(max_examples=15)
@given(steps=st.lists(STEPS, min_size=3, max_size=9))
def test_the_ledger_moves_far_only_by_an_approval(steps: list[tuple[str, str]]) -> None:
    """Each generation is near the reported and the agreed figure, or rests on one approval, which it alone rests on."""
    bench = Bench(newest=NEWEST, projects_toml=projects("anoka", publication="approve", materiality=str(LIMIT)))
    run_partition(bench.world, key("anoka", "2021", FIRST))
    for number, (what, value) in enumerate(steps):
        bench.tick()
        if what == "deliver":
            bench.deliver(rows(f"anoka 2021 {value}"))
        elif what == "run":
            run_partition(bench.world, key("anoka", "2021", value), run_id=f"run {number}")
        else:
            for one in waiting(bench.world):
                assert isinstance(one, Waiting)
                approve(bench.world, one, causes_between, reason="it is right", by="R. Reviewer")
    history = bench.world.slots.history(ledger("anoka"))
    agreed, used = history[0], []
    for before, after in pairwise(history):
        named = [ref.digest for ref in after.inputs if ref.kind == APPROVAL]
        assert bool(named) is (_is_large(before, after) or _is_large(agreed, after))
        agreed = after if named else agreed
        used += named
    assert len(used) == len(set(used)) <= len(list(read_approvals(bench.store)))
    versions = [LINE.index(record.pins["factor_version"]) for record in history]
    assert versions == sorted(versions)
    assert check_store(bench.world).breaches == ()
