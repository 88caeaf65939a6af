"""Landing files: what others deliver, read whole, named by digest and by what the store says of them, never written.

What does not belong here: understanding a file (stages).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime

from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import ContractError, GateError
from mrv_assets.storage.clock import Clock, utc_text
from mrv_assets.storage.media_type import media_type
from mrv_assets.storage.object_store import ObjectInfo, ObjectStore
from mrv_assets.storage.recent import Recent
from mrv_assets.storage.stac import Beside, StacItem, describe_by_item, find_item, item_keys

_FILES = 8
_LARGE = 1 << 23  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One landing file as it was read.

    `uri` says where from, without credentials; `version` is the store's version of the object, else its entity tag, and
    belongs to these very bytes. `retrieved_utc` is when they were read, `modified_utc` when the store says that they
    were last changed, ISO 8601. `stac` is the STAC Item beside the file, None without one and when it is refused.
    """

    uri: str
    content: bytes = field(repr=False)
    sha256: str
    size: int
    media_type: str
    version: str
    modified_utc: str
    retrieved_utc: str
    beside: Beside | None
    stac: StacItem | None
    refusal: GateError | None

    @property
    def data(self) -> bytes:
        """The bytes of the file.

        Raises GateError (gate `source_readable`) when there is an item beside the file that is malformed or describes
        another file: the bytes are not handed out then, though what they are can still be told.
        """
        if self.refusal is not None:
            raise self.refusal
        return self.content

    @property
    def identity(self) -> Mapping[str, str]:
        """What the file is, by the names of `domain.source_identity`: those of the item only where it says so."""
        item = self.stac.facts if self.stac else self.beside.facts if self.beside else {}
        return {
            "source_uri": self.uri,
            "source_sha256": self.sha256,
            "source_size": str(self.size),
            "source_media_type": self.media_type,
            "source_version": self.version,
            "source_modified_utc": self.modified_utc,
            "source_retrieved_utc": self.retrieved_utc,
            **item,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What a landing file looks like from outside. `mark` is another one when the file or its item was changed.

    `modified` is the last change of the file or of its item, whichever came later.
    """

    mark: str
    modified: datetime


class Landing:
    """The place where source files are delivered, below one root. `clock` tells when a file was retrieved."""

    def __init__(self, store: ObjectStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._read: Recent[tuple[str, str], SourceFile] | None = None

    def at_a_glance(self) -> Landing:
        """Return the same place for one look at many partitions: of the files that several share, each is read once.

        One that looks otherwise than when it was read is read again, so that no older delivery comes back after another
        run has reported a newer one. Only the last few are kept, and no large one.
        """
        glance = copy(self)
        glance._read = Recent(_FILES)
        return glance

    def fetch(self, path: str) -> SourceFile:
        """Read the file at `path`, relative to the landing root, and the STAC Item beside it.

        Raises ContractError when there is none, and for a path that leads out of the root; StoreUnavailable when the
        file changes while it is read. An item that is refused only shows when the data are asked for.
        """
        if self._read is None:
            return self._fetch(path)
        seen = (path, self.look(path).mark)
        return self._read.get(seen, lambda: self._fetch(path), is_kept=lambda file: file.size <= _LARGE)

    def _fetch(self, path: str) -> SourceFile:
        found = self._store.fetch(path)
        if found is None:
            raise self._missing(path)
        retrieved = self._clock()
        uri, beside = f"{self._store.uri}/{path}", find_item(self._store, path)
        stac, refusal = _described(beside, uri=uri, path=path, data=found.data)
        return SourceFile(
            uri=uri,
            content=found.data,
            sha256=sha256_hex(found.data),
            size=len(found.data),
            media_type=media_type(path, found.data),
            version=found.version or found.etag,
            modified_utc=utc_text(found.modified),
            retrieved_utc=utc_text(retrieved),
            beside=beside,
            stac=stac,
            refusal=refusal,
        )

    def look(self, path: str) -> Look:
        """Look at the file at `path` and its item without reading them. Raises ContractError when there is no file."""
        found = self._store.describe(path)
        if found is None:
            raise self._missing(path)
        items = [self._store.describe(key) for key in item_keys(path)]
        seen = [found, *items]
        mark = canonical_json([self._store.uri, path, *(_seen(info) for info in seen)])
        return Look(mark=sha256_hex(mark)[:32], modified=max(info.modified for info in seen if info is not None))

    def _missing(self, path: str) -> ContractError:
        return ContractError(
            "source file is missing",
            where=f"{self._store.uri}/{path}",
            expected="the file that the project's [source] names",
            found="no file",
            remedy="deliver the file there, correct [source] path, or point MRV_LANDING at the delivery",
        )


def _described(beside: Beside | None, *, uri: str, path: str, data: bytes) -> tuple[StacItem | None, GateError | None]:
    if beside is None:
        return None, None
    try:
        return describe_by_item(beside, uri=uri, path=path, data=data), None
    except GateError as refusal:
        return None, refusal


def _seen(info: ObjectInfo | None) -> list[str]:
    return [str(info.size), info.version, info.etag, utc_text(info.modified)] if info else []
