"""What a preflight finds in our own store: nothing that the platform writes, everything that others lay beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from mrv_assets.domain.contract import LEDGER
from mrv_assets.domain.errors import IdentityError
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.window import Window
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.parquet import read_parquet, to_parquet
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.preflight_report import Report
from mrv_assets.storage.preflight_store import left_overs_of, preflight
from mrv_assets.storage.published import publish
from mrv_assets_tests.unit.storage.drafts import draft, slot_store
from mrv_assets_tests.world import memory_store

KEY = PartitionKey(project_id="0042", period="2024-03", factor_version="2024.10")
FOLDER = "published/ledger/project_id=0042/period=2024-03/"


def figure(period: str) -> bytes:
    """Return the ledger's table of one period."""
    row = {
        "project_id": KEY.project_id, "period": period, "factor_version": KEY.factor_version, "emissions_tco2e": 12400,
        "removals_tco2e": 0, "net_tco2e": 12400, "activity_rows": 3, "certificate_sha256": "0" * 64,
    }  # fmt: skip
    return to_parquet(pa.Table.from_pylist([row], schema=LEDGER.schema))


def reported(store: ObjectStore, period: str = KEY.period) -> bytes:
    """Commit a partition's activity, certificate and ledger figure, publish it, and return the published bytes."""
    key = PartitionKey(project_id=KEY.project_id, period=period, factor_version=KEY.factor_version)
    blob = figure(period)
    for asset in (Asset.ACTIVITY, Asset.AGGREGATED, Asset.LEDGER):
        slot_store(store).commit(replace(draft(slot=Slot.of(asset, key)), content=blob))
    publish(store, Slot.of(Asset.LEDGER, key), blob)
    return blob


def look(store: ObjectStore, window: str = "2024-03") -> Report:
    """Preflight our own store."""
    return preflight(store, KEY.project_id, Window.parse(window))


def test_what_the_platform_wrote_is_safe() -> None:
    """One figure per period, sealed by a record: nothing to remedy, whatever the ids look like."""
    store = memory_store()
    reported(store)
    reported(store, "2024-04")
    report = look(store, "2024-01..2024-12")
    assert (report.window_periods, report.partitions_found, report.idempotent_safe) == (12, 2, True)


def test_an_empty_store_is_safe() -> None:
    """A first backfill has nothing to count twice."""
    report = look(memory_store())
    assert (report.partitions_found, report.idempotent_safe) == (0, True)


def test_a_copy_in_the_published_view_is_a_duplicate() -> None:
    """Whoever globs the view would read 24,800 t; and no record stands behind the copy."""
    store = memory_store()
    store.replace(f"{FOLDER}copy.parquet", reported(store))
    report = look(store)
    assert report.duplicate_partitions == {"0042 2024-03": (f"{FOLDER}copy.parquet", f"{FOLDER}ledger.parquet")}
    assert report.unhashed_partitions == (f"{FOLDER}copy.parquet",)


def test_a_published_file_that_no_record_seals_is_unhashed() -> None:
    """Other bytes under the right name, and a figure of a period that was never committed."""
    store = memory_store()
    reported(store)
    store.replace(f"{FOLDER}ledger.parquet", figure("2024-03").replace(b"0042", b"0043"))
    stranger = "published/ledger/project_id=0042/period=2024-02/ledger.parquet"
    store.replace(stranger, figure("2024-02"))
    assert look(store, "2024-02..2024-03").unhashed_partitions == (stranger, f"{FOLDER}ledger.parquet")


def test_a_live_period_that_overlaps_the_window_is_named() -> None:
    """A backfill of the year beside a reported month would report its days twice."""
    store = memory_store()
    reported(store)
    report = look(store, "2024")
    assert (report.partitions_found, report.overlapping_periods) == (0, (("2024", "2024-03"),))


@pytest.mark.parametrize(
    "key",
    [
        "commits/ledger/project_id=0042/period=2024-03/notes.txt",
        "commits/ledger/project_id=0042/period=202403/000000000001.json",
        f"{FOLDER}ledger.parquet.tmp-1f",
        f"{FOLDER}readme.txt",
    ],
)
def test_a_foreign_object_among_ours_is_a_stray(key: str) -> None:
    """It is named, and a look by a person is asked for."""
    store = memory_store()
    reported(store)
    store.replace(key, b"x")
    report = look(store)
    assert [stray.path for stray in report.stray_objects] == [key]
    assert not report.idempotent_safe


def test_a_left_over_of_a_dead_writer_is_listed_and_harmless(tmp_path: Path) -> None:
    """No reader sees our own temporary files; `mrv gc` sweeps them."""
    store = PosixStore(tmp_path)
    reported(store)
    (tmp_path / FOLDER / ".tmp-dead").write_bytes(b"half")
    found = tuple(left_overs_of(store, KEY.project_id))
    report = preflight(store, KEY.project_id, Window.parse("2024-03"), left_overs=found)
    assert [stray.kind.value for stray in report.stray_objects] == ["marker"]
    assert report.idempotent_safe
    assert look(store).stray_objects == ()


def test_a_published_identity_that_became_a_number_is_named() -> None:
    """A file whose version is a float is named with its type and its contradiction."""
    store = memory_store()
    table = read_parquet(reported(store))
    index = table.column_names.index("project_id")
    typed = table.set_column(index, "project_id", pa.array([42]))
    store.replace(f"{FOLDER}ledger.parquet", to_parquet(typed))
    report = look(store)
    assert report.mixed_types == {"project_id": (f"int64 in {FOLDER}ledger.parquet",)}
    assert report.contradictions == {f"{FOLDER}ledger.parquet": ("its column project_id says '42', not '0042'",)}


def test_a_project_id_that_is_not_canonical_is_refused_here_too() -> None:
    """It would become part of a key."""
    with pytest.raises(IdentityError, match="project_id is not a canonical id"):
        preflight(memory_store(), "../p", Window.parse("2024"))


def test_a_report_is_json_of_plain_values() -> None:
    """The report travels as canonical JSON, and says when it was safe."""
    store = memory_store()
    reported(store)
    document = look(store).to_json()
    assert document["idempotent_safe"] is True
    assert document["window"] == "2024-03"
