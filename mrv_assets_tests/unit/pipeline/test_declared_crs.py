"""Another declared CRS for the same bytes is another content, all the way to the areas."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.contract import about
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.carried import is_carried_through
from mrv_assets.pipeline.run import Kept, Run
from mrv_assets.pipeline.world import World
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets_tests.world import (
    TickingClock,
    committed_references,
    csv_bytes,
    memory_store,
    project_toml,
    run_partition,
)

KEY = PartitionKey(project_id="anoka", period="2021", factor_version="mrow-2024.06.24")
SOURCE = csv_bytes("row_id,epoch,activity_qty", ["a,2021,5", "b,2021-Q1,7"])
# In metres of UTM zone 15, in Anoka County.
SQUARE = "POLYGON ((480000 5000000, 480900 5000000, 480900 5000900, 480000 5000900, 480000 5000000))"
PLOTS = csv_bytes("row_id,epoch,activity_qty,outline", [f'a,2021,5,"{SQUARE}"'])


Projects = Callable[[str], dict[str, bytes]]


def of_the_boundary(crs: str) -> dict[str, bytes]:
    """Return a project whose boundary is declared to be in this CRS."""
    return {"projects/anoka.toml": project_toml("anoka", declared_crs=crs)}


def of_plots(crs: str) -> dict[str, bytes]:
    """Return a project whose rows bring outlines that are declared to be in this CRS."""
    own = f'geometry = "wkt"\ngeometry_column = "outline"\ndeclared_crs = "{crs}"\ndeclared_because = "it was agreed"'
    return {"projects/anoka.toml": project_toml("anoka").replace(b'geometry = "boundary"', own.encode())}


def world(store: ObjectStore, projects: dict[str, bytes], source: bytes) -> World:
    """Open a world over a store with this project and source."""
    references, landing = memory_store(committed_references() | projects), memory_store({"source.csv": source})
    return World.over(store=store, references=references, landing=landing, clock=TickingClock())


def normalized_in(world: World) -> list[Kept]:
    """Run the partition up to the areas."""
    run = Run(world, run_id="run")
    try:
        return [run.advance(asset, KEY) for asset in (Asset.ACTIVITY, Asset.NORMALIZED)]
    finally:
        run.close()


def record(kept: Kept) -> GenerationRecord:
    """Return the generation that is current after a run."""
    assert kept.record is not None
    return kept.record


CHANGES = [
    pytest.param(of_the_boundary, SOURCE, "EPSG:4269", "EPSG:4326", id="boundary, NAD83 to WGS 84"),
    pytest.param(of_the_boundary, SOURCE, "EPSG:4326", "EPSG:4269", id="boundary, WGS 84 to NAD83"),
    pytest.param(of_the_boundary, SOURCE, "EPSG:4326", "OGC:CRS84", id="boundary, another name"),
    pytest.param(of_plots, PLOTS, "EPSG:26915", "EPSG:32615", id="outlines, NAD83 to WGS 84"),
    pytest.param(of_plots, PLOTS, "EPSG:26915", "EPSG:6344", id="outlines, NAD83 to NAD83 (2011)"),
]


@pytest.mark.parametrize(("projects", "source", "before", "after"), CHANGES)
def test_another_declared_crs_is_another_activity(projects: Projects, source: bytes, before: str, after: str) -> None:
    """The rows and the bytes of their footprints are the same; where they are is not, so the content is another."""
    store = memory_store()
    first, _ = normalized_in(world(store, projects(before), source))
    second, _ = normalized_in(world(store, projects(after), source))
    slots = world(store, projects(after), source).slots
    assert (second.outcome, record(second).generation) == (Outcome.COMMITTED, 2)
    assert record(first).content_digest != record(second).content_digest
    tables = [slots.load_table(record(kept)) for kept in (first, second)]
    assert tables[0].equals(tables[1])
    assert [about(table)["crs"] for table in tables] == [before, after]
    assert record(second).evidence["crs"] == after
    assert record(second).reason.startswith("changed: project anoka ")


@pytest.mark.parametrize(("projects", "source", "before", "after"), CHANGES)
def test_areas_are_those_of_the_crs_that_is_declared_now(
    projects: Projects, source: bytes, before: str, after: str
) -> None:
    """Normalising is not skipped: its content is the one that a store without a past comes to."""
    store = memory_store()
    normalized_in(world(store, projects(before), source))
    _, again = normalized_in(world(store, projects(after), source))
    _, fresh = normalized_in(world(memory_store(), projects(after), source))
    assert again.reason != "inputs unchanged"
    assert record(again).content_digest == record(fresh).content_digest


@pytest.mark.parametrize(("projects", "source", "before", "after"), CHANGES)
def test_another_declared_crs_is_certified(projects: Projects, source: bytes, before: str, after: str) -> None:
    """Though no coordinate and no tonne may move: the certificate names the activity that says so."""
    store = memory_store()
    for crs in (before, after):
        run_partition(world(store, projects(crs), source), KEY)
    ours = world(store, projects(after), source)
    chain = [ours.slots.current(Slot.of(asset, KEY)) for asset in Asset]
    assert [each and each.generation for each in chain] == [2] * len(chain)
    activity, normalized, *_, certificate, _ = [each for each in chain if each is not None]
    assert normalized.evidence["crs_source"] == after
    subjects = Certificate.from_bytes(ours.slots.load_bytes(certificate), where="under test").subjects
    assert [subject.content_digest for subject in subjects[:2]] == [
        activity.content_digest,
        normalized.content_digest,
    ]
    assert is_carried_through(ours, KEY)


def test_footprints_that_move_get_new_areas() -> None:
    """NAD83 and WGS 84 differ by a hair in UTM; the new generation is made by the new operation and says so."""
    store = memory_store()
    _, first = normalized_in(world(store, of_plots("EPSG:26915"), PLOTS))
    _, second = normalized_in(world(store, of_plots("EPSG:32615"), PLOTS))
    assert (second.outcome, record(second).generation) == (Outcome.COMMITTED, 2)
    assert record(second).evidence["crs_source"] == "EPSG:32615"
    assert "NAD83" in record(first).evidence["crs_operation"]
    assert "NAD83" not in record(second).evidence["crs_operation"]
    assert "activity" in record(second).reason
    load = world(store, of_plots("EPSG:32615"), PLOTS).slots.load_table
    areas = [load(record(kept)).column("area_ha").to_pylist() for kept in (first, second)]
    assert areas[0] != areas[1]
    assert areas[0] == pytest.approx(areas[1], rel=1e-6)


def test_a_wrong_zone_is_refused_and_the_good_areas_stay() -> None:
    """In the next zone the outlines lie in another state: nothing of it is kept."""
    store = memory_store()
    _, good = normalized_in(world(store, of_plots("EPSG:26915"), PLOTS))
    with pytest.raises(GateError, match="expected footprints that touch the project's boundary"):
        normalized_in(world(store, of_plots("EPSG:26916"), PLOTS))
    current = world(store, of_plots("EPSG:26916"), PLOTS).slots.current(Slot.of(Asset.NORMALIZED, KEY))
    assert current == record(good)


def test_another_crs_of_the_boundary_is_another_reason_to_normalise() -> None:
    """Outlines are compared with the project's land, so its CRS is an input also where the outlines stay."""
    store = memory_store()
    normalized_in(world(store, of_plots("EPSG:26915"), PLOTS))
    moved = of_plots("EPSG:26915")["projects/anoka.toml"].replace(b"EPSG:4269", b"EPSG:4326")
    activity, normalized = normalized_in(world(store, {"projects/anoka.toml": moved}, PLOTS))
    assert (activity.outcome, normalized.outcome) == (Outcome.SKIPPED, Outcome.SKIPPED)
    assert (activity.reason, normalized.reason) == ("content unchanged", "content unchanged")
