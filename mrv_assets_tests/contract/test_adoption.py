"""Looking at a foreign tree and adopting it, on every kind of store."""

from __future__ import annotations

from mrv_assets.domain.adoption import Keep
from mrv_assets.domain.window import Window
from mrv_assets.pipeline.adopt import adopt, plan_adoption
from mrv_assets.storage.adoptions import latest_manifest
from mrv_assets.storage.journal import Journal, entry_key
from mrv_assets.storage.object_store import CollectableStore
from mrv_assets.storage.preflight import preflight_tree
from mrv_assets_tests.foreign_trees import AppendModeWriter, parquet, rows_table
from mrv_assets_tests.world import TickingClock, memory_store, world_over

WINDOW = Window.parse("2024-Q1")


def test_a_tree_is_read_alike_on_every_store(store: CollectableStore) -> None:
    """Escaped folder names, left-over temps and times of change: the same findings, and the later file stands."""
    writer = AppendModeWriter(store)
    writer.append("0042", version="2024.10", in_path=True)
    folder = "project_id=0042/period=2024-Q1/factor_version=2024%2E10/"
    writer.put(f"{folder}x.parquet.tmp-1f", parquet(rows_table()))
    writer.put(f"{folder}_SUCCESS", b"")
    report = preflight_tree(store, "0042", WINDOW, adoption=None)
    assert (report.partitions_found, report.duplicate_partitions) == (1, {})
    assert [stray.kind.value for stray in report.stray_objects] == ["marker", "temporary"]
    (partition,) = plan_adoption(store, keep=Keep.NEWEST, authoritative=None).partitions
    assert partition.chosen.modified_utc is not None
    assert (partition.chosen_tco2e, partition.all_tco2e) == ("12400", "24800")


def test_a_manifest_is_kept_once_on_every_store(store: CollectableStore) -> None:
    """The second adoption of an unchanged tree writes nothing, and the preflight finds it settled."""
    writer = AppendModeWriter(memory_store())
    writer.append()
    writer.append()
    plan = plan_adoption(writer.tree, keep=Keep.LARGEST, authoritative=None)
    kept = [adopt(world_over(store), plan, run_id=run, adopted_by="op", write_id=run) for run in ("1", "2")]
    assert [manifest is not None for manifest in kept] == [True, False]
    assert list(store.list("")) == ["adoptions/000000000001.json", "journal/checkpoint.json", entry_key(1)]
    [entry] = Journal(store, TickingClock()).entries()
    assert [(told.kind, told.key) for told in entry.documents] == [("adoption", "adoptions/000000000001.json")]
    adoption = latest_manifest(store, writer.tree.uri)
    assert preflight_tree(writer.tree, "p", WINDOW, adoption=adoption).idempotent_safe
