"""The worked examples of VM0042: Verra's example of the uncertainty deduction, and soil carbon of one sample."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from mrv_assets.crediting.vm0042_soil import soil_carbon, soil_mass
from mrv_assets.crediting.vm0042_variance import deduction, exceedance_t, modelled_variance
from mrv_assets.domain.exact import as_decimal
from mrv_assets_tests.oracles.oracle import Oracle, Origin

D = Decimal
R_EXAMPLE = "Verra, R uncertainty example for VM0042, 8 Nov 2024"
ESM = "VM0042 v2.2, Figure 3, point VM42point1-1 (extract)"
MEAN = Fraction("15.86308")
"""The mean reduction a hectare that the example implies; it is not printed."""


def variance() -> Fraction:
    """Return the variance of the example, (t CO2e/ha)²."""
    return modelled_variance(sampling=D("175024.8"), area_ha=D(1000), model=D("1.25") * 5)


def mass() -> Decimal:
    """Return the soil mass of four cores, Mg/ha."""
    return soil_mass(D("283.2"), probe_diameter_mm=D("21.5"), cores=4)


def large_sample_t() -> Decimal:
    """Return t of a large sample at the level of the rule set."""
    return exceedance_t(D("0.333333333333"), 1_000_000)


ORACLES = [
    Oracle(
        id="VM42-A-variance",
        what="variance of the mean, (t CO2e/ha)²",
        expected=D("6.425025"),
        got=lambda: as_decimal(variance(), places=12),
        within=D("0.0000005"),
        source=R_EXAMPLE,
        origin=Origin.PUBLISHED,
    ),
    Oracle(
        id="VM42-A",
        what="deduction with t = 0.4307",
        expected=D("0.06882159"),
        got=lambda: deduction(variance(), MEAN, t=D("0.4307")),
        within=D("0.00000005"),  # the mean is known to 7 digits only
        source=R_EXAMPLE,
        origin=Origin.PUBLISHED,
    ),
    Oracle(
        id="VM42-A-t",
        what="t of a large sample, one-sided 2/3",
        expected=D("0.4307"),
        got=large_sample_t,
        within=D("0.00005"),
        source=R_EXAMPLE,
        origin=Origin.PUBLISHED,
    ),
    Oracle(
        id="VM42-A-t10",
        what="t of 10 degrees of freedom",
        expected=D("0.443756"),
        got=lambda: exceedance_t(D("0.333333333333"), 10),
        within=D("0.0000005"),
        source="VM0042 v2.2, Eq 74",
        origin=Origin.DERIVED,
    ),
    Oracle(
        id="VM42-B-mass",
        what="dry soil mass, Mg/ha",
        expected=D("1950.14"),
        got=mass,
        within=D("0.005"),
        source=ESM,
        origin=Origin.DERIVED,
    ),
    Oracle(
        id="VM42-B-mass-0",
        what="the same as printed, Mg/ha",
        expected=D(1950),
        got=mass,
        within=D("0.5"),
        source=ESM,
        origin=Origin.PUBLISHED,
    ),
    Oracle(
        id="VM42-B",
        what="soil carbon, kg C/ha",
        expected=D(47369),
        got=lambda: soil_carbon(mass(), D("24.29")),
        within=D("0.5"),
        source=ESM,
        origin=Origin.DERIVED,
    ),
    Oracle(
        id="VM42-B-printed",
        what="soil carbon as printed, Mg C/ha, cut and not rounded",
        expected=D("47.36"),
        got=lambda: soil_carbon(mass(), D("24.29")).scaleb(-3),
        within=D("0.01"),
        source=ESM,
        origin=Origin.PUBLISHED,
    ),
]
