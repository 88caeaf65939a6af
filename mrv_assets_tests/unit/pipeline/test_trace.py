"""A trace reaches everything upstream from wherever it starts, shows nothing unchecked, and leaves no trace itself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from mrv_assets.domain.errors import ContractError, IdentityError
from mrv_assets.domain.journal_entry import Parent, ParentKind
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.registry import attach
from mrv_assets.pipeline.trace import trace
from mrv_assets.pipeline.trace_graph import Role, Trace
from mrv_assets.pipeline.world import World
from mrv_assets.storage.slot_paths import record_key
from mrv_assets_tests import planted_forest as forest
from mrv_assets_tests.registered import block, forest_objects, forest_world, objects, retirement, stated, world_over
from mrv_assets_tests.unit.pipeline.bumps import MIDDLE
from mrv_assets_tests.unit.pipeline.damages import DAMAGES, blob, flip
from mrv_assets_tests.unit.pipeline.small_store import ANOKA, RESTATED, build, files, path_of, record, world_at
from mrv_assets_tests.unit.pipeline.test_promotion import approved, bench, run
from mrv_assets_tests.world import memory_store

ISSUED, RETIRED = block(1, 3000), block(1, 100)


@pytest.fixture(scope="module")
def registered() -> World:
    """The planted forest with an issuance and a retirement; only for reading."""
    world = forest_world()
    attach(world, [stated(ISSUED), retirement(RETIRED)], recorded_by="somebody")
    return world


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


def kinds(found: Trace) -> list[str]:
    """Return the kinds of nodes, sorted."""
    return sorted({node.kind for node in found.nodes})


@pytest.mark.parametrize(
    ("what", "first"),
    [
        pytest.param("planted-forest 2025", "ledger", id="figure"),
        pytest.param("planted-forest 2025 planted-forest-2025.10.01", "certificate", id="partition"),
        pytest.param("sha256", "certificate", id="certificate"),
        pytest.param(block(2000, 2001).text, "issuance", id="credit"),
        pytest.param(RETIRED.text, "retirement", id="retirement"),
        pytest.param(block(90, 2000).text, "retirement", id="credits retired in part"),
    ],
)
def test_every_start_reaches_the_same_source_file(registered: World, what: str, first: str) -> None:
    """Figure, certificate, credit and retirement come down to the bytes that were delivered."""
    if what == "sha256":
        what = forest.certificate(registered).sha256[:8]
    found = trace(registered, what)
    [source] = [node for node in found.nodes if node.kind == "source"]
    delivered = registered.landing.fetch(source.name)
    assert (source.digest, source.presence) == (delivered.sha256, "here")
    assert source.facts["source_uri"]
    assert found.node(found.starts[0]).kind == first
    assert source.id in found.above(found.starts[0])
    assert found.breaks == ()


def test_a_retirement_is_traced_to_everything(registered: World) -> None:
    """Every kind of thing that the forest rests on is a node, each told of and checked."""
    found = trace(registered, RETIRED.text)
    inputs = ["project", "boundary", "source", "factor_release", "gwp_set", "rule_set", "monitoring"]
    assert kinds(found) == sorted(["retirement", "issuance", "run", *(asset.value for asset in Asset), *inputs])
    own = [node for node in found.nodes if node.presence is None and node.kind != "run"]
    assert all(node.entries and node.checks for node in own)
    [certificate] = [node for node in found.nodes if node.kind == "certificate"]
    assert {"generation", "record_sha256", "run_id", "written_utc", "gates_passed", "code"} <= certificate.facts.keys()


def test_relatives_of_a_certificate_are_named_and_not_walked(whole: Path) -> None:
    """The superseded one and its figure are there; what only the superseded one was made from is not."""
    live, old = (record(whole, Asset.CERTIFICATE, key=key).content_digest for key in (RESTATED, ANOKA))
    found = trace(world_at(whole), "anoka 2021")
    assert {node.digest for node in found.nodes if node.kind == "certificate"} == {live, old}
    assert [edge.role for edge in found.edges].count(Role.SUPERSEDES) == 1
    assert [node.facts["generation"] for node in found.nodes if node.kind == "ledger"] == ["2"]
    assert {node.facts.get("factor_version") for node in found.nodes if node.kind == "factored"} == {
        RESTATED.factor_version
    }
    before = trace(world_at(whole), old)
    assert {node.digest for node in before.nodes if node.kind == "certificate"} == {live, old}
    assert [node.facts["generation"] for node in before.nodes if node.kind == "ledger"] == ["1"]


def test_a_trace_is_deterministic_and_writes_nothing(whole: Path) -> None:
    """Twice the same document, no key twice, every edge between nodes, and the store byte for byte as it was."""
    before = files(whole)
    one, two = (json.dumps(trace(world_at(whole), "anoka 2021").to_json()) for _ in range(2))
    assert one == two
    document = json.loads(one)
    ids = [node["id"] for node in document["nodes"]]
    assert len(ids) == len(set(ids))
    assert {edge[end] for edge in document["edges"] for end in ("from", "to")} <= set(ids)
    assert document["is_sound"] is True
    assert files(whole) == before


def test_the_parent_of_a_run_is_told(whole: Path, root: Path) -> None:
    """A run that a backfill started leads to the backfill."""
    assert not any(edge.role is Role.STARTED_BY for edge in trace(world_at(whole), "anoka 2021").edges)
    told = list(world_at(root).journal.entries())[-1]
    parent = Parent(kind=ParentKind.BACKFILL, id="b-1")
    world_at(root).journal.append(told.run_id, told.events, parent=parent)
    found = trace(world_at(root), "anoka 2021")
    [edge] = [edge for edge in found.edges if edge.role is Role.STARTED_BY]
    assert (edge.source, edge.target) == (f"run {told.run_id}", "backfill b-1")
    assert found.breaks == ()


@pytest.mark.parametrize("asset", list(Asset))
@pytest.mark.parametrize("part", ["record", "blob"])
def test_what_was_changed_on_the_way_is_named(root: Path, asset: Asset, part: str) -> None:
    """The break stands at the very record or content, and the figure's other parts are still shown."""
    generation = 2 if asset is Asset.LEDGER else 1
    path = path_of(root, asset, key=RESTATED, generation=generation)
    changed = path if part == "record" else blob(root, asset, key=RESTATED, generation=generation)
    flip(changed)
    found = trace(world_at(root), "anoka 2021")
    assert changed.relative_to(root).as_posix() in {one.where for one in found.breaks}
    assert path.relative_to(root).as_posix() in {one.node for one in found.breaks}


