"""Whatever is attached, in whatever order and beside whomever: one credit is one issuance's and ends at most once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.registry import Ending, Entry, Issuance
from mrv_assets.domain.registry_file import Stated
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.pipeline.registry import attach
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.registry_records import read_registry
from mrv_assets_tests.passing_store import PassingStore
from mrv_assets_tests.registered import CREDITS, block, forest_objects, retirement, stated, world_over
from mrv_assets_tests.unit.storage.drafts import no_pause
from mrv_assets_tests.world import memory_store

_SERIES = ("99999", "99998")


@st.composite
def entries(draw: st.DrawFn) -> Stated:
    """Return an issuance, a retirement or a cancellation of a block, many of which overlap."""
    first, size = draw(st.integers(1, 5000)), draw(st.sampled_from([1, 2, 500, 1500, CREDITS]))
    account = draw(st.sampled_from(_SERIES))
    of = block(first, first + size - 1, series=f"{account}-VCS-VCU-999-VER-ZZ-14-99999-01012025-31122025-0")
    if draw(st.booleans()):
        return stated(of)
    return retirement(of, ending=draw(st.sampled_from(Ending)))


files = st.lists(st.lists(entries(), min_size=1, max_size=4), min_size=1, max_size=5)


class Rivalled(PassingStore):
    """A store in which another writer attaches a file of its own just before each new record."""

    def __init__(self, inner: ObjectStore, rivals: Sequence[Sequence[Stated]]) -> None:
        super().__init__(inner)
        self._rivals = list(rivals)

    def put_if_absent(self, key: str, data: bytes) -> bool:
        if key.startswith("registry/") and self._rivals:
            try_to_attach(self.inner, self._rivals.pop())
        return super().put_if_absent(key, data)


def try_to_attach(store: ObjectStore, file: Sequence[Stated]) -> None:
    """Attach a file, or be refused."""
    with suppress(GateError):
        attach(world_over(store), file, recorded_by="somebody", pause=no_pause)


def claimed(kept: Sequence[Entry], *, issued: bool) -> Counter[tuple[str, int]]:
    """Count how often each credit was issued, or else ended, without the code under test."""
    return Counter(
        (entry.block.series, serial)
        for entry in kept
        if isinstance(entry, Issuance) is issued
        for serial in range(entry.block.serials.start, entry.block.serials.end + 1)
    )


@settings(max_examples=40, deadline=None)
@given(ours=files, theirs=files)
def test_no_two_records_claim_one_credit(ours: list[list[Stated]], theirs: list[list[Stated]]) -> None:
    """Each credit is issued once, ends at most once and not unissued, and no more are issued than the certificate has.

    What is refused leaves no breach behind, and the same files again add nothing that was recorded.
    """
    store = memory_store(forest_objects())
    rivalled = Rivalled(store, theirs)
    for file in ours:
        try_to_attach(rivalled, file)
    kept = [record.entry for record in read_registry(store)]
    issued, ended = claimed(kept, issued=True), claimed(kept, issued=False)
    assert set(issued.values()) <= {1}
    assert set(ended.values()) <= {1}
    assert set(ended) <= set(issued)
    assert issued.total() <= CREDITS
    assert check_store(world_over(store)).breaches == ()
    for file in ours:
        try_to_attach(store, file)
    again = [record.entry for record in read_registry(store)]
    assert again[: len(kept)] == kept
    assert len({entry.claim for entry in again}) == len(again)
