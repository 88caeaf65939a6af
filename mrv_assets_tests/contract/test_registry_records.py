"""Registry records, on every kind of store."""

from __future__ import annotations

import pytest

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.registry_file import Stated
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.pipeline.registry import attach
from mrv_assets.storage.object_store import CollectableStore
from mrv_assets.storage.registry_records import registry_key
from mrv_assets_tests.registered import block, forest_objects, retirement, stated, world_over
from mrv_assets_tests.unit.storage.drafts import no_pause


def test_a_credit_is_claimed_once_on_every_store(store: CollectableStore) -> None:
    """Attached, skipped, and refused to whoever claims it again; a check of the store is content."""
    for key, data in forest_objects().items():
        store.put_if_absent(key, data)
    world = world_over(store)
    file: list[Stated] = [stated(block(1, 100)), retirement(block(1, 10))]
    for is_skipped in (False, True):
        found = attach(world, file, recorded_by="somebody", pause=no_pause)
        assert [one.is_skipped for one in found] == [is_skipped] * 2
    with pytest.raises(GateError, match="credits are claimed twice"):
        attach(world, [stated(block(100, 101))], recorded_by="somebody", pause=no_pause)
    assert list(store.list("registry/")) == [registry_key(1), registry_key(2)]
    assert check_store(world).breaches == ()
