"""A preview of a source file: what it says is what a run does, and it leaves nothing behind."""

from __future__ import annotations

import pytest

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError, GateError, IdentityError
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.preview import Preview, preview
from mrv_assets.pipeline.source_reading import PeriodRows
from mrv_assets_tests.unit.pipeline.landings import DELIVERY, Place, key, projects, rows
from mrv_assets_tests.unit.storage.items import document, encoded, multihash
from mrv_assets_tests.world import csv_bytes, run_partition

ANOKA = key("anoka", "2021")
HEADER = "row_id,project,epoch,activity_qty"
QUARANTINE = b'\n[source.quarantine]\nmax_share = "0.5"\nbecause = "the sender corrects it next year"\n'
TONS = {"activity_id": "electricity.delivered", "unit": "ton", "region": "US/MROW"}


def looked(place: Place, period: str | None = None) -> Preview:
    """Preview the project anoka, and make sure that the store is as it was before."""
    before = stored(place)
    seen = preview(place.world, "anoka", period)
    assert stored(place) == before
    return seen


def stored(place: Place) -> dict[str, bytes | None]:
    """Return every object of the store, whatever it is."""
    return {name: place.store.get(name) for name in place.store.list("")}


def allowing_quarantine() -> Place:
    """Return a place whose project sets rows aside."""
    files = {name: data + QUARANTINE for name, data in projects("anoka").items()}
    return Place({"source.csv": rows("anoka 2021 7", "anoka 2021 -7", "anoka 2022 8")}, references=files)


def test_a_file_is_told_by_its_identity_and_what_it_holds() -> None:
    """Without a period: URI, digest, size and kind of the file, its records, the project's rows by period, the CRS."""
    seen = looked(Place())
    assert seen.identity["source_uri"] == "memory://test/source.csv"
    assert seen.identity["source_sha256"] == sha256_hex(DELIVERY)
    assert seen.identity["source_size"] == str(len(DELIVERY))
    assert seen.identity["source_media_type"] == "text/csv"
    assert seen.columns == ("row_id", "project", "epoch", "activity_qty")
    assert seen.reading is not None
    assert (seen.reading.record, seen.reading.first, seen.reading.records, seen.reading.rows) == ("line", 2, 3, 2)
    assert seen.reading.periods == (
        PeriodRows(period="2021", rows=1, is_whole=True),
        PeriodRows(period="2022", rows=1, is_whole=True),
    )
    assert seen.crs is not None
    assert (seen.crs.crs, seen.refusal, seen.stages) == ("EPSG:4269", None, ())


def test_what_a_preview_says_is_what_a_run_does() -> None:
    """The gates with all their numbers and the content digests of a preview are those that a run then keeps."""
    place = Place()
    stages = looked(place, "2021").stages
    run_partition(place.world, ANOKA)
    assert [stage.slot.asset for stage in stages] == [Asset.ACTIVITY, Asset.NORMALIZED]
    for stage in stages:
        record = place.world.slots.current(Slot.of(stage.slot.asset, ANOKA))
        assert record is not None
        assert stage.slot == record.slot
        assert stage.gates == tuple(record.gates)
        assert stage.content_digest == record.content_digest
        assert (stage.current, stage.is_new, stage.refusal) == (None, True, None)


def test_a_preview_says_whether_the_store_holds_the_same_already() -> None:
    """After a run the content is the same as that of the current generation; after another delivery it is another."""
    place = Place()
    run_partition(place.world, ANOKA)
    again = looked(place, "2021").stages
    assert [(stage.current is not None, stage.is_new) for stage in again] == [(True, False)] * 2
    place.deliver(rows("anoka 2021 8", "anoka 2022 8"))
    other = looked(place, "2021").stages
    assert [(stage.current is not None, stage.is_new) for stage in other] == [(True, True)] * 2


def test_a_preview_judges_against_the_generation_before() -> None:
    """A file that has lost a period is told to be red, as a run would find it."""
    place = Place()
    run_partition(place.world, ANOKA)
    place.deliver(rows("anoka 2021 7"))
    seen = looked(place, "2021")
    assert [gate.gate for gate in seen.stages[0].gates if not gate.passed] == ["source_keeps_periods"]
    assert seen.refusal is not None
    assert seen.refusal.where == "activity anoka 2021"


