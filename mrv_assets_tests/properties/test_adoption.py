"""Whatever an append-mode pipeline left behind: adopted whole or refused whole, one file each, and safe afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.adoption import Keep
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.window import Window
from mrv_assets.pipeline.adopt import Plan, adopt, plan_adoption
from mrv_assets.pipeline.authoritative import AuthoritativeList
from mrv_assets.storage.adoptions import latest_manifest
from mrv_assets.storage.hive import everywhere, scan
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.preflight import preflight_tree
from mrv_assets_tests.foreign_trees import AppendModeWriter, parquet, rows_table
from mrv_assets_tests.world import TickingClock, memory_store, world_over

PROJECTS, PERIODS, VERSIONS = ("p", "0042"), ("2024-Q1", "2024-Q2", "2023"), ("2024.1", "2024.10", "v3")
WINDOW = Window.parse("2023,2024-Q1..2024-Q4")

rows = st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1e9)), min_size=0, max_size=4)
instants = st.sampled_from([None, "2024-04-02T08:00:00+00:00", "2024-04-03T08:00:00+02:00", "no instant"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Junk:
    """Something that is no table, and where it lies."""

    name: str
    data: bytes


junk = st.sampled_from(
    [
        Junk(name="live.parquet.tmp-1f", data=parquet(rows_table())),
        Junk(name="half.parquet", data=parquet(rows_table())[:-50]),
        Junk(name="empty.parquet", data=b""),
        Junk(name="_SUCCESS", data=b""),
        Junk(name="readme.txt", data=b"hello"),
    ]
)


@st.composite
def trees(draw: st.DrawFn) -> ObjectStore:
    """Return a tree of up to eight appended tables, with up to two pieces of junk among them."""
    writer = AppendModeWriter()
    for _ in range(draw(st.integers(1, 8))):
        writer.append(
            draw(st.sampled_from(PROJECTS)),
            draw(st.sampled_from(PERIODS)),
            version=draw(st.sampled_from(VERSIONS)),
            in_path=draw(st.booleans()),
            rows=draw(rows),
            content_hash=draw(st.sampled_from([None, "claimed"])),
            generated_utc=draw(instants),
        )
    for thing in draw(st.lists(junk, max_size=2)):
        folder = f"project_id={draw(st.sampled_from(PROJECTS))}/period={draw(st.sampled_from(PERIODS))}/"
        writer.put(draw(st.sampled_from(["", folder])) + thing.name, thing.data)
    return writer.tree


def planned(tree: ObjectStore, keep: Keep) -> Plan | None:
    """Plan by a rule, or by a list that names the first file of each partition; None for a tree that is refused."""
    first = [files[0].path for files in scan(tree, scope=everywhere).partitions().values()]
    by_hand = AuthoritativeList.parse("\n".join(first).encode(), where="list")
    try:
        return plan_adoption(tree, keep=keep, authoritative=by_hand if keep is Keep.LIST else None)
    except Refusal:
        return None


def contents(store: ObjectStore) -> dict[str, bytes | None]:
    """Return every object of a store."""
    return {key: store.get(key) for key in store.list("")}


@given(tree=trees(), keep=st.sampled_from(Keep))
def test_an_adopted_tree_has_one_file_per_partition_and_is_safe(tree: ObjectStore, keep: Keep) -> None:
    """Each partition has exactly one chosen file, never more tonnes than all files, and a preflight agrees."""
    before = contents(tree)
    plan = planned(tree, keep)
    if plan is None:
        return
    partitions = scan(tree, scope=everywhere).partitions()
    assert {partition.key for partition in plan.partitions} == set(partitions)
    assert len(plan.partitions) == len(partitions)
    for partition in plan.partitions:
        assert partition.chosen.path in {file.path for file in partitions[partition.key]}
        assert {f.path for f in partitions[partition.key]} <= {f.path for f in partition.files}
        assert Decimal(partition.chosen_tco2e or "NaN") <= Decimal(partition.all_tco2e or "NaN")
    store, clock = memory_store(), TickingClock()
    for run, is_new in (("first", True), ("second", False)):
        kept = adopt(world_over(store, clock), plan, run_id=run, adopted_by="operator", write_id=run)
        assert (kept is not None) is is_new
    adoption = latest_manifest(store, tree.uri)
    for project in PROJECTS:
        assert preflight_tree(tree, project, WINDOW, adoption=adoption).idempotent_safe
    assert contents(tree) == before


@given(tree=trees())
def test_a_list_resolves_whatever_has_a_table_in_every_partition(tree: ObjectStore) -> None:
    """Only junk that is all its partition has, or that lies nowhere, stands in the way of a list."""
    found = scan(tree, scope=everywhere)
    there = {(key.project_id, key.period) for key in found.partitions()}
    strays = [s for s in found.strays if s.kind.value in {"temporary", "empty", "unreadable"}]
    is_lost = any(None not in (s.project_id, s.period) and (s.project_id, s.period) not in there for s in strays)
    is_loose = any(s.kind.value == "unreadable" and s.project_id is None for s in strays)
    assert (planned(tree, Keep.LIST) is None) is (is_lost or is_loose)
