"""Rows that were set aside are kept beside the generation, checked with it, never collected, and certified."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.contract import QUARANTINE, about, saying
from mrv_assets.domain.digest import self_sealed_json
from mrv_assets.domain.errors import DigestMismatch, GateError, Tampering
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.subject import Subject
from mrv_assets.pipeline.audit import stored_intact
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World
from mrv_assets.storage.blobs import PARQUET, blob_key, blob_ref
from mrv_assets.storage.breach import BreachKind
from mrv_assets.storage.gc import plan
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.parquet import to_parquet
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.slot_paths import record_key
from mrv_assets.verify import verify_set_aside
from mrv_assets_tests.unit.pipeline.damages import put, rewrite
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


def subjects(world: World) -> dict[Asset, Subject]:
    """Return the subjects of the current certificate by asset."""
    data = world.slots.load_bytes(current(world, Asset.CERTIFICATE))
    return {subject.asset: subject for subject in Certificate.from_bytes(data, where="under test").subjects}


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
    assert {asset.value: subject.quarantined for asset, subject in certified.items()} == {
        "activity": 1,
        "normalized": 1,
        "factored": 0,
        "aggregated": 0,
    }
    [accounted] = [gate for gate in certified[Asset.ACTIVITY].gates if gate.gate == "rows_accounted"]
    assert accounted.observed.endswith("1 set aside (25.0000%), because the sender mends them")
    [conserved] = [gate for gate in certified[Asset.NORMALIZED].gates if gate.gate == "rows_conserved"]
    assert "set aside so far 50.0000% of the source rows" in conserved.observed


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
    assert subjects(ours)[Asset.ACTIVITY].quarantined == 1


def corrected(aside: pa.Table) -> pa.Table:
    """Return rows set aside that say something else."""
    return aside.set_column(3, "reason", pa.array(["it rained"] * aside.num_rows))


def test_other_rows_than_those_that_the_table_says_are_never_kept() -> None:
    """What was set aside is read back like the table, and compared with what the table says, before the commit."""
    ours = world(memory_store(), *GOOD, BAD_NUMBER)
    run = Run(ours, run_id="run")
    judged = run.make(run.plan(Asset.ACTIVITY, KEY))
    assert judged.staged is not None
    assert judged.staged.quarantined is not None
    forged = replace(judged.staged, quarantined=corrected(judged.staged.quarantined))
    with pytest.raises(
        DigestMismatch, match=r"does not read back as what was judged \[activity anoka 2021, quarantine"
    ):
        run.keep(replace(judged, staged=forged))
    assert ours.slots.current(Slot.of(Asset.ACTIVITY, KEY)) is None
    assert run.keep(judged).outcome is Outcome.COMMITTED


def other_rows(root: Path, data: bytes, *, rows: int = 1) -> dict[str, Any]:
    """Store other rows set aside, and return how a record names them."""
    ref = blob_ref(data, PARQUET)
    put(root / blob_key(ref), data)
    return {"rows": rows, "blob": {"sha256": ref.sha256, "size": ref.size, "media_type": ref.media_type}}


def same_rows_claimed_as(rows: int) -> Callable[[Path, World], dict[str, Any]]:
    """Return what names the rows that were set aside, as so many."""

    def made(root: Path, ours: World) -> dict[str, Any]:
        return other_rows(root, aside_file(root, ours).read_bytes(), rows=rows)

    return made


def corrected_rows(root: Path, ours: World) -> dict[str, Any]:
    """Name rows that say something else."""
    aside = ours.slots.load_quarantine(current(ours, Asset.ACTIVITY))
    assert aside is not None
    return other_rows(root, to_parquet(corrected(aside)))


def test_rows_set_aside_are_verified_against_the_table() -> None:
    """The very rows pass; others, none, and rows of a table that says nothing of any do not."""
    ours = world(memory_store(), *GOOD, BAD_NUMBER)
    run_partition(ours, KEY)
    record = current(ours, Asset.ACTIVITY)
    table, aside = ours.slots.load_table(record), ours.slots.load_quarantine(record)
    assert aside is not None
    verify_set_aside(aside, table, record)
    verify_set_aside(None, saying(table, {}), record)
    for rows, of in ((corrected(aside), table), (None, table), (aside, saying(table, {}))):
        with pytest.raises(
            DigestMismatch, match=r"rows set aside are not those.*activity anoka 2021, generation 1, quar"
        ):
            verify_set_aside(rows, of, record)


@pytest.mark.parametrize(
    ("forged", "found"),
    [
        pytest.param(corrected_rows, "1 rows, content [0-9a-f]{64} set aside, 1 by", id="other reasons"),
        pytest.param(same_rows_claimed_as(2), "1 rows, content [0-9a-f]{64} set aside, 2 by", id="more rows claimed"),
        pytest.param(lambda root, _: other_rows(root, b"PAR1"), "bytes that are no such rows", id="no Parquet"),
        pytest.param(
            lambda root, _: other_rows(root, to_parquet(pa.table({"row": [1]}))), "no such rows", id="another table"
        ),
        pytest.param(None, "0 rows set aside, 0 by the record", id="not named"),
    ],
)
def test_a_record_that_names_other_rows_than_its_table_says_is_found(
    tmp_path: Path, forged: Callable[[Path, World], dict[str, Any]] | None, found: str
) -> None:
    """Whoever writes the record anew cannot change which rows the table was made without."""
    ours = world(PosixStore(tmp_path), *GOOD, BAD_NUMBER)
    run_partition(ours, KEY)
    path = tmp_path / record_key(Slot.of(Asset.ACTIVITY, KEY), 1)
    if forged is None:
        document = json.loads(path.read_bytes())
        del document["quarantine"]
        path.write_bytes(self_sealed_json({k: v for k, v in document.items() if k != "self_sha256"}))
    else:
        rewrite(path, quarantine=forged(tmp_path, ours))
    breaches = {breach.kind: breach for breach in check_store(ours).breaches}
    assert set(breaches) == {BreachKind.CONTENT_MISMATCH, BreachKind.RECORD_ALTERED}
    assert re.search(found, breaches[BreachKind.CONTENT_MISMATCH].found)


def test_an_audit_looks_at_the_rows_set_aside(tmp_path: Path) -> None:
    """A partition is not whole without them."""
    ours = world(PosixStore(tmp_path), *GOOD, BAD_NUMBER)
    run_partition(ours, KEY)
    assert stored_intact(ours, KEY).passed
    aside_file(tmp_path, ours).unlink()
    outcome = stored_intact(ours, KEY)
    assert not outcome.passed
    assert "quarantine" in outcome.observed
