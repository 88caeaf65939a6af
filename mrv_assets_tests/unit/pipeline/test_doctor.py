"""The doctor finds nothing in a healthy store, and names every damage with what brings it right."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mrv_assets.domain.journal_entry import Parent, ParentKind
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.doctor import diagnose
from mrv_assets.pipeline.doctor_finding import Diagnosis, Family, Finding, Weight
from mrv_assets.pipeline.doctor_parents import Told, dropped_parents
from mrv_assets.pipeline.doctor_references import INPUTS, gone_findings, unlisted, unpinned
from mrv_assets.pipeline.present import Found, Presence
from mrv_assets.pipeline.recipes import LIBRARIES
from mrv_assets.pipeline.world import World
from mrv_assets.storage.sources import Landing
from mrv_assets_tests import planted_forest as forest
from mrv_assets_tests.registered import forest_objects, forest_world, world_over
from mrv_assets_tests.unit.pipeline.damages import DAMAGES, Damage
from mrv_assets_tests.unit.pipeline.small_store import (
    ANOKA,
    CARVER,
    NOW,
    RESTATED,
    build,
    files,
    record,
    run_until,
    world_at,
)
from mrv_assets_tests.world import csv_bytes, memory_store, run_partition

RERUN = Parent(kind=ParentKind.RUN, id="original")
BACKFILL = Parent(kind=ParentKind.BACKFILL, id="b-1")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small store; only for reading."""
    root = tmp_path_factory.mktemp("whole") / "store"
    build(world_at(root))
    return root


@pytest.fixture
def root(whole: Path, tmp_path: Path) -> Path:
    """A copy of the small store that a test may damage."""
    return Path(shutil.copytree(whole, tmp_path / "store"))


def damage(root: Path, name: str) -> None:
    """Make one of the known damages."""
    next(one for one in DAMAGES if one.name == name).make(root)


def names(found: Diagnosis) -> list[str]:
    """Return the names of all findings."""
    return [finding.name for finding in found.findings]


def test_a_healthy_store_is_said_to_be_healthy(whole: Path) -> None:
    """The control of every family; and nothing is written."""
    before = files(whole)
    found = diagnose(world_at(whole))
    assert (found.findings, found.is_healthy, found.is_tampered) == ((), True, False)
    assert (found.generations, found.entries) == (16, 3)
    assert files(whole) == before


def test_an_empty_store_and_the_planted_forest_are_healthy(tmp_path: Path) -> None:
    """Nothing is asked of what is not there; rule sets and monitoring are pinned where they are."""
    assert diagnose(world_at(tmp_path / "store")).findings == ()
    assert diagnose(forest_world()).findings == ()


@pytest.mark.parametrize("one", [pytest.param(d, id=d.name) for d in DAMAGES])
def test_every_damage_is_diagnosed_with_a_remedy(root: Path, one: Damage) -> None:
    """Each kind of breach is a finding of a gap or of a missing event, with evidence and what to do."""
    one.make(root)
    found = diagnose(world_at(root))
    chain = [f for f in found.findings if f.family in (Family.CHAIN_GAP, Family.MISSING_EVENT)]
    assert {finding.name for finding in chain} == {kind.value for kind in one.found}
    assert all(f.evidence and f.remedy and f.diagnosis.endswith(".") for f in found.findings)
    assert not found.is_healthy


@pytest.mark.parametrize(
    ("name", "family", "weight", "remedy"),
    [
        pytest.param("commits not in the journal", Family.MISSING_EVENT, Weight.TO_DO, "--repair", id="commit"),
        pytest.param("approval not in the journal", Family.MISSING_EVENT, Weight.TO_DO, "--repair", id="document"),
        pytest.param("figure not published", Family.CHAIN_GAP, Weight.TO_DO, "--repair", id="view"),
        pytest.param("checkpoint gone", Family.CHAIN_GAP, Weight.TO_DO, "--repair", id="checkpoint"),
        pytest.param("file at the top", Family.CHAIN_GAP, Weight.TO_DO, "move it out", id="stray"),
        pytest.param("red gate", Family.CHAIN_GAP, Weight.TAMPERED, "replica", id="record"),
        pytest.param("blob gone", Family.CHAIN_GAP, Weight.TAMPERED, "replica", id="blob"),
    ],
)
def test_what_can_be_rebuilt_is_told_from_what_cannot(
    root: Path, name: str, family: Family, weight: Weight, remedy: str
) -> None:
    """Views, entries and checkpoint come back from the records; a record comes from a replica alone."""
    damage(root, name)
    finding = diagnose(world_at(root)).findings[0]
    assert (finding.family, finding.weight) == (family, weight)
    assert remedy in finding.remedy
    assert bool(finding.cannot) is (name == "red gate")


