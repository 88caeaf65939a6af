"""Monitoring evidence for the Verra rule sets: an area, a census, fields, and ways to change them.

What does not belong here: running rule sets on it (verra), expected numbers (tests, oracles).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from mrv_assets.domain.monitoring import Monitoring

Rows = Sequence[Mapping[str, str]]


def shown(evidence: Monitoring, **changes: Any) -> Monitoring:
    """Return evidence with quantities, facts and tables of these names replaced; None takes one away."""
    parts: dict[str, dict[str, Any]] = {
        part: dict(getattr(evidence, part)) for part in ("quantities", "facts", "tables")
    }
    for name, value in changes.items():
        part = next((part for part, values in parts.items() if name in values), None)
        if part is None:
            part = "tables" if isinstance(value, list) else "facts"
        if value is None:
            del parts[part][name]
        else:
            parts[part][name] = value
    return Monitoring(where=evidence.where, **parts)


def plots(
    count: int = 30, years: Sequence[int] = (0, 1, 2), growth: tuple[str, str] = ("0.15", "0.02")
) -> dict[str, Rows]:
    """Return a plot database of so many project plots with two controls each, growing by these a year with a spread."""
    projects, controls, series = [], [], []
    for n in range(count):
        place = {"x_m": str(n * 1000), "y_m": "0", "area_ha": "1"}
        projects.append({"plot": f"p{n}", **place, "share_inside": "0.9", "configuration": "square"})
        for k, weight in enumerate(("0.6", "0.4")):
            apart = {**place, "y_m": str(5000 * (k + 1))}
            controls.append({"plot": f"c{n}-{k}", "project_plot": f"p{n}", **apart, "weight": weight})
        for year in years:
            wobble = Decimal((n * 7 + year * 3) % 5 - 2).scaleb(-3)
            for plot, yearly in ((f"p{n}", growth[0]), (f"c{n}-0", growth[1]), (f"c{n}-1", growth[1])):
                series.append({"plot": plot, "year": str(year), "si": str(Decimal(yearly) * year + wobble)})
    remote = [{"dataset": "S2-2024", "acquired": "2024-06-01"}]
    return {
        "project_plots": projects, "control_plots": controls, "stocking_index": series, "remote_sensing": remote,
    }  # fmt: skip


AREA = Monitoring(
    where="monitoring of plantation, 2026",
    quantities={
        "project_emissions_tco2e": "20",
        "stock_change_before_tco2e": "0",
        "uncertainty_before": "0",
        "performance_benchmark_before": "0",
        "leakage_before_tco2e": "0",
        "leakage_mitigation_tco2e": "150",
        "inventory_plots": "30",
        "inventory_strata": "1",
        "stock_se_start_tco2e": "100",
        "stock_se_end_tco2e": "400",
        "stock_correlation": "0.5",
        "new_land_biomass_tc_per_ha": "0",
        "new_land_soil_reference_tc_per_ha": "0",
        "new_land_factor_land_use": "1",
        "new_land_factor_management": "1",
        "new_land_factor_inputs": "1",
        "search_radius_steps": "0",
        "removals_expected_tco2e": "1000",
    },
    facts={
        "permanent_plots": "no",
        "stocking_index_description": "NDVI, published for the ecoregion",
        "project_start": "2024-03-01",
        "start_stock_measured_on": "2023-09-01",
        "site_preparation_starts_project": "yes",
        "inventory_before_on": "2023-09-01",
        "inventory_on": "2026-09-01",
        "gwp_set": "ar5",
    },
    tables={
        **plots(),
        "displaced_production": [],
        "optional_sources": [],
        "approaches": [{"instance": "i1", "period": "2026", "approach": "area-based"}],
        "covariates": [
            {
                "covariate": "SI(0)",
                "mean_project": "0.5",
                "mean_control": "0.52",
                "variance_project": "0.01",
                "variance_control": "0.02",
            }
        ],
        "pool_uncertainty": [
            {
                "pool": "woody",
                "stock_start_tco2e": "1000",
                "half_width_90_start": "0.17",
                "stock_end_tco2e": "6000",
                "half_width_90_end": "0.11",
            }
        ],
    },
)
"""A first period under the area-based rules whose stock change is 5000 t when the canonical net removal is 4980 t."""


def sampled(live_kg: Sequence[object], dead: int) -> Rows:
    """Return a census sample of live units of so many kg and of dead ones."""
    alive = [
        {"unit": f"a{n}", "status": "alive", "aboveground_tonnes": str(Decimal(str(kg)) / 1000)}
        for n, kg in enumerate(live_kg)
    ]
    return [*alive, *({"unit": f"d{n}", "status": "dead", "aboveground_tonnes": ""} for n in range(dead))]


def unit(name: str, x: float, y: float = 0, **other: str) -> dict[str, str]:
    """Return one planted unit of instance i1."""
    place = {"instance": "i1", "x_m": str(x), "y_m": str(y)}
    return {"unit": name, **place, "planted": "2024", "species": "oak", "status": "alive", "tag": "", **other}


CENSUS = Monitoring(
    where="monitoring of parkland, 2026",
    quantities={
        "project_emissions_tco2e": "0.604607",
        "stock_change_before_tco2e": "10.070729167",
        "uncertainty_before": "0.187234945",
        "census_units": "400",
        "root_shoot_ratio": "0.25",
        "gps_accuracy_m": "5",
        "woody_cover_before": "0.04",
    },
    facts={"land_use_before": "continuous cropping"},
    tables={
        "census_sample": sampled((42, 55, 48, 61, 39, 52, 47, 58), dead=2),
        "census": [unit("u1", 0), unit("u2", 30), unit("u3", 60)],
        "instances": [{"instance": "i1", "area_ha": "1"}],
        "neighbour_areas": [],
    },
)
"""The third party's census case: removals of 24.568270833 t in the period."""


