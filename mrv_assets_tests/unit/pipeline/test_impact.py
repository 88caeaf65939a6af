"""What a preview of a factor bump says, held against what the bump then does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import TypeVar

import pytest

from mrv_assets.domain.errors import BrokenChain, DigestMismatch, FactorError, GateError, IdentityError
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.pipeline.impact import Impact, PartitionImpact, factor_impact
from mrv_assets.pipeline.world import World
from mrv_assets.report.impact import largest_first, totals_of
from mrv_assets.stages.factor import apply_factors
from mrv_assets.storage.blobs import blob_key
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.slot_paths import record_key
from mrv_assets_tests.passing_store import PassingStore
from mrv_assets_tests.unit.pipeline.two_releases import (
    ELECTRICITY,
    FIRST,
    HEAT,
    METHANE,
    NEW,
    OLD,
    SECOND,
    SOURCE,
    bump_world,
    by_factor,
    certified,
    key,
    ledger,
    reported,
    stored,
)
from mrv_assets_tests.world import memory_store, run_partition

T = TypeVar("T")


class CountingStore(PassingStore):
    """Counts what is asked of it, and may say that it is somewhere else."""

    def __init__(self, inner: ObjectStore, *, uri: str) -> None:
        super().__init__(inner)
        self.calls: Counter[tuple[str, str]] = Counter()
        self._uri = uri

    @property
    def uri(self) -> str:
        return self._uri

    def _call(self, operation: str, key: str, call: Callable[[], T]) -> T:
        self.calls[operation, key] += 1
        return call()


def of(impact: Impact, project: str) -> PartitionImpact:
    """Return what is said of a project, which has one partition."""
    [one] = [one for one in impact.partitions if one.key.project_id == project]
    return one


def test_a_preview_is_what_the_bump_then_does() -> None:
    """Emissions and removals of every partition, as a whole and by factor, equal those that a run commits."""
    world = reported(bump_world())
    before = {project: ledger(world, key(project)) for project in SOURCE}
    impact = factor_impact(world, NEW, before=OLD)
    reported(world, version=NEW)
    assert [one.key for one in impact.partitions] == [key(project, NEW) for project in SOURCE]
    for one in impact.partitions:
        assert (one.before, one.after) == (before[one.key.project_id], ledger(world, one.key))
        for side, version in (("before", OLD), ("after", NEW)):
            said = {name: getattr(move, side) for name, move in one.factors.items()}
            assert said == by_factor(world, key(one.key.project_id, version))


def test_a_preview_writes_nothing() -> None:
    """Every object of the store is there with the same bytes, and there is no other."""
    world = reported(bump_world())
    before = stored(world.store)
    factor_impact(world, NEW, before=OLD)
    factor_impact(world, NEW)
    assert stored(world.store) == before


@pytest.mark.parametrize("uri", ["memory://near", "s3://far"])
def test_a_preview_lists_the_ledger_once_and_reads_equal_contents_once(uri: str) -> None:
    """One listing, one reading of the table that two projects share, near or far."""
    rows = {project: [f"r1,{project},2021,electricity.delivered,MWh,7.25"] for project in ("anoka", "carver")}
    store = CountingStore(memory_store(), uri=uri)
    world = reported(bump_world(store=store, source=rows), ("anoka", "carver"))
    store.calls.clear()
    impact = factor_impact(world, NEW, before=OLD)
    assert [key for operation, key in store.calls if operation == "list"] == ["commits/ledger/"]
    assert set(store.calls.values()) == {1}
    normalized = [key for _, key in store.calls if key.startswith("commits/normalized/")]
    assert len(normalized) == 1
    assert {one.after for one in impact.partitions} == {Tonnes(emissions=ledger_of_one(world))}


def ledger_of_one(world: World) -> Decimal:
    """Return the emissions of the first project after the bump."""
    run_partition(world, key("anoka", NEW))
    return ledger(world, key("anoka", NEW)).emissions


def test_a_partition_that_is_refused_does_not_stop_the_others() -> None:
    """It is listed with the words of the stage and counted; the others have their figures."""
    world = reported(bump_world(after=SECOND[:2]))
    impact = factor_impact(world, NEW, before=OLD)
    refused = {one.key.project_id: str(one.refusal) for one in impact.partitions if one.refusal is not None}
    assert refused == {project: said_by_the_stage(world, project) for project in ("anoka", "scott")}
    assert (of(impact, "anoka").after, of(impact, "anoka").factors, of(impact, "anoka").is_moving) == (None, {}, False)
    run_partition(world, key("carver", NEW))
    assert of(impact, "carver").after == ledger(world, key("carver", NEW))
    totals = totals_of(impact)
    assert (totals.overall.moving, totals.overall.refused) == (1, 2)
    assert totals.overall.move == of(impact, "carver").move
    assert [one.key.project_id for one in largest_first(impact)] == ["carver", "anoka", "scott"]


def said_by_the_stage(world: World, project: str) -> str:
    """Return the refusal of the stage for the whole normalized table."""
    record = world.slots.current(Slot.of(Asset.NORMALIZED, key(project)))
    assert record is not None
    where = str(Slot.of(Asset.FACTORED, key(project, NEW)))
    release = world.references.factor_release(NEW)
    with pytest.raises(GateError, match=r"\[factored ") as raised:
        apply_factors(world.slots.load_table(record), release=release, where=where)
    return str(raised.value)


def test_a_row_that_becomes_too_large_is_refused_by_its_id() -> None:
    """What the kinds of rows do not tell is found table by table."""
    source = {**SOURCE, "scott": ["s1,scott,2021,heat.delivered,MWh,1000000"]}
    world = reported(bump_world(source=source, after=(*SECOND[:3], HEAT | {"ef_value": "9e9"})))
    impact = factor_impact(world, NEW, before=OLD)
    assert str(of(impact, "scott").refusal) == said_by_the_stage(world, "scott")
    assert "row 's1'" in str(of(impact, "scott").refusal)
    assert [one.refusal for one in impact.partitions if one.key.project_id != "scott"] == [None, None]


def test_a_factor_that_covers_part_of_an_epoch_is_refused_as_by_the_stage() -> None:
    """Also what the release itself says of an epoch is told with the partition it was asked for."""
    partly = METHANE | {"valid_from": "2021-03-01"}
    world = reported(bump_world(after=(ELECTRICITY, partly, *SECOND[2:])))
    impact = factor_impact(world, NEW, before=OLD)
    assert str(of(impact, "anoka").refusal) == said_by_the_stage(world, "anoka")
    assert of(impact, "scott").refusal is None


@pytest.mark.parametrize(
    ("pins", "supersedes", "hold"),
    [
        pytest.param({"2021": OLD}, OLD, "the project pins bump-1 for 2021", id="pinned"),
        pytest.param({}, "", "refused: neither bump-1, which is live, nor bump-2 supersedes the other", id="rival"),
        pytest.param({}, OLD, None, id="moves"),
        pytest.param({"2021": NEW}, "", None, id="pinned to the new one"),
    ],
)
def test_a_preview_says_whether_the_ledger_would_move(pins: dict[str, str], supersedes: str, hold: str | None) -> None:
    """What is held is computed, counted apart, and in no total of what would be reported."""
    before = reported(bump_world())
    impact = factor_impact(bump_world(store=before.store, pins=pins, supersedes=supersedes), NEW, before=OLD)
    assert {one.hold for one in impact.partitions} == {hold}
    totals = totals_of(impact)
    assert (totals.overall.moving, totals.overall.held) == ((3, 0) if hold is None else (0, 3))
    assert (totals.held.delta == 0) is (hold is None)
    assert (totals.overall.move.delta == 0) is (hold is not None)
    assert bool(totals.by_factor) is (hold is None)


def test_a_release_that_was_superseded_is_held() -> None:
    """The ledger never goes back, and the preview says so with the release that it reports."""
    world = reported(bump_world(), version=NEW)
    impact = factor_impact(world, OLD, before=NEW)
    assert {one.hold for one in impact.partitions} == {"superseded: the ledger reports bump-2, which supersedes bump-1"}
    reported(world, version=OLD)
    assert [one.after for one in impact.partitions] == [certified(world, one.key) for one in impact.partitions]


def test_only_what_rests_on_the_older_release_is_a_candidate() -> None:
    """A figure that rests on the newer one already is counted; without the older end, whatever is live counts."""
    world = reported(bump_world())
    run_partition(world, key("carver", NEW))
    for before in (OLD, None):
        impact = factor_impact(world, NEW, before=before)
        assert ([one.key.project_id for one in impact.partitions], impact.already) == (["anoka", "scott"], 1)
    back = factor_impact(world, OLD, before=NEW)
    assert ([one.key.project_id for one in back.partitions], back.already) == (["carver"], 2)


def test_a_project_and_a_period_limit_the_preview() -> None:
    """Others are not looked at."""
    quarter = {"anoka": ["q1,anoka,2021-Q1,electricity.delivered,MWh,3"]}
    world = reported(bump_world(source=SOURCE))
    assert [one.key for one in factor_impact(world, NEW, project_id="scott").partitions] == [key("scott", NEW)]
    assert factor_impact(world, NEW, project_id="nobody").partitions == []
    assert factor_impact(world, NEW, period="2020").partitions == []
    other = reported(bump_world(source=quarter), ("anoka",), period="2021-Q1")
    assert len(factor_impact(other, NEW, period="2021-Q1").partitions) == 1
    with pytest.raises(IdentityError, match="2021-3"):
        factor_impact(world, NEW, period="2021-3")


@pytest.mark.parametrize(("before", "after"), [("bump-9", NEW), (OLD, "bump-9")])
def test_an_unknown_release_is_refused(before: str, after: str) -> None:
    """The known ones are named."""
    with pytest.raises(FactorError, match=r"bump-9.*expected one of bump-1, bump-2"):
        factor_impact(reported(bump_world(), ("scott",)), after, before=before)


@pytest.mark.parametrize(
    ("head", "material"),
    [
        pytest.param("", True, id="five per cent when left out"),
        pytest.param('materiality = "0.06"\n', False, id="more than the change"),
        pytest.param('materiality = "0.0000001"\n', True, id="less than the change"),
    ],
)
def test_a_change_beyond_the_threshold_of_the_project_is_marked(head: str, material: bool) -> None:  # noqa: FBT001
    """The change is -5.95 % of the net figure, in the partition and in the total of the project."""
    world = reported(bump_world(projects={"carver": head}), ("carver",))
    impact = factor_impact(world, NEW, before=OLD)
    totals = totals_of(impact)
    assert of(impact, "carver").is_material is material
    assert totals.by_project["carver"].is_material is material
    assert totals.material == int(material)


def test_a_change_of_nothing_is_no_restatement() -> None:
    """The factor of heat stays, and so does the figure that rests on it."""
    one = of(factor_impact(reported(bump_world()), NEW), "scott")
    assert one.move is not None
    assert not any((one.move.delta, one.move.share, one.is_material))


def test_totals_are_of_projects_factors_and_periods_largest_first() -> None:
    """Each sums the same partitions up."""
    totals = totals_of(factor_impact(reported(bump_world()), NEW, before=OLD))
    assert list(totals.by_project) == ["anoka", "carver", "scott"]
    assert [name.activity_id for name in totals.by_factor][:2] == ["electricity.delivered", "land_cover.tree"]
    assert list(totals.by_period) == ["2021"]
    for sums in (totals.by_project, totals.by_factor, totals.by_period):
        assert sum(total.move.delta for total in sums.values()) == totals.overall.move.delta
    assert totals.overall.move.delta < 0


def test_a_live_release_that_is_gone_leaves_its_stored_tonnes() -> None:
    """What the figure was by factor is read from the factored table when its release cannot be applied any more."""
    before = reported(bump_world())
    impact = factor_impact(bump_world(store=before.store, has_old=False), NEW)
    assert [one.before for one in impact.partitions] == [ledger(before, key(project)) for project in SOURCE]
    assert [Tonnes.sum(move.before for move in one.factors.values()) for one in impact.partitions] == [
        one.before for one in impact.partitions
    ]


def test_a_figure_of_another_time_is_compared_as_it_is_stored() -> None:
    """When the older release would give another figure today, the stored one counts, by factor too."""
    before = reported(bump_world())
    changed = bump_world(store=before.store, before=(ELECTRICITY | {"ef_value": "1"}, *FIRST[1:]))
    impact = factor_impact(changed, NEW, before=OLD)
    for one in impact.partitions:
        assert one.before == ledger(before, key(one.key.project_id))
        assert Tonnes.sum(move.before for move in one.factors.values()) == one.before


def test_a_damaged_table_stops_the_preview() -> None:
    """Bytes that are not the sealed ones are tampering, not a refusal among others."""
    world = reported(bump_world(), ("scott",))
    record = world.slots.current(Slot.of(Asset.NORMALIZED, key("scott")))
    assert record is not None
    world.store.replace(blob_key(record.blob), b"other bytes")
    with pytest.raises(DigestMismatch, match="stored bytes are not the bytes that were sealed"):
        factor_impact(world, NEW)


@pytest.mark.parametrize("asset", [Asset.LEDGER, Asset.CERTIFICATE, Asset.NORMALIZED])
@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.replace(b"run-1", b"run-2").replace(b'"rows":1', b'"rows":2'),
        lambda data: data[:-1],
        lambda _: b"{}",
    ],
    ids=["changed", "cut", "another"],
)
def test_a_damaged_record_stops_the_preview(asset: Asset, spoil: Callable[[bytes], bytes]) -> None:
    """A record whose seal does not hold is read as a whole, which says what is wrong."""
    world = reported(bump_world(), ("scott",))
    name = record_key(Slot.of(asset, key("scott")), 1)
    data = world.store.get(name)
    assert data is not None
    world.store.replace(name, spoil(data))
    with pytest.raises(BrokenChain, match="generation record"):
        factor_impact(world, NEW)
