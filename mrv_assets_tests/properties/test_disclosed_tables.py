from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mrv_assets.domain.column_digest import ColumnSummary
from mrv_assets.domain.contract import Column, Shape, saying
from mrv_assets.domain.digest import canonical_json
from mrv_assets.domain.disclosure import Disclosed, verify_disclosed, withhold
from mrv_assets.domain.errors import DigestMismatch
from mrv_assets.storage.parquet import to_parquet
from mrv_assets_tests.strategies import COLUMN_TYPES, tables

TYPES = {"key": pa.string(), **{name: kind for name, (kind, _) in COLUMN_TYPES.items()}}
EVERY_TYPE = Shape(
    version="every-type-1",
    grain="one row per key",
    key=("key",),
    columns=tuple(Column(name=name, type=kind, meaning="", nullable=name != "key") for name, kind in TYPES.items()),
)
SAID: Mapping[str, str] = {"crs": "EPSG:6933"}
subsets = st.sets(st.sampled_from(sorted(COLUMN_TYPES)))


def said(table: pa.Table) -> pa.Table:
    """Return a generated table that says something of itself."""
    return saying(table, SAID)


def verify(table: pa.Table, disclosed: Disclosed, sealed: pa.Table) -> None:
    """Check what is shown against the digest of the table that was sealed."""
    verify_disclosed(table, disclosed, content_digest=EVERY_TYPE.digest(sealed), where="under test")


@given(table=tables(), withheld=subsets)
def test_a_table_without_any_of_its_columns_is_still_the_sealed_one(table: pa.Table, withheld: set[str]) -> None:
    """Also after the document has travelled as JSON, and the table in another encoding."""
    sealed = said(table)
    disclosed = withhold(sealed, EVERY_TYPE, withheld)
    travelled = Disclosed.from_json(json.loads(canonical_json(disclosed.to_json())), where="under test")
    shown = disclosed.shown_of(sealed)
    assert set(shown.column_names) == set(TYPES) - withheld
    verify(shown, travelled, sealed)
    pieces = [shown.slice(row, 1) for row in range(shown.num_rows)] or [shown]
    verify(pa.concat_tables(pieces).select(sorted(shown.column_names)), travelled, sealed)


@given(table=tables(min_rows=1), withheld=subsets, data=st.data())
def test_any_other_shown_cell_is_refused_by_its_column(
    table: pa.Table, withheld: set[str], data: st.DataObject
) -> None:
    """Another value, or null for a value."""
    sealed = said(table)
    disclosed = withhold(sealed, EVERY_TYPE, withheld)
    shown = disclosed.shown_of(sealed)
    name = data.draw(st.sampled_from(sorted(shown.column_names)))
    kind, values = COLUMN_TYPES.get(name, (pa.string(), st.text("abc")))
    row = data.draw(st.integers(0, shown.num_rows - 1))
    cells = shown.column(name).to_pylist()
    other = data.draw(st.none() | values)
    assume(not _is_same(cells[row], other))
    cells[row] = other
    forged = shown.set_column(shown.column_names.index(name), name, pa.array(cells, kind))
    with pytest.raises(DigestMismatch, match=rf"column {name} \("):
        verify(forged, disclosed, sealed)


def _is_same(one: object, other: object) -> bool:
    """Tell whether two cells are one value: all NaNs are, and so are 0.0 and -0.0."""
    both_nan = isinstance(one, float) and isinstance(other, float) and math.isnan(one) and math.isnan(other)
    return one == other or both_nan


