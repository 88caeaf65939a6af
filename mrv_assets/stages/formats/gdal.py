"""Calls to GDAL on bytes in memory, whose every complaint is a refusal.

GDAL says in a warning that it turned a date it cannot read into 1970-01-01, and goes on. What does not belong here:
what to ask of it (vector).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import TypeVar

import pyarrow as pa
from pyogrio.errors import DataLayerError, DataSourceError

from mrv_assets.stages.delivery import unreadable

_Answer = TypeVar("_Answer")

_HARMLESS = re.compile(
    "has GPKG application_id, but non conformant file extension"  # bytes have no name
    "|Retrying with IMMUTABLE=YES open option"  # a database in WAL mode is read as it stands
    r"|Measured \(M\) geometry types are not supported"  # said of the type's name; WKB has them, and they are counted
)
_HANDLE = re.compile(r"/vsi\S*pyogrio_[0-9a-f]+\S*")


def asked(call: Callable[[], _Answer], *, where: str) -> _Answer:
    """Return what a call to GDAL answers. Raises GateError (gate `source_readable`) when it fails or warns."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            answer = call()
        except (DataSourceError, DataLayerError, pa.ArrowException, UnicodeDecodeError, OSError) as error:
            raise _refusal(str(error), where) from error
    complaints = [text for text in (str(each.message) for each in said) if not _HARMLESS.search(text)]
    if complaints:
        raise _refusal(complaints[0], where)
    return answer


def _refusal(text: str, where: str) -> Exception:
    # The name that pyogrio makes up for bytes is another one each time, and says nothing to anybody.
    return unreadable(
        where, expected="a file that GDAL reads without a complaint", found=_HANDLE.sub("the file", text)[:300]
    )
