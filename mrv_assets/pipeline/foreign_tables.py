"""What a table of unknown make says: a digest that needs no contract, and the tonnes it adds up to.

What does not belong here: digests of contract tables (domain) and choosing among files (adopt).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, localcontext

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.domain.digest import content_digest
from mrv_assets.domain.errors import ContractError

TONNES_COLUMNS = ("tco2e", "emissions_tco2e")
ROW_ID = "row_id"
WHOLE_ROW = "all columns, with the number of copies"
_COPIES = "mrv:copies"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignDigest:
    """The content digest of a table, what tells its rows apart, and how many different rows it has."""

    digest: str
    key: str
    distinct_rows: int


def foreign_digest(table: pa.Table) -> ForeignDigest:
    """Digest what a table says, whatever the order of its rows and columns and the layout of its file.

    Rows are told apart by `row_id` where that is a column without nulls or repeats, else by all columns: equal rows
    then count as copies of one. Types without a canonical form are taken as their text, under a column name that
    says so. Raises ContractError for a table without columns or with two of one name.
    """
    plain = _plain_table(table)
    distinct = _distinct(plain)
    if _has_row_id(plain):
        return ForeignDigest(digest=content_digest(plain, key=[ROW_ID]), key=ROW_ID, distinct_rows=distinct.num_rows)
    digest = content_digest(distinct, key=plain.column_names)
    return ForeignDigest(digest=digest, key=WHOLE_ROW, distinct_rows=distinct.num_rows)


def tonnes(table: pa.Table) -> Decimal | None:
    """Return the exact sum of the first of `tco2e` and `emissions_tco2e` that the table has, t CO2e.

    A float counts as the shortest decimal that reads back as it. None when there is no such column, or when a value
    is missing, no number or not finite: an unknown tonne is not zero tonnes.
    """
    name = next((name for name in TONNES_COLUMNS if name in table.column_names), None)
    if name is None:
        return None
    values = [_decimal(value) for value in table.column(name).to_pylist()]
    known = [value for value in values if value is not None]
    return added(known) if len(known) == len(values) else None


def added(values: list[Decimal]) -> Decimal:
    """Return the exact sum."""
    with localcontext(Context(prec=1000, traps=[Inexact])):
        return sum(values, Decimal(0))


def decimal_text(value: Decimal | None) -> str | None:
    """Write tonnes without exponent and without zeros that say nothing."""
    if value is None:
        return None
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _plain_table(table: pa.Table) -> pa.Table:
    repeated = [name for name, count in Counter(table.column_names).items() if count > 1]
    if repeated or not table.column_names:
        raise ContractError(
            "table cannot be digested",
            where=f"columns {table.column_names}",
            expected="at least one column, each with a name of its own",
            found=f"repeated {repeated}" if repeated else "no column",
            remedy="leave the file out of the tree, or write it again",
        )
    columns = {}
    for name in sorted(table.column_names):
        plain, is_text = _plain(table.column(name))
        columns[f"{name}:{table.column(name).type}" if is_text else name] = plain
    return pa.table(columns)


def _plain(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, bool]:
    """Return the column in a type that has a canonical form, and whether its values became text for that."""
    type_ = column.type
    if pa.types.is_dictionary(type_):
        return _plain(column.cast(type_.value_type))
    if pa.types.is_float64(type_):
        # Equal for grouping and sorting must be equal for the digest: one zero, one NaN.
        zeroed = pc.if_else(pc.equal(column, 0.0), 0.0, column)
        return pc.if_else(pc.is_nan(zeroed), math.nan, zeroed), False
    if any(is_kind(type_) for is_kind in _CANONICAL):
        return column, False
    try:
        return column.cast(pa.large_string()), True
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        texts = [None if value is None else repr(value) for value in column.to_pylist()]
        return pa.chunked_array([pa.array(texts, pa.large_string())]), True


_CANONICAL = (
    pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary,
    pa.types.is_boolean, pa.types.is_signed_integer, pa.types.is_date32, pa.types.is_decimal128,
)  # fmt: skip


def _distinct(plain: pa.Table) -> pa.Table:
    grouped = plain.group_by(plain.column_names).aggregate([([], "count_all")])
    return grouped.rename_columns([*plain.column_names, _COPIES])


def _has_row_id(plain: pa.Table) -> bool:
    if ROW_ID not in plain.column_names:
        return False
    ids = plain.column(ROW_ID)
    return ids.null_count == 0 and len(ids.unique()) == len(ids)


def _decimal(value: object) -> Decimal | None:
    if isinstance(value, Decimal):
        return value if value.is_finite() else None
    if isinstance(value, float):
        return Decimal(repr(value)) if math.isfinite(value) else None
    return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else None
