"""What a reader makes of a source file: its records as the file has them, before anything is selected or typed.

One reader per format is in `formats`. What does not belong here: which records are the project's, and what their cells
mean (ingest).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.remedies import DELIVER_AGAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """The records of a source file, in file order, restricted to the wanted columns.

    A column is `pa.string()`, each cell as it is written, or the file's own type where the format has types
    (integer, float64, decimal, boolean, date, timestamp); nothing is typed by guessing. `geometry` is ISO WKB as the
    file has it, Z values included, null for a record without one; None for a file that has no geometry.
    `crs` is what the file says of itself, as an authority code or WKT; None for an untagged file. `record` is what
    the format calls a record, for messages: `line`, `row`, `feature`. `first` is the number of the first record as
    a person would count it in the file. `facts` go into the evidence.
    """

    columns: pa.Table
    geometry: pa.ChunkedArray | None
    crs: str | None
    record: str
    first: int
    facts: Mapping[str, str] = field(default_factory=dict)


def unreadable(where: str, *, expected: str, found: str, remedy: str = "") -> GateError:
    """Return the refusal of a file that cannot be read as what it is declared to be (gate `source_readable`)."""
    return GateError(
        "source file cannot be read as declared",
        gate="source_readable",
        where=where,
        expected=expected,
        found=found,
        remedy=remedy or DELIVER_AGAIN,
    )


def columns_missing(where: str, *, expected: str, found: str) -> GateError:
    """Return the refusal of a file that has not the mapped columns, each once (gate `columns_present`)."""
    return GateError(
        "source file does not have the mapped columns in every row",
        gate="columns_present",
        where=where,
        expected=expected,
        found=found,
        remedy="correct the source file, or its [source.columns] and [source.where] in the project file",
    )
