"""Bounding boxes of GeoJSON: whether they have the form, and whether they contradict the shapes that they enclose.

A box is never used for anything: one that is wrong tells that axes were swapped or that the file was put together from
parts. What does not belong here: coordinates (positions).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import shapely
from numpy.typing import NDArray

from mrv_assets.stages.delivery import unreadable
from mrv_assets.stages.formats.positions import is_number, shown

_ROUNDING = 1e-4
"""How far a shape may reach out of its box, in units of its coordinates: boxes are often written with few digits."""


@dataclass(frozen=True, slots=True)
class Boxes:
    """Bounding boxes as they are met in a file, kept until all shapes are known.

    Only east, north, west and south are compared; a box with heights must have the form.
    """

    _noted: list[tuple[str, tuple[float, ...], int]] = field(default_factory=list)
    _of_all: list[tuple[str, tuple[float, ...]]] = field(default_factory=list)

    def note(self, value: object, *, at: str, index: int | None) -> None:
        """Check the form of a box, and keep it to be compared with the shape at `index`, if it has one.

        Raises GateError (gate `source_readable`) unless it is an array of 4 or 6 finite numbers.
        """
        box = _box(value, at)
        if index is not None:
            self._noted.append((at, box, index))

    def note_all(self, value: object, *, at: str) -> None:
        """Check the form of a box that encloses all shapes of the file. Raises as `note`."""
        self._of_all.append((at, _box(value, at)))

    def refuse_contradictions(self, shapes: Sequence[bytes | None]) -> None:
        """Raise GateError (gate `source_readable`) when a shape reaches out of a box that should enclose it."""
        noted = [(at, box, shapes[index]) for at, box, index in self._noted]
        for at, box in self._of_all:
            noted += [(at, box, wkb) for wkb in shapes]
        with_shape = [(at, box, wkb) for at, box, wkb in noted if wkb is not None]
        if not with_shape:
            return
        bounds = shapely.bounds(shapely.from_wkb([wkb for _, _, wkb in with_shape]))
        outside = np.flatnonzero(_reaches_out(np.array([box for _, box, _ in with_shape]), bounds))
        if len(outside):
            at, box, _ = with_shape[outside[0]]
            raise unreadable(
                at,
                expected="a bbox (west, south, east, north) that encloses its geometry",
                found=f"{box} around coordinates from {tuple(bounds[outside[0]].tolist())}",
                remedy="find out which is wrong, bbox or coordinates; swapped axes are the usual cause",
            )


def _box(value: object, at: str) -> tuple[float, ...]:
    if not isinstance(value, list) or not all(map(is_number, value)) or len(value) not in (4, 6):
        found = f"[{', '.join(map(shown, value))}]" if isinstance(value, list) else shown(value)
        raise unreadable(at, expected="an array of 4 or 6 finite numbers", found=found)
    half = len(value) // 2
    return (*value[:2], *value[half : half + 2])


def _reaches_out(boxes: NDArray[np.float64], bounds: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which shapes lie outside of their boxes; an empty shape, whose bounds are NaN, lies in any."""
    west, south, east, north = boxes.T
    left, bottom, right, top = bounds.T
    is_aside = (left < west - _ROUNDING) | (right > east + _ROUNDING)
    crosses_antimeridian = west > east  # bounds alone cannot tell then
    out: NDArray[np.bool_] = (
        (is_aside & ~crosses_antimeridian) | (bottom < south - _ROUNDING) | (top > north + _ROUNDING)
    )
    return out
