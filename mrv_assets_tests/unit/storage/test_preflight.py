"""What a preflight finds in a tree that an append-mode pipeline wrote."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from mrv_assets.domain.adoption import Keep
from mrv_assets.domain.errors import ContractError, IdentityError, Refusal, StoreUnavailable
from mrv_assets.domain.window import Window
from mrv_assets.storage.hive_paths import retyped
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.preflight import preflight_tree
from mrv_assets.storage.preflight_report import RemedyPolicy, Report, require_safe
from mrv_assets_tests.foreign_trees import AppendModeWriter, parquet, rows_table
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore

NOTHING_ALLOWED = RemedyPolicy(consolidate=None, recompute=False)


@pytest.fixture
def writer() -> AppendModeWriter:
    """A pipeline that appends, over an empty tree."""
    return AppendModeWriter()


def look(writer: AppendModeWriter, project: str = "p", window: str = "2024-Q1") -> Report:
    """Preflight a tree that was never adopted."""
    return preflight_tree(writer.tree, project, Window.parse(window), adoption=None)


def test_a_tree_with_one_hashed_file_per_partition_is_safe(writer: AppendModeWriter) -> None:
    """Nothing is found where there is nothing to find."""
    writer.append()
    writer.append(period="2024-Q2")
    report = look(writer, window="2024-Q1..2024-Q3")
    assert (report.window_periods, report.partitions_found, report.idempotent_safe) == (3, 2, True)
    require_safe(report, policy=NOTHING_ALLOWED)


def test_a_second_run_of_an_append_mode_pipeline_is_a_duplicate(writer: AppendModeWriter) -> None:
    """12,400 t written twice would be read as 24,800 t; both files are named."""
    files = (writer.append(), writer.append())
    report = look(writer)
    assert report.duplicate_partitions == {"p 2024-Q1 2024.2": files}
    assert not report.idempotent_safe


def test_the_same_period_in_folders_of_ingestion_days_is_a_duplicate(writer: AppendModeWriter) -> None:
    """Folders beside the identity do not make two partitions of one."""
    for day in ("2024-04-02", "2024-05-07"):
        writer.put(
            f"project_id=p/ingested={day}/period=2024-Q1/factor_version=2024.2/x.parquet",
            parquet(rows_table(), {"content_hash": "claimed"}),
        )
    assert list(look(writer).duplicate_partitions) == ["p 2024-Q1 2024.2"]


def test_two_spellings_of_one_folder_are_one_partition(writer: AppendModeWriter) -> None:
    """Folder names are URL-decoded, so an escaping writer and another meet in one partition."""
    writer.append(version="2024.10", in_path=True)
    writer.put("project_id=p/period=2024-Q1/factor_version=2024%2E10/x.parquet", parquet(rows_table()))
    assert list(look(writer).duplicate_partitions) == ["p 2024-Q1 2024.10"]


def test_2024_1_and_2024_10_are_two_partitions(writer: AppendModeWriter) -> None:
    """A version is text: no reader may make one of the two."""
    writer.append(version="2024.1", in_path=True)
    writer.append(version="2024.10", in_path=True)
    report = look(writer)
    assert (report.partitions_found, report.duplicate_partitions) == (2, {})
    assert report.mixed_types == {"factor_version": ("folder '2024.10' is read as 2024.1",)}


def test_a_partition_without_recorded_hash_is_unhashed(writer: AppendModeWriter) -> None:
    """One file without a hash makes its partition unknown."""
    writer.append(content_hash=None)
    writer.append(period="2024-Q2", content_hash="")
    writer.append(period="2024-Q3")
    assert look(writer, window="2024-Q1..2024-Q3").unhashed_partitions == ("p 2024-Q1 2024.2", "p 2024-Q2 2024.2")


FOLDER = "project_id=p/period=2024-Q1/factor_version=2024.2/"


@pytest.mark.parametrize(
    ("path", "data", "kind"),
    [
        pytest.param(f"{FOLDER}live.parquet.tmp-1f", parquet(rows_table()), "temporary", id="temp of a swap"),
        pytest.param(f"{FOLDER}.tmp.live.parquet", b"half", "temporary", id="hidden temp"),
        pytest.param("_temporary/0/part-1.parquet", parquet(rows_table()), "temporary", id="temp folder"),
        pytest.param(f"{FOLDER}x.parquet", b"", "empty", id="zero bytes"),
        pytest.param(f"{FOLDER}x.parquet", b"PAR1 and no more", "unreadable", id="no end"),
        pytest.param(f"{FOLDER}x.parquet", parquet(rows_table())[:-60], "unreadable", id="cut short"),
        pytest.param(f"{FOLDER}x.parquet", parquet(rows_table())[90:], "unreadable", id="beginning lost"),
        pytest.param(f"{FOLDER}x.parquet", b"x" * 30 + b"\xff\xff\xff\x7fPAR1", "unreadable", id="wild footer length"),
        pytest.param(f"{FOLDER}x.parquet", b"x" * 30 + b"\x08\x00\x00\x00PAR1", "unreadable", id="broken footer"),
        pytest.param("notes.txt", b"do not delete", "foreign", id="foreign file"),
        pytest.param(f"{FOLDER}x.parquet.bak", parquet(rows_table()), "foreign", id="a table under another name"),
        pytest.param(f"{FOLDER}_x.parquet", parquet(rows_table()), "foreign", id="a table hidden from some readers"),
        pytest.param("x.parquet", parquet(rows_table()), "unplaced", id="a table of no partition"),
        pytest.param("project_id=p/period=202403/x.parquet", parquet(rows_table()), "unplaced", id="no such period"),
        pytest.param(
            "project_id=p/period=2024-Q1/period=2024-Q2/x.parquet", parquet(rows_table()), "unplaced", id="two periods"
        ),
    ],
)
def test_what_is_no_table_of_a_partition_is_a_stray(
    writer: AppendModeWriter, path: str, data: bytes, kind: str
) -> None:
    """It is named with its kind, is never counted as a partition, and makes the window unsafe."""
    writer.append(in_path=True)
    writer.put(path, data)
    report = look(writer)
    assert [(stray.path, stray.kind.value) for stray in report.stray_objects] == [(path, kind)]
    assert (report.partitions_found, report.duplicate_partitions) == (1, {})
    assert not report.idempotent_safe


def test_a_marker_that_every_reader_passes_over_is_listed_and_harmless(writer: AppendModeWriter) -> None:
    """`_SUCCESS` and checksums are no data under any reader."""
    writer.append()
    writer.put("project_id=p/period=2024-Q1/_SUCCESS", b"")
    writer.put("project_id=p/period=2024-Q1/.part-0.parquet.crc", b"crc")
    report = look(writer)
    assert [stray.kind.value for stray in report.stray_objects] == ["marker", "marker"]
    assert report.idempotent_safe


def test_periods_that_share_a_day_are_named_in_pairs(writer: AppendModeWriter) -> None:
    """A quarter beside its own month is found, and so is what a backfill of the year would overlap."""
    writer.append(period="2024-Q1")
    writer.append(period="2024-02")
    assert look(writer).overlapping_periods == (("2024-Q1", "2024-02"),)
    assert look(writer, window="2024").overlapping_periods == (
        ("2024-Q1", "2024"), ("2024-Q1", "2024-02"), ("2024", "2024-02"),
    )  # fmt: skip


def test_two_factor_versions_in_one_folder_are_named(writer: AppendModeWriter) -> None:
    """A reader of the folder would add two answers to one question."""
    writer.append(version="2024.1")
    writer.append(version="2024.2")
    writer.append(version=None)
    report = look(writer)
    assert report.mixed_factor_versions == {"project_id=p/period=2024-Q1/": ("(no factor version)", "2024.1", "2024.2")}
    assert report.duplicate_partitions == {}


def test_the_factor_version_may_be_a_column(writer: AppendModeWriter) -> None:
    """Without folder and metadata, one value in every row names the version."""
    writer.append(version=None, constants={"factor_version": "2024.10"})
    assert look(writer, window="2024-Q1").unhashed_partitions == ()
    writer.append(version="2024.10")
    assert list(look(writer).duplicate_partitions) == ["p 2024-Q1 2024.10"]


@pytest.mark.parametrize(
    ("constants", "fault"),
    [
        pytest.param({"project_id": "q"}, "its column project_id says 'q', not '0042'", id="another project"),
        pytest.param(
            {"project_id": 42}, "its column project_id says '42', not '0042'", id="an id that became a number"
        ),
        pytest.param({"period": "2024-Q2"}, "its column period says '2024-Q2', not '2024-Q1'", id="another period"),
        pytest.param(
            {"factor_version": 2024.1}, "its column factor_version says '2024.1', not '2024.10'", id="a float version"
        ),
        pytest.param({"period": None}, "its column period says nothing, not '2024-Q1'", id="no period at all"),
    ],
)
def test_a_file_that_contradicts_its_path_is_named(
    writer: AppendModeWriter, constants: dict[str, object], fault: str
) -> None:
    """Identity is the text of the path; a file that says otherwise is never guessed about."""
    path = writer.append("0042", version="2024.10", constants=constants)
    assert look(writer, "0042").contradictions == {path: (fault,)}


def test_metadata_and_path_may_not_name_two_versions(writer: AppendModeWriter) -> None:
    """The version in the folder and the one in the file are compared."""
    path = writer.put(f"{FOLDER}x.parquet", parquet(rows_table(), {"content_hash": "h", "factor_version": "v9"}))
    assert look(writer).contradictions == {path: ("its metadata names factor_version 'v9', not '2024.2'",)}


def test_a_column_with_several_identities_is_read_whole(writer: AppendModeWriter) -> None:
    """Where the footer shows a range, the rows are read and every value is named."""
    table = rows_table().append_column("period", pa.array(["2024-Q1", "2024-Q1", "2024-Q2"]).dictionary_encode())
    path = writer.put(f"{FOLDER}x.parquet", parquet(table, {"content_hash": "h"}))
    assert look(writer).contradictions == {path: ("its column period says '2024-Q1' and '2024-Q2', not '2024-Q1'",)}


def test_identity_columns_of_two_types_are_named(writer: AppendModeWriter) -> None:
    """One file with text and one with numbers: the reader decides, so nobody does. Encodings of text are text."""
    writer.append("42", constants={"project_id": "42"})
    writer.put("project_id=42/period=2024-Q2/x.parquet", parquet(rows_table(project_id=42), {"content_hash": "h"}))
    report = look(writer, "42", "2024-Q1..2024-Q2")
    assert report.mixed_types == {"project_id": ("int64 in 1 file(s)", "string in 1 file(s)")}
    dictionary = rows_table().append_column("project_id", pa.array(["43"] * 3).dictionary_encode())
    writer.append("43", constants={"project_id": "43"})
    writer.put("project_id=43/period=2024-Q2/x.parquet", parquet(dictionary, {"content_hash": "h"}))
    assert look(writer, "43", "2024-Q1..2024-Q2").mixed_types == {}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("0042", "42"), ("2024.10", "2024.1"), ("1e5", "100000.0"), ("+7", "7"), ("1.", "1.0"), ("NaN", "nan"),
        ("12345678901234567890", "1.2345678901234567e+19"),
        ("2024", None), ("2024.2", None), ("2024-03", None), ("v3", None), ("0", None), ("-1", None),
    ],
)  # fmt: skip
def test_a_folder_name_survives_typing_or_is_named(text: str, read: str | None) -> None:
    """Only a number that is written back as the same text is harmless."""
    assert retyped(text) == read


def test_other_projects_and_periods_are_not_looked_at(writer: AppendModeWriter) -> None:
    """A preflight is about one project and the days of its window; what has no place is in every one."""
    writer.append()
    for project, period in (("q", "2024-Q1"), ("p", "2023-Q1")):
        writer.append(project, period, content_hash=None)
        writer.append(project, period, content_hash=None)
    writer.put("project_id=q/period=bad/x.parquet", b"x")
    assert look(writer).idempotent_safe
    writer.put("project_id=p/period=bad/x.parquet", b"x")
    assert not look(writer).idempotent_safe


def test_a_place_without_any_object_is_refused(writer: AppendModeWriter) -> None:
    """A mistyped location does not pass as a clean tree."""
    with pytest.raises(ContractError, match="there is no tree to look at"):
        look(writer)


def test_a_project_id_that_is_not_canonical_is_refused(writer: AppendModeWriter) -> None:
    """What is looked for is named as strictly as what is kept."""
    with pytest.raises(IdentityError, match="project_id is not a canonical id"):
        look(writer, "p/q")


def test_a_footer_longer_than_the_first_read_is_read_whole(writer: AppendModeWriter) -> None:
    """Wide files cost a second request and are read all the same."""
    wide = pa.table({f"a column with a long name, number {number}": [Decimal(number)] for number in range(900)})
    writer.put(f"{FOLDER}x.parquet", parquet(wide, {"content_hash": "h"}))
    assert look(writer).idempotent_safe


def test_a_tree_on_disk_reads_as_one_in_memory(tmp_path: Path) -> None:
    """The report comes from the seam of object stores, not from one of them."""
    writer = AppendModeWriter(PosixStore(tmp_path))
    files = (writer.append(), writer.append())
    assert look(writer).duplicate_partitions == {"p 2024-Q1 2024.2": files}
    assert look(writer).source == tmp_path.as_uri()


def test_files_are_read_by_their_footers(writer: AppendModeWriter) -> None:
    """One head and one ranged read for each table; no object is read whole, and nothing is written."""
    for period in ("2024-Q1", "2024-Q2", "2024-Q3"):
        writer.append(period=period, constants={"project_id": "p", "period": period})
    tree = FaultyStore(writer.tree)
    preflight_tree(tree, "p", Window.parse("2024-Q1..2024-Q3"), adoption=None)
    assert {name: tree.count(name) for name, _ in tree.calls} == {"list": 1, "head": 3, "get_range": 3}


def test_a_store_that_does_not_answer_is_not_a_clean_tree(writer: AppendModeWriter) -> None:
    """Silence is never told as absence: the preflight fails and may be tried again."""
    path = writer.append()
    tree = FaultyStore(writer.tree)
    tree.refuse("get_range", prefix=path)
    with pytest.raises(StoreUnavailable, match="store is away"):
        preflight_tree(tree, "p", Window.parse("2024-Q1"), adoption=None)


def duplicate(writer: AppendModeWriter) -> None:
    """Write a partition twice."""
    writer.append()
    writer.append()


def unhashed(writer: AppendModeWriter) -> None:
    """Write a partition without a hash."""
    writer.append(content_hash=None)


def overlap(writer: AppendModeWriter) -> None:
    """Write a month beside its quarter."""
    writer.append()
    writer.append(period="2024-02")


@pytest.mark.parametrize(
    ("spoil", "policy", "kind"),
    [
        pytest.param(duplicate, NOTHING_ALLOWED, "duplicate_partitions", id="duplicates, nothing allowed"),
        pytest.param(
            duplicate,
            RemedyPolicy(consolidate=None, recompute=True),
            "duplicate_partitions",
            id="duplicates, wrong one",
        ),
        pytest.param(unhashed, NOTHING_ALLOWED, "unhashed_partitions", id="unhashed, nothing allowed"),
        pytest.param(
            overlap, RemedyPolicy(consolidate=Keep.NEWEST, recompute=True), "overlapping_periods", id="never allowed"
        ),
    ],
)
def test_a_backfill_aborts_while_no_policy_allows_remedy(
    writer: AppendModeWriter, spoil: Callable[[AppendModeWriter], None], policy: RemedyPolicy, kind: str
) -> None:
    """The refusal names what stands in the way."""
    spoil(writer)
    with pytest.raises(Refusal, match=f"not safe to backfill over.*{kind}"):
        require_safe(look(writer), policy=policy)


@pytest.mark.parametrize(
    ("spoil", "policy"),
    [
        pytest.param(duplicate, RemedyPolicy(consolidate=Keep.NEWEST, recompute=False), id="duplicates"),
        pytest.param(unhashed, RemedyPolicy(consolidate=None, recompute=True), id="unhashed"),
    ],
)
def test_a_backfill_goes_on_where_the_policy_allows_the_remedy(
    writer: AppendModeWriter, spoil: Callable[[AppendModeWriter], None], policy: RemedyPolicy
) -> None:
    """The report stays unsafe and says so; the policy is what lets the backfill on."""
    spoil(writer)
    report = look(writer)
    assert not report.idempotent_safe
    require_safe(report, policy=policy)
