"""A certified figure is made again from what its certificate pins, and what differs is named to the row."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pyarrow as pa
import pytest

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import ContractError, DigestMismatch, Tampering
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.certificates import find_certificate
from mrv_assets.pipeline.compared import Compared, State
from mrv_assets.pipeline.prepared import prepare
from mrv_assets.pipeline.reperform import Reperformed, Verdict, recompute, reperform
from mrv_assets.pipeline.world import World
from mrv_assets.storage.blobs import blob_key
from mrv_assets.storage.parquet import to_parquet
from mrv_assets.storage.slot_paths import record_key
from mrv_assets.storage.sources import Landing
from mrv_assets_tests import planted_forest
from mrv_assets_tests.forging import current, forge, one_tonne_more, with_cell
from mrv_assets_tests.tampering import rewritten
from mrv_assets_tests.unit.pipeline.bumps import FIRST, MIDDLE, Bench
from mrv_assets_tests.unit.pipeline.landings import key, projects, rows
from mrv_assets_tests.unit.pipeline.small_store import ANOKA, RESTATED, build, world_over
from mrv_assets_tests.world import committed_references, memory_store, memory_world, project_toml, run_partition


@pytest.fixture
def world() -> World:
    """The small store: Anoka was restated."""
    world = world_over(memory_store())
    build(world)
    return world


def of(found: Reperformed, asset: Asset) -> Compared:
    """Return what was found of one asset."""
    [one] = [one for one in found.assets if one.asset is asset]
    return one


def again(world: World, text: str = "anoka 2021") -> Reperformed:
    """Make a certificate again."""
    return reperform(world, find_certificate(world.slots, text))


def stored(world: World) -> dict[str, bytes | None]:
    """Return everything that the store holds."""
    return {name: world.store.get(name) for name in world.store.list("")}


@pytest.mark.parametrize("text", ["anoka 2021", "carver 2021", f"anoka 2021 {ANOKA.factor_version}"])
def test_what_was_certified_is_made_again(world: World, text: str) -> None:
    """Content, bytes, what the records state, and the statement, also of one that was superseded."""
    before = stored(world)
    found = again(world, text)
    assert found.verdict is Verdict.SAME
    assert [one.state for one in found.assets] == [State.EQUAL] * 5
    assert [one.recomputed for one in found.assets] == [one.sealed for one in found.assets]
    assert not any(one.leaves or one.pins or one.difference or one.note for one in found.assets)
    assert stored(world) == before


def test_the_predecessor_is_taken_from_the_statement(world: World) -> None:
    """History is not recomputed: the restated certificate names the one before it, and is equal."""
    record = current(world, Asset.CERTIFICATE, RESTATED)
    assert Certificate.from_bytes(world.slots.load_bytes(record), where="it").supersedes is not None
    assert reperform(world, record).certificate.recomputed == record.content_digest


def test_assessments_are_made_again() -> None:
    """The planted forest, from its plots to whole credits."""
    world = planted_forest.opened()
    run_partition(world, planted_forest.KEY)
    assert again(world, "planted-forest 2025").verdict is Verdict.SAME


@pytest.mark.parametrize("delivered", [None, "anoka 2021 8"], ids=["gone", "another one"])
def test_without_its_source_it_starts_from_the_sealed_activity(delivered: str | None) -> None:
    """And says so; everything downstream is made again."""
    place = Bench(newest=MIDDLE, projects_toml=projects("anoka"))
    run_partition(place.world, key("anoka", "2021", FIRST))
    files = {"source.csv": rows(delivered)} if delivered else {}
    world = replace(place.world, landing=Landing(memory_store(files), place.world.clock))
    found = again(world)
    assert found.verdict is Verdict.SAME
    assert [one.state for one in found.assets] == [State.NOT_RECOMPUTED] + [State.EQUAL] * 4
    assert "activity was not recomputed: source source.csv" in of(found, Asset.ACTIVITY).note


def test_an_item_that_was_laid_beside_the_source_later_is_another_delivery(world: World) -> None:
    """The file is the same, and what would be recorded of it is not: it starts from the sealed activity."""
    source = world.landing.fetch("source.csv").content
    files = {"source.csv": source, "source.csv.stac.json": b"{}"}
    found = again(replace(world, landing=Landing(memory_store(files), world.clock)))
    assert found.verdict is Verdict.SAME
    assert "a STAC item lies beside the source file now" in of(found, Asset.ACTIVITY).note


def test_without_its_monitoring_package_the_figure_is_made_again_and_the_assessments_are_not() -> None:
    """The totals are compared, and what was not made again is said."""
    world = planted_forest.opened()
    run_partition(world, planted_forest.KEY)
    files = {path: data for path, data in planted_forest.landing().items() if path != planted_forest.PACKAGE}
    found = again(replace(world, landing=Landing(memory_store(files), world.clock)), "planted-forest 2025")
    assert found.verdict is Verdict.SAME
    assert found.is_same_figure
    assert found.certificate.state is State.NOT_RECOMPUTED
    assert "assessments were not recomputed: monitoring monitoring/2025.toml" in found.certificate.note


def other_references(path: str, old: str, new: str) -> dict[str, bytes]:
    """Return the planted forest's reference data with one text of one file changed."""
    return planted_forest.replaced(planted_forest.references(), path, old, new)