@pytest.mark.parametrize(
    "name",
    [
        "newest record written anew", "record that another follows written anew", "first record of two gone",
        "newest record gone", "records of two generations swapped", "bit in an entry", "last entry written anew",
        "entry in the middle gone", "journal rolled back", "figure that is not certified",
        "figure that nobody approved",
    ],
)  # fmt: skip
def test_damage_of_the_way_breaks_the_trace(root: Path, name: str) -> None:
    """Each is a break with its place, what was expected, what was found and a remedy."""
    next(damage for damage in DAMAGES if damage.name == name).make(root)
    found = trace(world_at(root), "anoka 2021")
    assert found.breaks
    assert all(one.where and one.expected and one.found and one.remedy for one in found.breaks)


def test_damage_beside_the_way_does_not_break_the_trace(root: Path) -> None:
    """The control: a stray file and another project's record are none of its business."""
    for name in ("file at the top", "only record gone", "figure of nobody published"):
        next(damage for damage in DAMAGES if damage.name == name).make(root)
    assert trace(world_at(root), "anoka 2021").breaks == ()


def test_a_commit_that_no_entry_tells_of_is_no_break(root: Path) -> None:
    """A run may be at work; the node says that nothing tells of it."""
    next(damage for damage in DAMAGES if damage.name == "commits not in the journal").make(root)
    found = trace(world_at(root), "anoka 2021")
    assert found.breaks == ()
    assert found.node(found.starts[0]).entries == {}


def test_an_input_that_is_gone_is_not_here_and_no_break() -> None:
    """Another file of the same name is told apart from none at all."""
    references = forest.references()
    references[forest.PROJECT] += b"# edited\n"
    del references["standards/npr-4.2.toml"]
    found = trace(world_over(memory_store(forest_objects()), references=references), "planted-forest 2025")
    states = {node.kind + " " + node.name: node.presence for node in found.nodes if node.presence}
    assert states["project planted-forest"] == "here with another digest"
    assert states[f"rule_set {forest.RISK}"] == "not here"
    assert states["source plots.csv"] == "here"
    assert found.breaks == ()


def test_an_issuance_on_a_certificate_of_nobody_breaks(registered: World) -> None:
    """The registry record is shown, and the break says what it rests on."""
    kept = objects(registered.store)
    certificate = Slot.of(Asset.CERTIFICATE, forest.KEY)
    del kept[record_key(certificate, 1)]
    found = trace(world_over(memory_store(kept)), ISSUED.text)
    assert "issuance rests on a certificate that is not there" in {one.what for one in found.breaks}
    assert "issuance" in kinds(found)


@pytest.mark.parametrize("is_altered", [False, True])
def test_the_approval_of_a_figure_is_on_its_way(*, is_altered: bool) -> None:
    """Who approved it and why, told by the journal; one that was altered breaks the trace at its key."""
    place = bench()
    run(place, MIDDLE)
    approved(place, MIDDLE)
    run(place, MIDDLE)
    [key] = place.store.list("approvals/")
    if is_altered:
        place.store.replace(key, (place.store.get(key) or b"").replace(b"R. Reviewer", b"S. Somebody"))
    found = trace(place.world, "anoka 2021")
    approval = found.node(key)
    assert (approval.kind, approval.digest is not None) == ("approval", True)
    assert approval.facts.get("approved_by") == (None if is_altered else "R. Reviewer")
    assert bool(approval.entries) is not is_altered
    assert (key in {one.where for one in found.breaks}) is is_altered
    assert any(edge.target == key and edge.role is Role.APPROVED_BY for edge in found.edges)


def test_the_journal_is_read_once(whole: Path) -> None:
    """The progress that is told counts every entry one time."""
    told: list[tuple[int, int]] = []
    trace(world_at(whole), "anoka 2021", progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("what", "error", "message"),
    [
        pytest.param("anoka 2020", ContractError, "a reported figure; found an empty slot", id="nothing reported"),
        pytest.param("anoka 2021 mrow-1", ContractError, "a certificate; found an empty slot", id="no such version"),
        pytest.param("0" * 64, ContractError, "found none", id="no such certificate"),
        pytest.param(ISSUED.text, ContractError, "no such serial number", id="serial of nobody"),
        pytest.param("abc", ContractError, "no such serial number", id="too few digits"),
        pytest.param("Anoka! 2021", IdentityError, "project_id", id="no id"),
    ],
)
def test_what_names_nothing_is_refused(whole: Path, what: str, error: type[Exception], message: str) -> None:
    """With what would name something."""
    with pytest.raises(error, match=message):
        trace(world_at(whole), what)
