"""Adoption of a foreign tree: which file stands, what is refused, what is recorded, and that nothing is touched."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

from mrv_assets.domain.adoption import AdoptedPartition, Keep, Manifest
from mrv_assets.domain.errors import ContractError, Refusal
from mrv_assets.domain.window import Window
from mrv_assets.pipeline.adopt import Plan, adopt, plan_adoption
from mrv_assets.pipeline.authoritative import AuthoritativeList
from mrv_assets.storage.adoptions import ADOPTIONS, latest_manifest
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.preflight import preflight_tree
from mrv_assets.storage.preflight_report import Report
from mrv_assets_tests.foreign_trees import QUARTER, AppendModeWriter, parquet, rows_table
from mrv_assets_tests.world import memory_store, world_over

LESS = QUARTER[:2]
OTHER = (*LESS, ("c", 2099.0))
EARLY, LATE = "2024-04-02T08:00:00+00:00", "2024-04-02T11:30:00+02:00"


@pytest.fixture
def writer() -> AppendModeWriter:
    """A pipeline that appends, over an empty tree."""
    return AppendModeWriter()


def listed(*paths: str) -> AuthoritativeList:
    """Return the operator's list of these paths."""
    return AuthoritativeList.parse("\n".join(["# chosen by hand", "", *paths]).encode(), where="list.txt")


def keep(store: ObjectStore, plan: Plan, run_id: str = "run-1") -> Manifest | None:
    """Record a plan."""
    return adopt(world_over(store), plan, run_id=run_id, adopted_by="operator", write_id=f"w-{run_id}")


def look(writer: AppendModeWriter, store: ObjectStore, window: str = "2024-Q1") -> Report:
    """Preflight the tree as our store knows it."""
    adoption = latest_manifest(store, writer.tree.uri)
    return preflight_tree(writer.tree, "p", Window.parse(window), adoption=adoption)


def only(plan: Plan) -> AdoptedPartition:
    """Return the one partition of a plan."""
    (partition,) = plan.partitions
    return partition


def test_24800_becomes_12400(writer: AppendModeWriter) -> None:
    """A second run appended the quarter again; one file stands, and both sums are on record."""
    first, second = writer.append(content_hash=None), writer.append(content_hash=None)
    store = memory_store()
    assert not look(writer, store).idempotent_safe
    plan = plan_adoption(writer.tree, keep=Keep.LARGEST, authoritative=None)
    partition = only(plan)
    assert (partition.all_tco2e, partition.chosen_tco2e) == ("24800", "12400")
    assert [file.path for file in partition.files] == [first, second]
    assert "first of several that say the same" in partition.chosen.why
    assert partition.provenance == "unknown"
    manifest = keep(store, plan)
    assert manifest is not None
    assert (manifest.number, manifest.run_id, manifest.adopted_by) == (1, "run-1", "operator")
    after = look(writer, store)
    assert (after.idempotent_safe, after.adopted_partitions) == (True, ("p 2024-Q1 2024.2",))


def test_other_readers_do_sum_what_the_adoption_sets_aside(tmp_path: Path) -> None:
    """The control: a dataset reader takes two appended files, and a live file with its left-over temp, for 24,800 t."""
    writer = AppendModeWriter(PosixStore(tmp_path))
    writer.append("twice")
    writer.append("twice")
    live = writer.append("temp")
    writer.put(live + ".tmp-1f", parquet(rows_table()))
    plan = plan_adoption(writer.tree, keep=Keep.LARGEST, authoritative=None)
    for partition in plan.partitions:
        folder = tmp_path / f"project_id={partition.key.project_id}"
        read = pa.dataset.dataset(folder, format="parquet").to_table(columns=["tco2e"])
        assert sum(read.column("tco2e").to_pylist()) == float(partition.all_tco2e or "nan") == 24800
        chosen = pa.parquet.read_table(tmp_path / partition.chosen.path, partitioning=None)
        assert sum(chosen.column("tco2e").to_pylist()) == float(partition.chosen_tco2e or "nan") == 12400


