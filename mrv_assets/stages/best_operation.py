"""Which of the operations that PROJ knows between two CRSs is used, and which better one is not installed here.

Without a waiver that is PROJ's best for the whole area of the two CRSs, and it must be installed: so a machine with
other grids gives the same coordinates or none, and a project's footprints do not move when one is added elsewhere. A
project that waives the best grid gets the best one installed for the land it is on. What does not belong here: using
the operation (projection).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pyproj import CRS, Transformer
from pyproj.aoi import AreaOfInterest
from pyproj.network import is_network_enabled  # type: ignore[attr-defined]
from pyproj.transformer import TransformerGroup

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.errors import GateError
from mrv_assets.stages.crs import named
from mrv_assets.stages.footprints import Bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """The operation to use; `missing` names a better one that is not installed, with its accuracy and its grids."""

    transformer: Transformer
    is_best: bool
    missing: str


def best_operation(source: CRS, target: CRS, *, policy: CrsPolicy, land: Bounds | None, where: str) -> Best:
    """Return the operation from one CRS to another that the policy allows.

    `land` is the box that `bounding_box` gives of where the footprints are, and counts only when the policy waives the
    best grid. Raises GateError (gate `crs_operation_accurate`) when there is no operation of known accuracy, when its
    accuracy is worse than the policy's limit, when a better one is not installed and the policy does not waive it, and
    when grids are involved while PROJ may fetch them from the network: then what is best depends on the network.
    """
    place = f"{where}, {named(source)} to {named(target)}"
    try:
        group = _operations(source.to_wkt(), target.to_wkt(), land if policy.without_best_grid else None)
    except IndexError as error:  # how pyproj says that PROJ lists operations and can make none of them
        raise _inaccurate(place, policy, "none that can be used") from error
    if is_network_enabled() and _grids(group):
        found = f"PROJ's network is on, and {_grids(group)[0]} is a grid it may fetch"
        raise _inaccurate(place, policy, found, remedy="unset PROJ_NETWORK, and install grids with projsync")
    missing = _missing(group)
    lacking = f"; not installed: {missing}" if missing else ""
    if not group.transformers:
        raise _inaccurate(place, policy, f"none of known accuracy{lacking}")
    best = group.transformers[0]
    found = f"{best.description}, accuracy {_accuracy(best.accuracy)}{lacking}"
    if not (group.best_available or policy.without_best_grid):
        raise _inaccurate(place, policy, f"only {found}")
    if not 0.0 <= best.accuracy <= policy.max_accuracy_m:
        raise _inaccurate(place, policy, found)
    return Best(transformer=best, is_best=group.best_available, missing="" if group.best_available else missing)


@cache
def _operations(source: str, target: str, land: Bounds | None) -> TransformerGroup:
    area = AreaOfInterest(*land) if land else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a missing grid is a refusal of ours, not a warning
        return TransformerGroup(
            source,
            target,
            always_xy=True,
            allow_ballpark=False,
            area_of_interest=area,  # type: ignore[arg-type]
        )


def _missing(group: TransformerGroup) -> str:
    """Describe the first operation in PROJ's order that is not installed; empty when it is no better than what is."""
    for operation in group.unavailable_operations[:1]:
        installed = [transformer.accuracy for transformer in group.transformers[:1]]
        if not group.best_available or (installed and 0.0 <= operation.accuracy < installed[0]):
            grids = ", ".join(grid.short_name for grid in operation.grids)
            return f"{operation.name}, accuracy {_accuracy(operation.accuracy)}, grids {grids}"
    return ""


def _grids(group: TransformerGroup) -> Sequence[str]:
    used = [o for transformer in group.transformers for o in transformer.operations or ()]
    return [grid.short_name for operation in (*used, *group.unavailable_operations) for grid in operation.grids]


def _accuracy(metres: float) -> str:
    return f"{metres} m" if metres >= 0.0 else "unknown"


def _inaccurate(where: str, policy: CrsPolicy, found: str, *, remedy: str = "") -> GateError:
    return GateError(
        "no accurate operation leads to the equal-area CRS",
        gate="crs_operation_accurate",
        where=where,
        expected=f"PROJ's best operation, installed, of known accuracy, {policy.max_accuracy_m} m or better",
        found=found,
        remedy=remedy
        or "install its grid with projsync, have the footprints delivered in EPSG:4326, or waive it under [crs.waiver]",
    )
