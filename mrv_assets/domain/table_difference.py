"""Where two tables of one shape differ: row by row, by the key that tells rows apart, and in tonnes.

What does not belong here: reading the tables (storage) and showing the difference (cli).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.domain.contract import about
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.json_difference import NOTHING, LeafDifference, json_differences

FIRST_ROWS = 10
_WIDE = {
    pa.string(): pa.large_string(),
    pa.string_view(): pa.large_string(),
    pa.binary(): pa.large_binary(),
    pa.binary_view(): pa.large_binary(),
}
Key: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellDifference:
    """One value that differs, in the row of `key`; null is `nothing`, bytes are told by length and digest."""

    key: Key
    column: str
    sealed: str
    recomputed: str

    def __str__(self) -> str:
        return f"{' / '.join(self.key)}, {self.column}: sealed {self.sealed}, recomputed {self.recomputed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDifference:
    """What is other in the recomputed table: the counts of everything, and the first of each.

    `missing` are rows that only the sealed table has, `added` rows that only the recomputed one has. `said` is what the
    tables say of themselves as a whole, such as their CRS. `tonnes` is the net of the recomputed table less that of the
    sealed one, t CO2e, None for tables without tonnes.
    """

    changed_rows: int
    missing_rows: int
    added_rows: int
    cells: Sequence[CellDifference]
    missing: Sequence[Key]
    added: Sequence[Key]
    columns: Sequence[LeafDifference]
    said: Sequence[LeafDifference]
    tonnes: Decimal | None


def table_difference(
    sealed: pa.Table, recomputed: pa.Table, *, key: Sequence[str], first: int = FIRST_ROWS
) -> TableDifference:
    """Compare two tables by `key`; the order of rows and their encoding say nothing. Keys that repeat are counted up.

    Numbers are compared as the content digest compares them: 0.0 and -0.0 are one value, and so are all NaNs.
    """
    old, new = _rows(sealed, key), _rows(recomputed, key)
    common = sorted(old.keys() & new.keys())
    missing, added = sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())
    columns = [name for name in sealed.column_names if name in recomputed.column_names and name not in key]
    at, there = [old[each] for each in common], [new[each] for each in common]
    differs = {name: _differing(sealed.column(name), recomputed.column(name), at, there) for name in columns}
    rows = sorted({row for found in differs.values() for row in found})
    cells = [
        CellDifference(
            key=common[row][1:],
            column=name,
            sealed=_text(sealed.column(name)[at[row]].as_py()),
            recomputed=_text(recomputed.column(name)[there[row]].as_py()),
        )
        for row in rows[:first]
        for name in columns
        if row in differs[name]
    ]
    return TableDifference(
        changed_rows=len(rows),
        missing_rows=len(missing),
        added_rows=len(added),
        cells=cells,
        missing=[each[1:] for each in missing[:first]],
        added=[each[1:] for each in added[:first]],
        columns=tuple(json_differences(_types(sealed), _types(recomputed))),
        said=tuple(json_differences(about(sealed), about(recomputed))),
        tonnes=_tonnes(sealed, recomputed),
    )


def _rows(table: pa.Table, key: Sequence[str]) -> dict[Key, int]:
    """Return the position of each row by its key, before which stands how often that key came before."""
    seen: Counter[Key] = Counter()
    found: dict[Key, int] = {}
    names = [name for name in key if name in table.column_names]
    for number, values in enumerate(zip(*(table.column(name).to_pylist() for name in names), strict=True)):
        parts = tuple(_text(value) for value in values)
        found[(f"{seen[parts]:09d}", *parts)] = number
        seen[parts] += 1
    return found


def _differing(old: pa.ChunkedArray, new: pa.ChunkedArray, at: Sequence[int], there: Sequence[int]) -> set[int]:
    """Return the positions in the two lists of rows at which the values differ."""
    ours, theirs = _picked(old, at), _picked(new, there)
    if ours.type != theirs.type:
        return set(range(len(at)))
    same = pc.fill_null(pc.equal(ours, theirs), fill_value=False)
    same = pc.or_(same, pc.and_(pc.is_null(ours), pc.is_null(theirs)))
    if pa.types.is_floating(ours.type):
        both = pc.and_(pc.is_nan(ours), pc.is_nan(theirs))
        same = pc.or_(same, pc.fill_null(both, fill_value=False))
    return set(pc.indices_nonzero(pc.invert(same)).to_pylist())


def _picked(column: pa.ChunkedArray, rows: Sequence[int]) -> pa.ChunkedArray:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return column.cast(_WIDE.get(kind, kind)).take(pa.array(rows, pa.int64()))


def _types(table: pa.Table) -> dict[str, str]:
    return {field.name: str(_WIDE.get(field.type, field.type)).removeprefix("large_") for field in table.schema}


def _tonnes(sealed: pa.Table, recomputed: pa.Table) -> Decimal | None:
    nets = [_net(table) for table in (sealed, recomputed)]
    before, after = nets
    return None if before is None or after is None else EXACT.subtract(after, before)


def _net(table: pa.Table) -> Decimal | None:
    columns = [table.column(name) for name in ("emissions_tco2e", "removals_tco2e") if name in table.column_names]
    if len(columns) != 2 or not all(pa.types.is_decimal(column.type) for column in columns):
        return None
    return EXACT.subtract(*map(_sum, columns))


def _sum(column: pa.ChunkedArray) -> Decimal:
    total: Decimal | None = pc.sum(column).as_py()
    return Decimal(0) if total is None else total


def _text(value: Any) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, bytes):
        return f"{len(value)} bytes, sha256 {sha256_hex(value)[:12]}"
    return format(value, "f") if isinstance(value, Decimal) else str(value)
