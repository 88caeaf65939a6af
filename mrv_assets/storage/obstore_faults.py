"""What an error of obstore means for an object: absent, certainly not written, perhaps written, or a wrong address.

An error of obstore is text, and its text may quote a request with a signed URL or the words of a credentials provider.
So only the status, the service's error code and the kind of a broken connection are taken from it, and no exception of
obstore goes further than this room. What is not recognised counts as unknown. What does not belong here: the calls.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from obstore.exceptions import BaseError, NotSupportedError, PermissionDeniedError, UnauthenticatedError

from mrv_assets.domain.errors import CommitStateUnknown, ContractError, MrvError, StoreUnavailable

# An absent object is the built-in error, all others are obstore's.
Fault: TypeAlias = BaseError | FileNotFoundError

CONFLICT = 409
_NOT_FOUND = 404
_REQUEST_TIMEOUT = 408
_NOT_IMPLEMENTED = 501
_STATUS = re.compile(r"status code: (\d{3})\b")
_CODE = re.compile(r"<Code>(\w{1,60})</Code>")
_CONNECTION = re.compile(r"HttpError \{\s*kind: (\w+)")
_URL = re.compile(r"\w+://\S+")
_NEVER_SENT = "Connect"
_BROKEN = {_NEVER_SENT: "no connection", "Timeout": "no answer in time"}


def status(error: Fault) -> int | None:
    """Return the HTTP status of the answer, None when there was no answer."""
    match = _STATUS.search(str(error))
    return int(match[1]) if match else None


def put_failed(uri: str, key: str, error: Fault) -> MrvError:
    """Return what a failed put means: nothing landed, something may have, or it can never work there."""
    answered = status(error)
    if isinstance(error, NotSupportedError) or answered == _NOT_IMPLEMENTED:
        return _no_conditions(uri, key, error)
    if answered == _NOT_FOUND:
        return no_bucket(uri, error)
    if isinstance(error, PermissionDeniedError | UnauthenticatedError) or _is_refused(answered) or _is_unsent(error):
        return unavailable(uri, key, error)
    return CommitStateUnknown(
        "write may or may not have landed",
        where=f"{uri}, key {key}",
        expected="an answer to the put",
        found=_said(error),
        remedy="run again; nothing was deleted, and the next run settles it",
    )


def list_failed(uri: str, prefix: str, error: Fault) -> MrvError:
    """Return what a failed listing means: an empty folder lists nothing, so absence is that of the bucket."""
    is_absent = isinstance(error, FileNotFoundError) or status(error) == _NOT_FOUND
    return no_bucket(uri, error) if is_absent else unavailable(uri, prefix, error)


def unavailable(uri: str, key: str, error: Fault) -> StoreUnavailable:
    """Return the error for a call that certainly changed nothing."""
    return StoreUnavailable(
        "store did not do what it was asked",
        where=f"{uri}, key {key}",
        expected="an answer of the store",
        found=_said(error),
        remedy="check the address, the region, the network and the credentials, and run again",
    )


def asked_to_try_again(uri: str, key: str) -> StoreUnavailable:
    """Return the error for a create that was refused for a conflict, though nothing is there."""
    return StoreUnavailable(
        "store refused to create the object while another request for it was under way",
        where=f"{uri}, key {key}",
        expected="the object created, or another writer's in its place",
        found="HTTP 409, and no object",
        remedy="try again; certainly nothing landed",
    )


def no_bucket(uri: str, error: Fault) -> ContractError:
    """Return the error for a bucket that does not exist, which must not pass for an empty store."""
    return ContractError(
        "bucket does not exist",
        where=uri,
        expected="a bucket that was set up for the store",
        found=_said(error),
        remedy="create the bucket, or correct MRV_STORE, MRV_REFERENCE or MRV_LANDING, the endpoint and the region",
    )


def cannot_open(uri: str, error: Exception) -> ContractError:
    """Return the error for a client that cannot be built from the configuration; its text may quote a secret."""
    return ContractError(
        "store cannot be opened with the present configuration",
        where=uri,
        expected="a complete configuration of the service's client in the environment",
        found=f"{type(error).__name__} from the client",
        remedy="set the credentials, the account or the endpoint as docs/runbooks/object-store.md says",
    )


def _no_conditions(uri: str, key: str, error: Fault) -> ContractError:
    return ContractError(
        "store does not know conditional writes",
        where=f"{uri}, key {key}",
        expected="create-if-absent in one request",
        found=_said(error),
        remedy="keep the store on a service with conditional puts, or on a local disk",
    )


def _is_refused(answered: int | None) -> bool:
    """Tell whether the service said that it did not take the request; after 408 and 5xx it may have."""
    return answered is not None and 400 <= answered < 500 and answered != _REQUEST_TIMEOUT


def _is_unsent(error: Fault) -> bool:
    return _connection(error) == _NEVER_SENT


def _connection(error: Fault) -> str | None:
    match = _CONNECTION.search(str(error))
    return match[1] if match else None


def _said(error: Fault) -> str:
    """Return what may be repeated of an error."""
    if isinstance(error, UnauthenticatedError):
        return "no valid credentials"
    answered, code, broken = status(error), _CODE.search(str(error)), _connection(error)
    if answered is not None:
        return f"HTTP {answered}{f' {code[1]}' if code else ''}"
    if broken is not None:
        return _BROKEN.get(broken, "connection broken off")
    return f"{type(error).__name__}: {_URL.sub('…', str(error).partition(chr(10))[0])}"
