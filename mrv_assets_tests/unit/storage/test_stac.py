"""STAC Items beside source files: the published examples, and every way in which one contradicts its file."""

from __future__ import annotations

import hashlib
import json
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mrv_assets.domain.errors import GateError
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.stac import StacItem, describe_by_item, find_item, item_keys
from mrv_assets.storage.stac_item import LIMIT_BYTES, VERSIONS, read_item
from mrv_assets_tests.unit.storage.items import DATA, document, encoded, item, multihash
from mrv_assets_tests.world import PUBLIC_DATA, memory_store

EXAMPLES = PUBLIC_DATA / "stac-examples/tests/data-files"
PATH = "in/electricity.csv"
BOX = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}


def examples() -> list[Path]:
    """Return every published example that is an item."""
    files = sorted(EXAMPLES.rglob("*.json"))
    return [path for path in files if json.loads(path.read_bytes()).get("type") == "Feature"]


needs_examples = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the STAC examples are not in ../shared/data")


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every test here fail that would open a connection: no schema is ever fetched."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a connection was asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def described(data: bytes, *, path: str = PATH, store: ObjectStore | None = None) -> StacItem:
    """Hold the bytes of an item against the file of these tests."""
    landing = store or memory_store({path: DATA, f"{path}.stac.json": data})
    beside = find_item(landing, path)
    assert beside is not None
    return describe_by_item(beside, uri=f"memory://test/{path}", path=path, data=landing.get(path) or b"")


@needs_examples
@pytest.mark.parametrize("path", [pytest.param(path, id=str(path.relative_to(EXAMPLES))) for path in examples()])
def test_every_published_item_of_a_known_version_is_read(path: Path) -> None:
    """Items of 1.0.0 and 1.1.0 keep to the schema; the one of 1.0.0-beta.2 is refused by its version."""
    version = json.loads(path.read_bytes())["stac_version"]
    if version in VERSIONS:
        assert read_item(path.read_bytes(), where="item")["stac_version"] == version
    else:
        with pytest.raises(GateError, match=r"expected a STAC Item of 1\.0\.0 or 1\.1\.0; found .*'1\.0\.0-beta\.2'"):
            read_item(path.read_bytes(), where="item")


@needs_examples
def test_there_are_as_many_examples_as_were_counted() -> None:
    """Thirteen items: one of 1.0.0-beta.2, six of 1.0.0 and six of 1.1.0."""
    versions = [json.loads(path.read_bytes())["stac_version"] for path in examples()]
    assert [versions.count(version) for version in ("1.0.0-beta.2", "1.0.0", "1.1.0")] == [1, 6, 6]


@needs_examples
@pytest.mark.parametrize(
    ("version", "code"),
    [pytest.param("1.0.0", "EPSG:32659", id="proj:epsg"), pytest.param("1.1.0", "EPSG:32659", id="proj:code")],
)
def test_a_published_item_is_told_as_facts(version: str, code: str) -> None:
    """Id, instants, collection and CRS come from the item; what it is judged by no schema of ours is listed."""
    data = (EXAMPLES / "examples" / version / "extended-item.json").read_bytes()
    path = "20201211_223832_CS2.tif"
    said = described(data, path=path)
    assert (said.id, said.asset, said.crs) == ("20201211_223832_CS2", "visual", code)
    assert said.facts["source_stac_datetime"] == "2020-12-14T18:02:31.437000Z"
    assert said.facts["source_stac_collection"] == "simple-collection"
    assert said.facts["source_stac_crs"] == code
    assert "stac-extensions.github.io/projection/" in said.facts["source_stac_unvalidated_extensions"]
    assert "source_stac_checksum" not in said.facts