def test_a_lost_content_is_made_again_by_the_command_that_is_named(root: Path) -> None:
    """The inputs are here, so the run that the doctor names makes the same bytes, and the store is whole again."""
    damage(root, "blob gone")
    [finding] = diagnose(world_at(root)).findings
    assert any("can be made again: mrv run anoka 2021" in line for line in finding.evidence)
    run_partition(world_at(root), ANOKA)
    assert diagnose(world_at(root)).of(Family.CHAIN_GAP) == ()


def test_a_lost_content_whose_input_is_gone_cannot_be_made_again() -> None:
    """Which input it is, is said."""
    references = forest.references()
    references[forest.PROJECT] += b"# edited\n"
    kept = dict(forest_objects())
    activity = next(key for key in kept if key.startswith("commits/activity/"))
    world = world_over(memory_store(kept), references=references)
    lost = world.slots.current(next(slot for slot, _ in world.slots.list_slots(asset=Asset.ACTIVITY)))
    assert lost is not None, activity
    del kept[f"blobs/{lost.blob.sha256[:2]}/{lost.blob.sha256}.parquet"]
    found = diagnose(world_over(memory_store(kept), references=references))
    [missing] = [finding for finding in found.findings if finding.name == "blob_missing"]
    assert any("project planted-forest is here with another digest" in line for line in missing.evidence)
    assert "reference_gone" in names(found)


@pytest.mark.parametrize(
    ("told", "found"),
    [
        pytest.param([("a", None), ("b", None)], [], id="runs of their own"),
        pytest.param([("a", BACKFILL), ("b", BACKFILL)], [], id="backfill, which has no entry"),
        pytest.param([("original", None), ("a", RERUN)], [], id="again, original told"),
        pytest.param([("a", RERUN), ("original", None)], [], id="original told later"),
        pytest.param([("a", RERUN)], ["original_run_unknown"], id="original unknown"),
        pytest.param([("a", BACKFILL), ("a", BACKFILL)], [], id="same parent twice"),
        pytest.param([("a", BACKFILL), ("a", None)], ["parent_told_differently"], id="parent lost in one entry"),
    ],
)
def test_a_dropped_parent_is_found(told: list[tuple[str, Parent | None]], found: list[str]) -> None:
    """Only what no entry tells of is lost, and a run names one parent in all of its entries."""
    entries = [Told(number=n, run_id=run, parent=parent) for n, (run, parent) in enumerate(told, start=1)]
    findings = list(dropped_parents(entries))
    assert [finding.name for finding in findings] == found
    assert all("entry" in line for finding in findings for line in finding.evidence)


def test_a_dropped_parent_of_the_journal_is_found(root: Path) -> None:
    """From the entries of a store, and it is no tampering."""
    told = list(world_at(root).journal.entries())[-1]
    world_at(root).journal.append("again", told.events, parent=RERUN)
    found = diagnose(world_at(root))
    assert names(found) == ["original_run_unknown"]
    assert (found.is_healthy, found.is_tampered) == (False, False)


@pytest.mark.parametrize("asset", list(Asset))
def test_what_an_asset_must_pin_is_missed_when_it_is_gone(whole: Path, asset: Asset) -> None:
    """Every input and pin by itself; the record as it is lacks nothing."""
    kept = record(whole, asset)
    assert unpinned(kept, None) == ()
    for kind in INPUTS.get(asset, ()):
        without = replace(kept, inputs=tuple(ref for ref in kept.inputs if ref.kind != kind))
        assert unpinned(without, None) == (kind,)
    for name in ("contract", *LIBRARIES[asset]):
        assert unpinned(replace(kept, pins={n: v for n, v in kept.pins.items() if n != name}), None) == (f"pin {name}",)
    short = tuple(replace(ref, digest=ref.digest[:12]) for ref in kept.inputs)
    assert len(unpinned(replace(kept, inputs=short), None)) == len(short)


