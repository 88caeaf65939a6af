"""A kit holds what its certificate pins and nothing else, and the same certificate gives the same bytes."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

import pytest

from mrv_assets.cli.kit_script import read_kit
from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import BrokenChain, ContractError, DigestMismatch, Tampering
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline import kit as kit_module
from mrv_assets.pipeline.certificates import find_certificate
from mrv_assets.pipeline.kit import Kit, Without, make_kit
from mrv_assets.pipeline.kit_archive import zipped
from mrv_assets.pipeline.kit_world import open_kit
from mrv_assets.pipeline.prepared import prepare
from mrv_assets.pipeline.reperform import Reperformed, Verdict, recompute, reperform
from mrv_assets.pipeline.world import World
from mrv_assets.storage.parquet import read_parquet, to_parquet
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.sources import Landing
from mrv_assets_tests import planted_forest
from mrv_assets_tests.forging import current, forge, with_cell
from mrv_assets_tests.unit.pipeline.located import KEY, OLD, Release, located_world
from mrv_assets_tests.unit.pipeline.small_store import ANOKA, NOW, RESTATED, build, world_over
from mrv_assets_tests.world import memory_store, run_partition

MANIFEST = "manifest.json"


@pytest.fixture(scope="module")
def forest() -> World:
    """The planted forest, run once; only for reading."""
    world = planted_forest.opened()
    run_partition(world, planted_forest.KEY)
    return world


@pytest.fixture(scope="module")
def kit(forest: World) -> Kit:
    """Its kit."""
    return kit_of(forest, "planted-forest 2025")


def kit_of(world: World, text: str, *without: Without) -> Kit:
    """Make the kit of a certificate."""
    return make_kit(world, find_certificate(world.slots, text), without=without)


def unpacked(kit: Kit, folder: Path) -> Path:
    """Write the files of a kit into a folder."""
    with ZipFile(io.BytesIO(zipped(kit.files))) as archive:
        archive.extractall(folder)
    return folder


def test_a_kit_makes_its_figure_again(kit: Kit) -> None:
    """From its files alone."""
    opened = open_kit(kit.files)
    found = reperform(opened.world, opened.record)
    assert found.verdict is Verdict.SAME
    assert found.certificate.recomputed == kit.sealed.certificate.sha256
    assert opened.ledger is not None


def test_the_same_certificate_gives_the_same_bytes(forest: World, kit: Kit) -> None:
    """Also when it is made again."""
    assert zipped(kit_of(forest, kit.sealed.certificate.sha256).files) == zipped(kit.files)


def test_members_are_safe_to_unpack_and_sorted(kit: Kit) -> None:
    """Relative names of plain files without a clock, each once."""
    with ZipFile(io.BytesIO(zipped(kit.files))) as archive:
        entries = archive.infolist()
    names = [entry.filename for entry in entries]
    assert names == sorted(set(names))
    for entry in entries:
        parts = PurePosixPath(entry.filename)
        assert not parts.is_absolute()
        assert ".." not in parts.parts
        assert entry.date_time == (1980, 1, 1, 0, 0, 0)
        assert entry.external_attr == 0o100644 << 16


def test_reference_data_are_those_that_are_pinned(kit: Kit) -> None:
    """And no list, no withdrawal, no other project."""
    inside = {path for path in kit.files if path.startswith("reference/")}
    release = f"reference/factors/{planted_forest.KEY.factor_version}"
    rule_sets = {ref.name for ref in kit.sealed.certificate.inputs if ref.kind == "rule_set"}
    [gwp_set] = {ref.name for ref in kit.sealed.certificate.inputs if ref.kind == "gwp_set"}
    assert inside == {
        "reference/projects/planted-forest.toml",
        "reference/boundaries/planted-forest.geojson",
        *(f"{release}/{name}" for name in ("release.toml", "factors.csv", "chains.csv", "coefficients.csv")),
        f"reference/gwp/{gwp_set}.csv",
        *(f"reference/standards/{name.replace('@', '-')}.toml" for name in rule_sets),
    }


def test_the_manifest_names_every_other_file(kit: Kit) -> None:
    """By size and digest."""
    members = json.loads(kit.files["manifest.json"])["members"]
    told = {each["path"]: (each["sha256"], each["size"]) for each in members}
    others = {path: data for path, data in kit.files.items() if path != "manifest.json"}
    assert told == {path: (sha256_hex(data), len(data)) for path, data in others.items()}


def test_without_inputs_deliveries_are_named_and_do_not_travel(forest: World) -> None:
    """The figure is made again from the sealed activity, and what is left out is said in the kit itself."""
    kit = kit_of(forest, "planted-forest 2025", Without.INPUTS)
    assert not [path for path in kit.files if path.startswith("landing/")]
    by_kind = {each["kind"]: each for each in json.loads(kit.files["inputs.json"])}
    source = by_kind["source"]
    assert (source["members"], source["left_out"]) == ([], "it may not travel")
    assert source["identity"]["source_uri"] == "memory://test/plots.csv"
    assert source["identity"]["source_sha256"] == source["digest"]
    opened = open_kit(kit.files)
    found = reperform(opened.world, opened.record)
    assert found.verdict is Verdict.SAME
    assert "source plots.csv: it may not travel" in kit.files["README.md"].decode()


def test_a_source_that_is_gone_is_left_out_and_said(forest: World) -> None:
    """Nothing is included or left out silently."""
    files = {path: data for path, data in planted_forest.landing().items() if path != "plots.csv"}
    world = replace(forest, landing=Landing(memory_store(files), forest.clock))
    kit = kit_of(world, "planted-forest 2025")
    assert any(said.startswith("source plots.csv: it is not at hand any more") for said in kit.left_out)
    assert "landing/monitoring/2025.toml" in kit.files


def test_a_superseded_certificate_has_a_kit_with_the_figure_it_had() -> None:
    """And one that was never reported has none."""
    world = world_over(memory_store())
    build(world)
    kit = kit_of(world, f"anoka 2021 {ANOKA.factor_version}")
    ledger = GenerationRecord.from_bytes(kit.files["certificate/ledger-record.json"], where="it")
    assert ledger.generation == 1
    held = world_over(memory_store())
    run_partition(held, RESTATED)
    run_partition(held, ANOKA)
    assert "certificate/ledger.parquet" not in kit_of(held, f"anoka 2021 {ANOKA.factor_version}").files


def test_a_kit_of_a_folder_names_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No absolute path, no user, nothing of the environment; the record that names one is left out, which is said."""
    monkeypatch.setenv("USER", "user-kx81")
    monkeypatch.setenv("MRV_SIGNING_KEY", "key-kx82")
    landing = tmp_path / "landing-kx83"
    PosixStore(landing).replace("source.csv", b"row_id,project,epoch,activity_qty\nq,anoka,2021,7\n")
    world = replace(world_over(PosixStore(tmp_path / "store")), landing=Landing(PosixStore(landing), lambda: NOW))
    run_partition(world, ANOKA)
    kit = kit_of(world, "anoka 2021")
    secrets = (str(tmp_path), tmp_path.name, "kx81", "kx82", "kx83", str(Path.home()) + "/", str(Path.cwd()))
    told = {(path, secret) for path, data in kit.files.items() for secret in secrets if secret.encode() in data}
    assert not told
    assert "certificate/records/activity.json" not in kit.files
    assert "certificate/records/factored.json" in kit.files
    assert any("whole record of activity" in said for said in kit.left_out)


