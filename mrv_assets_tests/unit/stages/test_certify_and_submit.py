from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.contract import LEDGER
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.partition import Asset
from mrv_assets.stages.certify import certify, stated
from mrv_assets.stages.submit import ledger_row
from mrv_assets_tests.builders import INPUTS, KEY, good_case, table_of


def certified(strata: pa.Table) -> Certificate:
    """Certify strata without subjects."""
    return certify(strata, key=KEY, standard="GHG Protocol", inputs=INPUTS, subjects=())


def stratum(emissions: str, removals: str, *, epoch: str = "2021", rows: int = 1) -> dict[str, object]:
    """Return one stratum."""
    return {
        "activity_id": "a",
        "region": "r",
        "epoch": epoch,
        "rows": rows,
        "emissions_tco2e": Decimal(emissions),
        "removals_tco2e": Decimal(removals),
    }


def test_totals_are_the_sums_over_strata() -> None:
    """Emissions, removals and rows add up exactly."""
    strata = table_of(Asset.AGGREGATED, [stratum("0.1", "0"), stratum("0.2", "0.3", epoch="2021-Q1", rows=4)])
    totals = certified(strata).totals
    assert (totals.emissions_tco2e, totals.removals_tco2e, totals.activity_rows) == (Decimal("0.3"), Decimal("0.3"), 5)


def test_same_arguments_give_the_same_bytes() -> None:
    """A certificate holds no clock and no run, so making it again gives the document again, whatever the row order."""
    case = good_case(Asset.CERTIFICATE)
    made = Certificate.from_bytes(case.staged.document, where="under test")
    strata = case.upstream[Asset.AGGREGATED]
    assert not isinstance(strata, bytes)
    again = certify(
        strata.take([2, 0, 1]),
        key=KEY,
        standard=made.standard,
        inputs=made.inputs,
        subjects=made.subjects,
    )
    assert stated(again).document == case.staged.document
    sealed = {"certificate_sha256": sha256_hex(case.staged.document)}
    assert stated(again).evidence == sealed | Certificate.from_bytes(case.staged.document, where="test").totals.tonnes


def test_no_strata_are_certified_as_nothing_for_the_gates_to_refuse() -> None:
    """Totals over no strata are 0 with nine decimals; `totals_agree` turns red on them."""
    totals = certified(table_of(Asset.AGGREGATED, [])).totals
    assert (str(totals.emissions_tco2e), totals.activity_rows) == ("0E-9", 0)


def test_ledger_row_says_what_the_certificate_says() -> None:
    """The row names the certificate by digest and repeats its figure."""
    certificate = certified(table_of(Asset.AGGREGATED, [stratum("5.5", "1.25", rows=3)]))
    (row,) = ledger_row(certificate).table.to_pylist()
    assert row == {
        "project_id": KEY.project_id,
        "period": KEY.period,
        "factor_version": KEY.factor_version,
        "emissions_tco2e": Decimal("5.5"),
        "removals_tco2e": Decimal("1.25"),
        "net_tco2e": Decimal("4.25"),
        "activity_rows": 3,
        "certificate_sha256": sha256_hex(certificate.to_bytes()),
    }
    assert len(LEDGER.digest(ledger_row(certificate).table)) == 64


@pytest.mark.parametrize(
    ("emissions", "removals", "net"),
    [
        ("1", "3.000000001", "-2.000000001"),
        ("99999999999999999999.999999999", "0.000000001", "99999999999999999999.999999998"),
    ],
    ids=["net removal", "wider than the default context"],
)
def test_net_is_exact_and_may_be_negative(emissions: str, removals: str, net: str) -> None:
    """A net removal is recorded as such, and no digit of the difference is rounded away."""
    (row,) = ledger_row(certified(table_of(Asset.AGGREGATED, [stratum(emissions, removals)]))).table.to_pylist()
    assert row["net_tco2e"] == Decimal(net)
