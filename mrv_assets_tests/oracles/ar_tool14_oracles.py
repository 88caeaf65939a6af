"""CDM AR-TOOL14 v04.2: its worked examples, and numbers that follow from its equations."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial

from mrv_assets.crediting.ar_tool14 import Carbon, annual, difference
from mrv_assets.crediting.step_discount import Direction, bands_of, conservative, discount
from mrv_assets.crediting.stratified import Density, density
from mrv_assets.domain.confidence import HalfWidth90
from mrv_assets.uncertainty.sampling import Sample
from mrv_assets_tests.oracles.oracle import Oracle, Origin
from mrv_assets_tests.oracles.standards import rule

_BANDS = bands_of(rule("cdm-ar-tool14@4.2", "ar-tool14-uncertainty"))
_SECTION_3 = "AR-TOOL14 v04.2 paragraph 6(a)"
_APPENDIX = "AR-TOOL14 v04.2 Appendix 2 Table 1"


def _plots(name: str, mean: str, deviation: str, count: int) -> Sample:
    return Sample(name=name, count=count, mean=Decimal(mean), variance=Decimal(deviation) ** 2)


def one_stratum() -> Density:
    """Return the estimate of the example of paragraph 6(a)."""
    return density({"all": Decimal(1)}, {"all": _plots("all", "45.328", "12.776", 34)}, where="oracle")


def two_strata() -> Density:
    """Return the estimate of two strata of weights 0.6 and 0.4."""
    samples = {"a": _plots("a", "80", "20", 10), "b": _plots("b", "40", "10", 8)}
    return density({"a": Decimal(60), "b": Decimal(40)}, samples, where="oracle")


def _u(text: str) -> HalfWidth90:
    return HalfWidth90(relative=Decimal(text))


def _sixty(direction: Direction) -> Decimal:
    return conservative(Decimal(60), discount(_u("0.15"), _BANDS, where="oracle"), direction)


def _of_table(u: str) -> Decimal:
    return discount(_u(u), _BANDS, where="oracle") * 100


def _change() -> Carbon:
    earlier, later = (
        Carbon(tco2e=Decimal(stock), half_width=_u(u)) for stock, u in (("600", "0.10"), ("1000", "0.08"))
    )
    return difference(earlier, later, where="oracle")


def _one(name: str, what: str, expected: str, got: Callable[[], Decimal], within: str, source: str) -> Oracle:
    origin = Origin.PUBLISHED if source in (_SECTION_3, _APPENDIX) and not name.startswith("AR14-T") else Origin.DERIVED
    return Oracle(
        id=name, what=what, expected=Decimal(expected), got=got, within=Decimal(within), source=source, origin=origin
    )


ORACLES = [
    _one("AR14-U", "uncertainty of 45.328, s 12.776, n 34, %", "8.18", lambda: one_stratum().half_width.relative * 100,
         "0.005", _SECTION_3),
    _one("AR14-UP", "60 ± 9 in the baseline", "62.25", partial(_sixty, Direction.UP), "0", _APPENDIX),
    _one("AR14-DOWN", "60 ± 9 in the project", "57.75", partial(_sixty, Direction.DOWN), "0", _APPENDIX),
    _one("AR14-B", "mean of two strata", "64", lambda: two_strata().mean, "0", "Eq. 14"),
    _one("AR14-UB", "uncertainty of two strata, t(16), %", "11.0473", lambda: two_strata().half_width.relative * 100,
         "0.00005", "Eq. 15"),
    _one("AR14-DC", "difference of 1000 and 600 t", "400", lambda: _change().tco2e, "0", "Eq. 1"),
    _one("AR14-UC", "its uncertainty, %", "25", lambda: _change().half_width.relative * 100, "0", "Eq. 2"),
    _one("AR14-YEAR", "400 t in 4.417 years, t a year", "90.56", lambda: annual(Decimal(400), Decimal("4.417")),
         "0.005", "Eq. 11"),
    *(
        _one(f"AR14-T{u}", f"deduction at U = {u}, %", expected, partial(_of_table, u), "0", _APPENDIX)
        for u, expected in (("0.10", "0"), ("0.15", "3.75"), ("0.20", "10"), ("0.30", "22.5"), ("0.40", "40"))
    ),
]  # fmt: skip
