from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import pyarrow as pa
import pytest

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.staged import Staged
from mrv_assets.stages.factor import apply_factors, product_tco2e
from mrv_assets_tests.builders import FACTORS, KEY, WHERE, gwp, release, table_of, tonnes


def normalized(*rows: Mapping[str, object]) -> pa.Table:
    """Return normalised rows; a row says only in what it differs from one MWh delivered in 2021."""
    usual = {
        "activity_id": "electricity.delivered",
        "region": "US/MROW",
        "epoch": "2021",
        "activity_qty": 1.0,
        "unit": "megawatt_hour",
        "geometry": b"",
        "area_ha": 1.0,
    }
    return table_of(Asset.NORMALIZED, [{"row_id": f"r{n}", **usual, **row} for n, row in enumerate(rows)])


def factored(*rows: Mapping[str, object], using: FactorRelease | None = None) -> Staged:
    """Apply a release, by default the small one, to rows."""
    return apply_factors(normalized(*rows), release=using or release(), where=WHERE)


def refused(*rows: Mapping[str, object], using: FactorRelease | None = None, says: str) -> str:
    """Return the gate that refuses these rows, saying this."""
    with pytest.raises(GateError, match=says) as caught:
        factored(*rows, using=using)
    return caught.value.gate


def only(staged: Staged, column: str) -> Decimal:
    """Return the value of the only row."""
    (value,) = staged.table.column(column).to_pylist()
    assert isinstance(value, Decimal)
    return value


@pytest.mark.parametrize(
    ("quantity", "ef", "product"),
    [
        (0.1, "3", "0.300000000"),
        (0.5, "0.000000001", "0.000000000"),
        (1.5, "0.000000001", "0.000000002"),
        (2.5, "0.000000001", "0.000000002"),
        (2.5000000000000004, "0.000000001", "0.000000003"),
        (4437787.2208569858, "0.4548988521033110", "2018744.312646586"),
        (-0.0, "1", "0.000000000"),
        (5e-324, "1", "0.000000000"),
        (123456789012345.67, "8.1", "999999990999999.927000000"),
    ],
    ids=[
        "no float",
        "half to even, down",
        "half to even, up",
        "half to even, 2",
        "above half",
        "real",
        "-0",
        "tiny",
        "large",
    ],
)
def test_product_is_exact_but_for_one_rounding(quantity: float, ef: str, product: str) -> None:
    """The quantity counts as the decimal it prints as; the product is rounded once, half to even, to 1e-9 t."""
    assert product_tco2e(quantity, Decimal(ef)) == Decimal(product)


def test_gases_combine_into_one_factor_per_row() -> None:
    """Pounds of CO2 and CH4 per MWh become one factor in tonnes of CO2e, exact to the last decimal."""
    staged = factored({"activity_qty": 2.5})
    assert only(staged, "ef_value") == (Decimal("995.8") + Decimal("0.107") * Decimal("27.9")) * Decimal(
        "0.00045359237"
    )
    assert only(staged, "emissions_tco2e") == tonnes("1.132603478")


@pytest.mark.parametrize(("gwp_set", "expected"), [("ar4", "25"), ("ar5", "28"), ("ar6", "27.9")])
def test_tonne_of_methane_counts_by_the_pinned_gwp_set_only(gwp_set: str, expected: str) -> None:
    """One tonne of CH4 is 25, 28 or 27.9 t CO2e as the release pins AR4, AR5 or AR6."""
    rows = [{"gas": "CH4", "ef_value": "1", "numerator_unit": "t"}]
    staged = factored({}, using=release(rows, gwp_set=gwp_set))
    assert only(staged, "emissions_tco2e") == Decimal(expected)
    assert (staged.evidence["gwp_set"], staged.evidence["gwp_set_digest"]) == (gwp_set, gwp(gwp_set).digest)


