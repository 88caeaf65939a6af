"""`mrv certificate` and `mrv verify` as an operator sees them: a file out, and checks in and out of the store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mrv_assets.domain.trust import Trust
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets_tests.handed_out import place, whole
from mrv_assets_tests.signing import FIRST, trusted
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed

TRUST = Trust(keys=(trusted(FIRST, until=None),)).to_toml()


def kept(folder: Path, objects: dict[str, bytes]) -> Path:
    """Return a deployment whose store holds these objects."""
    store = PosixStore(folder / "home" / "store")
    for key, data in objects.items():
        store.put_if_absent(key, data)
    return folder


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    """A deployment with three signed certificates, and the keys to trust."""
    world = whole().world
    keys = tmp_path / "home" / "keys"
    keys.mkdir(parents=True)
    (keys / "trust.toml").write_bytes(TRUST)
    return kept(tmp_path, {key: world.store.get(key) or b"" for key in world.store.list("")})


@pytest.fixture
def unsigned(tmp_path: Path) -> Path:
    """A deployment in which nobody has signed."""
    world = place(None).world
    return kept(tmp_path, {key: world.store.get(key) or b"" for key in world.store.list("")})


def test_a_certificate_is_handed_out_and_holds_elsewhere(mrv: Mrv, signed: Path, tmp_path: Path) -> None:
    """The file holds by itself, with the keys that the folder of keys lists."""
    out = tmp_path / "anoka.mrv.json"
    written = mrv(signed, "certificate", "anoka", "2021", "--out", str(out))
    assert (written.exit_code, "UNSIGNED" in written.stdout) == (0, False)
    assert "signed by    fd110d30" in written.stdout
    checked = mrv(signed, "verify", str(out), "--blobs", str(signed / "home" / "store" / "blobs"))
    assert checked.exit_code == 0
    assert "Everything that could be checked holds." in checked.stdout
    assert max(map(len, checked.stdout.splitlines())) <= 100


def test_a_file_is_not_overwritten(mrv: Mrv, signed: Path, tmp_path: Path) -> None:
    """Exit code 1, and the file stays."""
    out = tmp_path / "kept.mrv.json"
    out.write_bytes(b"mine")
    assert mrv(signed, "certificate", "anoka", "2021", "--out", str(out)).exit_code == 1
    assert out.read_bytes() == b"mine"


def test_the_envelope_alone_is_for_other_tools(mrv: Mrv, signed: Path, tmp_path: Path) -> None:
    """It is the plain DSSE envelope, and no file that `mrv verify` takes."""
    out = tmp_path / "anoka.json"
    document = parsed(mrv(signed, "certificate", "anoka", "2021", "--out", str(out), "--envelope-only", "--json"))
    assert set(json.loads(out.read_bytes())) == {"payload", "payloadType", "signatures"}
    assert document["bytes"] == out.stat().st_size
    assert mrv(signed, "verify", str(out)).exit_code == 1


def test_an_unsigned_certificate_is_written_and_says_so(mrv: Mrv, unsigned: Path, tmp_path: Path) -> None:
    """It is refused by the check unless that is asked for, and then said again."""
    out = tmp_path / "anoka.mrv.json"
    written = mrv(unsigned, "certificate", "anoka", "2021", "--out", str(out))
    assert (written.exit_code, written.stdout.count("UNSIGNED")) == (0, 2)
    refused = mrv(unsigned, "verify", str(out))
    assert (refused.exit_code, "no trust file was given" in refused.stderr) == (1, True)
    taken = mrv(unsigned, "verify", str(out), "--allow-unsigned")
    assert taken.exit_code == 0
    assert "UNSIGNED: digests hold, and nobody vouches for them" in taken.stdout


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("anoka", "2021"), id="reported"),
        pytest.param(("anoka", "2021", "mrow-2024.02.01"), id="of a factor version"),
    ],
)
def test_a_certificate_of_the_store_is_checked_with_all_that_it_rests_on(
    mrv: Mrv, signed: Path, words: tuple[str, ...]
) -> None:
    """Tables and predecessor included."""
    checks = parsed(mrv(signed, "verify", *words, "--json"))["checks"]
    states = {check["check"]: check["state"] for check in checks}
    assert states.pop("published checkpoint") == "not checked"
    assert set(states.values()) == {"held"}


def test_a_certificate_is_named_by_first_digits(mrv: Mrv, signed: Path) -> None:
    """As anywhere else."""
    sha256 = parsed(mrv(signed, "verify", "anoka", "2021", "--json"))["certificate_sha256"]
    assert parsed(mrv(signed, "verify", sha256[:12], "--json"))["certificate_sha256"] == sha256


def test_all_certificates_are_checked_and_the_failures_listed(mrv: Mrv, signed: Path) -> None:
    """Exit code 0 while all hold; one altered record lists the certificates that rest on it, with exit code 70."""
    whole_ = mrv(signed, "verify", "--all")
    assert (whole_.exit_code, "3 of 3 certificates hold." in whole_.stdout) == (0, True)
    [blob] = [
        path for path in (signed / "home" / "store" / "commits" / "factored").rglob("*.json") if "carver" in str(path)
    ]
    sha256 = json.loads(blob.read_bytes())["blob"]["sha256"]
    (signed / "home" / "store" / "blobs" / sha256[:2] / f"{sha256}.parquet").unlink()
    broken = mrv(signed, "verify", "--all")
    assert (broken.exit_code, "2 of 3 certificates hold." in broken.stdout) == (70, True)
    assert "sealed content is gone" in broken.stdout
    listed = json.loads(mrv(signed, "verify", "--all", "--json").stdout)["certificates"]
    assert [one["project_id"] for one in listed if not one["is_held"]] == ["carver"]


def test_what_was_altered_ends_with_70(mrv: Mrv, signed: Path, tmp_path: Path) -> None:
    """One bit of the file, and a panel or a document says what is wrong."""
    out = tmp_path / "anoka.mrv.json"
    mrv(signed, "certificate", "anoka", "2021", "--out", str(out))
    out.write_bytes(out.read_bytes().replace(b"mwh", b"MWh").replace(b"anoka 2021", b"anoka 2022"))
    result = mrv(signed, "verify", str(out))
    assert (result.exit_code, "Stop" in result.stderr) == (70, True)
    document = json.loads(mrv(signed, "verify", str(out), "--json").stdout)
    assert document["is_held"] is False


@pytest.mark.parametrize("words", [(), ("anoka", "2021", "--all")], ids=["nothing", "both"])
def test_it_must_be_clear_what_to_check(mrv: Mrv, signed: Path, words: tuple[str, ...]) -> None:
    """A certificate or all of them."""
    result = mrv(signed, "verify", *words)
    assert (result.exit_code, "it is not clear what to check" in result.stderr) == (1, True)


def test_a_file_is_checked_where_there_is_no_deployment(mrv: Mrv, signed: Path, tmp_path: Path) -> None:
    """With keys of its own; nothing is made in the home."""
    out = tmp_path / "anoka.mrv.json"
    mrv(signed, "certificate", "anoka", "2021", "--out", str(out))
    trust = tmp_path / "trust.toml"
    trust.write_bytes(TRUST)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert mrv(elsewhere, "verify", str(out), "--trust", str(trust)).exit_code == 0
    assert list(elsewhere.rglob("*.jsonl")) == []
