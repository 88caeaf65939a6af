"""The file system calls of the local store, one method each.

This is the place to make a single call fail, or to kill the process at it: subclass `Files` and hand it to
`PosixStore`. What does not belong here: the order of the calls, which is the protocol (posix_store).
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

MOUNT_TABLE = Path("/proc/self/mountinfo")


class Files:
    """The operating system, as the local store uses it. Every method raises the OSError of its call."""

    def open_new(self, path: Path) -> int:
        """Create a file that must not exist yet and return its descriptor, open for writing."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)

    def open_folder(self, path: Path) -> int:
        """Return a descriptor of a folder, for `sync`."""
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY)

    def write(self, descriptor: int, data: memoryview) -> int:
        """Write some of `data` and return how many bytes that were."""
        return os.write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        """Return when the file or folder is on the disk itself."""
        if sys.platform == "darwin":
            import fcntl  # noqa: PLC0415 - only there does fsync stop at the cache of the drive

            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        else:
            os.fsync(descriptor)

    def close(self, descriptor: int) -> None:
        """Give a descriptor back."""
        os.close(descriptor)

    def link(self, source: Path, target: Path) -> None:
        """Give the file a second name.

        FileExistsError when the name is taken: this is the atomic create-if-absent.
        """
        target.hardlink_to(source)

    def rename(self, source: Path, target: Path) -> None:
        """Move the name `source` over `target`, atomically."""
        source.replace(target)

    def unlink(self, path: Path) -> None:
        """Remove one name."""
        path.unlink()

    def make_folder(self, path: Path) -> None:
        """Create one folder whose parent exists."""
        path.mkdir()

    def is_folder(self, path: Path) -> bool:
        """Tell whether a folder is there."""
        return path.is_dir()

    def read(self, path: Path) -> bytes:
        """Return the bytes of a file."""
        return path.read_bytes()

    def read_range(self, path: Path, start: int, length: int) -> bytes:
        """Return up to `length` bytes of a file from `start`."""
        with path.open("rb") as file:
            file.seek(start)
            return file.read(length)

    def read_with_status(self, path: Path) -> tuple[bytes, os.stat_result, os.stat_result]:
        """Return the bytes of a file, and its status before and after they were read."""
        with path.open("rb") as file:
            before = os.fstat(file.fileno())
            data = file.read()
            return data, before, os.fstat(file.fileno())

    def status(self, path: Path) -> os.stat_result | None:
        """Return the status of a file, of its target for a link; None for a folder."""
        found = path.stat()
        return None if stat.S_ISDIR(found.st_mode) else found

    def size(self, path: Path) -> int | None:
        """Return the size of a file in bytes, None for a folder."""
        found = path.stat()
        return None if stat.S_ISDIR(found.st_mode) else found.st_size

    def modified(self, path: Path) -> datetime | None:
        """Return when a file was last written, None for a folder. Of a link, when the link was made."""
        found = path.lstat()
        return None if stat.S_ISDIR(found.st_mode) else datetime.fromtimestamp(found.st_mtime, UTC)

    def scan(self, path: Path) -> list[tuple[str, bool]]:
        """Return the names in a folder, each with whether it is a real folder (a link to one is not)."""
        with os.scandir(path) as entries:
            return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]

    def mount_table(self) -> str | None:
        """Return the mount table of this process, or None where the system does not publish one."""
        return MOUNT_TABLE.read_text() if MOUNT_TABLE.exists() else None

    @contextmanager
    def folder(self, path: Path) -> Iterator[int]:
        """Hold a folder open for `sync`."""
        descriptor = self.open_folder(path)
        try:
            yield descriptor
        finally:
            self.close(descriptor)