def test_newest_goes_by_the_recorded_instant(writer: AppendModeWriter) -> None:
    """Offsets count: 11:30 at +02:00 is later than 08:00 in UTC. The hash of its writer is kept as a claim."""
    writer.append(generated_utc=EARLY)
    late = writer.append(generated_utc=LATE, rows=OTHER)
    partition = only(plan_adoption(writer.tree, keep=Keep.NEWEST, authoritative=None))
    assert partition.chosen.path == late
    assert partition.chosen.why == "highest generated_utc, 2024-04-02T09:30:00+00:00"
    assert partition.set_aside[0].why.startswith("generated_utc 2024-04-02T08:00:00+00:00, chosen has")
    assert (partition.provenance, partition.chosen.recorded_hash) == ("recorded", "claimed")
    assert (partition.chosen_tco2e, partition.all_tco2e) == ("12399.5", "24799.5")


@pytest.mark.parametrize("noted", [None, "2024-04-02T12:00:00", "yesterday"], ids=["none", "no offset", "no instant"])
def test_newest_goes_by_the_time_of_change_where_not_every_file_records_one(tmp_path: Path, noted: str | None) -> None:
    """One clock ranks all files of a partition: the store's, as soon as one writer's is missing."""
    writer = AppendModeWriter(PosixStore(tmp_path))
    paths = [writer.append(generated_utc=LATE), writer.append(generated_utc=noted, rows=OTHER)]
    for path, seconds in zip(paths, (2_000_000_000, 1_000_000_000), strict=True):
        os.utime(tmp_path / path, (seconds, seconds))
    chosen = only(plan_adoption(writer.tree, keep=Keep.NEWEST, authoritative=None)).chosen
    assert (chosen.path, chosen.why) == (paths[0], "highest time of last change, 2033-05-18T03:33:20+00:00")


def test_largest_goes_by_rows(writer: AppendModeWriter) -> None:
    """Rows, not bytes: a longer text in fewer rows does not win."""
    writer.append(rows=[("a very long name of a plot" * 50, 1.0)])
    more = writer.append(rows=LESS)
    partition = only(plan_adoption(writer.tree, keep=Keep.LARGEST, authoritative=None))
    assert partition.chosen.path == more
    assert [file.why for file in partition.set_aside] == ["rows 1, chosen has 2"]


def test_a_list_names_the_file(writer: AppendModeWriter) -> None:
    """The list decides where it names a file; a partition with one table needs no line."""
    first = writer.append()
    writer.append(rows=OTHER)
    alone = writer.append(period="2024-Q2")
    plan = plan_adoption(writer.tree, keep=Keep.LIST, authoritative=listed(first))
    assert [partition.chosen.path for partition in plan.partitions] == [first, alone]
    assert plan.partitions[0].set_aside[0].why == "not named by the list"
    assert plan.list_sha256 == listed(first).sha256


Spoil = Callable[[AppendModeWriter], object]
FOLDER = "project_id=p/period=2024-Q1/"
NOTES = {"content_hash": "h", "factor_version": "2024.2"}


def writes(*calls: Spoil) -> Spoil:
    """Return what makes all of these calls."""

    def run(writer: AppendModeWriter) -> None:
        for call in calls:
            call(writer)

    return run


def put(path: str, data: bytes) -> Spoil:
    """Return what writes an object as it is."""
    return lambda writer: writer.put(path, data)


TWO = writes(lambda w: w.append(generated_utc=LATE), lambda w: w.append(generated_utc=LATE, rows=OTHER))
UNREADABLE = put(f"{FOLDER}cut.parquet", parquet(rows_table(), NOTES)[:-60])
CONTRADICTION = writes(lambda w: w.append(constants={"period": "2024-Q2"}), lambda w: w.append())


