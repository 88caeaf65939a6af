"""The published view."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from mrv_assets.domain.contract import LEDGER
from mrv_assets.domain.errors import IdentityError
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.storage.parquet import read_parquet, to_parquet
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.published import publish, published_key, published_slot
from mrv_assets_tests.unit.storage.drafts import SLOT, table

LEDGER_SLOT = Slot(asset=Asset.LEDGER, project_id="0042", period="2024-03", factor_version=None)


def test_a_figure_is_found_under_its_project_and_period(tmp_path: Path) -> None:
    """The layout is the one that hive-aware engines glob."""
    key = publish(PosixStore(tmp_path), LEDGER_SLOT, b"figure")
    assert key == "published/ledger/project_id=0042/period=2024-03/ledger.parquet"
    assert (tmp_path / key).read_bytes() == b"figure"


def test_publishing_the_same_again_leaves_the_file_alone(tmp_path: Path) -> None:
    """A skip does not touch the file: same time, same inode."""
    store = PosixStore(tmp_path)
    path = tmp_path / publish(store, LEDGER_SLOT, b"figure")
    before = path.stat()
    publish(store, LEDGER_SLOT, b"figure")
    after = path.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_new_figure_replaces_the_old_one(tmp_path: Path) -> None:
    """There is one file per project and period, so there are never two figures to add up."""
    store = PosixStore(tmp_path)
    publish(store, LEDGER_SLOT, b"old")
    publish(store, LEDGER_SLOT, b"new")
    assert [store.get(key) for key in store.list("published/")] == [b"new"]


def test_only_the_ledger_is_published(tmp_path: Path) -> None:
    """Another asset has no place in the view."""
    with pytest.raises(IdentityError, match="only the ledger is published"):
        publish(PosixStore(tmp_path), SLOT, to_parquet(table("a")))
    assert list(tmp_path.iterdir()) == []


def test_the_published_file_carries_its_identity_as_text(tmp_path: Path) -> None:
    """A reader of the file alone gets `0042` and `2024.10`, whatever an engine makes of the folders."""
    row = {
        "project_id": "0042", "period": "2024-03", "factor_version": "2024.10", "emissions_tco2e": 1,
        "removals_tco2e": 0, "net_tco2e": 1, "activity_rows": 1, "certificate_sha256": "0" * 64,
    }  # fmt: skip
    blob = to_parquet(pa.Table.from_pylist([row], schema=LEDGER.schema))
    key = publish(PosixStore(tmp_path), LEDGER_SLOT, blob)
    read = read_parquet((tmp_path / key).read_bytes())
    assert read.select(["project_id", "period", "factor_version"]).to_pylist() == [
        {"project_id": "0042", "period": "2024-03", "factor_version": "2024.10"}
    ]


@pytest.mark.parametrize(
    "key",
    [
        "published/ledger/project_id=0042/period=2024-03/part-0.parquet",
        "published/ledger/project_id=0042/period=202403/ledger.parquet",
        "published/activity/project_id=0042/period=2024-03/ledger.parquet",
        "ledger/project_id=0042/period=2024-03/ledger.parquet",
    ],
)
def test_only_keys_of_the_view_name_a_slot(key: str) -> None:
    """The key of a figure reads back to its slot, and a key that only looks similar to none."""
    assert published_slot(published_key(LEDGER_SLOT)) == LEDGER_SLOT
    assert published_slot(key) is None
