"""Buckets of S3 and of services that speak its protocol, with the credentials and the endpoint that boto3 finds.

obstore sends the requests; boto3 only says who asks and where, so that profiles, roles, instance and container
credentials work as they do for Dagster. What does not belong here: a secret in any text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import boto3
from boto3.exceptions import Boto3Error
from botocore.exceptions import BotoCoreError
from obstore.auth.boto3 import Boto3CredentialProvider
from obstore.store import S3Store

from mrv_assets.domain.errors import ContractError
from mrv_assets.storage.buckets import PATIENCE, Bucket, Patience, bucket_store
from mrv_assets.storage.obstore_faults import cannot_open
from mrv_assets.storage.obstore_store import ObstoreStore

# botocore renews temporary credentials at the latest ten minutes before they end, so what it hands out holds that long.
_CREDENTIALS_HOLD = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Access:
    """Who asks and where: a boto3 session, the endpoint and the region that requests are signed for."""

    session: boto3.Session = field(repr=False)
    endpoint_url: str
    region: str

    @classmethod
    def of(cls, session: boto3.Session, *, endpoint_url: str | None = None) -> S3Access:
        """Let boto3 find what is not given: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the profile, else Amazon's own.

        Raises ContractError when the endpoint is malformed.
        """
        try:
            meta = session.client("s3", endpoint_url=endpoint_url).meta
        except (BotoCoreError, Boto3Error, ValueError) as error:
            raise cannot_open("s3://…", error) from None
        return cls(session=session, endpoint_url=meta.endpoint_url, region=meta.region_name)

    @classmethod
    def from_env(cls) -> S3Access:
        """Take everything from the standard environment and configuration files of AWS.

        Raises ContractError when they name a profile that does not exist.
        """
        try:
            session = boto3.Session()
        except BotoCoreError as error:
            raise cannot_open("s3://…", error) from None
        return cls.of(session)


def open_s3(uri: str, access: S3Access, *, patience: Patience = PATIENCE) -> ObstoreStore:
    """Open `s3://bucket/prefix`. Raises ContractError when there are no credentials."""
    bucket = Bucket.parse(uri)
    credentials = _credentials(bucket.uri, access)
    return bucket_store(
        bucket,
        lambda client, retry: S3Store(
            bucket.name,
            prefix=bucket.prefix or None,
            endpoint=access.endpoint_url,
            region=access.region,
            virtual_hosted_style_request=False,
            skip_signature=False,
            conditional_put="etag",
            # A bucket with Object Lock refuses a put without a checksum.
            checksum_algorithm="SHA256",
            credential_provider=credentials,
            client_options=client,
            retry_config=retry,
        ),
        patience=patience,
        allow_http=access.endpoint_url.startswith("http://"),
    )


def _credentials(uri: str, access: S3Access) -> Boto3CredentialProvider:
    try:
        return Boto3CredentialProvider(access.session, ttl=_CREDENTIALS_HOLD)
    except ValueError:
        pass
    except BotoCoreError as error:
        raise cannot_open(uri, error) from None
    raise ContractError(
        "there are no credentials for S3",
        where=uri,
        expected="credentials in the environment, in a profile, or from the machine's role",
        found="none in any of them",
        remedy="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run under a role",
    )