@needs_examples
def test_an_item_over_a_span_has_start_and_end() -> None:
    """Without an instant of its own it tells the two of its span."""
    data = (EXAMPLES / "examples/1.1.0/core-item.json").read_bytes()
    facts = described(data, path="20201211_223832_CS2.tif").facts
    assert "source_stac_datetime" not in facts
    assert facts["source_stac_start_datetime"] == "2020-12-11T22:38:32.125Z"
    assert facts["source_stac_end_datetime"] == "2020-12-11T22:38:32.327Z"


def changed(**changes: Any) -> dict[str, Any]:
    """Return a sound item in which whole members are replaced."""
    return document(**changes)


def without(*members: str) -> dict[str, Any]:
    """Return a sound item without some of its members."""
    return {key: value for key, value in document().items() if key not in members}


@pytest.mark.parametrize(
    ("members", "found"),
    [
        pytest.param(changed(stac_version="1.0.0-beta.2"), "stac_version '1.0.0-beta.2'", id="beta"),
        pytest.param(changed(stac_version="0.9.0"), "stac_version '0.9.0'", id="old"),
        pytest.param(changed(stac_version="1.2.0"), "stac_version '1.2.0'", id="newer than we know"),
        pytest.param(changed(stac_version=["1.0.0"]), r"stac_version \['1.0.0'\]", id="version is a list"),
        pytest.param(changed(type="Collection"), "type 'Collection'", id="collection"),
        pytest.param(without("id"), "'id' is a required property", id="no id"),
        pytest.param(changed(id=""), r"\$\.id: ''", id="empty id"),
        pytest.param(without("geometry"), "'geometry' is a required property", id="no geometry"),
        pytest.param(changed(bbox=[0, 0, 1, 1]), "a bbox without a geometry", id="null geometry with a bbox"),
        pytest.param(changed(geometry=BOX), "a geometry without a bbox", id="geometry without a bbox"),
        pytest.param(changed(geometry=BOX, bbox=[0, 0, 1]), r"\$\.bbox", id="bbox of three numbers"),
        pytest.param(changed(properties={}), "no datetime, nor a null one", id="no datetime"),
        pytest.param(
            changed(properties={"datetime": None}), "no datetime, nor a null one", id="null datetime without a span"
        ),
        pytest.param(changed(properties={"datetime": "2022-01-31"}), r"\$\.properties\.datetime", id="a day"),
        pytest.param(changed(properties={"datetime": "2022-02-31T00:00:00Z"}), "day is out of range", id="31 February"),
        pytest.param(changed(collection="c"), r"\$\.collection", id="collection without a link to it"),
        pytest.param(changed(assets={"table": {}}), "'href' is a required property", id="asset without href"),
        pytest.param(changed(links=[{"rel": "self"}]), "'href' is a required property", id="link without href"),
        pytest.param(
            changed(
                properties={
                    "datetime": None,
                    "start_datetime": "2022-01-31T00:00:00Z",
                    "end_datetime": "2021-01-31T00:00:00Z",
                }
            ),
            "'end_datetime': '2021-01-31T00:00:00Z'",
            id="ends before it starts",
        ),
    ],
)
def test_an_item_that_does_not_keep_to_the_specification_is_refused(members: Mapping[str, Any], found: str) -> None:
    """The refusal names the item and the member at fault, turns the gate red and says what to do."""
    with pytest.raises(GateError, match=rf"electricity\.csv\.stac\.json\].*found .*{found}.*Remedy") as refused:
        described(encoded(members))
    assert refused.value.gate == "source_readable"


