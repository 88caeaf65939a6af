"""Landing files: what others deliver, read whole and named by digest, never written.

What does not belong here: understanding a file (stages).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError
from mrv_assets.storage.object_store import ObjectStore


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One landing file as it was read: where from, its bytes, their sha256 and their number."""

    uri: str
    data: bytes = field(repr=False)
    sha256: str
    size: int


class Landing:
    """The place where source files are delivered, below one root."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    def fetch(self, path: str) -> SourceFile:
        """Read the file at `path`, relative to the landing root.

        Raises ContractError when there is none, and for a path that leads out of the root.
        """
        data = self._store.get(path)
        if data is None:
            raise ContractError(
                "source file is missing",
                where=f"{self._store.uri}/{path}",
                expected="the file that the project's [source] names",
                found="no file",
                remedy="deliver the file there, correct [source] path, or point MRV_LANDING at the delivery",
            )
        return SourceFile(uri=f"{self._store.uri}/{path}", data=data, sha256=sha256_hex(data), size=len(data))
