"""How a file's own statement of its CRS is written down: an authority code where it is exactly that, else WKT2.

What does not belong here: whether the CRS may be believed and used (crs, projection).
"""

from __future__ import annotations

from functools import cache

from pyproj import CRS
from pyproj.exceptions import CRSError

from mrv_assets.stages.delivery import unreadable


def crs_tag(stated: str, *, where: str) -> str:
    """Return the CRS that a file states, as `AUTH:CODE` when PROJ holds it equal to that one, else as WKT2 text.

    `stated` is an authority code, a URN, WKT of any dialect or PROJJSON text. A definition that differs from the
    code it claims is kept as a definition. Raises GateError (gate `source_readable`) when PROJ cannot read it.
    """
    try:
        return _tag(CRS.from_user_input(stated))
    except CRSError as error:
        raise unreadable(
            where,
            expected="a CRS that PROJ can read",
            found=str(error)[:200],
            remedy="have the CRS of the file corrected; a declared CRS does not override a broken one",
        ) from error


@cache
def _tag(crs: CRS) -> str:
    authority = crs.to_authority()
    if authority is None:
        return str(crs.to_wkt())
    code = ":".join(authority)
    return code if crs.equals(CRS.from_user_input(code), ignore_axis_order=True) else str(crs.to_wkt())
