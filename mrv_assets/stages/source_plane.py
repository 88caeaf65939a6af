"""Which coordinates of a projected CRS are places on its plane.

PROJ gives others a longitude and a latitude as well, as if the plane went round and round, so that a mistyped easting
of a thousand million metres lies in the area of use. What does not belong here: where the places may be (placement).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pyproj import Transformer
from pyproj.enums import TransformDirection

from mrv_assets.stages.antimeridian import wrapped
from mrv_assets.stages.footprints import Mask
from mrv_assets.stages.projection import Operation

# EPSG's projected CRSs, all 5268 of them, come back within 0.1 m in their areas of use.
_SAME_PLACE_M, _SAME_PLACE = 1.0, 1e-6
_STEP_M = 1000.0

Floats = NDArray[np.float64]


def on_plane(x: Floats, y: Floats, operation: Operation) -> Mask:
    """Tell which coordinates of the operation's source their own longitude and latitude lead back to.

    To within a metre or a millionth. Land across the antimeridian may go on beyond the edge of a cylinder, up to 360
    degrees from its middle, as longitudes may; not in the equal-area CRS, where nothing is cut any more. All finite
    coordinates of a geographic source are places, those without a longitude or a latitude are none.
    """
    geographic = operation.to_geographic
    if geographic is None:
        finite: Mask = np.isfinite(x) & np.isfinite(y)
        return finite
    unit = operation.source.axis_info[0].unit_conversion_factor
    back_x, back_y = geographic.transform(*geographic.transform(x, y), direction=TransformDirection.INVERSE)
    with np.errstate(invalid="ignore"):
        allowed = _SAME_PLACE_M / unit + _SAME_PLACE * np.maximum(np.abs(x), np.abs(y))
        away, is_row = np.abs(x - back_x), np.abs(y - back_y) <= allowed
        is_place: Mask = is_row & (away <= allowed)
        if not operation.is_identity and not is_place.all():
            turn = _turn(back_x, back_y, geographic, step=_STEP_M / unit)
            is_place |= is_row & (np.abs(away - turn) <= allowed) & (np.abs(x) <= turn)
    return is_place


def _turn(x: Floats, y: Floats, geographic: Transformer, *, step: float) -> Floats:
    """Return how far it is around the world at these places if the plane is a cylinder, in its units."""
    east, west = (geographic.transform(x + ahead, y)[0] for ahead in (step, -step))
    with np.errstate(invalid="ignore", divide="ignore"):
        around: Floats = np.abs(2.0 * step * 360.0 / wrapped(east - west))
    return around
