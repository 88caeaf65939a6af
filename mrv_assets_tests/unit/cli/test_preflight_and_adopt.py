"""`mrv preflight` and `mrv adopt`, as a person and a script see them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mrv_assets.cli.adopt import run_adopt
from mrv_assets.cli.preflight import run_preflight
from mrv_assets.domain.errors import ContractError, Refusal
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets_tests.foreign_trees import AppendModeWriter, parquet, rows_table


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with one quarter written twice, and a home of its own."""
    monkeypatch.setenv("MRV_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("MRV_STORE", "MRV_LANDING", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    writer = AppendModeWriter(PosixStore(tmp_path / "tree"))
    writer.append("0042", content_hash=None)
    writer.append("0042", content_hash=None)
    return tmp_path / "tree"


def check(tree: Path, capsys: pytest.CaptureFixture[str], *, as_json: bool = False) -> tuple[int, str]:
    """Preflight the tree and return the exit code and what was printed."""
    code = run_preflight("0042", "2024-Q1", uri=tree.as_uri(), as_json=as_json)
    return code, capsys.readouterr().out


def test_an_unsafe_window_exits_with_1_and_says_why(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every finding is a line of the table, no line is wider than 100 columns but the location."""
    code, out = check(tree, capsys)
    assert code == 1
    assert "NOT SAFE: 3 finding(s)." in out
    assert "duplicate_partitions" in out
    assert all(len(line) <= 100 for line in out.splitlines()[1:])


def test_the_report_as_json(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts get the whole report."""
    code, out = check(tree, capsys, as_json=True)
    document = json.loads(out)
    assert (code, document["idempotent_safe"], document["partitions_found"]) == (1, False, 1)
    assert document["duplicate_partitions"] == {
        "0042 2024-Q1 2024.2": [f"project_id=0042/period=2024-Q1/part-{n}.parquet" for n in (0, 1)]
    }


def test_a_dry_run_shows_the_plan_and_records_nothing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """24,800 t become 12,400 t on the screen, and the store stays empty."""
    assert run_adopt(tree.as_uri(), keep="largest", authoritative=None, is_dry_run=True, as_json=False) == 0
    out = capsys.readouterr().out
    assert "2024.2: 24,800 t in all files → 12,400 t in the authoritative ones" in out
    assert "Nothing was recorded; with --apply it is." in out
    assert all(len(line) <= 100 for line in out.splitlines()[1:])
    assert not (tree.parent / "home" / "store").exists()


def test_an_adopted_tree_is_safe(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Recorded once, skipped the second time, and the preflight then exits with 0."""
    outcomes = []
    for _ in range(2):
        run_adopt(str(tree), keep="largest", authoritative=None, is_dry_run=False, as_json=True)
        outcomes.append(json.loads(capsys.readouterr().out)["outcome"])
    assert outcomes == ["committed", "skipped"]
    code, out = check(tree, capsys)
    assert code == 0
    assert "1 of them adopted" in out
    assert "Safe: a backfill over this window counts nothing twice." in out
    assert len(list((tree.parent / "home" / "store" / "adoptions").iterdir())) == 1


def test_the_plan_as_json_gives_totals_by_factor_version(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Never over versions; unknown where a file has no tonnes that can be summed."""
    AppendModeWriter(PosixStore(tree)).append("0042", "2024-Q2", version=None)
    (tree / "project_id=7/period=2024").mkdir(parents=True)
    (tree / "project_id=7/period=2024/x.parquet").write_bytes(
        parquet(rows_table().drop_columns(["tco2e"]), {"factor_version": "v3"})
    )
    run_adopt(str(tree), keep="largest", authoritative=None, is_dry_run=True, as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert document["tco2e"] == {
        "": {"chosen": "12400", "all_files": "12400"},
        "2024.2": {"chosen": "12400", "all_files": "24800"},
        "v3": {"chosen": None, "all_files": None},
    }
    assert (document["outcome"], document["is_dry_run"], document["number"]) == ("planned", True, None)


def test_a_list_is_a_file(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One path per line, below the tree."""
    file = tree.parent / "list.txt"
    file.write_text("# by hand\nproject_id=0042/period=2024-Q1/part-1.parquet\n", encoding="utf-8")
    run_adopt(str(tree), keep="list", authoritative=file, is_dry_run=True, as_json=True)
    (partition,) = json.loads(capsys.readouterr().out)["partitions"]
    assert partition["chosen"]["path"].endswith("part-1.parquet")
    with pytest.raises(ContractError, match="cannot be read"):
        run_adopt(str(tree), keep="list", authoritative=tree, is_dry_run=True, as_json=True)


def test_an_unknown_rule_is_refused(tree: Path) -> None:
    """There is no rule that is taken by default."""
    with pytest.raises(ContractError, match=r"rule is unknown.*newest, largest, list"):
        run_adopt(str(tree), keep="first", authoritative=None, is_dry_run=True, as_json=False)


def test_what_is_not_resolved_is_refused_before_anything_is_recorded(tree: Path) -> None:
    """A refused adoption leaves no manifest, also when it was not a dry run."""
    AppendModeWriter(PosixStore(tree)).put("project_id=0042/period=bad/x.parquet", parquet(rows_table()))
    with pytest.raises(Refusal, match="period 'bad' is not canonical"):
        run_adopt(str(tree), keep="largest", authoritative=None, is_dry_run=False, as_json=False)
    assert not (tree.parent / "home" / "store").exists()


def test_our_own_store_is_looked_at_without_a_location(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty store is safe, and looking at it does not create it."""
    assert run_preflight("metc-anoka", "2019..2022", uri=None, as_json=False) == 0
    assert "4 period(s) asked, 0 partition(s) found" in capsys.readouterr().out
    assert not (tree.parent / "home" / "store").exists()