def soil_points(stratum: str, site: str, changes: Sequence[str]) -> list[dict[str, str]]:
    """Return points of a stratum that changed by so much, t CO2e/ha."""
    return [
        {
            "point": f"{stratum}{site}{n}",
            "stratum": stratum,
            "site": site,
            "start_tco2e_per_ha": "100",
            "end_tco2e_per_ha": str(100 + Decimal(change)),
        }
        for n, change in enumerate(changes)
    ]


SOIL = Monitoring(
    where="monitoring of fields, 2026",
    quantities={
        "baseline_emissions_tco2e": "500",
        "baseline_soil_change_tco2e": "-200",
        "project_soil_change_tco2e": "400",
        "project_soil_change_since_start_tco2e": "400",
        "leakage_tco2e": "60",
    },
    facts={
        "soil_approach": "measure and remeasure",
        "soil_stock_basis": "equivalent soil mass",
        "soil_resampled": "yes",
    },
    tables={
        "soil_strata": [{"stratum": "loam", "area_ha": "150"}, {"stratum": "clay", "area_ha": "50"}],
        "soil_points": [
            *soil_points("loam", "project", ("1", "2", "3")),
            *soil_points("loam", "control", ("-2", "-1", "0")),
            *soil_points("clay", "project", ("2", "2", "2")),
            *soil_points("clay", "control", ("-2", "-1", "0")),
        ],
        "soil_samples": [
            {"sample": f"{stratum}{n}", "stratum": stratum, "depth_cm": "30", "increments": "2"}
            for stratum in ("loam", "clay")
            for n in range(3)
        ],
        "control_sites": [
            {"site": "s1", "stratum": "loam", "distance_km": "12"},
            {"site": "s2", "stratum": "loam", "distance_km": "40"},
            {"site": "s3", "stratum": "clay", "distance_km": "250"},
        ],
    },
)
"""Soil carbon measured again: 400 t gained where the baseline lost 200 t; the same as the points give."""
