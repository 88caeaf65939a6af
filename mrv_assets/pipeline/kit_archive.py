"""A kit as one zip file: the same files give the same bytes, on every machine.

What does not belong here: which files (kit).
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from zipfile import ZIP_STORED, ZipFile, ZipInfo

_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX, _PLAIN_FILE = 3, 0o100644 << 16


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return the archive: names sorted, no clock, and not compressed, because libraries compress differently."""
    sink = io.BytesIO()
    with ZipFile(sink, "w", compression=ZIP_STORED) as archive:
        for path, data in sorted(files.items()):
            info = ZipInfo(path, date_time=_EPOCH)
            info.create_system, info.external_attr = _UNIX, _PLAIN_FILE
            archive.writestr(info, data)
    return sink.getvalue()