@pytest.mark.parametrize(
    ("path", "old", "new", "message"),
    [
        pytest.param(planted_forest.PROJECT, 'name = "', 'name = "The ', "project planted-forest", id="project"),
        pytest.param(
            "boundaries/planted-forest.geojson", '"type": "FeatureCollection"', '"type":  "FeatureCollection"',
            "boundary boundaries/planted-forest.geojson", id="boundary",
        ),
        pytest.param("standards/npr-4.2.toml", 'id = "npr"', 'id  = "npr"', "rule_set npr@4.2", id="rule set"),
    ],
)  # fmt: skip
def test_other_reference_data_are_refused_by_name(path: str, old: str, new: str, message: str) -> None:
    """With both digests, and where the older ones can be had."""
    world = planted_forest.opened()
    run_partition(world, planted_forest.KEY)
    changed = memory_world(references=other_references(path, old, new), landing=memory_store()).references
    with pytest.raises(ContractError, match=message) as caught:
        again(replace(world, references=changed), "planted-forest 2025")
    assert "--reference" in caught.value.remedy
    assert caught.value.found not in caught.value.expected


def test_a_factor_release_that_was_edited_is_refused_by_name(world: World) -> None:
    """Its file is listed as released, so it is told as what it is: another file than was released."""
    name = f"factors/{RESTATED.factor_version}/factors.csv"
    files = committed_references() | {"projects/anoka.toml": project_toml("anoka", where={"project": "anoka"})}
    references = memory_world(references={**files, name: files[name] + b"\n"}, landing=memory_store()).references
    with pytest.raises(DigestMismatch, match=name):
        again(replace(world, references=references))


def test_a_release_that_is_not_here_is_refused_by_name(world: World) -> None:
    """Where nobody lists it, its absence is told with the digest that was pinned."""
    folder = f"factors/{RESTATED.factor_version}/"
    files = committed_references() | {"projects/anoka.toml": project_toml("anoka", where={"project": "anoka"})}
    kept = {name: data for name, data in files.items() if not name.startswith((folder, "factors/RELEASED"))}
    references = memory_world(references=kept, landing=memory_store()).references
    with pytest.raises(ContractError, match=f"factor_release {RESTATED.factor_version}"):
        again(replace(world, references=references))


def test_a_withdrawn_release_is_no_obstacle(world: World) -> None:
    """What was certified with it can be made again; only nothing new is made with it."""
    files = committed_references() | {"projects/anoka.toml": project_toml("anoka", where={"project": "anoka"})}
    withdrawn = b'on = 2025-01-01\nby = "publisher"\nbecause = "wrong vintage"\n'
    references = memory_world(
        references={**files, f"factors/{RESTATED.factor_version}/withdrawn.toml": withdrawn}, landing=memory_store()
    ).references
    assert references.withdrawal(RESTATED.factor_version) is not None
    assert again(replace(world, references=references)).verdict is Verdict.SAME


def test_a_forged_row_is_named(world: World) -> None:
    """Although every digest was made to fit: the row, both values, and the tonnes it moves."""
    forge(world, RESTATED, tables={Asset.FACTORED: with_cell("emissions_tco2e", 0, Decimal("3.000000001"))})
    found = again(world)
    assert found.verdict is Verdict.DIFFERS
    difference = of(found, Asset.FACTORED).difference
    assert difference is not None
    [cell] = difference.cells
    assert (cell.key, cell.column, cell.sealed) == (("anoka-2021-Q1",), "emissions_tco2e", "3.000000001")
    assert difference.tonnes == Decimal(cell.recomputed) - Decimal(cell.sealed)
    assert [one.state for one in found.assets][:2] == [State.EQUAL] * 2


def test_a_row_that_was_left_out_is_named(world: World) -> None:
    """By its key, as added when it is made again."""
    forge(world, RESTATED, tables={Asset.NORMALIZED: lambda table: table.slice(1)})
    difference = of(again(world), Asset.NORMALIZED).difference
    assert difference is not None
    assert (difference.added, difference.added_rows, difference.changed_rows) == ([("anoka-2021-Q1",)], 1, 0)


