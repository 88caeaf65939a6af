"""Rows that were set aside are kept beside the generation, checked with it, never collected, and certified."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mrv_assets.domain.contract import QUARANTINE, about
from mrv_assets.domain.errors import DigestMismatch, GateError, Tampering
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World
from mrv_assets.storage.blobs import PARQUET, blob_key
from mrv_assets.storage.breach import BreachKind
from mrv_assets.storage.gc import plan
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets_tests.unit.pipeline.small_store import NOW
from mrv_assets_tests.world import committed_references, csv_bytes, memory_store, project_toml, run_partition

KEY = PartitionKey(project_id="anoka", period="2021", factor_version="mrow-2024.06.24")
COLUMNS = {name: name for name in ("row_id", "epoch", "activity_qty", "unit")}
CONSTANTS = {"activity_id": "electricity.delivered", "region": "US/MROW"}
GOOD = ("a,2021,5,MWh", "b,2021,7,MWh")
BAD_NUMBER, BAD_UNIT = "c,2021,?,MWh", "d,2021,9,smoot"
POLICY = '\n[source.quarantine]\nmax_share = "{share}"\nbecause = "the sender mends them"\n'


def world(store: ObjectStore, *rows: str, share: str | None = "0.5") -> World:
    """Open a world whose project may set aside this share of these rows."""
    toml = project_toml("anoka", columns=COLUMNS, constants=CONSTANTS)
    toml += b"" if share is None else POLICY.format(share=share).encode()
    return World.over(
        store=store,
        references=memory_store(committed_references() | {"projects/anoka.toml": toml}),
        landing=memory_store({"source.csv": csv_bytes("row_id,epoch,activity_qty,unit", rows)}),
        clock=lambda: NOW,
    )


def current(world: World, asset: Asset) -> GenerationRecord:
    """Return the current generation of an asset."""
    record = world.slots.current(Slot.of(asset, KEY))
    assert record is not None
    return record


def subjects(world: World) -> dict[str, dict[str, Any]]:
    """Return the subjects of the current certificate by asset."""
    document = json.loads(world.slots.load_bytes(current(world, Asset.CERTIFICATE)))
    return {subject["asset"]: subject for subject in document["subjects"]}


def test_rows_set_aside_are_stored_beside_the_generation() -> None:
    """The record seals their number and bytes; what is read back is what the table says it was made without."""
    ours = world(memory_store(), *GOOD, BAD_NUMBER, BAD_UNIT)
    run_partition(ours, KEY)
    for asset, row_id, gate in (
        (Asset.ACTIVITY, "c", "quantity_valid"),
        (Asset.NORMALIZED, "d", "units_known"),
    ):
        record = current(ours, asset)
        assert record.quarantine is not None
        assert (record.quarantine.rows, record.quarantine.blob.media_type) == (1, PARQUET)
        aside = ours.slots.load_quarantine(record)
        assert aside is not None
        assert aside.select(["row_id", "gate"]).to_pylist() == [{"row_id": row_id, "gate": gate}]
        assert about(ours.slots.load_table(record))["quarantine"] == QUARANTINE.digest(aside)
        assert ours.store.get(blob_key(record.quarantine.blob)) is not None


def test_a_generation_of_all_rows_has_nothing_beside_it() -> None:
    """Neither does one that was made after the others."""
    ours = world(memory_store(), *GOOD, BAD_NUMBER)
    run_partition(ours, KEY)
    for asset in (Asset.NORMALIZED, Asset.FACTORED, Asset.CERTIFICATE):
        assert current(ours, asset).quarantine is None
        assert ours.slots.load_quarantine(current(ours, asset)) is None
    assert current(ours, Asset.ACTIVITY).rows == 2


def test_the_certificate_counts_what_was_set_aside() -> None:
    """Each subject says how many rows it was made without, and the gates say why that was allowed."""
    ours = world(memory_store(), *GOOD, BAD_NUMBER, BAD_UNIT)
    run_partition(ours, KEY)
    certified = subjects(ours)
    assert {asset: subject.get("quarantined", 0) for asset, subject in certified.items()} == {
        "activity": 1,
        "normalized": 1,
        "factored": 0,
        "aggregated": 0,
    }
    [accounted] = [gate for gate in certified["activity"]["gates"] if gate["gate"] == "rows_accounted"]
    assert accounted["observed"].endswith("1 set aside (25.0000%), because the sender mends them")
    [conserved] = [gate for gate in certified["normalized"]["gates"] if gate["gate"] == "rows_conserved"]
    assert "set aside so far 50.0000% of the source rows" in conserved["observed"]


@pytest.mark.parametrize(
    ("share", "gate"),
    [
        pytest.param(None, "quantity_valid", id="not allowed at all"),
        pytest.param("0.2", "rows_accounted", id="too many on the way in"),
        pytest.param("0.4", "rows_conserved", id="too many together"),
    ],
)
def test_a_partition_with_more_faults_than_allowed_is_refused(share: str | None, gate: str) -> None:
    """By name of the gate, at the asset where the share is passed; no figure comes of it."""
    ours = world(memory_store(), *GOOD, BAD_NUMBER, BAD_UNIT, share=share)
    with pytest.raises(GateError, match=f"is refused by {gate}|no number") as caught:
        run_partition(ours, KEY)
    assert caught.value.gate == gate
    assert ours.slots.current(Slot.of(Asset.LEDGER, KEY)) is None


def test_another_row_set_aside_is_another_generation() -> None:
    """The kept rows are the same; what the partition was made without is not."""
    store = memory_store()
    run_partition(world(store, *GOOD), KEY)
    run_partition(world(store, *GOOD, BAD_NUMBER), KEY)
    ours = world(store, *GOOD, "c,2021,-1,MWh")
    run_partition(ours, KEY)
    history = ours.slots.history(Slot.of(Asset.ACTIVITY, KEY))
    assert [record.quarantine.rows if record.quarantine else 0 for record in history] == [0, 1, 1]
    assert len({record.content_digest for record in history}) == 3
    assert len({ours.slots.load_table(record).num_rows for record in history}) == 1


def test_a_forced_run_finds_the_same_quarantine() -> None:
    """Nothing is added when the same rows are set aside for the same reasons."""
    ours = world(memory_store(), *GOOD, BAD_NUMBER)
    run_partition(ours, KEY)
    before = set(ours.store.list("blobs/"))
    again = run_partition(ours, KEY, run_id="again", force=True)
    assert {kept.outcome for kept in again} == {Outcome.SKIPPED}
    assert set(ours.store.list("blobs/")) == before


def test_a_skip_rests_on_the_rows_set_aside_too(tmp_path: Path) -> None:
    """When they are gone from the store, unchanged inputs are no reason to leave the slot as it is."""
    store = PosixStore(tmp_path)
    ours = world(store, *GOOD, BAD_NUMBER)
    run_partition(ours, KEY)
    assert Run(ours, run_id="again").plan(Asset.ACTIVITY, KEY).skip == "inputs unchanged"
    aside_file(tmp_path, ours).unlink()
    assert Run(ours, run_id="again").plan(Asset.ACTIVITY, KEY).skip is None


def aside_file(root: Path, world: World) -> Path:
    """Return the file of the rows that were set aside on the way in."""
    quarantine = current(world, Asset.ACTIVITY).quarantine
    assert quarantine is not None
    return root / blob_key(quarantine.blob)


@pytest.mark.parametrize(
    ("damage", "kind", "error"),
    [
        pytest.param(Path.unlink, BreachKind.BLOB_MISSING, Tampering, id="gone"),
        pytest.param(lambda path: path.write_bytes(b"PAR1"), BreachKind.BLOB_ALTERED, DigestMismatch, id="altered"),
    ],
)
def test_damage_to_the_rows_set_aside_is_found(
    tmp_path: Path, damage: Callable[[Path], object], kind: BreachKind, error: type[Exception]
) -> None:
    """The check names the blob and its slot, and nobody is shown other rows than the sealed ones."""
    ours = world(PosixStore(tmp_path), *GOOD, BAD_NUMBER)
    run_partition(ours, KEY)
    assert check_store(ours).breaches == ()
    path = aside_file(tmp_path, ours)
    damage(path)
    [breach] = check_store(ours).breaches
    assert (breach.kind, breach.key) == (kind, str(path.relative_to(tmp_path)))
    with pytest.raises(error, match=r"sealed content is gone.*quarantine|not the bytes that were sealed"):
        ours.slots.load_quarantine(current(ours, Asset.ACTIVITY))


def test_an_old_record_keeps_its_rows_set_aside(tmp_path: Path) -> None:
    """A newer generation does not free the rows that an older one was made without; damage of them is found as well."""
    store = PosixStore(tmp_path)
    first = world(store, *GOOD, BAD_NUMBER)
    run_partition(first, KEY)
    path = aside_file(tmp_path, first)
    second = world(store, *GOOD, "e,2021,8,MWh")
    run_partition(second, KEY)
    assert current(second, Asset.ACTIVITY).quarantine is None
    path.unlink()
    assert [breach.kind for breach in check_store(second).breaches] == [BreachKind.BLOB_MISSING]


def test_rows_set_aside_are_no_garbage(tmp_path: Path) -> None:
    """However old they are, a record names them; a blob that nobody names is collected beside them."""
    store = PosixStore(tmp_path)
    run_partition(world(store, *GOOD, BAD_NUMBER, BAD_UNIT), KEY)
    orphan = tmp_path / "blobs" / "00" / f"{'00' * 32}.parquet"
    orphan.parent.mkdir(parents=True, exist_ok=True)
    orphan.write_bytes(b"nobody's")
    old = (NOW - timedelta(days=30)).timestamp()
    for file in filter(Path.is_file, tmp_path.rglob("*")):
        os.utime(file, (old, old))
    made = plan(store, lambda: NOW, min_age=timedelta(days=7), wait=timedelta(hours=2))
    assert [candidate.key for candidate in made.candidates] == [str(orphan.relative_to(tmp_path))]


def test_rows_that_a_later_delivery_sets_aside_are_certified() -> None:
    """A row that is added to the source and set aside changes no figure, and still has to be told."""
    store = memory_store()
    run_partition(world(store, *GOOD), KEY)
    ours = world(store, *GOOD, BAD_NUMBER)
    run_partition(ours, KEY)
    assert current(ours, Asset.ACTIVITY).quarantine is not None
    assert subjects(ours)["activity"].get("quarantined", 0) == 1
