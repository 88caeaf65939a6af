"""The forest inventory of Gold Standard 403: modelling units, their plots, and the removals they hold.

`modelling_units` has a row a unit: area, conversion factors, and the long-term removal that caps it. `inventory_plots`
has a row a plot: stem volume in m3 and plot area in ha. What does not belong here: lines of a waterfall.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from mrv_assets.crediting.distinct import distinct
from mrv_assets.crediting.gold_standard_precision import excess
from mrv_assets.crediting.stratified import Density, density
from mrv_assets.domain.exact import rounded
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule
from mrv_assets.uncertainty.digits import decimal
from mrv_assets.uncertainty.sampling import Sample

UNITS = "modelling_units"
PLOTS = "inventory_plots"
_CARBON_TO_CO2 = Fraction(44, 12)
_FACTORS = ("biomass_expansion", "wood_density_t_m3", "root_shoot", "carbon_fraction")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """From stem volume to tree biomass: BEF, wood density in t d.m./m3, root-to-shoot ratio, carbon fraction."""

    biomass_expansion: Fraction
    wood_density_t_m3: Fraction
    root_shoot: Fraction
    carbon_fraction: Fraction

    def tco2_of(self, stem_volume_m3: Fraction) -> Fraction:
        """Return V × BEF × WD × (1 + R) × CF × 44/12, t CO2, exact; 403 §3.9."""
        above = stem_volume_m3 * self.biomass_expansion * self.wood_density_t_m3
        return above * (1 + self.root_shoot) * self.carbon_fraction * _CARBON_TO_CO2


@dataclass(frozen=True, slots=True, kw_only=True)
class ModellingUnit:
    """One unit: eligible area in ha, mean stem volume in m3/ha with its half-width, factors, and cap in t CO2/ha."""

    name: str
    area_ha: Fraction
    volume: Density
    conversion: Conversion
    long_term_tco2_ha: Fraction

    def stock_tco2(self) -> Decimal:
        """Return what the mean of the plots holds over the area, t CO2, before anything is deducted."""
        return rounded(self.conversion.tco2_of(Fraction(self.volume.mean)) * self.area_ha, places=9)

    def deduction_tco2(self, allowed: Decimal) -> Decimal:
        """Return what the error beyond the allowed one takes, t CO2; 403 §3.11.5."""
        lost = Fraction(self.volume.mean) * Fraction(excess(self.volume.half_width, allowed))
        return rounded(self.conversion.tco2_of(lost) * self.area_ha, places=9)

    def above_long_term_tco2(self, allowed: Decimal) -> Decimal:
        """Return by how much the accountable stock exceeds the long-term removal, t CO2; 403 §3.6.6."""
        accountable = self.conversion.tco2_of(adjusted_volume(self.volume, allowed))
        return rounded(max(Fraction(0), accountable - self.long_term_tco2_ha) * self.area_ha, places=9)


def adjusted_volume(volume: Density, allowed: Decimal) -> Fraction:
    """Return V × (1 − max(0, E − allowed)), m3/ha; 403 §3.11.5."""
    return Fraction(volume.mean) * (1 - Fraction(excess(volume.half_width, allowed)))


def modelling_units(monitoring: Monitoring, defaults: Rule) -> tuple[ModellingUnit, ...]:
    """Read the inventory. A factor that says `default` takes the default of the rule set: nothing else is filled in.

    Raises ContractError for a plot that is there twice or of no unit, a unit without two plots, a mean of 0, and what
    is missing or no number.
    """
    volumes = _volumes(monitoring)
    rows = monitoring.table(UNITS, "unit", "area_ha", "long_term_tco2_ha", *_FACTORS)
    names = [row["unit"] for row in rows]
    strangers = sorted(set(volumes) - set(names))
    if strangers or not names or len(set(names)) < len(names):
        raise monitoring.unusable(
            f"table {UNITS}", expected=f"each unit of {PLOTS} once", found=", ".join(strangers or names) or "no units"
        )
    return tuple(_unit(monitoring, row, volumes.get(row["unit"], []), defaults) for row in rows)


def _unit(monitoring: Monitoring, row: Mapping[str, str], volumes: list[Fraction], defaults: Rule) -> ModellingUnit:
    name = row["unit"]
    area = monitoring.cell(UNITS, row, "area_ha")
    where = f"{monitoring.where}, table {PLOTS}, unit {name}"
    plots = Sample.of([decimal(volume) for volume in volumes], name=where)
    factors = {column: _factor(monitoring, row, column, defaults) for column in _FACTORS}
    return ModellingUnit(
        name=name,
        area_ha=Fraction(area),
        volume=density({name: area}, {name: plots}, where=where),
        conversion=Conversion(**factors),
        long_term_tco2_ha=_not_negative(monitoring, row, "long_term_tco2_ha"),
    )


def _factor(monitoring: Monitoring, row: Mapping[str, str], column: str, defaults: Rule) -> Fraction:
    if row[column].strip() == "default":
        return Fraction(defaults.threshold(column))
    return _not_negative(monitoring, row, column)


def _not_negative(monitoring: Monitoring, row: Mapping[str, str], column: str, table: str = UNITS) -> Fraction:
    value = monitoring.cell(table, row, column)
    if value < 0:
        what = f"table {table}, {next(iter(row.values()))}, column {column}"
        raise monitoring.unusable(what, expected="a number of 0 or more", found=str(value))
    return Fraction(value)


def _volumes(monitoring: Monitoring) -> dict[str, list[Fraction]]:
    """Return the stem volumes of the plots of each unit, m3/ha."""
    volumes: dict[str, list[Fraction]] = {}
    for row in distinct(monitoring, PLOTS, "plot", "unit", "stem_volume_m3", "plot_area_ha"):
        area = _not_negative(monitoring, row, "plot_area_ha", PLOTS)
        if not area:
            what = f"table {PLOTS}, plot {row['plot']}, column plot_area_ha"
            raise monitoring.unusable(what, expected="an area above 0 ha", found=row["plot_area_ha"])
        volumes.setdefault(row["unit"], []).append(_not_negative(monitoring, row, "stem_volume_m3", PLOTS) / area)
    return volumes
