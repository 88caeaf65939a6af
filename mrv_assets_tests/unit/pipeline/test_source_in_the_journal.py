"""What the record and the journal tell of the source file, whatever became of the stage."""

from __future__ import annotations

from collections.abc import Mapping

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.domain.source_identity import SOURCE_KEYS, source_identity
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.pipeline.run import Run
from mrv_assets_tests.unit.pipeline.landings import NEWEST, Place, key, rows
from mrv_assets_tests.unit.storage.items import document, encoded, multihash

ANOKA = key("anoka", "2021", NEWEST)
DATA = rows("anoka 2021 7")


def told(place: Place) -> list[tuple[Outcome, Mapping[str, str]]]:
    """Return outcome and source of every event about activity."""
    events = [event for entry in place.world.journal.entries() for event in entry.events]
    return [(event.outcome, event.source) for event in events if event.asset is Asset.ACTIVITY]


def ingest(place: Place, run_id: str = "first") -> None:
    """Walk activity once and close the run, whatever becomes of it."""
    run = Run(place.world, run_id=run_id)
    planned = run.plan(Asset.ACTIVITY, ANOKA)
    if planned.skip:
        run.skip(planned)
    else:
        judged = run.make(planned)
        if judged.red:
            run.refuse(judged)
        else:
            run.keep(judged)
    run.close()


def test_a_commit_and_a_skip_tell_the_source_that_was_read() -> None:
    """The commit tells what its record holds; the skip tells the file as it was retrieved this time."""
    place = Place({"source.csv": DATA, "source.csv.stac.json": encoded(document(href="source.csv"))})
    ingest(place)
    place.tick(days=1)
    ingest(place, "second")
    (committed, first), (skipped, second) = told(place)
    assert (committed, skipped) == (Outcome.COMMITTED, Outcome.SKIPPED)
    assert set(SOURCE_KEYS) < set(first)
    assert first["source_sha256"] == sha256_hex(DATA)
    assert first["source_stac_id"] == "electricity-2021"
    record = place.world.slots.current(Slot.of(Asset.ACTIVITY, ANOKA))
    assert record is not None
    assert source_identity(record.evidence) == first
    assert record.evidence["source_rows"] == "1"
    changed = {name for name in first if first[name] != second[name]}
    assert changed == {"source_retrieved_utc"}
    assert check_store(place.world).breaches == ()


def test_a_refusal_tells_the_source_that_was_refused() -> None:
    """A red gate keeps nothing, and the journal still says which bytes turned it red."""
    place = Place({"source.csv": rows("anoka 2021 -7")})
    ingest(place)
    [(outcome, source)] = told(place)
    assert outcome is Outcome.REFUSED
    assert source["source_sha256"] == sha256_hex(rows("anoka 2021 -7"))


def test_an_item_that_contradicts_its_file_turns_the_gate_red() -> None:
    """The stage gets no bytes; the journal names the file and the item."""
    item = encoded(document(href="source.csv", checksum=multihash(b"other")))
    place = Place({"source.csv": DATA, "source.csv.stac.json": item})
    run = Run(place.world, run_id="run")
    judged = run.make(run.plan(Asset.ACTIVITY, ANOKA))
    assert [gate.gate for gate in judged.red] == ["source_readable"]
    assert "file:checksum" in judged.red[0].limit
    run.refuse(judged)
    run.close()
    [(outcome, source)] = told(place)
    assert outcome is Outcome.REFUSED
    assert source["source_sha256"] == sha256_hex(DATA)
    assert source["source_stac_sha256"] == sha256_hex(item)


def test_what_reads_no_source_tells_none() -> None:
    """Only the first asset reads a landing file."""
    place = Place({"source.csv": DATA})
    run = Run(place.world, run_id="run")
    for asset in Asset:
        run.advance(asset, ANOKA)
    run.close()
    [entry] = place.world.journal.entries()
    assert [bool(event.source) for event in entry.events] == [True, *[False] * 5]
