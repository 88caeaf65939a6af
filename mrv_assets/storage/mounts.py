"""Which file system a path is on, read from the mount table of Linux.

A network file system answers `link` and `fsync` with promises that its server does not keep, so it may not
hold a store by accident; and its locks do not hold, which SQLite rests on. What does not belong here: the decision to
refuse one (posix_store, orchestration/instance).
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

NETWORK_TYPES = frozenset(
    {
        "afs", "cifs", "nfs", "nfs4", "smb3", "smbfs",
        "fuse.blobfuse2", "fuse.davfs", "fuse.gcsfuse", "fuse.mount-s3",
        "fuse.rclone", "fuse.s3fs", "fuse.sshfs",
    }
)  # fmt: skip
_OCTAL = re.compile(r"\\([0-7]{3})")


def network_type(mount_table: str, path: PurePosixPath) -> str | None:
    """Return the type of the network file system that holds the absolute `path`, None for any other kind.

    `mount_table` is the text of `/proc/self/mountinfo`.
    """
    found = "", PurePosixPath("/")
    for line in mount_table.splitlines():
        mount, _, source = line.partition(" - ")
        folder = PurePosixPath(_OCTAL.sub(lambda match: chr(int(match[1], 8)), mount.split()[4]))
        # A later mount on the same folder hides the earlier one.
        if path.is_relative_to(folder) and len(folder.parts) >= len(found[1].parts):
            found = source.split()[0], folder
    return found[0] if found[0] in NETWORK_TYPES else None
