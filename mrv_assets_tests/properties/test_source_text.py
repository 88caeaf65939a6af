from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.source import Source
from mrv_assets.stages.formats.delimited import read_delimited

NAMES = ("id", "fips", "qty")
Rows = Sequence[Sequence[str]]
_text = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters="\ufeff\ufffd"), max_size=8)
_awkward = st.text('ab,;\t|"\r\n ', max_size=6)
rows = st.lists(st.tuples(_text | _awkward, _text, _text | _awkward), max_size=6)


def source(*, encoding: str = "utf-8", delimiter: str = ",") -> Source:
    """Return a source that wants all of the columns."""
    return Source.parse(
        {
            "path": "electricity.csv",
            "format": "csv",
            "geometry": "none",
            "encoding": encoding,
            "delimiter": delimiter,
            "where": {"fips": "27003"},
            "columns": {"row_id": "id", "activity_qty": "qty"},
            "constants": {"activity_id": "e", "region": "US/MROW", "epoch": "2021", "unit": "MWh"},
        }
    )


def written(table: Rows, *, delimiter: str = ",") -> str:
    """Return the file that the standard library writes of the rows."""
    target = io.StringIO(newline="")
    csv.writer(target, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([NAMES, *table])
    return target.getvalue()


def read(data: bytes, of: Source) -> list[tuple[str, ...]] | str:
    """Return the cells of the file row by row, or the gate that refuses it."""
    try:
        columns = read_delimited(data, of, where="anoka 2021").columns
    except GateError as refusal:
        return refusal.gate
    return list(zip(*(columns.column(name).to_pylist() for name in NAMES), strict=True))


def read_by_the_standard_library(text: str) -> list[tuple[str, ...]] | str:
    """Return what Python's own reader makes of the file, or `columns_present` when a row is ragged."""
    header, *table = [cells for cells in csv.reader(io.StringIO(text, newline="")) if cells]
    assert tuple(header) == NAMES
    return [tuple(cells) for cells in table] if all(len(cells) == len(NAMES) for cells in table) else "columns_present"


@given(
    table=rows,
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "gb18030"]),
    delimiter=st.sampled_from(",;\t|"),
)
def test_what_is_written_is_read(table: Rows, encoding: str, delimiter: str) -> None:
    """Any cells, in any encoding that has them, with any delimiter, come back as they were written."""
    data = written(table, delimiter=delimiter).encode(encoding)
    assert read(data, source(encoding=encoding, delimiter=delimiter)) == [tuple(cells) for cells in table]


@given(body=st.text('ab,"\r\n ', max_size=30))
@example(body='a,"b\n')
@example(body='a"b,a,a\n')
@example(body='"a"b,a,a\n')
@example(body='a,b,""\n\n"a""b",,\r')
def test_any_text_is_read_as_the_standard_library_reads_it_or_refused(body: str) -> None:
    """No text, however broken, gives other cells than a second reader finds in it."""
    text = ",".join(NAMES) + "\n" + body
    found = read(text.encode(), source())
    assert found in (read_by_the_standard_library(text), "source_readable")


WHOLE = "".join(",".join(cells) + "\n" for cells in (NAMES, *[("0", "1", "2")] * 3))


@given(length=st.integers(len(",".join(NAMES)), len(WHOLE)))
def test_truncated_file_is_refused_or_lacks_only_its_end(length: int) -> None:
    """A file cut anywhere gives no row that was not there; only the last cell of the last row may be shorter."""
    found = read(WHOLE[:length].encode(), source())
    assert found == "columns_present" or set(found[:-1]) <= {("0", "1", "2")}
    assert found == "columns_present" or set(found[-1:]) <= {("0", "1", "2"), ("0", "1", "")}


@given(data=st.binary(max_size=60), encoding=st.sampled_from(["utf-8", "utf-16-le", "cp1252", "latin-1", "gb18030"]))
def test_any_bytes_are_text_or_refused(data: bytes, encoding: str) -> None:
    """Whatever stands behind the header, the reader gives text or a refusal of its own, never another error."""
    found = read(",".join(NAMES).encode(encoding) + "\n".encode(encoding) + data, source(encoding=encoding))
    assert isinstance(found, list) or found in ("source_readable", "columns_present")
