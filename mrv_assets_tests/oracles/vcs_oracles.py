"""Oracles of the VCS programme: uncertainty, vintages and materiality."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal

from mrv_assets.compliance.controls.materiality import misstated_share
from mrv_assets.crediting.account import Step
from mrv_assets.crediting.vcs_uncertainty import discount_factor, excess, vcs_uncertainty
from mrv_assets.crediting.vintages import calendar_spans
from mrv_assets.domain.confidence import HalfWidth90, HalfWidth95
from mrv_assets.domain.partition import Period
from mrv_assets.uncertainty.approach_1 import product
from mrv_assets_tests.monitored import VCS, account, rule
from mrv_assets_tests.oracles.oracle import Oracle, Origin

_MR = "VCS Methodology Requirements v5.0 §2.4"
_RIP = "VCS Registration and Issuance Process v4.4 §4.1.2"
_UNC = rule("vcs-5.0", "VCS-UNC-01")


def _example() -> Step:
    """The document's project: 100 000 t with a standard error of 20 000 t."""
    package = VCS.without("result_half_width").with_(result_standard_error_tco2e="20000")
    return vcs_uncertainty(account(package, running="100000"), _UNC)


def _rounded_as_printed() -> Decimal:
    """Round the discount factor to 8.6 % as the document does before it multiplies."""
    factor = _example().numbers["uncertainty_deduction_share"].quantize(Decimal("0.001"), ROUND_HALF_EVEN)
    return 100_000 * (1 - factor)


def _factor(share: str) -> Decimal:
    return discount_factor(
        HalfWidth90(relative=Decimal(share)),
        free=_UNC.threshold("free"),
        two_sided_90=_UNC.threshold("t_two_sided_90"),
        one_sided_67=_UNC.threshold("t_one_sided_67"),
    )


def _quadrature() -> Decimal:
    parts = [HalfWidth90(relative=Decimal(share)) for share in ("0.02", "0.05")]
    return product(parts, where="oracle").relative


def _oracle(
    id_: str, what: str, expected: str, got: Callable[[], Decimal], within: str, source: str, origin: Origin
) -> Oracle:
    return Oracle(
        id=id_,
        what=what,
        expected=Decimal(expected),
        got=got,
        within=Decimal(within),
        source=source,
        origin=origin,
    )


_PUBLISHED, _DERIVED = Origin.PUBLISHED, Origin.DERIVED
_SPANS = calendar_spans(Period.parse("2020-01-01_2021-06-30"))
ORACLES = (
    _oracle("VCS-A", "activity data 2 %, factor 5 %: half-width", "0.054", _quadrature, "0.0005", _MR, _PUBLISHED),
    _oracle(
        "VCS-B1",
        "100 000 t, standard error 20 000 t: half-width",
        "0.329",
        lambda: _example().numbers["half_width_share"],
        "0.0005",
        _MR,
        _PUBLISHED,
    ),
    _oracle(
        "VCS-B2",
        "… discount factor",
        "0.086",
        lambda: _example().numbers["uncertainty_deduction_share"],
        "0.0005",
        _MR,
        _PUBLISHED,
    ),
    _oracle("VCS-B3", "… credited, factor rounded to 8.6 % first", "91400", _rounded_as_printed, "0", _MR, _PUBLISHED),
    _oracle(
        "VCS-B4",
        "… credited, factor not rounded",
        "91386",
        lambda: 100_000 + _example().change_tco2e,
        "0.5",
        f"{_MR}, formula",
        _DERIVED,
    ),
    _oracle(
        "VCS-C1", "half-width 25 % at 90 %: deduction", "0.0655", lambda: _factor("0.25"), "0.00005", _MR, _DERIVED
    ),
    _oracle(
        "VCS-C2",
        "half-width 29.8 % at 95 %: deduction of VMD0017",
        "0.148",
        lambda: excess(HalfWidth95(relative=Decimal("0.298")), allowed=Decimal("0.15")),
        "0",
        "VMD0017 v2.2, formula",
        _DERIVED,
    ),
    _oracle(
        "VCS-D1",
        "1 Jan 2020 to 30 Jun 2021: vintages",
        "2",
        lambda: Decimal(len(_SPANS)),
        "0",
        f"{_RIP}, Box 1",
        _PUBLISHED,
    ),
    _oracle(
        "VCS-D2",
        "… days of the second, 1 Jan to 30 Jun 2021",
        "181",
        lambda: Decimal(_SPANS[1].days),
        "0",
        f"{_RIP}, Box 1",
        _PUBLISHED,
    ),
    _oracle(
        "VCS-F",
        "10 000 t reported, 9 480 t correct: misstated share",
        "0.052",
        lambda: misstated_share(Decimal(10_000), [Decimal(9_480 - 10_000)], where="oracle"),
        "0",
        "VCS Standard v5.0 §4.1.9(4), base is what is reported",
        _DERIVED,
    ),
)