@pytest.mark.parametrize(
    ("data", "found"),
    [
        pytest.param(b"", "JSONDecodeError", id="nothing"),
        pytest.param(item()[:-5], "JSONDecodeError", id="cut off"),
        pytest.param(b"[]", "a list", id="a list"),
        pytest.param("{}".encode("utf-16"), "stac_version None", id="UTF-16"),
        pytest.param(b"\xff\xfe\xfd", "UnicodeDecodeError", id="no text"),
        pytest.param(b'{"id": 1, "id": 2}', "'id' stands twice", id="a member twice"),
        pytest.param(b'{"id": NaN}', "NaN is no JSON", id="NaN"),
        pytest.param(b"[" * 100_000, "RecursionError", id="nested without end"),
        pytest.param(b" " * (LIMIT_BYTES + 1), f"{LIMIT_BYTES + 1:,} bytes", id="too large"),
    ],
)
def test_what_is_no_json_object_is_refused(data: bytes, found: str) -> None:
    """A file under the name of an item that is none stops the delivery."""
    with pytest.raises(GateError, match=rf"STAC Item beside the source file is refused.*found .*{found}"):
        described(data)


def nested(depth: int) -> dict[str, Any]:
    """Return geometry collections within each other."""
    geometry: dict[str, Any] = {"type": "Point", "coordinates": [0, 0]}
    for _ in range(depth):
        geometry = {"type": "GeometryCollection", "geometries": [geometry]}
    return geometry


def test_a_geometry_that_is_nested_deeply_is_refused_and_crashes_nothing() -> None:
    """The judge of schemas has an end of its patience, too."""
    with pytest.raises(GateError, match="STAC Item beside the source file is refused"):
        described(encoded(changed(geometry=nested(300), bbox=[0, 0, 1, 1])))


@pytest.mark.parametrize(
    ("href", "path"),
    [
        pytest.param("./electricity.csv", PATH, id="beside"),
        pytest.param("electricity.csv", PATH, id="bare name"),
        pytest.param("../in/electricity.csv", PATH, id="around"),
        pytest.param("memory://test/in/electricity.csv", PATH, id="its own address"),
        pytest.param("my%20table.csv", "in/my table.csv", id="escaped"),
        pytest.param("my table.csv", "in/my table.csv", id="not escaped"),
        pytest.param("https://example.org/d/electricity.csv", PATH, id="where it was published"),
        pytest.param("https://example.org/electricity.csv?sig=abc", PATH, id="signed"),
        pytest.param("/data/out/electricity.csv", PATH, id="where it was made"),
    ],
)
def test_the_asset_is_found_by_the_name_of_the_file(href: str, path: str) -> None:
    """The file itself, or its copy at the publisher, is what the item describes."""
    assert described(item(href=href), path=path).asset == "table"


@pytest.mark.parametrize(
    ("hrefs", "found"),
    [
        pytest.param([], "0 of its 0 assets", id="no asset"),
        pytest.param(["other.csv"], "0 of its 1 assets: 'a0'", id="another file"),
        pytest.param(["sub/electricity.csv"], "0 of its 1 assets", id="of that name elsewhere in the landing"),
        pytest.param(["../electricity.csv"], "0 of its 1 assets", id="above the item"),
        pytest.param(["../../../in/electricity.csv"], "0 of its 1 assets", id="out of the landing"),
        pytest.param(["Electricity.csv"], "0 of its 1 assets", id="in other letters"),
        pytest.param(["electricity.csv", "./electricity.csv"], "2 of its 2 assets: 'a0', 'a1'", id="twice"),
        pytest.param(["https://a.org/electricity.csv", "https://b.org/electricity.csv"], "2 of its 2", id="two copies"),
    ],
)
def test_an_item_that_does_not_name_the_file_once_is_refused(hrefs: list[str], found: str) -> None:
    """None or several assets that could be the file: nothing is guessed."""
    assets = {f"a{number}": {"href": href} for number, href in enumerate(hrefs)}
    with pytest.raises(GateError, match=rf"expected one asset whose href is electricity\.csv; found {found}"):
        described(item(assets=assets))


def test_the_file_itself_goes_before_a_copy_of_its_name() -> None:
    """An item may list the same file at the publisher as well."""
    assets = {"web": {"href": "https://example.org/electricity.csv"}, "here": {"href": "electricity.csv"}}
    assert described(item(assets=assets)).asset == "here"


