"""Propagation of errors, Monte Carlo and sample size, as the VCS and the BioCarbon Fund's sourcebook print them.

What does not belong here: what standards deduct for an uncertainty.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import cache

from mrv_assets.domain.confidence import HalfWidth95
from mrv_assets.uncertainty.approach_1 import Combined, product, term, total
from mrv_assets.uncertainty.approach_2 import Product, Simulation, Variable
from mrv_assets.uncertainty.distributions import Exponential, Lognormal, Normal, Shape
from mrv_assets.uncertainty.quantiles import normal_interval
from mrv_assets.uncertainty.sample_size import Expected, sample_size, whole_units
from mrv_assets.uncertainty.simulated import Simulated, simulate
from mrv_assets_tests.oracles.oracle import Oracle, Origin

_VCS = "VCS Methodology Requirements v5.0, section 2.4"
_BOOK = "BioCarbon Fund Sourcebook for LULUCF projects"
_D = Decimal
_ONE = Decimal(1)

_POOLS = (("123.3", "9.9"), ("3.5", "1.0"), ("3.9", "1.1"), ("0.5", "0.1"), ("2.8", "0.3"))
"""Trees, standing and downed dead wood, herbs, litter of a forest in Belize: t C/ha, 95 % half-width."""

_INCREMENTS = (("13.8", "2.4"), ("1.8", "0.1"), ("0.1", "0.1"), ("0.2", "0.1"), ("0.5", "0.1"), ("-0.9", "0.1"))
"""Trees, other vegetation, dead wood, forest floor, soil, less the baseline: t C/ha, 95 % half-width."""

_TO_PROJECT = _D("3.67") * 500  # t CO2e per t C, times hectares


def _product() -> Decimal:
    activity_data, factor = HalfWidth95(relative=_D("0.02")), HalfWidth95(relative=_D("0.05"))
    return product([activity_data, factor], where="IPCC-A").relative * 100


def _summed(parts: Sequence[tuple[str, str]], *, scale: Decimal = _ONE) -> Combined[HalfWidth95]:
    terms = [
        term(_D(value) * scale, HalfWidth95(relative=_D(width) / abs(_D(value))), group=str(number))
        for number, (value, width) in enumerate(parts)
    ]
    return total(terms, where="IPCC")


@cache
def _simulated() -> Simulated:
    """Simulate the pools with the book's kinds of distribution.

    It does not print their parameters. Ours have the printed means and, as sd, the printed half-widths by 1.96; the
    exponential ones begin one sd below their mean.
    """
    sds = [_D(width) / normal_interval(_D("0.95")) for _, width in _POOLS]
    trees, standing, downed, herbs, litter = ((_D(mean), sd) for (mean, _), sd in zip(_POOLS, sds, strict=True))
    shapes: dict[str, Shape] = {
        "trees": Lognormal(mean=trees[0], sd=trees[1]),
        "standing": Exponential(origin=standing[0] - standing[1], sd=standing[1]),
        "downed": Exponential(origin=downed[0] - downed[1], sd=downed[1]),
        "herbs": Exponential(origin=herbs[0] - herbs[1], sd=herbs[1]),
        "litter": Normal(mean=litter[0], sd=litter[1]),
    }
    products = [Product(value=_D(1), variables=[Variable(source=n, shape=shape)]) for n, shape in shapes.items()]
    return simulate(Simulation.of(products, seed="IPCC-C", where="IPCC-C"), draws=40_000)


def _simulated_half_width() -> Decimal:
    found = _simulated()
    return found.half_width_95.relative * found.mean


def _plots(*strata: tuple[str, str]) -> Decimal:
    expected = [Expected(units=_D(units), sd=_D(sd)) for units, sd in strata]
    return sample_size(expected, allowed_error=_D("10.16"), t=_D(2), where="IPCC-E")


_STRATA = (("42500", "26.2"), ("11250", "14.0"), ("8750", "8.2"))

ORACLES = (
    Oracle(
        id="IPCC-A",
        what="activity data 2 %, factor 5 %: half-width of the product, %",
        expected=_D("5.4"),
        got=_product,
        within=_D("0.05"),
        source=_VCS,
        origin=Origin.PUBLISHED,
    ),
    Oracle(
        id="IPCC-A digits",
        what="the same with more digits",
        expected=_D("5.38516"),
        got=_product,
        within=_D("0.000005"),
        source=_VCS,
        origin=Origin.DERIVED,
    ),
    Oracle(
        id="IPCC-B sum",
        what="five carbon pools, t C/ha",
        expected=_D("134.0"),
        got=lambda: _summed(_POOLS).value,
        within=_D("0.05"),
        source=f"{_BOOK}, p. 32",
        origin=Origin.PUBLISHED,
    ),
    Oracle(
        id="IPCC-B half-width",
        what="95 % half-width of their sum, t C/ha",
        expected=_D("10.0"),
        got=lambda: _summed(_POOLS).absolute,
        within=_D("0.05"),
        source=f"{_BOOK}, p. 32",
        origin=Origin.PUBLISHED,
    ),
    Oracle(
        id="IPCC-B share",
        what="the same in % of the sum; the book prints 7.45 of the rounded 10.0",
        expected=_D("7.47"),
        got=lambda: _summed(_POOLS).half_width.relative * 100,
        within=_D("0.005"),
        source=f"{_BOOK}, p. 32",
        origin=Origin.DERIVED,
    ),
    Oracle(
        id="IPCC-C sum",
        what="the pools by Monte Carlo, t C/ha; the book drew 100 times: two standard errors of its mean are 1.0",
        expected=_D("134.6"),
        got=lambda: _simulated().mean,
        within=_D("1.0"),
        source=f"{_BOOK}, p. 32",
        origin=Origin.PUBLISHED,
    ),
    Oracle(
        id="IPCC-C half-width",
        what="95 % half-width by Monte Carlo, t C/ha; parameters are not printed, ours have the printed spread",
        expected=_D("10.1"),
        got=_simulated_half_width,
        within=_D("0.5"),
        source=f"{_BOOK}, p. 32",
        origin=Origin.PUBLISHED,
    ),
    Oracle(
        id="IPCC-D sum",
        what="increments less baseline on 500 ha, t CO2e",
        expected=_D(28443),
        got=lambda: _summed(_INCREMENTS, scale=_TO_PROJECT).value,
        within=_D("0.5"),
        source=f"{_BOOK}, p. 31",
        origin=Origin.PUBLISHED,
    ),
    Oracle(
        id="IPCC-D sum, unrounded",
        what="the same before rounding",
        expected=_D("28442.5"),
        got=lambda: _summed(_INCREMENTS, scale=_TO_PROJECT).value,
        within=_D(0),
        source=f"{_BOOK}, p. 31",
        origin=Origin.DERIVED,
    ),
    Oracle(
        id="IPCC-D half-width",
        what="its 95 % half-width, t CO2e; the book prints 4,419, which leaves out one of the five terms of 0.1",
        expected=_D("4423"),
        got=lambda: _summed(_INCREMENTS, scale=_TO_PROJECT).absolute,
        within=_D(5),
        source=f"{_BOOK}, p. 31",
        origin=Origin.DERIVED,
    ),
    Oracle(
        id="IPCC-E one",
        what="plots of a single stratum",
        expected=_D(29),
        got=lambda: _D(whole_units(_plots(("62500", "27.1")))),
        within=_D(0),
        source=f"{_BOOK}, pp. 16-17",
        origin=Origin.PUBLISHED,
    ),
    Oracle(
        id="IPCC-E three",
        what="plots of three strata",
        expected=_D(18),
        got=lambda: _D(whole_units(_plots(*_STRATA))),
        within=_D(0),
        source=f"{_BOOK}, pp. 16-17",
        origin=Origin.PUBLISHED,
    ),
    Oracle(
        id="IPCC-E one, unrounded",
        what="plots of a single stratum before rounding up",
        expected=_D("28.45"),
        got=lambda: _plots(("62500", "27.1")),
        within=_D("0.005"),
        source=f"{_BOOK}, pp. 16-17",
        origin=Origin.DERIVED,
    ),
    Oracle(
        id="IPCC-E three, unrounded",
        what="plots of three strata before rounding up",
        expected=_D("17.88"),
        got=lambda: _plots(*_STRATA),
        within=_D("0.005"),
        source=f"{_BOOK}, pp. 16-17",
        origin=Origin.DERIVED,
    ),
)
