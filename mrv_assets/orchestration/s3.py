"""From dagster-aws's S3 resource to the access that the storage room asks S3 with.

What does not belong here: opening a bucket (storage).
"""

import boto3
from botocore.exceptions import BotoCoreError
from dagster_aws.s3 import S3Resource

from mrv_assets.domain.errors import ContractError
from mrv_assets.storage.s3 import S3Access


def s3_access(resource: S3Resource) -> S3Access:
    """Return the credentials, endpoint and region that the resource describes; what it leaves out, boto3 finds.

    Raises ContractError for a profile that does not exist, and for what a store of records cannot be kept with:
    unsigned requests, and an encrypted connection to a server that nobody has verified.
    """
    if resource.use_unsigned_session or resource.verify is False:
        raise _refused("use_unsigned_session or verify = false", "sign requests and verify the server")
    try:
        session = boto3.Session(
            profile_name=resource.profile_name,
            region_name=resource.region_name,
            aws_access_key_id=resource.aws_access_key_id,
            aws_secret_access_key=resource.aws_secret_access_key,
            aws_session_token=resource.aws_session_token,
        )
    except BotoCoreError as error:
        raise _refused(type(error).__name__, "correct profile_name or AWS_PROFILE") from None
    return S3Access.of(session, endpoint_url=resource.endpoint_url)


def _refused(found: str, remedy: str) -> ContractError:
    return ContractError(
        "S3 resource is refused",
        where="S3Resource of the run recorder",
        expected="credentials of a profile, the environment or the machine's role, over a verified connection",
        found=found,
        remedy=remedy,
    )
