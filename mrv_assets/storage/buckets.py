"""Buckets by their URI, and how long a request to one may take and whether it is repeated.

What does not belong here: S3's credentials and endpoint (s3), and using the store that is opened (obstore_store).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from obstore.exceptions import BaseError
from obstore.store import AzureStore, GCSStore
from obstore.store import ObjectStore as Backend

from mrv_assets.domain.errors import ContractError
from mrv_assets.storage.object_store import checked_key
from mrv_assets.storage.obstore_faults import cannot_open
from mrv_assets.storage.obstore_store import ObstoreStore

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig

    Build: TypeAlias = Callable[[ClientConfig, RetryConfig], Backend]

# Letters, digits and the three signs that bucket and container names may have, on S3, Google and Azure alike.
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A place in a bucket: its scheme, its name and the prefix of every key, empty for the whole bucket."""

    scheme: str
    name: str
    prefix: str

    @property
    def uri(self) -> str:
        """The URI in its one canonical form."""
        return f"{self.scheme}://{self.name}{'/' if self.prefix else ''}{self.prefix}"

    @classmethod
    def parse(cls, uri: str) -> Bucket:
        """Read `scheme://bucket/prefix`. Raises ContractError, which repeats the scheme only, for any other form."""
        parts = urlsplit(uri)
        prefix = parts.path.strip("/")
        if not _NAME.fullmatch(parts.netloc) or parts.query or parts.fragment:
            raise ContractError(
                "store location is refused",
                where=f"{parts.scheme}://…",
                expected=f"{parts.scheme}://bucket or {parts.scheme}://bucket/prefix",
                found="no bucket name, a user, a port, a query or a fragment",
                remedy="name only the bucket and the prefix; credentials and endpoint come from the environment",
            )
        return cls(scheme=parts.scheme, name=parts.netloc, prefix=checked_key(prefix) if prefix else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a connection and a whole request may take, and how often a read is repeated within what time."""

    connect: timedelta
    request: timedelta
    read_retries: int
    retrying: timedelta


PATIENCE = Patience(
    connect=timedelta(seconds=5),
    request=timedelta(seconds=60),
    read_retries=3,
    retrying=timedelta(seconds=30),
)


def bucket_store(bucket: Bucket, build: Build, *, patience: Patience, allow_http: bool) -> ObstoreStore:
    """Open a bucket with two clients of `build`: one that writes and never repeats a request, one that reads and may.

    Raises ContractError when the configuration in the environment is not complete.
    """
    client: ClientConfig = {
        "connect_timeout": patience.connect,
        "timeout": patience.request,
        "allow_http": allow_http,
    }
    try:
        writer = build(client, {"max_retries": 0})
        reader = build(client, {"max_retries": patience.read_retries, "retry_timeout": patience.retrying})
    except (BaseError, ValueError) as error:
        raise cannot_open(bucket.uri, error) from None
    return ObstoreStore(writer, uri=bucket.uri, reader=reader)


def open_google(uri: str, *, patience: Patience = PATIENCE) -> ObstoreStore:
    """Open `gs://bucket/prefix` with Google's default credentials."""
    bucket = Bucket.parse(uri)
    return bucket_store(
        bucket,
        lambda client, retry: GCSStore(
            bucket.name, prefix=bucket.prefix or None, client_options=client, retry_config=retry
        ),
        patience=patience,
        allow_http=False,
    )


def open_azure(uri: str, *, patience: Patience = PATIENCE) -> ObstoreStore:
    """Open `az://container/prefix`; the account and its credentials come from AZURE_STORAGE_… in the environment."""
    bucket = Bucket.parse(uri)
    return bucket_store(
        bucket,
        lambda client, retry: AzureStore(
            bucket.name, prefix=bucket.prefix or None, client_options=client, retry_config=retry
        ),
        patience=patience,
        allow_http=False,
    )
