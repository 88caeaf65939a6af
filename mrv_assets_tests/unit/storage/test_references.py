"""Reference data: the reviewed files of this repository, and what is said when one is missing or wrong."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError, DigestMismatch, FactorError, IdentityError, Tampering
from mrv_assets.domain.released import ReleasedDigests, appended
from mrv_assets.storage.opening import open_store
from mrv_assets.storage.references import ReferenceData
from mrv_assets_tests.chains import chained_files
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore

ROOT = Path(__file__).parents[3] / "reference_data"
VERSION = "mrow-2024.02.01"


@pytest.fixture
def shipped() -> ReferenceData:
    """Give each test the reference data of this repository."""
    return ReferenceData(open_store(str(ROOT)))


def copied(*keys: str) -> FaultyStore:
    """Return a memory store with some of the shipped files."""
    store = FaultyStore(open_store(f"memory://{uuid.uuid4().hex}"))
    for key in keys:
        store.put_if_absent(key, (ROOT / key).read_bytes())
    return store


RELEASE = (f"factors/{VERSION}/release.toml", f"factors/{VERSION}/factors.csv", "gwp/ar5.csv")


def test_every_shipped_file_can_be_read(shipped: ReferenceData) -> None:
    """Each project has its boundary, each inventory its projects, each release its factors and GWP set."""
    assert shipped.project_ids()
    assert shipped.inventory_ids()
    assert shipped.factor_versions()
    for project_id in shipped.project_ids():
        project = shipped.project(project_id)
        assert shipped.boundary(project).geometry["type"] in ("Polygon", "MultiPolygon")
    for inventory_id in shipped.inventory_ids():
        assert set(shipped.inventory(inventory_id).projects) <= set(shipped.project_ids())
    for version in shipped.factor_versions():
        assert shipped.factor_release(version).version == version


def test_a_boundary_is_pinned_by_the_digest_of_its_file(shipped: ReferenceData) -> None:
    """The digest is of the raw file, so any edit of it shows."""
    feature = shipped.boundary(shipped.project("metc-anoka"))
    assert feature.file_sha256 == sha256_hex((ROOT / feature.path).read_bytes())
    assert feature.file_sha256 == sha256_hex(shipped.boundary_file(feature.path))
    assert feature.tagged_crs is None


def test_a_release_is_read_once() -> None:
    """A release is immutable, so a thousand partitions cost one read."""
    store = copied(*RELEASE)
    references = ReferenceData(store)
    first = references.factor_release(VERSION)
    reads = len(store.calls)
    assert references.factor_release(VERSION) is first
    assert references.gwp("ar5") is first.gwp
    assert len(store.calls) == reads


def test_an_unknown_factor_version_lists_the_known_ones() -> None:
    """`2024.2.1` is not `2024.02.01`, and the message shows what there is."""
    with pytest.raises(FactorError, match=f"expected one of {VERSION}; found mrow-2024.2.1"):
        ReferenceData(copied(*RELEASE)).factor_release("mrow-2024.2.1")


def test_a_changed_release_is_tampering() -> None:
    """Factors that are not those of the release are never used."""
    store = copied(*RELEASE)
    store.replace(RELEASE[1], store.get(RELEASE[1]) + b"\n")  # type: ignore[operator]
    with pytest.raises(DigestMismatch, match="a released factor file was changed"):
        ReferenceData(store).factor_release(VERSION)


LIST = "factors/RELEASED.toml"


@pytest.mark.parametrize("changed", RELEASE[:2])
def test_a_release_that_is_not_the_listed_one_is_tampering(changed: str) -> None:
    """A release whose files agree with each other, but not with the list of what was released, is never used."""
    store = copied(*RELEASE, LIST)
    assert ReferenceData(store).factor_release(VERSION).version == VERSION
    store.replace(changed, store.get(changed) + b"\n")  # type: ignore[operator]
    with pytest.raises(DigestMismatch, match=f"a released factor file was changed.*{changed}.*RELEASED.toml"):
        ReferenceData(store).factor_release(VERSION)


def test_both_files_changed_together_are_tampering() -> None:
    """An edit that keeps the digest in release.toml right is noticed all the same."""
    store = copied(*RELEASE, LIST)
    factors = (ROOT / RELEASE[1]).read_bytes().replace(b"995.8", b"895.8")
    toml = (
        (ROOT / RELEASE[0])
        .read_bytes()
        .replace(sha256_hex((ROOT / RELEASE[1]).read_bytes()).encode(), sha256_hex(factors).encode())
    )
    store.replace(RELEASE[0], toml)
    store.replace(RELEASE[1], factors)
    with pytest.raises(Tampering, match="a released factor file was changed"):
        ReferenceData(store).factor_release(VERSION)


@pytest.mark.parametrize("kept", [RELEASE[:1], RELEASE[1:2], ()], ids=["no factors", "no description", "no folder"])
def test_a_listed_release_that_is_gone_is_tampering(kept: tuple[str, ...]) -> None:
    """What was released stays; a file that is missing is no unknown version."""
    with pytest.raises(Tampering, match="a released factor file is gone"):
        ReferenceData(copied(*kept, RELEASE[2], LIST)).factor_release(VERSION)


SETS = "gwp/RELEASED.toml"


def test_a_gwp_set_that_is_not_the_listed_one_is_tampering() -> None:
    """One potential changed in the set is noticed, by itself and by every release that names the set."""
    store = copied(*RELEASE, SETS)
    assert ReferenceData(store).gwp("ar5").values["CH4"]
    store.replace(RELEASE[2], (ROOT / RELEASE[2]).read_bytes().replace(b"CH4,28", b"CH4,29"))
    says = r"a released GWP set was changed.*gwp/ar5\.csv.*RELEASED\.toml"
    with pytest.raises(DigestMismatch, match=says):
        ReferenceData(store).gwp("ar5")
    with pytest.raises(DigestMismatch, match=says):
        ReferenceData(store).factor_release(VERSION)


def test_a_listed_gwp_set_that_is_gone_is_tampering() -> None:
    """It is no set that was never there."""
    with pytest.raises(Tampering, match=r"a released GWP set is gone.*gwp/ar6\.csv"):
        ReferenceData(copied(*RELEASE, SETS)).gwp("ar6")


def test_a_gwp_set_that_is_not_listed_is_read() -> None:
    """Reference data of others may have no list, or a set of their own beside those on it."""
    store = copied(*RELEASE)
    assert ReferenceData(store).released_sets() == {}
    store.put_if_absent(SETS, (ROOT / SETS).read_bytes())
    store.put_if_absent("gwp/ours.csv", (ROOT / RELEASE[2]).read_bytes())
    references = ReferenceData(store)
    assert references.gwp("ours").values == references.gwp("ar5").values


def test_a_release_that_is_not_listed_is_read() -> None:
    """Reference data of others may have no list, or one that does not know a new release yet."""
    store = copied(*RELEASE)
    assert ReferenceData(store).released() == {}
    store.put_if_absent(LIST, b"# none yet\n")
    assert ReferenceData(store).factor_release(VERSION).version == VERSION


def test_a_withdrawal_stands_beside_its_release_and_leaves_its_digest_alone() -> None:
    """It may come after the release was read, and what rests on the release still reads it."""
    store = copied(*RELEASE)
    references = ReferenceData(store)
    before = references.factor_release(VERSION)
    assert references.withdrawal(VERSION) is None
    store.put_if_absent(
        f"factors/{VERSION}/withdrawn.toml", b'on = 2026-01-31\nby = "R. Reviewer"\nbecause = "wrong vintage"\n'
    )
    withdrawal = references.withdrawal(VERSION)
    assert str(withdrawal) == f"{VERSION}, withdrawn on 2026-01-31 by R. Reviewer: wrong vintage"
    assert ReferenceData(store).factor_release(VERSION).digest == before.digest
    assert references.factor_versions() == (VERSION,)


@pytest.mark.parametrize(
    ("kept", "missing"),
    [
        pytest.param(RELEASE[:1], "gwp/ar5.csv|factors.csv", id="factors"),
        pytest.param(RELEASE[:2], "gwp/ar5.csv", id="GWP set"),
    ],
)
def test_half_a_release_is_refused(kept: tuple[str, ...], missing: str) -> None:
    """A release without its factors or its GWP set names the missing file and the remedy."""
    with pytest.raises(ContractError, match=rf"reference file is missing.*({missing}).*Remedy"):
        ReferenceData(copied(*kept)).factor_release(VERSION)


def test_a_missing_project_names_the_file() -> None:
    """The message says which file was looked for and what to do."""
    with pytest.raises(ContractError, match=r"projects/nowhere\.toml.*MRV_REFERENCE"):
        ReferenceData(copied()).project("nowhere")
    with pytest.raises(ContractError, match=r"inventories/nowhere\.toml.*MRV_REFERENCE"):
        ReferenceData(copied()).inventory("nowhere")


@pytest.mark.parametrize("name", ["../gwp/ar5", "a/b", ""])
def test_a_name_is_no_path(name: str) -> None:
    """Ids are checked before they become file names."""
    references = ReferenceData(copied(*RELEASE))
    of_release = (references.factor_release, references.withdrawal)
    for read in (references.project, references.inventory, references.gwp, *of_release):
        with pytest.raises(IdentityError, match="is not a canonical id"):
            read(name)


def test_a_file_that_names_another_id_is_refused() -> None:
    """A copied project file with the old id inside does not report for the wrong project."""
    store = copied()
    store.put_if_absent("projects/metc-dakota.toml", (ROOT / "projects/metc-anoka.toml").read_bytes())
    with pytest.raises(ContractError, match=r"another id than its name.*'metc-dakota'.*'metc-anoka'"):
        ReferenceData(store).project("metc-dakota")


def test_only_files_of_the_right_kind_are_listed() -> None:
    """Notes and drafts beside the files are not ids."""
    store = copied("projects/metc-anoka.toml")
    for key in ("projects/README.md", "projects/old/metc-dakota.toml", "factors/draft/factors.csv"):
        store.put_if_absent(key, b"x")
    references = ReferenceData(store)
    assert references.project_ids() == ("metc-anoka",)
    assert references.factor_versions() == ()


BOUNDARY = "boundaries/twin-cities-counties.geojson"
POINT = '"geometry":{"type":"Point","coordinates":[0,0]}'


def with_boundary(content: str) -> ReferenceData:
    """Return reference data with one project and this boundary file."""
    store = copied("projects/metc-anoka.toml")
    store.put_if_absent(BOUNDARY, content.encode())
    return ReferenceData(store)


def collection(*geoids: str, more: str = "") -> str:
    """Return a GeoJSON collection of one feature per id, given as JSON."""
    features = ",".join(f'{{"type":"Feature","properties":{{"geoid":{geoid}}},{POINT}}}' for geoid in geoids)
    return f'{{"type":"FeatureCollection",{more}"features":[{features}]}}'


@pytest.mark.parametrize(
    ("content", "found"),
    [
        pytest.param(collection('"27019"'), "found 0 features", id="none"),
        pytest.param(collection('"27003"', '"27003"'), "found 2 features", id="two"),
        pytest.param(collection('"027003"'), "found 0 features", id="leading zero"),
        pytest.param(collection("27003.0"), "found 0 features", id="number with a fraction"),
        pytest.param(
            '{"features":[{"properties":{"geoid":"27003"},"geometry":null}]}',
            "a feature without geometry",
            id="no geometry",
        ),
        pytest.param('{"type":"Feature"}', "boundary file is malformed", id="no collection"),
        pytest.param('{"features":', "boundary file is malformed", id="cut short"),
        pytest.param(collection('"27003"', more='"crs":"EPSG:4269",'), "crs member without a name", id="bad crs"),
    ],
)
def test_a_boundary_that_is_not_one_feature_is_refused(content: str, found: str) -> None:
    """Land is never guessed: one feature of the file carries the id of the project, as text."""
    references = with_boundary(content)
    with pytest.raises(ContractError, match=found):
        references.boundary(references.project("metc-anoka"))


def test_an_integer_id_equals_its_digits() -> None:
    """A file that writes the id as a number is understood without rounding."""
    references = with_boundary(collection("27003"))
    assert references.boundary(references.project("metc-anoka")).geometry["type"] == "Point"


def test_a_crs_that_the_file_names_is_handed_on() -> None:
    """What the file says about itself is not dropped before it can contradict a declaration."""
    tag = '"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::26915"}},'
    references = with_boundary(collection('"27003"', more=tag))
    feature = references.boundary(references.project("metc-anoka"))
    assert feature.tagged_crs == "urn:ogc:def:crs:EPSG::26915"


def with_chains(*, without: str = "", is_listed: bool = False) -> ReferenceData:
    """Return reference data with one release of chained factors, a file of it left out, on the list or not."""
    files = chained_files(version="forest-1", gwp_set="ar5")
    store = copied("gwp/ar5.csv")
    for name, data in files.items():
        if name != without:
            store.put_if_absent(f"factors/forest-1/{name}", data)
    if is_listed:
        digests = ReleasedDigests.of(release_toml=files["release.toml"], factors_csv=files["factors.csv"])
        store.put_if_absent("factors/RELEASED.toml", appended(None, version="forest-1", digests=digests))
    return ReferenceData(store)


@pytest.mark.parametrize("is_listed", [False, True])
def test_a_release_of_chained_factors_is_read_with_its_two_more_files(*, is_listed: bool) -> None:
    """Whether or not it is on the list."""
    (row,) = with_chains(is_listed=is_listed).factor_release("forest-1").rows
    assert len(row.chain) == 5


@pytest.mark.parametrize("name", ["chains.csv", "coefficients.csv"])
def test_a_file_of_chained_factors_that_is_gone_is_noticed(name: str) -> None:
    """The description pins it; gone from a release that is listed, it is tampering."""
    with pytest.raises(FactorError, match=f"not those that it pins.*expected .*{name}"):
        with_chains(without=name).factor_release("forest-1")
    with pytest.raises(Tampering, match=f"file is gone.*{name}.*as release.toml pins it"):
        with_chains(without=name, is_listed=True).factor_release("forest-1")


def test_a_project_is_read_once_for_one_look_and_again_for_the_next() -> None:
    """Its file may be edited, so only a glance keeps it, until it is asked to read it again."""
    store = copied("projects/metc-anoka.toml")
    references = ReferenceData(store)
    glance = references.at_a_glance()
    store.calls.clear()
    assert glance.project("metc-anoka") is glance.project("metc-anoka")
    assert store.count("get") == 1
    assert references.project("metc-anoka") == references.project("metc-anoka")
    assert store.count("get") == 3
    glance.refresh("metc-anoka")
    assert glance.project("metc-anoka") is glance.project("metc-anoka")
    assert store.count("get") == 4


def test_what_is_whose_successor_is_read_once_for_one_look_and_again_with_a_project() -> None:
    """A merger that is written down in mid-run counts from the next partition that has to be looked into."""
    store = copied("projects/metc-anoka.toml")
    glance = ReferenceData(store).at_a_glance()
    assert glance.successions().kin("metc-anoka") == frozenset()
    merged = b'[[succession]]\nproject = "metc-anoka"\nsucceeds = ["older"]\nbecause = "renamed"\n'
    store.replace("successions.toml", merged)
    assert glance.successions().kin("metc-anoka") == frozenset()
    glance.refresh("metc-anoka")
    assert glance.successions().kin("metc-anoka") == {"older"}


def test_land_is_read_once_at_a_glance_and_again_when_its_file_has_changed() -> None:
    """Two projects may share a file and have other land in it; without a glance the file is read each time."""
    keys = ("projects/metc-anoka.toml", "projects/metc-carver.toml", "boundaries/twin-cities-counties.geojson")
    store = copied(*keys)
    references = ReferenceData(store)
    glance = references.at_a_glance()
    anoka, carver = (glance.project(name) for name in ("metc-anoka", "metc-carver"))
    store.calls.clear()
    assert glance.boundary(anoka) is glance.boundary(anoka)
    assert store.count("get") == 1
    assert glance.boundary(carver).geometry != glance.boundary(anoka).geometry
    assert store.count("get") == 2
    assert references.boundary(anoka) == references.boundary(anoka) == glance.boundary(anoka)
    assert store.count("get") == 4
    edited = store.get(anoka.boundary.path)
    assert edited is not None
    store.replace(anoka.boundary.path, edited.replace(b"-93.5", b"-93.6"))
    assert glance.boundary(anoka).file_sha256 == references.boundary(anoka).file_sha256