@pytest.mark.parametrize(
    ("spoil", "rule", "named", "message"),
    [
        pytest.param(TWO, Keep.NEWEST, (), "p 2024-Q1 2024.2: a tie of different contents", id="a tie in time"),
        pytest.param(TWO, Keep.LARGEST, (), "p 2024-Q1 2024.2: a tie of different contents at rows 3", id="a tie"),
        pytest.param(TWO, Keep.LIST, (), "the list names none of .*part-0.parquet, .*part-1", id="not in the list"),
        pytest.param(
            TWO, Keep.LIST, (f"{FOLDER}part-0.parquet", f"{FOLDER}part-1.parquet"), "names .* and ", id="listed twice"
        ),
        pytest.param(
            TWO, Keep.LIST, (f"{FOLDER}part-0.parquet", "typo"), "typo: named by the list, but no table", id="a typo"
        ),
        pytest.param(writes(TWO, UNREADABLE), Keep.NEWEST, (), "cut.parquet cannot be ranked", id="one unreadable"),
        pytest.param(
            UNREADABLE, Keep.NEWEST, (), "cut.parquet: unreadable: .* no whole table", id="nothing but an unreadable"
        ),
        pytest.param(
            writes(lambda w: w.append(period="2024-Q2"), put(f"{FOLDER}live.parquet.tmp-1", parquet(rows_table()))),
            Keep.NEWEST, (), "tmp-1: temporary: .* no whole table", id="nothing but a temp",
        ),
        pytest.param(
            writes(
                lambda w: w.append(version="v1", in_path=True), put(f"{FOLDER}factor_version=v2/x.parquet", b"")
            ),
            Keep.NEWEST, (), "factor_version=v2/x.parquet: empty: .* no whole table", id="an empty version",
        ),
        pytest.param(CONTRADICTION, Keep.NEWEST, (), "column period says '2024-Q2'", id="a contradiction"),
        pytest.param(
            CONTRADICTION, Keep.LIST, (f"{FOLDER}part-0.parquet",), "names .*part-0.parquet, but its column",
            id="a contradiction by name",
        ),
        pytest.param(
            writes(lambda w: w.append(), lambda w: w.append(period="2024-02")), Keep.NEWEST, (),
            "p: 2024-Q1 and 2024-02 share days", id="overlapping periods",
        ),
        pytest.param(
            writes(lambda w: w.append(), lambda w: w.append(version=None)), Keep.LARGEST, (),
            "some of its files name a factor version and some do not", id="a file without version beside one with",
        ),
        pytest.param(
            put("project_id=p/period=202403/x.parquet", parquet(rows_table())), Keep.NEWEST, (),
            "period '202403' is not canonical", id="no canonical period",
        ),
        pytest.param(
            put(f"{FOLDER}x.parquet.bak", parquet(rows_table())), Keep.NEWEST, (), "x.parquet.bak: foreign: a table",
            id="a table under another name",
        ),
        pytest.param(put("notes.txt", b"x"), Keep.NEWEST, (), "no table of any partition", id="no tree of ours"),
        pytest.param(
            put("stray.parquet", b"no parquet at all"), Keep.NEWEST, (), "stray.parquet: unreadable", id="loose"
        ),
    ],
)  # fmt: skip
def test_what_no_rule_resolves_is_refused_by_name(
    writer: AppendModeWriter, spoil: Spoil, rule: Keep, named: Sequence[str], message: str
) -> None:
    """Nothing falls back on another rule; the refusal says which partition or object it is."""
    spoil(writer)
    with pytest.raises(Refusal, match=message):
        plan_adoption(writer.tree, keep=rule, authoritative=listed(*named) if rule is Keep.LIST else None)


def test_a_refusal_names_every_partition(writer: AppendModeWriter) -> None:
    """All that is open is said at once, however much it is."""
    periods = [f"20{year:02d}" for year in range(10, 18)]
    for period in periods:
        writer.append(period=period)
        writer.append(period=period, rows=OTHER)
    with pytest.raises(Refusal, match="8 partitions or objects are not resolved") as refused:
        plan_adoption(writer.tree, keep=Keep.LARGEST, authoritative=None)
    assert all(f"p {period} 2024.2" in refused.value.found for period in periods)


def test_rows_that_cannot_be_read_are_no_candidate(writer: AppendModeWriter) -> None:
    """Damage behind a whole footer shows when the rows are read: no rule ranks it, a list names the other file."""
    whole = writer.append()
    data = bytearray(parquet(rows_table(), NOTES))
    data[4:60] = b"\xff" * 56
    damaged = writer.put(f"{FOLDER}damaged.parquet", bytes(data))
    with pytest.raises(Refusal, match=r"damaged.parquet: its rows cannot be read"):
        plan_adoption(writer.tree, keep=Keep.LARGEST, authoritative=None)
    partition = only(plan_adoption(writer.tree, keep=Keep.LIST, authoritative=listed(whole)))
    assert [(file.path, file.rows) for file in partition.set_aside] == [(damaged, None)]


