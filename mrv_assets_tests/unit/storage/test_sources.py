"""Landing files."""

from __future__ import annotations

import json
import os
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError, GateError
from mrv_assets.domain.source_identity import SOURCE_KEYS, STAC_KEYS, source_identity
from mrv_assets.storage import sources
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.opening import open_store
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.sources import Landing
from mrv_assets_tests.s3_server import S3Server
from mrv_assets_tests.unit.storage.items import DATA, item, multihash
from mrv_assets_tests.world import memory_store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MODIFIED = datetime(2026, 2, 1, 12, tzinfo=UTC)


def landing(store: ObjectStore) -> Landing:
    """Return the landing place in a store, at a fixed time."""
    return Landing(store, lambda: NOW)


def test_a_file_comes_with_its_address_digest_and_size(tmp_path: Path) -> None:
    """What was read can be named exactly afterwards."""
    (tmp_path / "2024-02-01").mkdir()
    (tmp_path / "2024-02-01/electricity.csv").write_bytes(b"a,b\n1,2\n")
    source = landing(PosixStore(tmp_path)).fetch("2024-02-01/electricity.csv")
    assert source.data == b"a,b\n1,2\n"
    assert source.sha256 == sha256_hex(b"a,b\n1,2\n")
    assert source.size == 8
    assert source.uri == f"{tmp_path.as_uri()}/2024-02-01/electricity.csv"
    assert "1,2" not in repr(source)


def test_the_identity_of_a_local_file_tells_everything_that_is_known(tmp_path: Path) -> None:
    """Seven facts, all text; the time of last change is the file's, the time of retrieval the platform's clock."""
    path = tmp_path / "electricity.csv"
    path.write_bytes(DATA)
    os.utime(path, (MODIFIED.timestamp(), MODIFIED.timestamp()))
    source = landing(PosixStore(tmp_path)).fetch("electricity.csv")
    assert source.identity == {
        "source_uri": path.as_uri(),
        "source_sha256": sha256_hex(DATA),
        "source_size": "8",
        "source_media_type": "text/csv",
        "source_version": source.version,
        "source_modified_utc": "2026-02-01T12:00:00.000000+00:00",
        "source_retrieved_utc": "2026-03-01T12:00:00.000000+00:00",
    }
    assert tuple(source.identity) == SOURCE_KEYS
    assert source.version


def test_an_item_adds_what_it_says_to_the_identity() -> None:
    """Id, instants, collection and checksum of a sound item stand beside what the store said."""
    files = {"electricity.csv": DATA, "electricity.csv.stac.json": item(checksum=multihash(DATA), size=len(DATA))}
    source = landing(memory_store(files)).fetch("electricity.csv")
    assert source.stac is not None
    assert source.data == DATA
    said = {key: text for key, text in source.identity.items() if key not in SOURCE_KEYS}
    assert said == {
        "source_stac_uri": "memory://test/electricity.csv.stac.json",
        "source_stac_sha256": sha256_hex(files["electricity.csv.stac.json"]),
        "source_stac_version": "1.1.0",
        "source_stac_id": "electricity-2021",
        "source_stac_datetime": "2022-01-31T00:00:00Z",
        "source_stac_asset": "table",
        "source_stac_checksum": f"sha2-256 {sha256_hex(DATA)}",
        "source_stac_unvalidated_extensions": "https://stac-extensions.github.io/file/v2.1.0/schema.json",
    }
    assert set(said) <= set(STAC_KEYS)


def test_an_identity_is_found_again_among_other_evidence() -> None:
    """What a stage measured, such as the number of rows of the source, is no part of it."""
    files = {"electricity.csv": DATA, "electricity.csv.stac.json": item()}
    identity = landing(memory_store(files)).fetch("electricity.csv").identity
    evidence = {"crs": "EPSG:4326", "source_rows": "7", "source_periods": "2021", **identity}
    assert source_identity(evidence) == identity
    assert source_identity({"source_rows": "7"}) == {}


def test_a_refused_item_keeps_the_data_back_and_the_identity_open() -> None:
    """What the file is can be told; its bytes cannot be had, so no stage works on them."""
    files = {"electricity.csv": DATA, "electricity.csv.stac.json": item(checksum=multihash(b"other"))}
    source = landing(memory_store(files)).fetch("electricity.csv")
    with pytest.raises(GateError, match=r"STAC Item beside the source file is refused .*file:checksum") as refused:
        _ = source.data
    assert refused.value.gate == "source_readable"
    assert source.stac is None
    assert source.identity["source_sha256"] == sha256_hex(DATA)
    assert source.identity["source_stac_sha256"] == sha256_hex(files["electricity.csv.stac.json"])
    assert "source_stac_id" not in source.identity


