"""What an error of the system means for an object: certainly not there, perhaps there, or in the way.

What does not belong here: raising, and deciding what is tried again.
"""

from __future__ import annotations

import errno

from mrv_assets.domain.errors import CommitStateUnknown, ContractError, MrvError, StoreUnavailable

# With these the system says that it refused the call; after any other error the name may be there.
_REFUSED = frozenset(
    {
        errno.EACCES, errno.EDQUOT, errno.EMFILE, errno.EMLINK,
        errno.ENFILE, errno.ENOENT, errno.ENOSPC, errno.EROFS,
    }
)  # fmt: skip
_NO_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EXDEV})


def naming_failed(uri: str, key: str, error: OSError) -> MrvError:
    """Return what it means that a written file could not be given the name of its key."""
    if isinstance(error, IsADirectoryError):
        return name_is_taken(uri, key, "a folder of that name")
    if error.errno in _NO_LINKS:
        return ContractError(
            "store is on a file system without hard links",
            where=f"{uri}, key {key}",
            expected="a file system on which link creates a name exactly once",
            found=str(error),
            remedy="move the store to a local disk with hard links, or to a bucket",
        )
    return unavailable(uri, key, error) if error.errno in _REFUSED else unknown(uri, key, error)


def unavailable(uri: str, key: str, error: OSError) -> StoreUnavailable:
    """Return the error for a call that failed before anything could become visible."""
    return StoreUnavailable(
        "store did not do what it was asked",
        where=f"{uri}, key {key}",
        expected="an answer of the file system",
        found=str(error),
        remedy="free space, or mend the disk or its permissions; nothing became visible, so run again",
    )


def changed_meanwhile(uri: str, key: str) -> StoreUnavailable:
    """Return the error for a file that somebody wrote to while it was read."""
    return StoreUnavailable(
        "file was changed while it was read",
        where=f"{uri}, key {key}",
        expected="a file that nobody writes to",
        found="another size or time of change after the last byte",
        remedy="wait until it is written; deliver a file under another name and rename it when it is whole",
    )


def unknown(uri: str, key: str, error: OSError) -> CommitStateUnknown:
    """Return the error for a call after which the object may be there, or be gone after a power loss."""
    return CommitStateUnknown(
        "write may or may not have reached the disk",
        where=f"{uri}, key {key}",
        expected="the folder synced to the disk",
        found=str(error),
        remedy="mend the disk and run again; nothing was deleted, and the next run settles it",
    )


def name_is_taken(uri: str, key: str, found: str) -> ContractError:
    """Return the error for a key that would need something foreign to be removed first."""
    return ContractError(
        "object cannot be kept beside what is there",
        where=f"{uri}, key {key}",
        expected="a free name below folders",
        found=found,
        remedy="move the foreign file or folder out of the store; nothing is removed to make room",
    )
