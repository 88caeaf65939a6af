"""VM0042: the evidence of soil carbon by name, as the equations take it.

What does not belong here: where points must be and how deep (compliance).
"""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

from mrv_assets.crediting.counted import whole
from mrv_assets.crediting.distinct import distinct
from mrv_assets.crediting.vm0042_variance import (
    SoilStratum,
    modelled_variance,
    points_less_strata,
    remeasured_variance,
)
from mrv_assets.domain.exact import as_decimal
from mrv_assets.domain.monitoring import Monitoring

REMEASURED = "measure and remeasure"
MODELLED = "measure and model"
_SIDES = ("project", "control")


def approach(evidence: Monitoring) -> str:
    """Return fact `soil_approach`: how soil carbon is quantified. Raises ContractError for any other word."""
    found = evidence.fact("soil_approach")
    if found not in (REMEASURED, MODELLED):
        raise evidence.unusable("fact soil_approach", expected=f"{REMEASURED} or {MODELLED}", found=found)
    return found


def variance(evidence: Monitoring) -> tuple[Fraction, Decimal, int]:
    """Return variance of the mean change, (t CO2e/ha)², area, ha, and degrees of freedom, by the project's approach."""
    return remeasured(evidence) if approach(evidence) == REMEASURED else modelled(evidence)


def strata(evidence: Monitoring) -> list[SoilStratum]:
    """Return the strata of table `soil_strata` with their points of table `soil_points`, each start and end, t CO2e/ha.

    Raises ContractError when a table is missing, for a point of no stratum, and for a `site` that is neither `project`
    nor `control`. A stratum without points is refused where its variance is computed.
    """
    areas = {row["stratum"]: evidence.cell("soil_strata", row, "area_ha") for row in _strata_rows(evidence)}
    points: dict[tuple[str, str], list[tuple[Decimal, Decimal]]] = defaultdict(list)
    name = "soil_points"
    for row in distinct(evidence, name, "point", "stratum", "site", "start_tco2e_per_ha", "end_tco2e_per_ha"):
        if row["stratum"] not in areas or row["site"] not in _SIDES:
            raise evidence.unusable(
                f"table {name}, row {row['point']}",
                expected=f"a stratum of soil_strata and a site of {' or '.join(_SIDES)}",
                found=f"{row['stratum']}, {row['site']}",
            )
        start, end = (evidence.cell(name, row, column) for column in ("start_tco2e_per_ha", "end_tco2e_per_ha"))
        points[row["stratum"], row["site"]].append((start, end))
    return [
        SoilStratum(name=each, area_ha=area, project=points[each, "project"], control=points[each, "control"])
        for each, area in areas.items()
    ]


def remeasured(evidence: Monitoring) -> tuple[Fraction, Decimal, int]:
    """Return variance, (t CO2e/ha)², area, ha, and degrees of freedom of approach 2, from strata and points."""
    found = strata(evidence)
    area = sum((Fraction(each.area_ha) for each in found), Fraction(0))
    return remeasured_variance(found), as_decimal(area, places=28), points_less_strata(found)


def modelled(evidence: Monitoring) -> tuple[Fraction, Decimal, int]:
    """Return variance, (t CO2e/ha)², area, ha, and degrees of freedom of approach 1, from quantities.

    `soil_sampling_variance_tco2e2` is of the total, `soil_model_variance` of the mean per hectare. Raises ContractError
    when one is missing or below 0.
    """
    area = evidence.quantity("soil_area_ha")
    found = modelled_variance(
        sampling=evidence.quantity("soil_sampling_variance_tco2e2"),
        area_ha=area,
        model=evidence.quantity("soil_model_variance"),
    )
    return found, area, whole(evidence, "soil_degrees_of_freedom", least=1)


def _strata_rows(evidence: Monitoring) -> list[dict[str, str]]:
    rows = [dict(row) for row in distinct(evidence, "soil_strata", "stratum", "area_ha")]
    if not rows:
        raise evidence.missing("table soil_strata, rows: no stratum")
    return rows
