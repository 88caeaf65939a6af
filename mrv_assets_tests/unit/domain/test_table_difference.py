"""Two tables of one shape are compared by the key of their rows; what differs is counted whole and shown in part."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.contract import TONNES, saying
from mrv_assets.domain.digest import content_digest
from mrv_assets.domain.json_difference import json_differences
from mrv_assets.domain.table_difference import TableDifference, table_difference
from mrv_assets_tests.strategies import tables

leaves = st.none() | st.booleans() | st.integers() | st.text()
documents = st.recursive(leaves, lambda each: st.lists(each) | st.dictionaries(st.text(), each))


def tonnes(**by_row: str) -> pa.Table:
    """Return a table of emissions by row, without removals."""
    amounts = [Decimal(text).quantize(Decimal("1e-9")) for text in by_row.values()]
    return pa.table(
        {
            "row_id": list(by_row),
            "emissions_tco2e": pa.array(amounts, TONNES),
            "removals_tco2e": pa.array([Decimal(0)] * len(amounts), TONNES),
        }
    )


def compared(sealed: pa.Table, recomputed: pa.Table, first: int = 10) -> TableDifference:
    """Compare two tables whose key is row_id."""
    return table_difference(sealed, recomputed, key=("row_id",), first=first)


def test_rows_are_found_by_their_key() -> None:
    """Changed, missing and added, with the tonnes that all of it moves."""
    found = compared(tonnes(a="1", b="2", c="3"), tonnes(d="5", c="3.5", b="2"))
    assert [str(cell) for cell in found.cells] == [
        "c, emissions_tco2e: sealed 3.000000000, recomputed 3.500000000"
    ]  # fmt: skip
    assert (found.missing, found.added) == ([("a",)], [("d",)])
    assert (found.changed_rows, found.missing_rows, found.added_rows) == (1, 1, 1)
    assert found.tonnes == Decimal("4.5")


def test_only_the_first_rows_are_shown_and_all_are_counted() -> None:
    """By the order of the key."""
    old, new = ({f"r{n:03d}": str(n + more) for n in range(50)} for more in (0, 1))
    found = compared(tonnes(**old), tonnes(**new), first=3)
    assert [cell.key for cell in found.cells] == [("r000",), ("r001",), ("r002",)]
    assert found.changed_rows == 50


def test_keys_that_repeat_are_counted_up() -> None:
    """A forged table may repeat a row; nothing is lost."""
    twice = pa.concat_tables([tonnes(a="1"), tonnes(a="1")])
    found = compared(tonnes(a="1"), twice)
    assert (found.added, found.changed_rows) == ([("a",)], 0)


def test_other_columns_types_and_sayings_are_told() -> None:
    """Each by its name."""
    old = saying(tonnes(a="1"), {"crs": "EPSG:6933"})
    new = saying(tonnes(a="1").drop_columns(["removals_tco2e"]), {"crs": "EPSG:8857"})
    found = compared(old, new)
    assert [leaf.path for leaf in found.columns] == ["removals_tco2e"]
    assert [str(leaf) for leaf in found.said] == ["crs: sealed EPSG:6933, recomputed EPSG:8857"]
    assert found.tonnes is None
    other = old.set_column(1, "emissions_tco2e", pa.array(["1"]))
    assert compared(old, other).changed_rows == 1


@pytest.mark.parametrize(
    ("sealed", "recomputed", "differs"),
    [
        pytest.param(0.0, -0.0, 0, id="two zeros"),
        pytest.param(float("nan"), float("nan"), 0, id="no number twice"),
        pytest.param(None, None, 0, id="nothing twice"),
        pytest.param(None, float("nan"), 1, id="nothing and no number"),
        pytest.param(1.0, None, 1, id="something and nothing"),
        pytest.param(0.1, 0.1 + 2**-53, 1, id="the last bit"),
    ],
)
def test_numbers_are_compared_as_the_digest_does(sealed: float, recomputed: float, differs: int) -> None:
    """0.0 and -0.0 are one value, and so are all NaNs; null is a value of its own."""
    old, new = (pa.table({"row_id": ["a"], "x": pa.array([value], pa.float64())}) for value in (sealed, recomputed))
    assert compared(old, new).changed_rows == differs


def test_bytes_are_told_by_length_and_digest() -> None:
    """A polygon is not printed."""
    old, new = (pa.table({"row_id": ["a"], "geometry": pa.array([data], pa.binary())}) for data in (b"1", b"22"))
    [cell] = compared(old, new).cells
    assert cell.sealed == "1 bytes, sha256 6b86b273ff34"


@given(tables(), tables())
def test_there_is_a_difference_where_the_digests_differ(old: pa.Table, new: pa.Table) -> None:
    """And nowhere else."""
    found = table_difference(old, new, key=("key",))
    is_told = any((found.changed_rows, found.missing_rows, found.added_rows))
    assert is_told == (content_digest(old, key=("key",)) != content_digest(new, key=("key",)))


@given(documents)
def test_a_document_differs_in_nothing_from_itself(document: object) -> None:
    """Whatever it holds."""
    assert not list(json_differences(document, document))


@pytest.mark.parametrize(
    ("sealed", "recomputed", "told"),
    [
        pytest.param({"a": {"b": 1}}, {"a": {"b": 2}}, "a.b: sealed 1, recomputed 2", id="nested"),
        pytest.param({"a": 1}, {}, "a: sealed 1, recomputed nothing", id="gone"),
        pytest.param({}, {"a": None}, "a: sealed nothing, recomputed nothing", id="null is not absence"),
        pytest.param({"a": True}, {"a": 1}, "a: sealed True, recomputed 1", id="kinds"),
        pytest.param([{"name": "x", "v": 1}], [{"name": "x", "v": 2}], "[x].v: sealed 1, recomputed 2", id="named"),
        pytest.param({"a": [1, 2]}, {"a": [1]}, "a[1]: sealed 2, recomputed nothing", id="a shorter list"),
        pytest.param(
            [{"name": "x", "v": 1}] * 2, [{"name": "x", "v": 1}, {"name": "x", "v": 2}],
            "[x][1].v: sealed 1, recomputed 2", id="a name twice",
        ),
    ],
)  # fmt: skip
def test_a_leaf_is_named_by_its_path(sealed: object, recomputed: object, told: str) -> None:
    """With both values."""
    assert [str(leaf) for leaf in json_differences(sealed, recomputed)] == [told]