def test_a_list_sets_aside_what_no_rule_could_rank(writer: AppendModeWriter) -> None:
    """A person may say which file stands beside an unreadable one and one that contradicts its path."""
    writer.append(constants={"period": "2024-Q2"})
    whole = writer.append()
    UNREADABLE(writer)
    store = memory_store()
    plan = plan_adoption(writer.tree, keep=Keep.LIST, authoritative=listed(whole))
    assert [file.why for file in only(plan).set_aside] == [
        "unreadable: no Parquet file, or one whose end is missing",
        "its column period says '2024-Q2', not '2024-Q1'",
    ]
    keep(store, plan)
    assert look(writer, store).idempotent_safe


@pytest.mark.parametrize(
    ("rule", "authoritative"), [(Keep.LIST, None), (Keep.NEWEST, listed("x"))], ids=["no list", "a list too many"]
)
def test_a_list_goes_with_its_rule_only(
    writer: AppendModeWriter, rule: Keep, authoritative: AuthoritativeList | None
) -> None:
    """A list that would be ignored is refused, and so is its absence."""
    writer.append()
    with pytest.raises(ContractError, match="list of authoritative files is refused"):
        plan_adoption(writer.tree, keep=rule, authoritative=authoritative)


@pytest.mark.parametrize("data", [b"a\nb\na\n", b"\xff"], ids=["a path twice", "no UTF-8"])
def test_a_malformed_list_is_refused(data: bytes) -> None:
    """A list is one path per line, each once."""
    with pytest.raises(ContractError, match="list of authoritative files is refused"):
        AuthoritativeList.parse(data, where="list.txt")


def test_a_left_over_temp_counts_in_what_readers_sum(writer: AppendModeWriter) -> None:
    """Dataset readers take `live.parquet.tmp-…` for data: 24,800 t; it is set aside with the partition."""
    live = writer.append(in_path=True)
    temp = writer.put(live.replace("part-0.parquet", "part-0.parquet.tmp-1f"), parquet(rows_table()))
    writer.put("readme.txt", b"hello")
    store = memory_store()
    plan = plan_adoption(writer.tree, keep=Keep.NEWEST, authoritative=None)
    assert (only(plan).all_tco2e, only(plan).chosen_tco2e) == ("24800", "12400")
    assert [(file.path, file.why) for file in only(plan).set_aside] == [(temp, "temporary: left over by a writer")]
    assert [(file.path, file.why) for file in plan.set_aside] == [("readme.txt", "foreign: no table")]
    keep(store, plan)
    assert look(writer, store).idempotent_safe


def test_two_factor_versions_in_one_folder_become_two_partitions(writer: AppendModeWriter) -> None:
    """The manifest says which file is of which version; after that the folder is settled."""
    writer.append(version="2024.1")
    writer.append(version="2024.10", rows=OTHER)
    store = memory_store()
    plan = plan_adoption(writer.tree, keep=Keep.NEWEST, authoritative=None)
    assert [str(partition.key) for partition in plan.partitions] == ["p 2024-Q1 2024.1", "p 2024-Q1 2024.10"]
    assert not look(writer, store).idempotent_safe
    keep(store, plan)
    assert look(writer, store).idempotent_safe


def test_mixed_types_are_settled_by_the_text_on_record(writer: AppendModeWriter) -> None:
    """Identity in the manifest is the text of the path, whatever a reader would make of it."""
    writer.append(version="2024.10", in_path=True, constants={"project_id": "p"})
    store = memory_store()
    assert look(writer, store).mixed_types
    keep(store, plan_adoption(writer.tree, keep=Keep.NEWEST, authoritative=None))
    assert look(writer, store).mixed_types == {}


