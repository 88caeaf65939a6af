"""Reading a monitoring package: one TOML of quantities, facts and the names of tables, and the CSV files beside it.

What does not belong here: fetching the files (storage) and what a rule makes of them (crediting, compliance).
"""

from __future__ import annotations

import csv
import io
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring

# A boundary is one cell, whose size is bounded by that of the file; the same for whoever else reads CSV here.
csv.field_size_limit(sys.maxsize)

_SECTIONS = {"quantities", "facts", "tables"}
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\.csv")


def table_files(data: bytes, *, where: str) -> Mapping[str, str]:
    """Return the names of the CSV files beside a package by table. Raises ContractError when it is malformed."""
    files: Mapping[str, str] = _texts(_document(data, where).get("tables", {}), "tables", where)
    for name, file in files.items():
        if not _FILE.fullmatch(file):
            raise _malformed(where, f"a file name such as plots.csv for table {name}", repr(file))
    return files


def read_package(data: bytes, tables: Mapping[str, bytes], *, where: str) -> Monitoring:
    """Return what a package says. `tables` are the bytes of its CSV files by table.

    Raises ContractError naming `where` for a section that is not known, a value that is not text, a CSV that is not
    UTF-8 or ragged or that names a column twice. Numbers are text, too: TOML's would be binary fractions.
    """
    document = _document(data, where)
    unknown = sorted(set(document) - _SECTIONS)
    if unknown:
        raise _malformed(where, f"only {', '.join(sorted(_SECTIONS))}", ", ".join(unknown))
    return Monitoring(
        where=where,
        quantities=_texts(document.get("quantities", {}), "quantities", where),
        facts=_texts(document.get("facts", {}), "facts", where),
        tables={name: _rows(table, f"{where}, table {name}") for name, table in tables.items()},
    )


def _document(data: bytes, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise _malformed(where, "UTF-8 TOML", str(error)) from error


def _texts(section: object, name: str, where: str) -> dict[str, str]:
    if not isinstance(section, dict):
        raise _malformed(where, f"a table [{name}]", type(section).__name__)
    for key, value in section.items():
        if not isinstance(value, str):
            raise _malformed(where, f'text for {key} of [{name}], such as {key} = "{value}"', repr(value))
    return section


def _rows(data: bytes, where: str) -> Sequence[Mapping[str, str]]:
    try:
        reader = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        header = next(reader, [])
        rows = list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise _malformed(where, "UTF-8 CSV", str(error)) from error
    if not header or len(set(header)) != len(header) or not all(name.strip() for name in header):
        raise _malformed(where, "a header that names every column once", ",".join(header) or "no header")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise _malformed(f"{where}, row {number}", f"{len(header)} cells", f"{len(row)} cells")
    return tuple(dict(zip(header, row, strict=True)) for row in rows)


def _malformed(where: str, expected: str, found: str) -> ContractError:
    return ContractError(
        "monitoring package is malformed",
        where=where,
        expected=expected,
        found=found,
        remedy="correct the file in the landing folder; docs/standards.md describes it",
    )
