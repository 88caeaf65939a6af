"""Writing the content of a generation to a file of the reader's choice, without losing a digit.

What does not belong here: loading and checking the content (show).
"""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import shapely

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import ContractError

_TABLE_FORMATS = (".parquet", ".csv", ".json")


def export(path: Path, content: pa.Table | Certificate, data: bytes) -> None:
    """Write the content to `path`: the stored bytes for .parquet and for a certificate's .json, else text.

    Text holds decimals in full and geometry as WKT. Raises ContractError for another ending, and for one that
    does not fit the content.
    """
    path.write_bytes(_bytes(path, content, data))


def rows_json(table: pa.Table) -> list[dict[str, object]]:
    """Return the rows in JSON-ready values: decimals as text, geometry as WKT."""
    return [{name: _plain(value) for name, value in row.items()} for row in table.to_pylist()]


def _bytes(path: Path, content: pa.Table | Certificate, data: bytes) -> bytes:
    ending = path.suffix.lower()
    formats = (".json",) if isinstance(content, Certificate) else _TABLE_FORMATS
    if ending not in formats:
        raise ContractError(
            "content cannot be written in this format",
            where=f"--out {path}",
            expected=f"a name that ends in {' or '.join(formats)}",
            found=ending or "no ending",
            remedy="choose another file name",
        )
    if isinstance(content, Certificate) or ending == ".parquet":
        return data
    if ending == ".json":
        return (json.dumps(rows_json(content), indent=2, ensure_ascii=False) + "\n").encode()
    return _csv(content)


def _csv(table: pa.Table) -> bytes:
    sink = io.StringIO()
    writer = csv.DictWriter(sink, fieldnames=table.column_names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows_json(table))
    return sink.getvalue().encode()


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, bytes):
        return shapely.to_wkt(shapely.from_wkb(value), rounding_precision=-1)
    return value
