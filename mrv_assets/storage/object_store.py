"""The seam to every store: eight operations on immutable-by-default objects that are named by keys.

A key is a relative path of segments joined by `/`; what a store may do with a key is decided here, once, so
that memory, a local disk and a bucket accept the same keys. What does not belong here: one particular store,
and what the objects mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from mrv_assets.domain.errors import ContractError

TEMPORARY = ".tmp-"
COLLECTED = "blobs/"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# The shorter of what a POSIX file system allows a name and an S3 bucket allows a key.
_SEGMENT_BYTES = 255
_KEY_BYTES = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectInfo:
    """What a store says of an object: size in bytes, version, entity tag, and when it was last changed (UTC).

    `version` is the store's own name for these very bytes, empty where it keeps one version only. `etag` is another one
    when the bytes are others; it is compared, and what it is made of differs by store.
    """

    size: int
    version: str
    etag: str
    modified: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredObject:
    """The bytes of an object with what the store said of these bytes in the same answer, as in `ObjectInfo`."""

    data: bytes = field(repr=False)
    version: str
    etag: str
    modified: datetime


class ObjectStore(Protocol):
    """A store in which an object is there whole or not at all, and can be created exactly once.

    Every method raises ContractError for a malformed key and StoreUnavailable when the store does not answer.
    A method never tells an error as absence: None means that the store answered and the object is not there.
    """

    @property
    def uri(self) -> str:
        """Where the store is, without credentials."""
        ...

    def get(self, key: str) -> bytes | None:
        """Return the whole object, or None when it is absent."""
        ...

    def get_range(self, key: str, start: int, length: int) -> bytes | None:
        """Return `length` bytes from `start`, fewer at the end of the object, or None when it is absent."""
        ...

    def head(self, key: str) -> int | None:
        """Return the size in bytes, or None when the object is absent."""
        ...

    def fetch(self, key: str) -> StoredObject | None:
        """Return the whole object and what the store says of it in one answer, or None when it is absent.

        Raises StoreUnavailable when the bytes changed while they were read: they may be half of something.
        """
        ...

    def describe(self, key: str) -> ObjectInfo | None:
        """Return what the store says of the object, as `fetch` does, without reading it; None when it is absent."""
        ...

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[str]:
        """Yield the keys under the folder `prefix` (empty, or ending in `/`) that sort after `start_after`.

        In the order of their code points. Half-written objects and temporary files are never among them. A
        key that is created while the listing runs may be missing from it.
        """
        ...

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """Create the object and return True, or leave the existing one alone and return False.

        Durable in both cases. Exactly one of any number of concurrent callers gets True. Raises
        StoreUnavailable when certainly nothing became visible, CommitStateUnknown when it may have: ask again
        to find out, the question is safe to repeat.
        """
        ...

    def replace(self, key: str, data: bytes) -> None:
        """Put `data` in the place of whatever is there.

        A reader sees all of the old bytes or all of the new ones. Raises StoreUnavailable when certainly
        nothing changed, CommitStateUnknown when it may have.
        """
        ...


class CollectableStore(ObjectStore, Protocol):
    """A store from which garbage can be collected: contents that nothing names, and what dead writers left behind.

    History cannot be removed through it.
    """

    def left_overs(self) -> Iterator[tuple[str, datetime]]:
        """Yield the key of every temporary file with the instant of its last change, those of living writers included.

        A bucket has none: an upload that was not completed is no object, and the bucket's own lifecycle aborts it.
        """
        ...

    def modified(self, key: str) -> datetime | None:
        """Return the instant of the last change of an object, or None when it is absent."""
        ...

    def remove(self, key: str) -> None:
        """Remove a content or a left-over; one that is gone already is no error.

        Raises ContractError for every other key: records, the journal and the published view are never removed.
        """
        ...


def checked_key(key: str) -> str:
    """Return `key` if every store can keep an object under it. Raises ContractError for anything else.

    Refused are absolute keys, empty, `.` and `..` segments, control characters, names of temporary files, and
    names that are too long for a file system or a bucket.
    """
    fault = _fault(key)
    if fault:
        raise ContractError(
            "object key is refused",
            where=f"key {key!r}",
            expected="a relative path of plain segments joined by /",
            found=fault,
            remedy="name the object by a path below the root of its store",
        )
    return key


def checked_prefix(prefix: str) -> str:
    """Return `prefix` if it is empty or a folder that ends in `/`. Raises ContractError for anything else."""
    if prefix:
        if not prefix.endswith("/"):
            raise ContractError(
                "listing prefix is refused",
                where=f"prefix {prefix!r}",
                expected="nothing, or a folder ending in /",
                found="half a name, under which stores disagree",
                remedy="list the folder and filter its keys",
            )
        checked_key(prefix[:-1])
    return prefix


def checked_removable(key: str) -> str:
    """Return `key` if garbage collection may remove it. Raises ContractError for anything but a blob or a left-over."""
    checked_key("/".join("left-over" if segment.startswith(TEMPORARY) else segment for segment in key.split("/")))
    if not is_temporary(key) and not key.startswith(COLLECTED):
        raise ContractError(
            "object is never removed",
            where=f"key {key!r}",
            expected=f"a content under {COLLECTED}, or the temporary file of a dead writer",
            found="a part of the record",
            remedy="leave it; what was sealed stays, and a correction adds a generation",
        )
    return key


def is_temporary(key: str) -> bool:
    """Tell whether a file name on the way to `key` is that of a write in progress."""
    return any(segment.startswith(TEMPORARY) for segment in key.split("/"))


def _fault(key: str) -> str | None:
    """Return what is wrong with `key`, None when nothing is."""
    segments = set(key.split("/"))
    if "" in segments:
        return "an empty segment, or a / at the start or end"
    if segments & {".", ".."}:
        return "a segment that points elsewhere"
    if is_temporary(key):
        return f"a segment that starts with {TEMPORARY}, the mark of a write in progress"
    return "a control character" if _CONTROL.search(key) else _size_fault(key)


def _size_fault(key: str) -> str | None:
    try:
        sizes = [len(segment.encode()) for segment in key.split("/")]
    except UnicodeEncodeError:
        return "text that is not Unicode"
    if max(sizes) > _SEGMENT_BYTES or sum(sizes) + len(sizes) - 1 > _KEY_BYTES:
        return f"a segment over {_SEGMENT_BYTES} bytes, or a key over {_KEY_BYTES} bytes"
    return None
