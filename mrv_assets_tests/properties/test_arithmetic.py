from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from random import Random

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.contract import ACTIVITY, AGGREGATED
from mrv_assets.domain.limits import ROW_LIMIT_TCO2E
from mrv_assets.domain.partition import Asset
from mrv_assets.stages.aggregate import aggregate
from mrv_assets.stages.factor import apply_factors, product_tco2e
from mrv_assets_tests.builders import SOURCE_ROWS, WHERE, csv_bytes, ingested, release, table_of
from mrv_assets_tests.strategies import factored_rows, factors, quantities, tonnes

HALF_STEP = Fraction(1, 2 * 10**9)


def exact(values: list[Decimal]) -> Fraction:
    """Return the exact sum, in rational numbers that share no code with the platform."""
    return sum((Fraction(value) for value in values), Fraction(0))


@given(quantity=quantities, ef_value=factors)
def test_product_is_rounded_once(quantity: float, ef_value: Decimal) -> None:
    """The product is at most half a billionth of a tonne from the exact one, and even where it is exactly that."""
    product = product_tco2e(quantity, ef_value)
    off = abs(Fraction(product) - Fraction(repr(quantity)) * Fraction(ef_value))
    assert off <= HALF_STEP
    assert product == product.quantize(Decimal("1e-9"), context=Context(prec=60))
    if off == HALF_STEP:
        assert int(product.scaleb(9, context=Context(prec=60))) % 2 == 0


@given(quantity=quantities, ef_value=factors, prec=st.integers(1, 50))
def test_product_does_not_depend_on_the_decimal_context(quantity: float, ef_value: Decimal, prec: int) -> None:
    """A context that other code has left behind changes no figure."""
    expected = product_tco2e(quantity, ef_value)
    with localcontext() as context:
        context.prec = prec
        assert product_tco2e(quantity, ef_value) == expected


@given(rows=factored_rows())
def test_strata_add_up_to_the_rows_exactly(rows: list[dict[str, object]]) -> None:
    """Emissions and removals are conserved to the last decimal, and every row is in one stratum."""
    factored = table_of(Asset.FACTORED, rows)
    strata = aggregate(factored).table
    for column in ("emissions_tco2e", "removals_tco2e"):
        assert exact(strata.column(column).to_pylist()) == exact(factored.column(column).to_pylist())
    assert sum(strata.column("rows").to_pylist()) == len(rows)


@given(rows=factored_rows(), seed=st.integers(0, 2**32))
def test_strata_do_not_depend_on_the_order_of_rows(rows: list[dict[str, object]], seed: int) -> None:
    """Shuffled and chunked rows give the same content digest."""
    factored = table_of(Asset.FACTORED, rows)
    order = list(range(len(rows)))
    Random(seed).shuffle(order)
    shuffled = pa.concat_tables([factored.slice(index, 1) for index in order])
    assert AGGREGATED.digest(aggregate(shuffled).table) == AGGREGATED.digest(aggregate(factored).table)


@given(amounts=st.lists(tonnes, min_size=1, max_size=40))
def test_sum_of_any_size_keeps_its_last_decimal(amounts: list[Decimal]) -> None:
    """Tonnes of all magnitudes add up exactly, up to the bound of a row and beyond."""
    usual = {"activity_id": "a", "region": "r", "epoch": "2021", "removals_tco2e": Decimal(0)}
    rows = [
        {"row_id": str(n), **usual, "emissions_tco2e": amount} for n, amount in enumerate([ROW_LIMIT_TCO2E, *amounts])
    ]
    (total,) = aggregate(table_of(Asset.FACTORED, rows)).table.column("emissions_tco2e").to_pylist()
    assert Fraction(total) == exact([ROW_LIMIT_TCO2E, *amounts])


@given(order=st.permutations(SOURCE_ROWS))
def test_order_of_the_source_does_not_matter(order: list[tuple[str, ...]]) -> None:
    """The same records in another order are the same activity."""
    assert ACTIVITY.digest(ingested(csv_bytes(order)).table) == ACTIVITY.digest(ingested().table)


@given(amounts=st.lists(quantities, min_size=1, max_size=20))
def test_figures_scale_with_their_quantities_row_by_row(amounts: list[float]) -> None:
    """Every row's tonnes are the product of its own quantity, whatever rows stand around it."""
    usual = {"activity_id": "electricity.delivered", "region": "US/MROW", "epoch": "2021", "unit": "megawatt_hour"}
    rows = [{"row_id": f"{n:03d}", **usual, "activity_qty": q, "area_ha": 1.0} for n, q in enumerate(amounts)]
    factored = apply_factors(table_of(Asset.NORMALIZED, rows), release=release(), where=WHERE).table
    (ef_value,) = set(factored.column("ef_value").to_pylist())
    assert factored.column("emissions_tco2e").to_pylist() == [product_tco2e(q, ef_value) for q in amounts]