@given(table=tables(min_rows=2), withheld=subsets, data=st.data())
def test_other_rows_and_columns_are_refused(table: pa.Table, withheld: set[str], data: st.DataObject) -> None:
    """Rows that went, came twice or stand in another order; a column that went, came or has another name or type."""
    sealed = said(table)
    disclosed = withhold(sealed, EVERY_TYPE, withheld)
    shown = disclosed.shown_of(sealed)
    row = data.draw(st.integers(1, shown.num_rows - 1))
    name = data.draw(st.sampled_from(sorted(shown.column_names)))
    at, column = shown.column_names.index(name), shown.column(name)
    others = {
        "a row less": shown.slice(row),
        "a row twice": pa.concat_tables([shown, shown.slice(row, 1)]),
        "another order": pa.concat_tables([shown.slice(row), shown.slice(0, row)]),
        "a column less": shown.drop_columns([name]),
        "a column more": shown.append_column("more", column),
        "another name": shown.rename_columns({name: "other"}),
        "another type": shown.set_column(at, name, pa.nulls(shown.num_rows, _other_type(column.type))),
        "says nothing": saying(shown, {}),
        "says more": saying(shown, {**SAID, "note": ""}),
    }
    for other in others.values():
        with pytest.raises(DigestMismatch, match="is not what was sealed"):
            verify(other, disclosed, sealed)


def _other_type(kind: pa.DataType) -> pa.DataType:
    return pa.int64() if pa.types.is_string(kind) else pa.string()


@given(table=tables(), withheld=subsets, data=st.data())
def test_any_other_word_of_the_document_is_refused(table: pa.Table, withheld: set[str], data: st.DataObject) -> None:
    """A digit of any digest, a name, a type, a number of rows, the key, what the table says; shown or withheld."""
    sealed = said(table)
    disclosed = withhold(sealed, EVERY_TYPE, withheld)
    summary, shown = disclosed.summary, disclosed.shown_of(sealed)
    at = data.draw(st.integers(1, len(summary.columns) - 1))
    part = data.draw(st.sampled_from(["type", "present", "lengths", "values"]))
    column = _spoiled(summary.columns[at], part)
    key = tuple(sorted({"key", *(name for name in COLUMN_TYPES if name not in withheld)}))
    others = [
        replace(summary, columns=(*summary.columns[:at], column, *summary.columns[at + 1 :])),
        replace(summary, columns=(summary.columns[0], *reversed(summary.columns[1:]))),
        replace(summary, rows=summary.rows + 1),
        replace(summary, about={**SAID, "crs": "EPSG:4326"}),
        *([replace(summary, key=key)] if key != summary.key else []),
    ]
    for other in others:
        with pytest.raises(DigestMismatch, match="is not what was sealed"):
            verify(shown, replace(disclosed, summary=other), sealed)


def _spoiled(column: ColumnSummary, part: str) -> ColumnSummary:
    changes: dict[str, Any] = {part: "0" + getattr(column, part)[:-1]}
    assume(changes[part] != getattr(column, part))
    return replace(column, **changes)


@given(table=tables(min_rows=1), withheld=subsets, data=st.data())
def test_what_is_shown_tells_nothing_of_what_is_withheld_but_its_digests(
    table: pa.Table, withheld: set[str], data: st.DataObject
) -> None:
    """With other withheld values the file is the same to the byte, and the document but for the digests of these."""
    sealed = said(table)
    other = sealed
    for name in sorted(withheld):
        kind, values = COLUMN_TYPES[name]
        cells = data.draw(st.lists(st.none() | values, min_size=table.num_rows, max_size=table.num_rows))
        other = other.set_column(other.column_names.index(name), name, pa.array(cells, kind))
    one, two = (withhold(each, EVERY_TYPE, withheld) for each in (sealed, other))
    assert to_parquet(one.shown_of(sealed)) == to_parquet(two.shown_of(other))
    assert _blanked(one) == _blanked(two)


def _blanked(disclosed: Disclosed) -> bytes:
    """Return the document without the digests of withheld columns."""
    columns = tuple(
        replace(column, present="", lengths="", values="") if column.name in disclosed.withheld else column
        for column in disclosed.summary.columns
    )
    return canonical_json(replace(disclosed, summary=replace(disclosed.summary, columns=columns)).to_json())
