from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import assume, given
from hypothesis import strategies as st

from mrv_assets.domain.digest import content_digest, sorted_by
from mrv_assets_tests.strategies import COLUMN_TYPES, tables, text


def digest(table: pa.Table) -> str:
    """Return the digest of a generated table."""
    return content_digest(table, key=["key"])


def recast(table: pa.Table, kinds: dict[pa.DataType, pa.DataType]) -> pa.Table:
    """Return the table with columns of some types in another encoding."""
    fields = [pa.field(f.name, kinds.get(f.type, f.type)) for f in table.schema]
    return table.cast(pa.schema(fields))


def dictionaries(table: pa.Table) -> pa.Table:
    """Return the table with its texts and binaries encoded by dictionaries."""
    encoded = [
        c.dictionary_encode() if pa.types.is_string(c.type) or pa.types.is_binary(c.type) else c for c in table.columns
    ]
    return pa.table(encoded, names=table.column_names)


ENCODINGS: dict[str, Callable[[pa.Table], pa.Table]] = {
    "large": lambda t: recast(t, {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}),
    "views": lambda t: recast(t, {pa.string(): pa.string_view(), pa.binary(): pa.binary_view()}),
    "dictionaries": dictionaries,
    "metadata": lambda t: t.replace_schema_metadata({"pandas": "{}"}),
    "one chunk a row": lambda t: pa.concat_tables([t.slice(i, 1) for i in range(t.num_rows)] or [t]),
    "empty chunks between": lambda t: pa.concat_tables([t.slice(0, 0), t, t.slice(0, 0)]),
    "slice of a longer table": lambda t: pa.concat_tables([t, t]).combine_chunks().slice(t.num_rows),
}


@given(table=tables())
def test_digest_does_not_depend_on_the_encoding(table: pa.Table) -> None:
    """Chunks, views, dictionaries, offsets and metadata say nothing, so they change nothing."""
    found = {name: digest(encode(table)) for name, encode in ENCODINGS.items()}
    assert found == dict.fromkeys(ENCODINGS, digest(table))


@given(table=tables(), draw=st.randoms(use_true_random=False))
def test_digest_does_not_depend_on_the_order_of_rows(table: pa.Table, draw: Random) -> None:
    """Rows are sorted by their key before they are hashed."""
    order = list(range(table.num_rows))
    draw.shuffle(order)
    assert digest(table.take(pa.array(order, pa.int64()))) == digest(table)


@given(table=tables(), draw=st.randoms(use_true_random=False), piece=st.integers(1, 200))
def test_rows_are_sorted_whatever_the_pieces(table: pa.Table, draw: Random, piece: int) -> None:
    """A table of more than an Arrow array holds is sorted in pieces, and is the same table."""
    order = list(range(table.num_rows))
    draw.shuffle(order)
    shuffled = table.take(pa.array(order, pa.int64()))
    assert sorted_by(shuffled, ["key"], piece=piece).equals(sorted_by(table, ["key"]))


@given(table=tables(min_rows=1))
def test_digest_does_not_depend_on_the_library_that_built_the_table(table: pa.Table) -> None:
    """The same rows from pandas, polars and Arrow have one digest, once the types are those of the contract."""
    plain = table.drop_columns(["measure"])  # pandas has one word for NaN and null
    by_polars = pl.DataFrame(plain.to_pydict(), schema_overrides={"tonnes": pl.Decimal(38, 9)}).to_arrow()
    by_pandas = pa.Table.from_pandas(pd.DataFrame(plain.to_pydict(), dtype=object), schema=plain.schema)
    assert digest(by_polars.cast(_widened(plain.schema, by_polars.schema))) == digest(plain)
    assert digest(by_pandas) == digest(plain)


def _widened(wanted: pa.Schema, found: pa.Schema) -> pa.Schema:
    """Keep polars' own text encodings; give a column that is null throughout its type."""
    return pa.schema([wanted.field(f.name) if pa.types.is_null(f.type) else f for f in found])


@given(table=tables(min_rows=1), data=st.data())
def test_any_single_value_changes_the_digest(table: pa.Table, data: st.DataObject) -> None:
    """Another value in one cell, or null for a value, is another content."""
    name = data.draw(st.sampled_from(sorted(COLUMN_TYPES)))
    kind, values = COLUMN_TYPES[name]
    index = data.draw(st.integers(0, table.num_rows - 1))
    cells = table.column(name).to_pylist()
    changed = [*cells[:index], data.draw(st.none() | values), *cells[index + 1 :]]
    assume(not _is_same(cells[index], changed[index]))
    other = table.set_column(table.column_names.index(name), name, pa.array(changed, kind))
    assert digest(other) != digest(table)


def _is_same(one: object, other: object) -> bool:
    """Tell whether two cells are one value: all NaNs are, and so are 0.0 and -0.0."""
    both_nan = isinstance(one, float) and isinstance(other, float) and math.isnan(one) and math.isnan(other)
    return one == other or both_nan


@given(table=tables(min_rows=1), extra=text)
def test_key_is_part_of_the_content(table: pa.Table, extra: str) -> None:
    """Renaming one row changes the digest."""
    keys = table.column("key").to_pylist()
    assume(extra not in keys)
    assert digest(table.set_column(0, "key", pa.array([extra, *keys[1:]], pa.string()))) != digest(table)


@given(table=tables(min_rows=1))
def test_column_names_and_types_are_part_of_the_content(table: pa.Table) -> None:
    """The same values under another name, in another order or as another type are another content."""
    renamed = table.rename_columns([{"text": "binary_", "binary": "text_"}.get(n, n) for n in table.column_names])
    assert digest(renamed) != digest(table)
    assert digest(table.select(["key", *reversed(table.column_names[1:])])) != digest(table)
    index = table.column_names.index("flag")
    assert digest(table.set_column(index, "flag", table.column("flag").cast(pa.int64()))) != digest(table)


@given(one=st.lists(text, min_size=1, max_size=5), other=st.lists(text, min_size=1, max_size=5))
def test_swapped_columns_are_another_content(one: list[str], other: list[str]) -> None:
    """Two columns of one type that change places are noticed, also when their joined bytes are the same."""
    size = min(len(one), len(other))
    one, other = one[:size], other[:size]
    assume(one != other)
    keys = pa.array([str(number) for number in range(size)])
    straight = pa.table({"key": keys, "a": pa.array(one, pa.string()), "b": pa.array(other, pa.string())})
    swapped = pa.table({"key": keys, "a": pa.array(other, pa.string()), "b": pa.array(one, pa.string())})
    assert digest(straight) != digest(swapped)


@given(table=tables(min_rows=1))
def test_negative_zero_is_zero_and_every_nan_is_one_value(table: pa.Table) -> None:
    """The sign of zero and the payload of NaN say nothing."""
    index, measure = table.column_names.index("measure"), table.column("measure")
    flipped = pc.if_else(pc.equal(measure, 0.0), pc.negate(measure), measure)
    flipped = pc.if_else(pc.is_nan(measure), pc.negate(measure), flipped)
    assert digest(table.set_column(index, "measure", flipped)) == digest(table)
