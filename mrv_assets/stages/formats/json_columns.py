"""Values of one name in many JSON objects into one Arrow column, of the one type that all of them have.

What does not belong here: which names are wanted (geojson).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from mrv_assets.domain.errors import listed
from mrv_assets.stages.delivery import unreadable
from mrv_assets.stages.formats.positions import shown

_EXACT = 2**53
_INT64 = range(-(2**63), 2**63)
_SCALARS = {str: "text", int: "a number", float: "a number", bool: "true or false"}


def json_column(values: Sequence[Any], *, at: Callable[[int], str]) -> pa.ChunkedArray:
    """Return text as string, whole numbers as int64, other numbers as float64, true and false as bool; null as null.

    Whole numbers beyond int64 become text of their digits. `at` gives the path of a value, for messages. Raises
    GateError (gate `source_readable`) when some values are text and others numbers or booleans, when a value is an
    object or an array, and when a number cannot be held exactly beside the others.
    """
    kinds = set(map(type, values)) - {type(None)}
    if kinds - set(_SCALARS):
        index = next(i for i, value in enumerate(values) if isinstance(value, dict | list))
        raise unreadable(at(index), expected="text, a number, true, false or null", found=shown(values[index]))
    if len({_SCALARS[kind] for kind in kinds}) > 1:
        raise _mixed(values, at)
    if float in kinds:
        _refuse_inexact(values, at)
        return pa.chunked_array([pa.array(values, pa.float64())])
    if kinds == {bool}:
        return pa.chunked_array([pa.array(values, pa.bool_())])
    if kinds == {int} and all(value in _INT64 for value in values if value is not None):
        return pa.chunked_array([pa.array(values, pa.int64())])
    return pa.chunked_array([_text([str(v) if type(v) is int else v for v in values], at)])


def _text(values: Sequence[str | None], at: Callable[[int], str]) -> pa.Array:
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError as error:
        index = values.index(error.object)
        raise unreadable(at(index), expected="text in Unicode", found=f"half a character: {error}") from error


def _mixed(values: Sequence[Any], at: Callable[[int], str]) -> Exception:
    first: dict[str, int] = {}
    for index, value in enumerate(values):
        if value is not None:
            first.setdefault(_SCALARS[type(value)], index)
    found = [f"{kind}, {shown(values[index])}, in {at(index)}" for kind, index in first.items()]
    return unreadable(
        at(min(first.values())),
        expected="values of one kind in all features",
        found="; ".join(found),
        remedy="have the property written the same way everywhere; an id belongs in quotes",
    )


def _refuse_inexact(values: Sequence[Any], at: Callable[[int], str]) -> None:
    bad = [
        index
        for index, value in enumerate(values)
        if (type(value) is float and math.isinf(value)) or (type(value) is int and abs(value) > _EXACT)
    ]
    if bad:
        raise unreadable(
            at(bad[0]),
            expected="numbers that a binary64 holds",
            found=f"{shown(values[bad[0]])}; {len(bad)} such feature(s): {listed(bad)}",
        )
