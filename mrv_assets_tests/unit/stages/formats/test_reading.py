from __future__ import annotations

from dataclasses import replace

import pytest

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.source import Source, SourceFormat
from mrv_assets.stages.formats.reading import READERS, read_delivery

SOURCE = Source.parse(
    {
        "path": "electricity",
        "format": "csv",
        "geometry": "none",
        "where": {"fips": "27003"},
        "columns": {"row_id": "id", "activity_qty": "qty"},
        "constants": {"activity_id": "electricity", "region": "US/MROW", "epoch": "2021", "unit": "MWh"},
    }
)


def test_every_format_has_a_reader_of_its_own() -> None:
    """No declared format is without a reader, and no two share one."""
    assert set(READERS) == set(SourceFormat)
    assert len(set(READERS.values())) == len(SourceFormat)


def test_declared_format_decides_who_reads() -> None:
    """The bytes are read as what they are declared to be."""
    delivery = read_delivery(b"id,fips,qty\na,27003,1\n", SOURCE, where="anoka 2021")
    assert delivery.columns.column("id").to_pylist() == ["a"]


@pytest.mark.parametrize("declared", [kind for kind in SourceFormat if kind is not SourceFormat.CSV])
@pytest.mark.parametrize("data", [b"", b"id,fips,qty\na,27003,1\n", b"PK\x03\x04", b"\x00" * 64], ids=str)
def test_bytes_of_another_format_are_refused_by_name(declared: SourceFormat, data: bytes) -> None:
    """No reader guesses, and no error of its library comes through: what is of another format turns a gate red."""
    with pytest.raises(GateError, match="anoka 2021") as caught:
        read_delivery(data, replace(SOURCE, format=declared), where="anoka 2021")
    assert caught.value.gate in ("source_readable", "columns_present")
