"""The local store, a folder: an object appears whole, once, and is durable when the caller hears of it.

A write goes to a uniquely named temporary file in the folder of its key, is synced, and only then gets its
name. A crash at any call leaves the old state or the new one, and at worst a temporary file that no reader
sees. What does not belong here: the single calls (posix_files) and what the objects mean.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TypeVar

from mrv_assets.domain.errors import ContractError
from mrv_assets.storage.mounts import network_type
from mrv_assets.storage.object_store import (
    TEMPORARY,
    ObjectInfo,
    StoredObject,
    checked_key,
    checked_prefix,
    checked_removable,
    is_temporary,
)
from mrv_assets.storage.posix_faults import changed_meanwhile, name_is_taken, naming_failed, unavailable, unknown
from mrv_assets.storage.posix_files import Files

T = TypeVar("T")

_ABSENT = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


class PosixStore:
    """A store in the folder `root`, which is created by the first write. Foreign files in it are simply keys.

    The first write raises ContractError when `root` is on a network file system, unless `allow_network_fs`
    says that its server is known to keep `link` atomic and `fsync` durable. Reading is allowed anywhere.
    """

    def __init__(self, root: Path, *, allow_network_fs: bool = False, files: Files | None = None) -> None:
        self._root = root.absolute()
        self._files = files or Files()
        self._may_write = allow_network_fs
        self._durable: set[Path] = set()

    @property
    def uri(self) -> str:
        """The file URI of the root."""
        return self._root.as_uri()

    def get(self, key: str) -> bytes | None:
        """Return the whole object, or None when it is absent."""
        return self._read(key, self._files.read)

    def get_range(self, key: str, start: int, length: int) -> bytes | None:
        """Return up to `length` bytes from `start`, or None when the object is absent."""
        return self._read(key, lambda path: self._files.read_range(path, start, length))

    def head(self, key: str) -> int | None:
        """Return the size in bytes, or None when the object is absent."""
        return self._read(key, self._files.size)

    def fetch(self, key: str) -> StoredObject | None:
        """Return the whole object and its entity tag and last change; None when it is absent."""
        found = self._read(key, self._files.read_with_status)
        if found is None:
            return None
        data, before, after = found
        if _etag(before) != _etag(after):
            raise changed_meanwhile(self.uri, key)
        return StoredObject(data=data, version="", etag=_etag(after), modified=_modified(after))

    def describe(self, key: str) -> ObjectInfo | None:
        """Return size, entity tag and last change, or None when the object is absent."""
        found = self._read(key, self._files.status)
        if found is None:
            return None
        return ObjectInfo(size=found.st_size, version="", etag=_etag(found), modified=_modified(found))

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[str]:
        """Yield the keys under `prefix` after `start_after`, in order, without those of temporary files."""
        yield from self._walk(checked_prefix(prefix), start_after)

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """Create the object and return True, or leave the existing one alone and return False.

        Durable in both cases.
        """
        path = self._path(key)
        temporary = self._stage(key, path, data)
        try:
            is_created = self._link(key, temporary, path)
        finally:
            self._discard(temporary)
        # Also when another writer was first: it may have been killed before it synced what we build on.
        self._sync_name(key, path.parent)
        return is_created

    def replace(self, key: str, data: bytes) -> None:
        """Put `data` in the place of whatever is there; a reader sees all old or all new bytes."""
        path = self._path(key)
        temporary = self._stage(key, path, data)
        try:
            self._files.rename(temporary, path)
        except OSError as error:
            self._discard(temporary)
            raise naming_failed(self.uri, key, error) from error
        self._sync_name(key, path.parent)

    def left_overs(self) -> Iterator[tuple[str, datetime]]:
        """Yield the key and the last change of every temporary file, those of living writers included."""
        yield from self._left_overs("")

    def modified(self, key: str) -> datetime | None:
        """Return the instant of the last change of an object, or None when it is absent."""
        return self._read(key, self._files.modified)

    def remove(self, key: str) -> None:
        """Remove a content or a left-over, durably; raises ContractError for every other key."""
        path = self._root / checked_removable(key)
        try:
            self._files.unlink(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise unavailable(self.uri, key, error) from error
        self._sync_name(key, path.parent)

    def _path(self, key: str) -> Path:
        return self._root / checked_key(key)

    def _read(self, key: str, call: Callable[[Path], T]) -> T | None:
        return self._read_path(key, self._path(key), call)

    def _read_path(self, key: str, path: Path, call: Callable[[Path], T]) -> T | None:
        try:
            return call(path)
        except _ABSENT:
            return None
        except OSError as error:
            raise unavailable(self.uri, key, error) from error

    def _walk(self, prefix: str, start_after: str) -> Iterator[str]:
        entries = self._read_path(prefix, self._root / prefix, self._files.scan) or ()
        # A folder sorts with its slash, because that is how its keys sort among the files beside it.
        for name in sorted(name + "/" if is_folder else name for name, is_folder in entries):
            key = prefix + name
            if name.startswith(TEMPORARY) or key < start_after[: len(key)]:
                continue
            if name.endswith("/"):
                yield from self._walk(key, start_after)
            elif key > start_after:
                yield key

    def _left_overs(self, prefix: str) -> Iterator[tuple[str, datetime]]:
        for name, is_folder in sorted(self._read_path(prefix, self._root / prefix, self._files.scan) or ()):
            key = prefix + name
            if is_folder:
                yield from self._left_overs(f"{key}/")
            elif is_temporary(key):
                # Its writer may have removed it since; then there is nothing to tell.
                changed = self._read_path(key, self._root / key, self._files.modified)
                if changed is not None:
                    yield key, changed

    def _stage(self, key: str, path: Path, data: bytes) -> Path:
        """Write `data` to a temporary file beside `path` and sync it.

        Whatever fails here, nothing became visible.
        """
        temporary = path.parent / f"{TEMPORARY}{uuid.uuid4().hex}"
        try:
            self._refuse_network()
            self._make_folder(path.parent)
            self._write(temporary, data)
        except NotADirectoryError as error:
            raise name_is_taken(self.uri, key, "a file where its key needs a folder") from error
        except OSError as error:
            self._discard(temporary)
            raise unavailable(self.uri, key, error) from error
        return temporary

    def _write(self, path: Path, data: bytes) -> None:
        descriptor = self._files.open_new(path)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self._files.write(descriptor, rest) :]
            self._files.sync(descriptor)
        finally:
            self._files.close(descriptor)

    def _make_folder(self, folder: Path) -> None:
        """Create `folder` and what is missing above it, each synced into its parent once per process.

        Also those that another process has just made: it may not have come to sync them. Synced when all are made,
        because a file system that keeps a journal then writes it once.
        """
        missing: list[Path] = []
        while not self._is_kept(folder):
            missing.insert(0, folder)
            folder = folder.parent
        for new in missing:
            try:
                self._files.make_folder(new)
            except FileExistsError as error:
                if not self._files.is_folder(new):
                    raise NotADirectoryError(error.errno, "not a folder", str(new)) from error
        for new in missing:
            with self._files.folder(new.parent) as descriptor:
                self._files.sync(descriptor)
            self._durable.add(new)

    def _is_kept(self, folder: Path) -> bool:
        """Tell whether a folder is there and stays: this process has synced it, or it is none of the store's."""
        return self._files.is_folder(folder) and (folder in self._durable or self._root not in folder.parents)

    def _link(self, key: str, temporary: Path, path: Path) -> bool:
        try:
            self._files.link(temporary, path)
        except FileExistsError as error:
            if self._read_path(key, path, self._files.is_folder):
                raise name_is_taken(self.uri, key, "a folder of that name") from error
            return False
        except OSError as error:
            raise naming_failed(self.uri, key, error) from error
        return True

    def _sync_name(self, key: str, folder: Path) -> None:
        try:
            with self._files.folder(folder) as descriptor:
                self._files.sync(descriptor)
        except OSError as error:
            raise unknown(self.uri, key, error) from error

    def _discard(self, temporary: Path) -> None:
        # What cannot be removed stays as a temporary file, which no reader sees and `mrv gc` sweeps.
        with suppress(OSError):
            self._files.unlink(temporary)

    def _refuse_network(self) -> None:
        if self._may_write:
            return
        table = self._files.mount_table()
        kind = network_type(table, PurePosixPath(self._root.resolve())) if table else None
        if kind:
            raise ContractError(
                "store is on a network file system",
                where=self.uri,
                expected="a local file system, where link is atomic and fsync durable",
                found=kind,
                remedy="move the store to a local disk; set MRV_ALLOW_NETWORK_FS=1 if the server keeps both",
            )
        self._may_write = True


def _etag(found: os.stat_result) -> str:
    """Return what no write leaves as it is: a copied time of last write does not hide a change of the file."""
    return f"{found.st_ino:x}-{found.st_size:x}-{found.st_mtime_ns:x}-{found.st_ctime_ns:x}"


def _modified(found: os.stat_result) -> datetime:
    return datetime.fromtimestamp(found.st_mtime, UTC)
