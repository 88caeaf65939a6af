"""Tables that keep their contract and tables that break it in one place, and cases to judge them in.

Made from the contract alone, so that a rule of the contract cannot be missing here. What does not belong here: content
as a stage would make it (builders).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import pyarrow as pa

from mrv_assets.compliance.case import Case
from mrv_assets.domain.contract import Column, Contract
from mrv_assets.domain.partition import Asset, PartitionKey, Period
from mrv_assets.domain.staged import Staged

KEY = PartitionKey(project_id="metc-anoka", period="2021", factor_version="mrow-2025.05.20")
# Texts that a pattern of the contracts may ask for, and texts that it may not.
_TEXTS = ("electricity", "2021", "0" * 64)
_OTHER_TEXTS = ("", " ", "\n", "2021\n", "2021-Q5", "0" * 63, "A" * 64)


def good_table(contract: Contract, rows: int = 3, *, has_footprints: bool = True) -> pa.Table:
    """Return a table that keeps `contract`: each row has a key of its own, and numbers are as small as they may be."""
    columns = {}
    for column in contract.columns:
        is_empty = column.nullable and not has_footprints
        values = [None if is_empty else _good_value(column, number) for number in range(rows)]
        columns[column.name] = pa.array(values, column.type)
    return pa.table(columns)


def _good_value(column: Column, number: int) -> object:
    if column.name == "row_id":
        return f"r{number}"
    if column.name in ("epoch", "period"):
        return f"{2021 + number}"
    if column.values is not None:
        return column.values[number % len(column.values)]
    if pa.types.is_string(column.type):
        return next(text for text in _TEXTS if _matches(column, text))
    if pa.types.is_binary(column.type):
        return b"wkb"
    return _number(column, column.minimum or Decimal(0))


def _number(column: Column, value: Decimal) -> object:
    if pa.types.is_floating(column.type):
        return float(value)
    return value if pa.types.is_decimal(column.type) else int(value)


def _matches(column: Column, text: str) -> bool:
    return re.fullmatch(column.pattern or "(?s).*", text, re.ASCII) is not None


def bad_values(column: Column) -> list[object]:
    """Return values that `column` may not hold, each for another reason; none where anything may stand."""
    values: list[object] = [None]
    below = None if column.minimum is None else column.minimum - 1
    if pa.types.is_floating(column.type):
        values += [float("nan"), float("inf"), float("-inf")]
    if below is not None:
        values.append(_number(column, below))
    if below is not None and pa.types.is_decimal(column.type):
        values.append(Decimal(-1).scaleb(-column.type.scale))
    if pa.types.is_string(column.type) and column.pattern is not None:
        values += [text for text in _OTHER_TEXTS if not _matches(column, text)]
    if column.values is not None:
        values += [f"{column.values[0]}s", ""]
    return values


def put(table: pa.Table, name: str, *values: object) -> pa.Table:
    """Return `table` with `values` in the first rows of one column."""
    kept = table.column(name).to_pylist()[len(values) :]
    changed = pa.array([*values, *kept], table.schema.field(name).type)
    return table.set_column(table.column_names.index(name), name, changed)


def _with_narrower_number(table: pa.Table) -> pa.Table:
    for index, field in enumerate(table.schema):
        if field.type in (pa.float64(), pa.int64()):
            narrower = pa.float32() if field.type == pa.float64() else pa.int32()
            return table.set_column(index, field.name, table.column(index).cast(narrower))
    raise ValueError("no number to cast")


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A way to break a table that is not a wrong value: what is done, and what the gate has to say."""

    name: str
    do: Callable[[pa.Table], pa.Table]
    says: str


DAMAGES: Sequence[Damage] = (
    Damage(name="no rows", do=lambda t: t.slice(0, 0), says="row count: 0, expected 1 to"),
    Damage(name="every row twice", do=lambda t: pa.concat_tables([t, t]), says="6 of 6 with the key of another row"),
    Damage(name="a row twice", do=lambda t: t.take([0, 0, 1]), says="2 of 3 with the key of another row"),
    Damage(name="no columns", do=lambda t: t.select([]), says="columns: missing"),
    Damage(name="first column gone", do=lambda t: t.select(t.column_names[1:]), says="columns: missing"),
    Damage(name="last column gone", do=lambda t: t.select(t.column_names[:-1]), says="columns: missing"),
    Damage(name="other order", do=lambda t: t.select(t.column_names[::-1]), says="columns: in another order"),
    Damage(name="column twice", do=lambda t: t.append_column(t.schema.field(0), t.column(0)), says="in all"),
    Damage(name="unknown column", do=lambda t: t.append_column("note", pa.array(["x"] * 3)), says="unknown note"),
    Damage(
        name="text of another type",
        do=lambda t: t.set_column(0, t.column_names[0], t.column(0).cast(pa.large_string())),
        says=r"unknown \w+ \(large_string\)",
    ),
    Damage(
        name="number of another type",
        do=_with_narrower_number,
        says=r"unknown \w+ \((float|int32|decimal128\(38, \d+\))\)",
    ),
)


def case_of(
    contract: Contract, table: pa.Table, *, upstream_rows: int = 3, evidence: Mapping[str, str] | None = None
) -> Case:
    """Return the case of a staged table whose upstream had this many rows; `activity` has no upstream."""
    upstream = {} if contract.asset is Asset.ACTIVITY else {Asset.ACTIVITY: pa.table({"x": [1] * upstream_rows})}
    return Case(
        key=KEY,
        period=Period.parse(KEY.period),
        staged=Staged(content=table, evidence={"footprint": "area"} if evidence is None else evidence),
        upstream=upstream,
        upstream_gates={},
        expected_gates={},
        previous=None,
        live={},
        rival=None,
    )