def test_thousand_short_tons_are_converted_once() -> None:
    """One short ton of CO2 per MWh over 1000 MWh is 907.18474 t, not 1000 and not 822.98."""
    rows = [{"ef_value": "1", "numerator_unit": "short_ton"}]
    assert only(factored({"activity_qty": 1000.0}, using=release(rows)), "emissions_tco2e") == tonnes("907.18474")


def test_removals_stand_in_their_own_column() -> None:
    """A removal is positive in `removals_tco2e` and leaves `emissions_tco2e` at 0."""
    staged = factored({"activity_id": "land_cover.tree", "unit": "kilometer ** 2", "activity_qty": 3.0})
    assert only(staged, "removals_tco2e") == tonnes("987.224481054")
    assert only(staged, "emissions_tco2e") == 0
    assert staged.table.column("flux").to_pylist() == ["removal"]


def test_one_row_stays_one_row() -> None:
    """Joining three factor rows fans nothing out."""
    staged = factored(*[{}] * 5, {"activity_id": "land_cover.tree", "unit": "kilometer ** 2"})
    assert staged.table.column("row_id").to_pylist() == [f"r{n}" for n in range(6)]
    assert staged.evidence["matched_keys"] == "2"


def test_record_pins_release_and_gwp_set() -> None:
    """Version, release digest and GWP set are measured for the record."""
    staged = factored({})
    assert staged.evidence["factor_version"] == KEY.factor_version
    assert staged.evidence["factor_release_digest"] == release().digest


def test_unmatched_activities_are_listed_with_the_closest_known() -> None:
    """Every distinct key without a factor is counted, five are shown, and the nearest spelling is offered."""
    rows = [{"activity_id": f"electricity.delivred{n}"} for n in range(7)] + [{}]
    says = (
        "found 7: 'electricity.delivred0 US/MROW megawatt_hour 2021', .* and 2 more; "
        "closest known: 'electricity.delivered US/MROW megawatt_hour 2021-01-01 to 2021-12-31'"
    )
    assert refused(*rows, *rows, says=says) == "factors_matched"


@pytest.mark.parametrize(
    "row",
    [
        {"activity_id": "electricity.sold"},
        {"region": "US/SRSO"},
        {"unit": "kilowatt_hour"},
        {"epoch": "2020"},
        {"epoch": "2021-07-01_2022-06-30"},
    ],
    ids=["activity", "region", "unit", "year", "epoch beyond the validity"],
)
def test_factor_has_to_match_in_every_part_of_its_key(row: Mapping[str, object]) -> None:
    """No factor is taken from another activity, region, unit or time, and no quantity is converted to fit one."""
    assert refused(row, says="activity has no factor") == "factors_matched"


def test_gas_that_ends_within_the_epoch_is_not_left_out() -> None:
    """When one gas covers half the epoch, the sum over gases is not taken over the rest."""
    rows: Sequence[Mapping[str, str]] = [FACTORS[0], {**FACTORS[1], "valid_to": "2021-06-30"}]
    says = "covers all of 2021 or none of it.*found CH4 from 2021-01-01 to 2021-06-30"
    assert refused({}, using=release(rows), says=says) == "factors_matched"


@pytest.mark.parametrize(
    "quantity", [None, float("nan"), float("inf"), float("-inf"), -5.0], ids=["null", "NaN", "inf", "-inf", "negative"]
)
def test_poisoned_quantity_is_refused_by_row(quantity: float | None) -> None:
    """A quantity that the gates should have stopped is not multiplied."""
    assert refused({}, {"activity_qty": quantity}, says=f"1 row.*'r1: {quantity}'") == "quantity_valid"


@pytest.mark.parametrize("quantity", [1e17, 1e300], ids=["just above", "far above"])
def test_row_above_any_real_tonnage_is_refused(quantity: float) -> None:
    """A row of more than 1e15 t is refused, so that no sum of rows can overflow."""
    assert refused({"activity_qty": quantity}, says="row 'r0'.*at most 1E[+]15 t CO2e") == "tonnage_valid"


def test_no_rows_are_no_rows() -> None:
    """An empty table is no error here; the gates are red about it."""
    assert factored().rows == 0
