"""Areas on the ellipsoid in bulk, by the sphere that has the same area (Snyder 1987, Map Projections, 3-11 to 3-13).

What does not belong here: the exact area of one shape by its geodesics (projection).
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from pyproj import Geod

from mrv_assets.stages.plain_rings import Rings

Floats: TypeAlias = NDArray[np.float64]


def ring_areas_m2(rings: Rings, geod: Geod) -> Floats:
    """Return the area of each ring of longitudes and latitudes, degrees, on the ellipsoid, m2.

    Edges are great circles of the authalic sphere. For rings of a tenth of a degree at most the area differs from that
    between geodesics by less than 1e-4 m2 + 5e-7 of the square of the diagonal: by 2e-6 of the area of a compact ring.
    """
    middle = (rings.y.min(axis=1) + rings.y.max(axis=1)) / 2.0
    authalic, slope = _authalic(np.radians(middle), geod.es)
    # From the middle of the ring on, the authalic latitude is a straight line over a tenth of a degree.
    latitudes = authalic[:, None] + slope[:, None] * np.radians(rings.y - middle[:, None])
    radius = geod.a * math.sqrt(_q(np.array([math.pi / 2.0]), geod.es)[0] / 2.0)
    return rings.area_on(radius=radius, authalic=latitudes)


def _authalic(latitude: Floats, es: float) -> tuple[Floats, Floats]:
    """Return authalic latitudes, radians, and how fast they change with the latitude."""
    pole = _q(np.array([math.pi / 2.0]), es)[0]
    authalic = np.arcsin(_q(latitude, es) / pole)
    slope = 2.0 * (1.0 - es) * np.cos(latitude) / (1.0 - es * np.sin(latitude) ** 2) ** 2
    return authalic, slope / (pole * np.cos(authalic))


def _q(latitude: Floats, es: float) -> Floats:
    """Return Snyder's q, which is proportional to the area between the equator and a latitude."""
    sine = np.sin(latitude)
    if es == 0.0:
        doubled: Floats = 2.0 * sine
        return doubled
    e = math.sqrt(es)
    q: Floats = (1.0 - es) * (sine / (1.0 - es * sine**2) + np.arctanh(e * sine) / e)
    return q