def test_a_missing_file_is_refused_with_a_remedy(tmp_path: Path) -> None:
    """The message names the path and what to do about it."""
    place = landing(PosixStore(tmp_path))
    for ask in (place.fetch, place.look):
        with pytest.raises(ContractError, match=r"source file is missing .*electricity\.csv.*point MRV_LANDING"):
            ask("electricity.csv")


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "a/../../secret", "", "a//b"])
def test_a_path_that_leads_out_of_the_landing_is_refused(tmp_path: Path, path: str) -> None:
    """A project file cannot make the platform read elsewhere."""
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "landing").mkdir()
    place = landing(PosixStore(tmp_path / "landing"))
    for ask in (place.fetch, place.look):
        with pytest.raises(ContractError, match="object key is refused"):
            ask(path)


def test_a_look_is_the_same_until_the_file_or_its_item_changes() -> None:
    """Nothing is read for it, and a new, changed or removed item counts as much as the file."""
    store = memory_store({"a/x.csv": DATA})
    place = landing(store)
    marks = [place.look("a/x.csv").mark]
    assert place.look("a/x.csv").mark == marks[0]
    for key, data in (("a/x.csv", b"a,b\n3,4\n"), ("a/x.csv.stac.json", item()), ("a/x.json", b"{}")):
        store.replace(key, data)
        marks.append(place.look("a/x.csv").mark)
    assert len(set(marks)) == len(marks)


def test_a_look_tells_the_last_change_of_file_and_item(tmp_path: Path) -> None:
    """An item that is still being delivered makes the delivery young."""
    for name, change in (("x.csv", MODIFIED), ("x.csv.stac.json", MODIFIED + timedelta(days=1))):
        (tmp_path / name).write_bytes(b"{}")
        os.utime(tmp_path / name, (change.timestamp(), change.timestamp()))
    assert landing(PosixStore(tmp_path)).look("x.csv").modified == MODIFIED + timedelta(days=1)


def test_a_linked_file_is_told_by_what_it_links_to(tmp_path: Path) -> None:
    """Bytes, size and time of last change are those of the target."""
    (tmp_path / "kept.csv").write_bytes(DATA)
    os.utime(tmp_path / "kept.csv", (MODIFIED.timestamp(), MODIFIED.timestamp()))
    (tmp_path / "x.csv").symlink_to(tmp_path / "kept.csv")
    source = landing(PosixStore(tmp_path)).fetch("x.csv")
    assert (source.data, source.modified_utc[:10]) == (DATA, "2026-02-01")


@pytest.mark.server
@pytest.mark.parametrize("is_versioned", [True, False], ids=["versioned", "plain"])
def test_a_file_on_s3_is_told_by_its_version_or_else_its_entity_tag(s3: S3Server, *, is_versioned: bool) -> None:
    """The version is that of the bytes which were read, and the address holds no credentials."""
    bucket, prefix = s3.versioned_bucket() if is_versioned else s3.bucket, uuid.uuid4().hex
    client, key = s3.client(), f"{prefix}/electricity.csv"
    put = client.put_object(Bucket=bucket, Key=key, Body=DATA)
    source = landing(open_store(f"s3://{bucket}/{prefix}", s3=s3.access())).fetch("electricity.csv")
    assert source.version == (put["VersionId"] if is_versioned else put["ETag"].strip('"'))
    assert source.uri == f"s3://{bucket}/{key}"
    assert source.identity["source_version"] == source.version
    again = client.put_object(Bucket=bucket, Key=key, Body=DATA)
    if is_versioned:
        assert again["VersionId"] != source.version


def test_evidence_is_json_ready() -> None:
    """All of an identity is text, as the evidence of a record is."""
    identity = landing(memory_store({"x.csv": DATA, "x.json": item(href="x.csv")})).fetch("x.csv").identity
    assert json.loads(json.dumps(dict(identity))) == identity
    assert all(isinstance(text, str) for text in identity.values())


def test_a_file_is_read_once_for_a_glance_and_again_when_it_has_changed(tmp_path: Path) -> None:
    """Partitions that share a delivery share one reading of it, and none goes on with one that was replaced since."""
    place, path = landing(PosixStore(tmp_path)), tmp_path / "electricity.csv"
    path.write_bytes(DATA)
    glance = place.at_a_glance()
    first = glance.fetch("electricity.csv")
    assert glance.fetch("electricity.csv") is first
    path.write_bytes(b"another delivery")
    assert glance.fetch("electricity.csv").data == b"another delivery"
    assert glance.look("electricity.csv") == place.look("electricity.csv")


def test_a_large_file_is_read_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that needs its memory does not share it with the file that it was made of."""
    monkeypatch.setattr(sources, "_LARGE", len(DATA) - 1)
    (tmp_path / "electricity.csv").write_bytes(DATA)
    glance = landing(PosixStore(tmp_path)).at_a_glance()
    assert glance.fetch("electricity.csv") is not glance.fetch("electricity.csv")