def other(algorithm: str, prefix: str, data: bytes = DATA) -> str:
    """Return a multihash of another algorithm."""
    return prefix + hashlib.new(algorithm, data).hexdigest()


@pytest.mark.parametrize(
    ("checksum", "told"),
    [
        pytest.param(multihash(DATA), "sha2-256 ", id="sha2-256"),
        pytest.param(other("sha512", "1340"), "sha2-512 ", id="sha2-512"),
        pytest.param(other("sha1", "1114"), "sha1 ", id="sha1"),
    ],
)
def test_a_checksum_that_agrees_is_recorded(checksum: str, told: str) -> None:
    """The algorithm is named with the digest."""
    assert described(item(checksum=checksum)).facts["source_stac_checksum"] == told + checksum[4:]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        pytest.param(
            {"checksum": multihash(b"else")}, r"expected file:checksum sha2-256 .*; found sha2-256", id="sha2"
        ),
        pytest.param({"checksum": other("sha1", "1114", b"")}, r"expected file:checksum sha1 .*found sha1", id="sha1"),
        pytest.param({"checksum": "d50110" + "ab" * 16}, r"found the algorithm md5", id="md5"),
        pytest.param({"checksum": multihash(DATA)[4:]}, r"a sha256 is written with 1220 before it", id="plain sha256"),
        pytest.param({"checksum": multihash(DATA).upper()}, r"found text that is not lower-case hex", id="upper case"),
        pytest.param({"size": 9}, r"expected file:size 9; found 8 bytes", id="size"),
        pytest.param({"size": "8"}, r"expected file:size '8'; found 8 bytes", id="size is text"),
        pytest.param({"size": True}, r"expected file:size True", id="size is a truth"),
    ],
)
def test_a_file_that_its_item_does_not_describe_is_refused(said: dict[str, Any], message: str) -> None:
    """Another checksum or size means another file; both are named, and the asset that says so."""
    with pytest.raises(GateError, match=rf"asset 'table'\].*{message}.*Remedy") as refused:
        described(item(**said))
    assert refused.value.gate == "source_readable"


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        pytest.param("a/x.csv", ("a/x.csv.stac.json", "a/x.json"), id="table"),
        pytest.param("a/x.tar.gz", ("a/x.tar.gz.stac.json", "a/x.tar.json"), id="two extensions"),
        pytest.param("x", ("x.stac.json", "x.json"), id="no extension"),
        pytest.param("x.json", ("x.json.stac.json",), id="the file is JSON itself"),
    ],
)
def test_an_item_lies_beside_its_file(path: str, keys: tuple[str, ...]) -> None:
    """Two names are looked for, and a JSON file is not its own item."""
    assert item_keys(path) == keys


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"not JSON", id="no JSON"),
        pytest.param(b'{"type": "Feature", "geometry": null, "properties": {}}', id="plain feature"),
        pytest.param(encoded(document(type="Collection")), id="collection"),
        pytest.param(b"[" * 100_000, id="nested without end"),
        pytest.param(b" " * (LIMIT_BYTES + 1), id="too large"),
    ],
)
def test_a_file_of_the_same_stem_is_an_item_only_when_it_says_so(data: bytes) -> None:
    """`x.json` beside `x.csv` may be anything."""
    assert find_item(memory_store({"x.csv": DATA, "x.json": data}), "x.csv") is None


def test_the_name_that_leaves_no_doubt_goes_first() -> None:
    """`x.csv.stac.json` is read where both are there."""
    found = find_item(memory_store({"x.csv": DATA, "x.csv.stac.json": b"1", "x.json": item()}), "x.csv")
    assert found is not None
    assert (found.key, found.data) == ("x.csv.stac.json", b"1")
    only = find_item(memory_store({"x.csv": DATA, "x.json": item()}), "x.csv")
    assert only is not None
    assert only.uri == "memory://test/x.json"