def test_a_second_adoption_adds_nothing(writer: AppendModeWriter) -> None:
    """The same tree and the same choice are on record already, whatever the rule is called."""
    writer.append()
    writer.append(rows=LESS)
    store = memory_store()
    keep(store, plan_adoption(writer.tree, keep=Keep.LARGEST, authoritative=None))
    assert keep(store, plan_adoption(writer.tree, keep=Keep.LARGEST, authoritative=None), "run-2") is None
    named = listed(f"{FOLDER}part-0.parquet")
    assert keep(store, plan_adoption(writer.tree, keep=Keep.LIST, authoritative=named), "run-3") is None
    assert len(list(store.list(ADOPTIONS))) == 1


def test_another_choice_is_a_new_manifest_that_names_the_old_one(writer: AppendModeWriter) -> None:
    """An operator may decide again; both decisions stay."""
    writer.append()
    writer.append(rows=LESS)
    store = memory_store()
    first = keep(store, plan_adoption(writer.tree, keep=Keep.LARGEST, authoritative=None))
    named = listed(f"{FOLDER}part-1.parquet")
    second = keep(store, plan_adoption(writer.tree, keep=Keep.LIST, authoritative=named), "run-2")
    assert first is not None
    assert second is not None
    assert (second.number, second.prev) == (2, first.sha256)
    assert look(writer, store).idempotent_safe


@pytest.mark.parametrize(
    ("change", "path"),
    [
        pytest.param(
            lambda w: w.tree.replace(f"{FOLDER}part-0.parquet", parquet(rows_table(OTHER), NOTES)),
            "part-0",
            id="chosen",
        ),
        pytest.param(
            lambda w: w.tree.replace(f"{FOLDER}part-1.parquet", parquet(rows_table(OTHER), NOTES)), "part-1", id="aside"
        ),
        pytest.param(lambda w: w.append(), "part-2", id="one more appended"),
    ],
)
def test_an_adopted_partition_is_open_again_when_a_file_changes(
    writer: AppendModeWriter, change: Spoil, path: str
) -> None:
    """Every byte is compared, also where the size stays; and a third run appends again."""
    writer.append()
    writer.append()
    store = memory_store()
    keep(store, plan_adoption(writer.tree, keep=Keep.NEWEST, authoritative=None))
    change(writer)
    report = look(writer, store)
    assert [name.rpartition("/")[2] for name in report.changed_since_adoption] == [f"{path}.parquet"]
    assert list(report.duplicate_partitions) == ["p 2024-Q1 2024.2"]
    assert report.adopted_partitions == ()


def test_a_file_that_stands_and_is_gone_is_named(tmp_path: Path) -> None:
    """The other file of the partition does not take its place by itself."""
    writer = AppendModeWriter(PosixStore(tmp_path))
    chosen, _ = writer.append(), writer.append()
    store = memory_store()
    keep(store, plan_adoption(writer.tree, keep=Keep.LARGEST, authoritative=None))
    (tmp_path / chosen).unlink()
    report = look(writer, store)
    assert report.changed_since_adoption == (chosen,)
    assert not report.idempotent_safe


def test_a_new_partition_does_not_open_the_adopted_ones(writer: AppendModeWriter) -> None:
    """What was adopted stays settled; the new one is judged by itself."""
    writer.append()
    writer.append()
    store = memory_store()
    keep(store, plan_adoption(writer.tree, keep=Keep.NEWEST, authoritative=None))
    writer.append(period="2024-Q2")
    assert look(writer, store, "2024-Q1..2024-Q2").idempotent_safe
    writer.append(period="2024-Q3", content_hash=None)
    report = look(writer, store, "2024-Q1..2024-Q3")
    assert report.unhashed_partitions == ("p 2024-Q3 2024.2",)
    assert report.adopted_partitions == ("p 2024-Q1 2024.2",)


def test_the_tree_is_never_touched(tmp_path: Path) -> None:
    """Bytes, names and times of the foreign files are the same after planning and adopting."""
    writer = AppendModeWriter(PosixStore(tmp_path))
    writer.append()
    writer.append()
    writer.put("junk.tmp", b"junk")

    def state() -> list[tuple[Path, int, bytes]]:
        return [(p, p.stat().st_mtime_ns, p.read_bytes()) for p in sorted(tmp_path.rglob("*")) if p.is_file()]

    before = state()
    keep(memory_store(), plan_adoption(writer.tree, keep=Keep.LARGEST, authoritative=None))
    assert state() == before
