"""VM0047, area-based: the evidence of uncertainty and leakage by name, as the equations take it.

What does not belong here: plots and stocking index (vm0047_plots).
"""

from __future__ import annotations

from decimal import Decimal

from mrv_assets.crediting.counted import whole, whole_years
from mrv_assets.crediting.distinct import distinct
from mrv_assets.crediting.vm0047_leakage import Commodity, Displacement, NewLand
from mrv_assets.crediting.vm0047_uncertainty import Inventories, PoolUncertainty
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule


def inventories(evidence: Monitoring) -> Inventories:
    """Return both inventories. The correlation counts for permanent plots only, and is asked for only then.

    `inventory_plots` is the smaller number of plots of the two. Raises ContractError when evidence is missing, and for
    counts that are not whole or leave no stratum.
    """
    strata = whole(evidence, "inventory_strata", least=1)
    is_permanent = evidence.is_so("permanent_plots")
    return Inventories(
        error_start=evidence.quantity("stock_se_start_tco2e"),
        error_end=evidence.quantity("stock_se_end_tco2e"),
        correlation=evidence.quantity("stock_correlation") if is_permanent else Decimal(0),
        degrees_of_freedom=whole(evidence, "inventory_plots", least=1) - strata,
    )


def pools(evidence: Monitoring) -> list[PoolUncertainty]:
    """Return the pools of table `pool_uncertainty` with their half-widths of 90 % (v1.0)."""
    name = "pool_uncertainty"
    columns = ("pool", "stock_start_tco2e", "half_width_90_start", "stock_end_tco2e", "half_width_90_end")
    return [
        PoolUncertainty(
            stock_start=evidence.cell(name, row, columns[1]),
            half_width_start=HalfWidth90(relative=evidence.cell(name, row, columns[2])),
            stock_end=evidence.cell(name, row, columns[3]),
            half_width_end=HalfWidth90(relative=evidence.cell(name, row, columns[4])),
        )
        for row in distinct(evidence, name, *columns)
    ]


def displaced(evidence: Monitoring, rule: Rule) -> list[Commodity]:
    """Return the rows of table `displaced_production`; no row says that nothing was displaced.

    Raises ContractError for a kind that is neither `agriculture` nor `fuelwood`.
    """
    name = "displaced_production"
    columns = ("historical_per_year", "monitored_per_year", "mitigated_per_year", "yield_per_ha")
    found = []
    for row in distinct(evidence, name, "commodity", "kind", "years_since_start", *columns):
        historical, monitored, mitigated, grown = (evidence.cell(name, row, column) for column in columns)
        found.append(
            Commodity(
                historical=historical,
                years=whole_years(evidence, name, row, "years_since_start", least=0),
                monitored=monitored,
                mitigated=mitigated,
                yield_per_ha=grown,
                displacement=_displacement(evidence, rule, row["kind"]),
            )
        )
    return found


def new_land(evidence: Monitoring) -> NewLand:
    """Return what new land loses, from the five quantities `new_land_…`."""
    return NewLand(
        biomass=evidence.quantity("new_land_biomass_tc_per_ha"),
        soil_reference=evidence.quantity("new_land_soil_reference_tc_per_ha"),
        land_use=evidence.quantity("new_land_factor_land_use"),
        management=evidence.quantity("new_land_factor_management"),
        inputs=evidence.quantity("new_land_factor_inputs"),
    )


def _displacement(evidence: Monitoring, rule: Rule, kind: str) -> Displacement:
    if kind not in ("agriculture", "fuelwood"):
        raise evidence.unusable("table displaced_production, kind", expected="agriculture or fuelwood", found=kind)
    return Displacement(
        increased_supply=rule.threshold(f"increased_supply_{kind}"), new_land=rule.threshold(f"new_land_{kind}")
    )
