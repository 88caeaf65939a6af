"""JSON text of a source file into Python values, strictly: one meaning or a refusal.

What does not belong here: what the values mean (geojson).
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mrv_assets.stages.delivery import unreadable


class _NotStrict(ValueError):
    pass


def parsed_json(data: bytes, *, where: str) -> Any:
    """Return the value of a JSON text in UTF-8, with or without a byte order mark.

    Raises GateError (gate `source_readable`) for bytes that are no UTF-8, text that is no JSON or ends early, an object
    that names a member twice, NaN and Infinity, and nesting that is too deep to be data.
    """
    try:
        with _without_collection():
            return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_object, parse_constant=_constant)
    except UnicodeDecodeError as error:
        raise unreadable(where, expected="JSON text in UTF-8", found=str(error)) from error
    except RecursionError as error:
        raise unreadable(where, expected="JSON that is nested as GeoJSON is", found="nesting without end") from error
    except ValueError as error:
        raise unreadable(where, expected="JSON text (RFC 8259), whole", found=str(error)) from error


@contextmanager
def _without_collection() -> Iterator[None]:
    """Pause the collector of cycles: JSON has none, and looking for them takes two thirds of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _NotStrict(f"an object that names {twice!r} twice, of members {', '.join(map(repr, names[:5]))}")
    return members


def _constant(name: str) -> Any:
    raise _NotStrict(f"the number {name}, which JSON does not have")