def test_forged_totals_are_named(world: World) -> None:
    """A certificate that was sealed anew with one tonne more says what its tables do not."""
    sealed = again(world).prepared.sealed.certificate
    forge(world, RESTATED, totals=one_tonne_more(sealed.totals))
    found = again(world)
    assert found.verdict is Verdict.DIFFERS
    assert not found.is_same_figure
    paths = [leaf.path for leaf in found.certificate.leaves]
    assert paths == ["predicate.totals.emissions_tco2e", "predicate.totals.net_tco2e"]
    assert {one.state for one in found.tables} == {State.EQUAL}


def test_other_stored_bytes_are_named_with_the_row(world: World) -> None:
    """The figure can be made again, and the stored table is not what was sealed."""
    record = current(world, Asset.FACTORED, RESTATED)
    edit = with_cell("emissions_tco2e", 1, Decimal("0.5"))
    world.store.replace(blob_key(record.blob), to_parquet(edit(world.slots.load_table(record))))
    found = again(world)
    one = of(found, Asset.FACTORED)
    assert found.verdict is Verdict.DIFFERS
    assert one.recomputed == one.sealed
    assert blob_key(record.blob) in one.stored
    assert one.difference is not None
    assert [cell.key for cell in one.difference.cells] == [("anoka-2021-Q2",)]


def test_bytes_that_are_no_table_are_told(world: World) -> None:
    """Without rows, because there are none."""
    record = current(world, Asset.AGGREGATED, RESTATED)
    world.store.replace(blob_key(record.blob), b"nothing")
    one = of(again(world), Asset.AGGREGATED)
    assert (one.state, one.difference) == (State.DIFFERS, None)
    assert "holds other bytes" in one.stored


def test_a_forged_record_is_named(world: World) -> None:
    """A record that was sealed anew is not what the certificate states."""
    record = current(world, Asset.NORMALIZED, RESTATED)
    place = record_key(record.slot, record.generation)
    data = world.store.get(place)
    assert data is not None
    world.store.replace(place, rewritten(data, rows=3))
    with pytest.raises(DigestMismatch, match="record of normalized is not what the certificate states"):
        again(world)


def test_a_certificate_that_was_edited_is_named(world: World) -> None:
    """Its bytes are not the sealed ones."""
    record = current(world, Asset.CERTIFICATE, RESTATED)
    world.store.replace(blob_key(record.blob), b"{}")
    with pytest.raises(Tampering, match="not the bytes that were sealed"):
        again(world)


def test_another_library_is_said_and_the_content_counts(world: World) -> None:
    """The same content by other pins is the same figure; which pins are others is told."""
    forge(world, RESTATED, pins={Asset.FACTORED: {"pyarrow": "25.0.0"}, Asset.ACTIVITY: {"code": "0" * 64}})
    found = again(world)
    assert found.verdict is Verdict.SAME
    assert [leaf.path for leaf in of(found, Asset.FACTORED).pins] == ["pins.pyarrow"]
    assert [leaf.path for leaf in of(found, Asset.ACTIVITY).pins] == ["pins.code"]
    assert found.has_other_pins


def test_other_content_by_other_libraries_proves_nothing(world: World) -> None:
    """It differs, and the reason may be the library."""
    edit = with_cell("emissions_tco2e", 0, Decimal("3.000000001"))
    forge(world, RESTATED, pins={Asset.FACTORED: {"pyarrow": "25.0.0"}}, tables={Asset.FACTORED: edit})
    assert again(world).verdict is Verdict.ELSEWHERE


def test_an_earlier_contract_is_compared_by_its_own_columns(world: World) -> None:
    """A factored table of version 1.0.0 said less; what it said is the same."""

    def narrower(table: pa.Table) -> pa.Table:
        return table.drop_columns(["factor_region", "factor_level"])

    pins = {Asset.FACTORED: {"contract": "mrv-factored-1.0.0"}}
    forge(world, RESTATED, pins=pins, tables={Asset.FACTORED: narrower})
    one = of(again(world), Asset.FACTORED)
    assert (one.state, one.recomputed) == (State.EQUAL, one.sealed)


def test_a_stage_that_refuses_is_told(world: World) -> None:
    """Where reference data are others and are used all the same, a refusal is told, and it ends there."""
    files = committed_references() | {"projects/anoka.toml": project_toml("anoka", where={"project": "nobody"})}
    other = replace(world, references=memory_world(references=files, landing=memory_store()).references)
    found = recompute(other, prepare(other, find_certificate(world.slots, "anoka 2021")))
    assert found.verdict is Verdict.ELSEWHERE
    assert of(found, Asset.ACTIVITY).note.startswith("refused: ")
    assert of(found, Asset.NORMALIZED).note == "activity was refused"
    assert found.totals is None
