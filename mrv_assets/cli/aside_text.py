"""How rows that were set aside are laid out: how many, and the first of them with their reasons.

What does not belong here: loading them.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from rich.table import Table

from mrv_assets.cli.terminal import plain_table


def aside_table(quarantined: pa.Table, *, rows_in: int | None, first: int) -> Table:
    """Return a table of the first rows that were set aside, of `rows_in` rows if that is known."""
    total = quarantined.num_rows
    of = "" if rows_in is None else f" of {rows_in:,} ({total / rows_in:.2%})"
    shown = f", the first {first}" if total > first else ""
    table = plain_table(title=f"\nSet aside: {total:,} row(s){of}{shown}")
    table.add_column("row", justify="right", no_wrap=True)
    for name, ratio in (("row id", 2), ("gate", 2), ("reason", 5)):
        table.add_column(name, overflow="fold", ratio=ratio)
    for row in quarantined.slice(0, first).to_pylist():
        table.add_row(*_cells(row["row"], row["row_id"], row["gate"], row["reason"]))
    return table


def _cells(*values: object) -> Sequence[str]:
    return ["" if value is None else str(value) for value in values]
