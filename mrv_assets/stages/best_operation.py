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
    """The operation to use: PROJ's name of it, its accuracy, m, where it holds, and what moves coordinates by it.

    Threads may share `transformer`. `missing` names a better operation that is not installed, with its accuracy and its
    grids.
    """

    name: str
    accuracy_m: float
    area: Bounds | None
    transformer: Transformer
    is_best: bool
    missing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """What PROJ offers between two CRSs: `first` is the first that is installed, None when there is none.

    Values only: a group of pyproj's belongs to the thread that asked for it, and this is kept for all.
    """

    first: Best | None
    missing: str
    grids: tuple[str, ...]


def best_operation(source: CRS, target: CRS, *, policy: CrsPolicy, land: Bounds | None, where: str) -> Best:
    """Return the operation from one CRS to another that the policy allows.

    `land` is the box that `bounding_box` gives of where the footprints are, and counts only when the policy waives the
    best grid. Raises GateError (gate `crs_operation_accurate`) when there is no operation of known accuracy, when its
    accuracy is worse than the policy's limit, when a better one is not installed and the policy does not waive it, and
    when grids are involved while PROJ may fetch them from the network: then what is best depends on the network.
    """
    place = f"{where}, {named(source)} to {named(target)}"
    try:
        choice = _choice(source.to_wkt(), target.to_wkt(), land if policy.without_best_grid else None)
    except IndexError as error:  # how pyproj says that PROJ lists operations and can make none of them
        raise _inaccurate(place, policy, "none that can be used") from error
    if is_network_enabled() and choice.grids:
        found = f"PROJ's network is on, and {choice.grids[0]} is a grid it may fetch"
        raise _inaccurate(place, policy, found, remedy="unset PROJ_NETWORK, and install grids with projsync")
    lacking = f"; not installed: {choice.missing}" if choice.missing else ""
    best = choice.first
    if best is None:
        raise _inaccurate(place, policy, f"none of known accuracy{lacking}")
    found = f"{best.name}, accuracy {_accuracy(best.accuracy_m)}{lacking}"
    if not (best.is_best or policy.without_best_grid):
        raise _inaccurate(place, policy, f"only {found}")
    if not 0.0 <= best.accuracy_m <= policy.max_accuracy_m:
        raise _inaccurate(place, policy, found)
    return best


@cache
def _choice(source: str, target: str, land: Bounds | None) -> _Choice:
    area = AreaOfInterest(*land) if land else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a missing grid is a refusal of ours, not a warning
        group = TransformerGroup(
            source,
            target,
            always_xy=True,
            allow_ballpark=False,
            area_of_interest=area,  # type: ignore[arg-type]
        )
    missing = _missing(group)
    return _Choice(first=_first(group, missing), missing=missing, grids=tuple(_grids(group)))


def _first(group: TransformerGroup, missing: str) -> Best | None:
    for transformer in group.transformers[:1]:
        area = transformer.area_of_use
        return Best(
            name=transformer.description,
            accuracy_m=transformer.accuracy,
            area=None if area is None else area.bounds,  # type: ignore[redundant-expr]  # it may be missing
            # The group's own would be one object of PROJ's for all threads, and crash; this one is made in each, and
            # gives the same bits.
            transformer=Transformer.from_pipeline(transformer.definition),
            is_best=group.best_available,
            missing="" if group.best_available else missing,
        )
    return None


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