@pytest.mark.parametrize(
    ("data", "gate", "columns"),
    [
        pytest.param(b"", "columns_present", (), id="empty"),
        pytest.param(b"PK\x03\x04", "source_readable", (), id="another format"),
        pytest.param(
            csv_bytes("row_id,project,year,activity_qty", ["0,anoka,2021,1"]),
            "columns_present",
            ("row_id", "project", "year", "activity_qty"),
            id="a mapped column is missing",
        ),
        pytest.param(
            csv_bytes(HEADER, ["0,anoka,2021"]),
            "columns_present",
            ("row_id", "project", "epoch", "activity_qty"),
            id="ragged",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_told_all_the_same(data: bytes, gate: str, columns: tuple[str, ...]) -> None:
    """The refusal is part of the answer, beside the identity of the file and, as far as there are some, its columns."""
    place = Place({"source.csv": data})
    for seen in (looked(place), looked(place, "2021")):
        assert isinstance(seen.refusal, GateError)
        assert (seen.refusal.gate, seen.reading, seen.columns) == (gate, None, columns)
        assert seen.identity["source_sha256"] == sha256_hex(data)
    [activity] = looked(place, "2021").stages
    assert [outcome.gate for outcome in activity.gates] == [gate]
    assert activity.staged is None


@pytest.mark.parametrize(
    ("row", "gate"),
    [
        pytest.param("anoka 2021 -7", "quantity_valid", id="red gate"),
        pytest.param("anoka 2021 7,5", "columns_present", id="ragged"),
        pytest.param("anoka 2021 seven", "quantity_valid", id="refused by the stage"),
        pytest.param("anoka 2020-12-01_2021-01-31 7", "epochs_in_period", id="across the edge"),
        pytest.param("anoka 2022 7", "rows_present", id="no rows"),
    ],
)
def test_a_refusal_of_activity_ends_the_preview_there(row: str, gate: str) -> None:
    """What activity refuses does not become normalized; the first red gate is the refusal, and nothing is kept."""
    seen = looked(Place({"source.csv": rows(row)}), "2021")
    [activity] = seen.stages
    assert isinstance(seen.refusal, GateError)
    assert (seen.refusal.gate, activity.content_digest, activity.is_new) == (gate, None, False)
    assert gate in [outcome.gate for outcome in activity.gates if not outcome.passed]


def test_a_refusal_of_normalized_leaves_activity_as_it_is() -> None:
    """An ambiguous unit is refused by normalized, after activity has passed."""
    seen = looked(Place(references=projects("anoka", constants=TONS)), "2021")
    activity, normalized = seen.stages
    assert activity.refusal is None
    assert activity.content_digest is not None
    assert isinstance(normalized.refusal, GateError)
    assert (normalized.refusal.gate, seen.refusal) == ("units_known", normalized.refusal)


def test_a_missing_crs_is_a_refusal_without_a_period_too() -> None:
    """Nobody says which CRS the boundary has: that holds for every period, so the file alone is refused."""
    seen = looked(Place(references=projects("anoka", declared_crs=None)))
    assert isinstance(seen.refusal, GateError)
    assert (seen.refusal.gate, seen.crs) == ("crs_declared", None)
    assert seen.reading is not None
    assert seen.columns == ("row_id", "project", "epoch", "activity_qty")


def test_periods_in_part_and_epochs_that_are_none_are_counted() -> None:
    """Rows count for the reporting period they lie in; what lies in none is told by its epoch, blank ones too."""
    delivered = ["0,anoka,2021,1", "1,anoka,2022-03,1", "2,anoka,2022-Q1,1", "3,anoka,last year,1", "4,anoka,,1"]
    seen = looked(Place({"source.csv": csv_bytes(HEADER, delivered)}))
    assert seen.reading is not None
    assert seen.reading.periods == (
        PeriodRows(period="2021", rows=1, is_whole=True),
        PeriodRows(period="2022", rows=2, is_whole=False),
    )
    assert seen.reading.unusable == {"last year": 1, "": 1}
    assert seen.reading.rows == 5


def test_rows_that_would_be_set_aside_are_told_with_their_reason() -> None:
    """Where the project allows it, the preview says how many rows would be set aside, and each with its gate."""
    seen = looked(allowing_quarantine(), "2021")
    activity, normalized = seen.stages
    assert seen.refusal is None
    assert activity.staged is not None
    assert activity.staged.quarantined is not None
    [aside] = activity.staged.quarantined.to_pylist()
    assert (aside["row"], aside["row_id"], aside["gate"]) == (3, "1", "quantity_valid")
    assert normalized.staged is not None
    assert normalized.staged.rows == 1


def test_an_item_beside_the_file_is_told_also_when_it_is_refused() -> None:
    """A STAC Item that contradicts its file refuses the file, and the answer names both."""
    item = encoded(document(href="source.csv", checksum=multihash(b"other")))
    seen = looked(Place({"source.csv": DELIVERY, "source.csv.stac.json": item}))
    assert isinstance(seen.refusal, GateError)
    assert (seen.refusal.gate, seen.reading) == ("source_readable", None)
    assert seen.identity["source_stac_sha256"] == sha256_hex(item)


@pytest.mark.parametrize(
    ("project", "period", "error", "match"),
    [
        pytest.param("nobody", None, ContractError, "reference file is missing", id="no project"),
        pytest.param("carver", None, ContractError, "source file is missing", id="no file"),
        pytest.param("anoka", "21", IdentityError, "period is not in canonical form", id="no period"),
    ],
)
def test_what_does_not_exist_cannot_be_looked_at(
    project: str, period: str | None, error: type[Exception], match: str
) -> None:
    """A project, file or period that there is not is refused as everywhere."""
    references = projects("anoka") | projects("carver", path="nowhere.csv")
    place = Place(references=references)
    with pytest.raises(error, match=match):
        preview(place.world, project, period)
    assert stored(place) == {}
