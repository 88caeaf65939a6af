"""A small file in the home that is replaced as a whole: a reader finds the old one or the new one.

What does not belong here: what the file says (cursors, and memories of looks), and the store's own objects
(posix_store).
"""

from __future__ import annotations

import os
from pathlib import Path

from mrv_assets.storage.posix_files import Files


def replace_file(path: Path, data: bytes, files: Files | None = None) -> None:
    """Replace a file: after this returns it is on the disk; before, a crash leaves the one of before.

    Its folder is made when it is not there. Of two writers at once the later one stays.
    """
    files = files or Files()
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}.tmp")
    with fresh.open("wb") as file:
        file.write(data)
        file.flush()
        files.sync(file.fileno())
    files.rename(fresh, path)
    with files.folder(path.parent) as folder:
        files.sync(folder)


def read_file(path: Path) -> bytes | None:
    """Return what the file says, None when it is not there."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
