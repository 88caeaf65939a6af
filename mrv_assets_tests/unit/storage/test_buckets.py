"""Buckets by their URI, and what is said when they cannot be opened; nothing here is asked over a network."""

from __future__ import annotations

from pathlib import Path

import boto3
import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.storage.buckets import Bucket
from mrv_assets.storage.opening import open_store
from mrv_assets.storage.s3 import S3Access, open_s3

SECRET = "a-secret-of-somebody"  # noqa: S105 - that is the point


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An environment in which no service is configured, on a machine without a role."""
    for name in (
        "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT_URL_S3", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_WEB_IDENTITY_TOKEN_FILE", "GOOGLE_APPLICATION_CREDENTIALS",
        "AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT_KEY",
    ):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    return monkeypatch


def _configured(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("AWS_ACCESS_KEY_ID", "id")
    environment.setenv("AWS_SECRET_ACCESS_KEY", SECRET)


@pytest.mark.parametrize(
    ("uri", "canonical"),
    [
        ("s3://my-bucket", "s3://my-bucket"),
        ("s3://my-bucket/", "s3://my-bucket"),
        ("s3://my-bucket/a/b/", "s3://my-bucket/a/b"),
        ("gs://my_bucket.org/a b", "gs://my_bucket.org/a b"),
        ("az://container/%41", "az://container/%41"),
    ],
)
def test_a_bucket_has_one_canonical_uri(uri: str, canonical: str) -> None:
    """A slash at the end names no other place, and nothing is decoded."""
    assert Bucket.parse(uri).uri == canonical


@pytest.mark.parametrize(
    "uri",
    [
        pytest.param("s3://", id="no bucket"),
        pytest.param("s3:///prefix", id="no bucket but a prefix"),
        pytest.param("s3://Upper/x", id="upper case"),
        pytest.param(f"s3://id:{SECRET}@bucket/x", id="user"),
        pytest.param("s3://bucket:9000/x", id="port"),
        pytest.param(f"az://container/x?sig={SECRET}", id="query"),
        pytest.param(f"gs://bucket/x#{SECRET}", id="fragment"),
        pytest.param("s3://bucket/a//b", id="empty segment"),
        pytest.param("s3://bucket/../b", id="upwards"),
    ],
)
def test_a_malformed_bucket_is_refused_without_repeating_it(uri: str) -> None:
    """The refusal names the scheme, and no part that may be a secret."""
    with pytest.raises(ContractError, match="is refused") as caught:
        open_store(uri)
    assert SECRET not in str(caught.value)


def test_s3_is_found_by_the_standard_environment(environment: pytest.MonkeyPatch) -> None:
    """Endpoint and region come from where every client of AWS looks; without them they are Amazon's own."""
    _configured(environment)
    assert S3Access.from_env().endpoint_url.endswith(".amazonaws.com")
    environment.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    environment.setenv("AWS_REGION", "eu-west-1")
    environment.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    access = S3Access.from_env()
    assert (access.endpoint_url, access.region) == ("http://127.0.0.1:1", "eu-west-1")
    environment.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:2")
    assert S3Access.from_env().endpoint_url == "http://127.0.0.1:2"


def test_no_secret_is_in_the_words_of_an_access_or_a_store(environment: pytest.MonkeyPatch) -> None:
    """Neither repr nor URI shows what is signed with."""
    _configured(environment)
    access = S3Access.from_env()
    store = open_s3("s3://my-bucket/x", access)
    assert SECRET not in f"{access!r} {access} {store!r} {store.uri}"
    assert store.uri == "s3://my-bucket/x"


def test_s3_without_credentials_is_refused_with_the_remedy(environment: pytest.MonkeyPatch) -> None:  # noqa: ARG001
    """The message says which variables to set."""
    with pytest.raises(ContractError, match=r"no credentials for S3.*Remedy: set AWS_ACCESS_KEY_ID"):
        open_store("s3://my-bucket/x")


def test_a_profile_that_does_not_exist_is_refused(environment: pytest.MonkeyPatch) -> None:
    """No exception of boto leaves the room."""
    environment.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(ContractError, match="ProfileNotFound from the client") as caught:
        open_store("s3://my-bucket/x")
    assert caught.value.__cause__ is None


def test_a_malformed_endpoint_is_refused(environment: pytest.MonkeyPatch) -> None:
    """The endpoint is not repeated: it may hold a password."""
    _configured(environment)
    with pytest.raises(ContractError, match="from the client") as caught:
        S3Access.of(boto3.Session(), endpoint_url=f"id:{SECRET}")
    assert SECRET not in str(caught.value)


def test_google_and_azure_open_with_their_own_environment(environment: pytest.MonkeyPatch) -> None:
    """The store is there under its URI; an Azure container needs the name of its account."""
    assert open_store("gs://my-bucket/x").uri == "gs://my-bucket/x"
    with pytest.raises(ContractError, match=r"cannot be opened with the present configuration.*az://container/x"):
        open_store("az://container/x")
    environment.setenv("AZURE_STORAGE_ACCOUNT_NAME", "account")
    environment.setenv("AZURE_STORAGE_ACCOUNT_KEY", "c2VjcmV0")
    assert open_store("az://container/x").uri == "az://container/x"