def test_a_rule_set_that_is_not_pinned_is_missed() -> None:
    """Of every assessment in the certificate the record names the rule set."""
    world = forest_world()
    [slot] = [slot for slot, _ in world.slots.list_slots(asset=Asset.CERTIFICATE)]
    kept, certificate = world.slots.record(slot, 1), forest.certificate(world)
    assert unpinned(kept, certificate) == ()
    without = replace(kept, inputs=tuple(ref for ref in kept.inputs if ref.name != forest.RISK))
    assert unpinned(without, certificate) == (f"rule_set {forest.RISK}",)


def delivered(root: Path, *rows: str) -> World:
    """Open the small store beside another delivery."""
    data = csv_bytes("row_id,project,epoch,activity_qty", rows)
    return replace(world_at(root), landing=Landing(memory_store({"source.csv": data}), lambda: NOW))


def test_a_reference_of_a_live_figure_that_is_gone_is_to_do(root: Path) -> None:
    """The certificates that rest on it are named."""
    [gone] = diagnose(delivered(root, "x,anoka,2021-Q1,1")).findings
    assert (gone.name, gone.weight, gone.family) == ("reference_gone", Weight.TO_DO, Family.UNVERSIONED_REFERENCE)
    certificate = record(root, Asset.CERTIFICATE, key=CARVER).content_digest[:12]
    assert certificate in " ".join(gone.evidence)


@pytest.mark.parametrize(
    ("found", "is_live", "name"),
    [
        pytest.param(Found(presence=Presence.HERE), True, None, id="here"),
        pytest.param(Found(presence=Presence.NOT_HERE, why="no file"), True, "reference_gone", id="live"),
        pytest.param(Found(presence=Presence.OTHER, digest="0" * 64), False, "reference_outdated", id="superseded"),
        pytest.param(
            Found(presence=Presence.NOT_HERE, is_tampered=True), False, "reference_tampered", id="released file changed"
        ),
    ],
)
def test_what_is_gone_weighs_as_what_rests_on_it(whole: Path, found: Found, *, is_live: bool, name: str | None) -> None:
    """A remark for superseded certificates alone, to do for a live one, stop for a changed release."""
    kept = record(whole, Asset.CERTIFICATE)
    live = frozenset({kept.content_digest} if is_live else ())
    findings = list(gone_findings({kept.inputs[0]: [kept]}, lambda _: found, live=live))
    assert [finding.name for finding in findings] == ([] if name is None else [name])


def test_a_certificate_of_an_older_activity_is_a_remark(root: Path) -> None:
    """After a run that ended with activity; a run to the end leaves nothing to say."""
    rows = ["a,anoka,2021-Q1,9", "b,anoka,2021-Q2,9", "c,carver,2021-Q1,5", "d,carver,2021-Q2,5"]
    world = delivered(root, *rows)
    run_until(world, RESTATED, Asset.ACTIVITY)
    [stale] = diagnose(world).of(Family.STALE)
    assert stale.evidence == [str(RESTATED)]
    assert stale.weight is Weight.REMARK
    run_partition(world, RESTATED)
    assert diagnose(world).of(Family.STALE) == ()


def test_a_release_that_is_not_listed_is_found() -> None:
    """Only where there is a list."""
    assert list(unlisted(["a", "b"], {})) == []
    assert list(unlisted(["a"], {"a": 1})) == []
    [found] = unlisted(["a", "b"], {"a": 1})
    assert found.evidence == ["factors/b/"]


def test_the_gravest_finding_of_a_family_stands_first(root: Path) -> None:
    """So that stop is read before to do."""
    damage(root, "newest record gone")
    found: tuple[Finding, ...] = diagnose(world_at(root)).of(Family.CHAIN_GAP)
    assert [finding.weight for finding in found] == [Weight.TAMPERED, Weight.TO_DO]