def test_a_private_key_does_not_travel() -> None:
    """Wherever it stands."""
    world = world_over(memory_store())
    key = "-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n-----END PRIVATE KEY-----"
    rows = f'row_id,project,epoch,activity_qty,note\nq,anoka,2021,7,"{key}"\n'.encode()
    world = replace(world, landing=Landing(memory_store({"source.csv": rows}), world.clock))
    run_partition(world, ANOKA)
    with pytest.raises(ContractError, match=r"landing/source\.csv.*a private key"):
        kit_of(world, "anoka 2021")
    assert kit_of(world, "anoka 2021", Without.INPUTS).left_out


def test_a_kit_that_is_too_large_is_refused(forest: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Naming its largest member."""
    monkeypatch.setattr(kit_module, "MOST_BYTES", 1000)
    with pytest.raises(ContractError, match="--without-inputs"):
        kit_of(forest, "planted-forest 2025")


def test_other_code_is_said() -> None:
    """The package is another version than the one that made the content."""
    world = world_over(memory_store())
    run_partition(world, ANOKA)
    forge(world, ANOKA, pins={Asset.FACTORED: {"code": "0" * 64}})
    kit = kit_of(world, "anoka 2021")
    assert "the code that made factored: the package is another version by now" in kit.left_out
    identity = json.loads(kit.files["code/identity.json"])
    assert identity["factored"]["sealed"] == "0" * 64 != identity["factored"]["packed"]


def test_a_kit_of_damaged_content_is_refused() -> None:
    """What is handed out is what was sealed."""
    world = world_over(memory_store())
    run_partition(world, ANOKA)
    record = current(world, Asset.NORMALIZED, ANOKA)
    world.store.replace(f"blobs/{record.blob.sha256[:2]}/{record.blob.sha256}.parquet", b"other")
    with pytest.raises(Tampering, match="not the bytes that were sealed"):
        kit_of(world, "anoka 2021")


def test_every_member_that_is_changed_or_gone_is_named(kit: Kit, tmp_path: Path) -> None:
    """One byte is enough, and no other is named; a whole kit has no fault, a stranger's file beside it is nobody's."""
    folder = unpacked(kit, tmp_path / "kit")
    (folder / "notes.txt").write_text("mine")
    assert read_kit(folder)[1] == {}
    members = sorted(kit.files.keys() - {MANIFEST})
    # Eight members apart at a time: each is once changed and once gone, and a reading costs a digest of every member.
    for changed, gone in ((members[n::8], members[(n + 4) % 8 :: 8]) for n in range(8)):
        for path in changed:
            (folder / path).write_bytes(_one_bit_off(kit.files[path]))
        for path in gone:
            (folder / path).unlink()
        faults = read_kit(folder)[1]
        assert {path for path, words in faults.items() if words == "is missing"} == set(gone)
        assert faults.keys() - set(gone) == set(changed)
        for path in (*changed, *gone):
            (folder / path).write_bytes(kit.files[path])


def test_a_manifest_that_is_changed_or_gone_is_named(kit: Kit, tmp_path: Path) -> None:
    """Its own digest tells of one bit; without it nothing is known."""
    folder = unpacked(kit, tmp_path / "kit")
    (folder / MANIFEST).write_bytes(_one_bit_off(kit.files[MANIFEST]))
    assert MANIFEST in read_kit(folder)[1]
    (folder / MANIFEST).unlink()
    assert MANIFEST in read_kit(folder)[1]


def _one_bit_off(data: bytes) -> bytes:
    return bytes([data[0] ^ 1]) + data[1:] if data else b"1"


@pytest.mark.parametrize("path", ["code/mrv_assets/more.py", "reference/factors/RELEASED.toml", "landing/a.stac.json"])
def test_a_file_that_was_put_in_is_named(kit: Kit, tmp_path: Path, path: str) -> None:
    """Where the kit is read from; a link as well."""
    folder = unpacked(kit, tmp_path / "kit")
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text("")
    assert read_kit(folder)[1] == {path: "is not in the manifest"}
    (folder / path).unlink()
    (folder / path).symlink_to(folder / "README.md")
    assert read_kit(folder)[1] == {path: "is a link, and no file"}


def test_a_manifest_that_was_written_anew_by_hand_is_named(kit: Kit, tmp_path: Path) -> None:
    """In other spelling, or without its digest."""
    folder = unpacked(kit, tmp_path / "kit")
    place = folder / "manifest.json"
    document = json.loads(place.read_bytes())
    place.write_text(json.dumps(document, indent=1))
    assert set(read_kit(folder)[1]) == {"manifest.json"}
    del document["self_sha256"]
    place.write_text(json.dumps(document))
    assert "manifest.json" in read_kit(folder)[1]


def test_a_kit_without_a_file_it_needs_is_refused(kit: Kit) -> None:
    """By its name."""
    files = {path: data for path, data in kit.files.items() if path != "certificate/stated/factored.json"}
    with pytest.raises(ContractError, match=r"certificate/stated/factored\.json"):
        open_kit(files)
    with pytest.raises(BrokenChain, match=r"certificate/stated/factored\.json"):
        open_kit({**kit.files, "certificate/stated/factored.json": b"{}"})


def test_what_a_record_states_reads_back(forest: World) -> None:
    """It states the same, and says nothing of time and run."""
    record = current(forest, Asset.ACTIVITY, planted_forest.KEY)
    again = GenerationRecord.from_stated(record.stated_bytes, where="it")
    assert again.stated_sha256 == record.stated_sha256
    assert (again.generation, again.prev, again.run_id) == (1, None, "")
    with pytest.raises(BrokenChain, match="another spelling"):
        GenerationRecord.from_stated(record.stated_bytes + b" ", where="it")


def test_without_geometry_totals_and_areas_are_still_proven(forest: World) -> None:
    """Neither footprints nor boundary nor source travel; areas are the sealed ones, and tonnes are made again."""
    kit = kit_of(forest, "planted-forest 2025", Without.GEOMETRY)
    gone = ("reference/boundaries/", "landing/plots.csv")
    assert not [path for path in kit.files if path.startswith(gone)]
    places = [kit.sealed.chain[asset].blob.sha256 for asset in (Asset.ACTIVITY, Asset.NORMALIZED)]
    assert not [path for path in kit.files if any(digest in path for digest in places)]
    assert "landing/monitoring/2025.toml" in kit.files
    shown = read_parquet(kit.files["disclosed/normalized.parquet"])
    assert "geometry" not in shown.column_names
    assert "area_ha" in shown.column_names
    found = again(kit.files)
    assert found.verdict is Verdict.SAME
    assert [one.state.value for one in found.assets] == ["not recomputed"] * 2 + ["equal"] * 3
    assert found.certificate.recomputed == kit.sealed.certificate.sha256
    assert "shown without geometry" in found.tables[1].note
    assert "that areas follow from footprints is not shown" in kit.files["README.md"].decode()


def again(files: Mapping[str, bytes]) -> Reperformed:
    """Make the figure of a kit again, as its script does."""
    opened = open_kit(files)
    return recompute(opened.world, prepare(opened.world, opened.record, shown=opened.shown))


def test_an_area_that_was_changed_in_what_is_shown_is_named(forest: World) -> None:
    """By its column; so is a proof that was written anew to fit."""
    kit = kit_of(forest, "planted-forest 2025", Without.GEOMETRY)
    path = "disclosed/normalized.parquet"
    forged = to_parquet(with_cell("area_ha", 0, 1.5)(read_parquet(kit.files[path])))
    with pytest.raises(DigestMismatch, match="column area_ha"):
        open_kit({**kit.files, path: forged})
    other = json.loads(kit.files["disclosed/normalized.json"])
    other["columns"][0]["values"] = "0" * 64
    with pytest.raises(DigestMismatch, match="is not what was sealed"):
        open_kit({**kit.files, "disclosed/normalized.json": canonical_json(other)})
    with pytest.raises(ContractError, match=r"disclosed/normalized\.json"):
        open_kit({**kit.files, "disclosed/normalized.json": b"{"})


def test_without_geometry_a_quantity_that_was_forged_is_named_by_its_tonnes() -> None:
    """A table that was forged before the certificate was sealed anew differs when it is made again."""
    world = world_over(memory_store())
    run_partition(world, ANOKA)
    forge(world, ANOKA, tables={Asset.FACTORED: with_cell("emissions_tco2e", 0, Decimal("9.000000000"))})
    found = again(kit_of(world, f"anoka 2021 {ANOKA.factor_version}", Without.GEOMETRY).files)
    assert found.verdict is Verdict.DIFFERS
    assert found.tables[2].difference is not None
    assert found.tables[2].difference.cells[0].key == ("anoka-2021-Q1",)


def test_rows_that_are_placed_by_footprint_are_taken_as_sealed_without_geometry() -> None:
    """What is placed cannot be placed again; aggregated and totals are made again, and it is said."""
    outlines = {"n": "POLYGON ((-94 45.2, -93 45.2, -93 46, -94 46, -94 45.2))"}
    release = Release(factors={"n": "2"}, regions=outlines)
    world = located_world(memory_store(), before=release, after=release, rows=["north,2021,10,-93.25,45.3"])
    run_partition(world, KEY[OLD])
    kit = kit_of(world, f"anoka 2021 {OLD}", Without.GEOMETRY)
    assert f"reference/factors/{OLD}/regions.parquet" in kit.files
    found = again(kit.files)
    assert found.verdict is Verdict.SAME
    assert [one.state.value for one in found.assets] == ["not recomputed"] * 3 + ["equal"] * 2
    assert "in regions by their footprints" in found.tables[2].note
