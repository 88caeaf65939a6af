"""What the environment says."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.settings import Settings


def test_the_defaults_are_below_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a variable everything is in `.mrv`, and the reference data is that of the checkout."""
    monkeypatch.chdir(tmp_path)
    settings = Settings.from_env({})
    home = tmp_path / ".mrv"
    assert settings.home == home
    assert settings.dagster_home == home / "dagster"
    assert settings.logs == home / "logs"
    assert settings.store == (home / "store").as_uri()
    assert settings.landing == (home / "landing").as_uri()
    assert settings.keys == home / "keys"
    assert settings.reference == (Path(__file__).parents[3] / "reference_data").as_uri()
    assert settings.allow_network_fs is False


def test_an_empty_variable_is_an_unset_one() -> None:
    """Orchestrators often pass variables on empty."""
    names = ("MRV_HOME", "MRV_STORE", "MRV_REFERENCE", "MRV_LANDING", "MRV_KEYS", "MRV_ALLOW_NETWORK_FS")
    assert Settings.from_env(dict.fromkeys(names, "")) == Settings.from_env({})


def test_a_plain_path_becomes_an_absolute_uri(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later process may run in another folder, so paths are made absolute when they are read."""
    monkeypatch.chdir(tmp_path)
    settings = Settings.from_env({"MRV_HOME": "home", "MRV_STORE": "my store", "MRV_LANDING": "/srv/landing"})
    assert settings.home == tmp_path / "home"
    assert settings.store == (tmp_path / "my store").as_uri()
    assert settings.landing == "file:///srv/landing"


@pytest.mark.parametrize("uri", ["memory://test", "file:///srv/store", "s3://bucket/prefix"])
def test_a_uri_is_taken_as_it_is(uri: str) -> None:
    """Whether the scheme is known is for the one who opens it to say."""
    assert Settings.from_env({"MRV_STORE": uri}).store == uri


@pytest.mark.parametrize(
    "uri", ["s3://key:secret@bucket/x", "s3://secret@bucket", "https://host/x?token=secret", "s3://b/x#secret"]
)
def test_credentials_in_a_location_are_refused_and_not_repeated(uri: str) -> None:
    """A secret that got into a location reaches neither a message nor a repr."""
    with pytest.raises(ContractError, match=r"MRV_STORE.*leave credentials to") as caught:
        Settings.from_env({"MRV_STORE": uri})
    assert "secret" not in str(caught.value).replace("which may be a secret", "")


@pytest.mark.parametrize(
    ("text", "expected"), [("1", True), ("true", True), ("TRUE", True), ("0", False), ("false", False)]
)
def test_a_switch_is_on_or_off(text: str, expected: bool) -> None:  # noqa: FBT001
    """Both spellings are understood."""
    assert Settings.from_env({"MRV_ALLOW_NETWORK_FS": text}).allow_network_fs is expected


def test_a_switch_that_is_neither_is_refused() -> None:
    """A typing error does not silently mean no."""
    with pytest.raises(ContractError, match=r"neither on nor off .MRV_ALLOW_NETWORK_FS.*found 'yess'"):
        Settings.from_env({"MRV_ALLOW_NETWORK_FS": "yess"})


@pytest.mark.parametrize(
    ("store", "keys"),
    [
        pytest.param("store", "store", id="the same"),
        pytest.param("store", "store/keys", id="keys in the store"),
        pytest.param("keys/store", "keys", id="store among the keys"),
        pytest.param("store", "linked/keys", id="through a link"),
        pytest.param("my%20store", "my store/keys", id="a URI with a space"),
    ],
)
def test_keys_in_the_store_are_refused(tmp_path: Path, store: str, keys: str) -> None:
    """A store is copied, served and handed out; a private key in it would be too."""
    (tmp_path / "store").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "store")
    with pytest.raises(ContractError, match=r"keys and store are in one another.*MRV_KEYS"):
        Settings.from_env({"MRV_STORE": f"{tmp_path.as_uri()}/{store}", "MRV_KEYS": str(tmp_path / keys)})


@pytest.mark.parametrize("store", ["memory://test", "s3://bucket/prefix", "file:///srv/store", "file:///srv/keys-2"])
def test_keys_beside_the_store_are_taken(store: str) -> None:
    """A bucket is nowhere near, and a name that begins alike is another folder."""
    assert Settings.from_env({"MRV_STORE": store, "MRV_KEYS": "/srv/keys"}).keys == Path("/srv/keys")
