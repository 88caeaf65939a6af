"""What a table of unknown make says: one digest for one meaning, and tonnes that are exact or unknown."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.pipeline.foreign_tables import ROW_ID, WHOLE_ROW, decimal_text, foreign_digest, tonnes

PLAIN = pa.table({"plot": ["a", "b", "b"], "tco2e": [1.5, 2.0, 2.0]})


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(PLAIN.take([2, 0, 1]), id="order of rows"),
        pytest.param(PLAIN.select(["tco2e", "plot"]), id="order of columns"),
        pytest.param(PLAIN.set_column(0, "plot", PLAIN["plot"].dictionary_encode()), id="dictionary"),
        pytest.param(PLAIN.set_column(0, "plot", PLAIN["plot"].cast(pa.large_string())), id="large text"),
        pytest.param(pa.concat_tables([PLAIN.slice(0, 1), PLAIN.slice(1)]), id="chunks"),
        pytest.param(PLAIN.replace_schema_metadata({"pandas": "{}"}), id="metadata"),
    ],
)
def test_the_digest_does_not_depend_on_the_layout(other: pa.Table) -> None:
    """The same rows, however they are laid out, are one content."""
    assert foreign_digest(other) == foreign_digest(PLAIN)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(PLAIN.slice(0, 2), id="one copy less"),
        pytest.param(pa.concat_tables([PLAIN, PLAIN]), id="all twice"),
        pytest.param(PLAIN.rename_columns(["name", "tco2e"]), id="another name"),
        pytest.param(PLAIN.set_column(1, "tco2e", pa.array([1.5, 2.0, 2.5])), id="another value"),
        pytest.param(PLAIN.set_column(1, "tco2e", pa.array([1.5, 2.0, 2.0], pa.float32())), id="another type"),
    ],
)
def test_another_content_has_another_digest(other: pa.Table) -> None:
    """Copies count: a table that says everything twice is not the one that says it once."""
    assert foreign_digest(other).digest != foreign_digest(PLAIN).digest


def test_rows_that_say_the_same_are_counted() -> None:
    """A writer that appended inside the file shows in the number of different rows."""
    said = foreign_digest(pa.concat_tables([PLAIN, PLAIN]))
    assert (said.key, said.distinct_rows) == (WHOLE_ROW, 2)


@pytest.mark.parametrize(
    ("ids", "key"),
    [(["1", "2", "3"], ROW_ID), (["1", "1", "2"], WHOLE_ROW), (["1", None, "2"], WHOLE_ROW)],
    ids=["unique", "repeated", "null"],
)
def test_a_row_id_tells_rows_apart_where_it_can(ids: list[str | None], key: str) -> None:
    """Only a column without nulls and repeats is one."""
    assert foreign_digest(PLAIN.append_column("row_id", pa.array(ids))).key == key


def test_types_without_canonical_form_are_digested_as_text() -> None:
    """Instants, lists, unsigned numbers and nothing at all have a digest, and their type is part of it."""
    instant = datetime(2024, 1, 1, tzinfo=UTC)
    table = pa.table(
        {
            "when": pa.array([instant], pa.timestamp("us", "UTC")),
            "parts": pa.array([[1, 2]]),
            "count": pa.array([1], pa.uint8()),
            "none": pa.nulls(1),
            "raw": pa.array([b"\xff\xfe"], pa.binary(2)),
        }
    )
    other = table.set_column(2, "count", pa.array([1], pa.uint16()))
    assert foreign_digest(table).digest != foreign_digest(other).digest


def test_one_zero_and_one_nan() -> None:
    """The sign of zero and a NaN's payload say nothing, also when rows are told apart by them."""
    one = pa.table({"x": [0.0, -0.0, float("nan"), None]})
    other = pa.table({"x": [None, -float("nan"), 0.0, 0.0]})
    assert foreign_digest(one) == foreign_digest(other)
    assert foreign_digest(one).distinct_rows == 3


def test_an_empty_table_has_a_digest() -> None:
    """No rows are a content too."""
    assert foreign_digest(PLAIN.slice(0, 0)).distinct_rows == 0


@pytest.mark.parametrize(
    "table",
    [pa.table({}), pa.table([[1], [2]], names=["a", "a"])],
    ids=["no column", "a name twice"],
)
def test_a_table_whose_columns_have_no_names_of_their_own_is_refused(table: pa.Table) -> None:
    """There is no one meaning to digest."""
    with pytest.raises(ContractError, match="table cannot be digested"):
        foreign_digest(table)


@pytest.mark.parametrize(
    ("column", "values", "total"),
    [
        pytest.param("tco2e", [0.1, 0.2, 0.3], "0.6", id="floats as they are written"),
        pytest.param("emissions_tco2e", [Decimal("6200.000000001"), Decimal(6200)], "12400.000000001", id="decimals"),
        pytest.param("tco2e", [6200, 6200], "12400", id="whole numbers"),
        pytest.param("tco2e", [1e300, 1e-300], f"1{'0' * 300}.{'0' * 299}1", id="no digit lost"),
        pytest.param("tco2e", [1.0, None], None, id="a missing value"),
        pytest.param("tco2e", [1.0, float("nan")], None, id="NaN"),
        pytest.param("tco2e", [1.0, float("inf")], None, id="infinite"),
        pytest.param("tco2e", ["1.0"], None, id="text"),
        pytest.param("tonnes", [1.0], None, id="no such column"),
    ],
)
def test_tonnes_are_exact_or_unknown(column: str, values: list[object], total: str | None) -> None:
    """An unknown tonne is not zero tonnes."""
    assert decimal_text(tonnes(pa.table({column: values}))) == total
