"""`mrv fsck` and `mrv gc` on the store of the small replay."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mrv_assets.domain.digest import sha256_hex
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed


def store_of(folder: Path) -> Path:
    """Return the folder of the store."""
    return folder / "home" / "store"


def put_orphan(folder: Path, *, days: int) -> None:
    """Leave a blob that no record names, last changed so many days ago."""
    digest = sha256_hex(b"{}")
    path = store_of(folder) / f"blobs/{digest[:2]}/{digest}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"{}")
    instant = (datetime.now(UTC) - timedelta(days=days)).timestamp()
    os.utime(path, (instant, instant))


def test_a_whole_store_is_said_to_be_whole(mrv: Mrv, folder: Path) -> None:
    """Exit code 0, one sentence, and what was read."""
    result = mrv(folder, "fsck")
    assert result.exit_code == 0
    assert "Whole: every chain" in result.stdout
    document = parsed(mrv(folder, "fsck", "--json"))
    assert document["is_clean"] is True
    assert document["breaches"] == []
    assert document["read"]["generations"] > document["read"]["journal_entries"] > 0


def test_a_breach_is_shown_with_its_remedy_and_exits_with_70(mrv: Mrv, own_folder: Path) -> None:
    """The table names breach, key, expected and found; below it stand meaning and remedy."""
    view = next(store_of(own_folder).glob("published/ledger/*/*/ledger.parquet"))
    record = next(store_of(own_folder).glob("commits/activity/*/*/*.json"))
    view.unlink()
    record.write_bytes(record.read_bytes()[:-1])
    result = mrv(own_folder, "fsck")
    assert result.exit_code == 70
    assert "A live figure is not in the published view." in result.stdout
    assert "restore the object from a replica" in result.stdout
    assert "2 breach(es), 1 repairable." in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100
    repaired = mrv(own_folder, "fsck", "--repair", "--json")
    assert repaired.exit_code == 70
    document = json.loads(repaired.stdout)
    assert [breach["kind"] for breach in document["breaches"]] == ["record_unreadable"]
    assert len(document["repaired"]["published"]) == 1


def test_repair_of_what_a_crash_left_exits_with_0(mrv: Mrv, own_folder: Path) -> None:
    """Afterwards nothing is left to repair, and doing it again changes nothing."""
    next(store_of(own_folder).glob("published/ledger/*/*/ledger.parquet")).unlink()
    (store_of(own_folder) / "journal/checkpoint.json").unlink()
    result = mrv(own_folder, "fsck", "--repair")
    assert result.exit_code == 0
    assert "Published 1 figure(s) anew." in result.stdout
    assert "Moved the journal's checkpoint" in result.stdout
    again = parsed(mrv(own_folder, "fsck", "--repair", "--json"))
    assert (again["is_clean"], again["repaired"]) == (True, None)


def test_gc_lists_and_removes_nothing_until_told_so(mrv: Mrv, own_folder: Path) -> None:
    """Without --sweep there is a table and the command to type later; the orphan stays."""
    put_orphan(own_folder, days=8)
    result = mrv(own_folder, "gc")
    assert result.exit_code == 0
    assert "1 object(s), 2 bytes. Nothing was removed." in result.stdout
    document = parsed(mrv(own_folder, "gc", "--json"))
    assert f"mrv gc --sweep {document['plan']}" in result.stdout
    assert [candidate["size"] for candidate in document["candidates"]] == [2]
    refused = mrv(own_folder, "gc", "--sweep", document["plan"])
    assert refused.exit_code == 1
    assert "plan is not due yet" in refused.stderr
    assert parsed(mrv(own_folder, "fsck", "--json"))["read"]["unreferenced_blobs"] == 1


def test_gc_sweeps_a_plan_that_is_due(mrv: Mrv, own_folder: Path) -> None:
    """The plan's waiting time over, the orphan goes, and the store is whole."""
    put_orphan(own_folder, days=8)
    made = parsed(mrv(own_folder, "gc", "--json"))
    path = store_of(own_folder) / f"gc/plans/{made['plan']}.json"
    document = json.loads(path.read_bytes())
    document["planned_utc"] = (datetime.now(UTC) - timedelta(hours=3)).isoformat(timespec="microseconds")
    path.write_bytes(json.dumps(document, sort_keys=True, separators=(",", ":")).encode())
    swept = parsed(mrv(own_folder, "gc", "--sweep", made["plan"], "--json"))
    assert swept["removed"] == [made["candidates"][0]["key"]]
    assert (swept["freed_bytes"], swept["kept"]) == (2, [])
    assert mrv(own_folder, "fsck").exit_code == 0


def test_gc_of_a_clean_store_says_so(mrv: Mrv, own_folder: Path) -> None:
    """Nothing to collect is said in one line and leaves no plan."""
    assert "Nothing to collect" in mrv(own_folder, "gc").stdout
    assert parsed(mrv(own_folder, "gc", "--json"))["plan"] is None
    assert not (store_of(own_folder) / "gc").exists()


def test_gc_of_a_damaged_store_is_refused(mrv: Mrv, own_folder: Path) -> None:
    """The record is at fault, so the exit code is 70 and nothing is planned."""
    record = next(store_of(own_folder).glob("commits/activity/*/*/*.json"))
    record.write_bytes(record.read_bytes()[:-1])
    result = mrv(own_folder, "gc")
    assert result.exit_code == 70
    assert "nothing is removed from a store whose history is not whole" in result.stderr
