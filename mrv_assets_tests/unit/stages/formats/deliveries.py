"""Sources of geometry formats, and what a test wants to know of a delivery.

What does not belong here: files of one format (they stand in its test).
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
import shapely
from hypothesis import strategies as st

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.source import Footprint, GeometrySource, Source, SourceFormat
from mrv_assets.stages.delivery import Delivery

WHERE = "anoka 2021, source plots"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(200)

TEXT_IDS = st.lists(
    st.text(
        st.characters(codec="utf-8", exclude_categories=("Cc", "Cn"), exclude_characters="\ufeff\ufffd"),
        min_size=1,
        max_size=20,
    ),
    min_size=1,
    max_size=5,
)
"""Ids of every character that text may hold."""


def source_of(format_: str, *wanted: str, layer: str | None = None, encoding: str | None = None) -> Source:
    """Return a source whose records bring their own outlines and that wants these columns."""
    return Source(
        path="plots",
        format=SourceFormat(format_),
        layer=layer,
        encoding=encoding,
        delimiter=",",
        decimal_mark=".",
        geometry=GeometrySource.RECORD,
        footprint=Footprint.AREA,
        geometry_columns=(),
        declared=None,
        where={},
        columns={f"ours_{name}": name for name in wanted},
        constants={},
        quarantine=None,
        overlaps_because=None,
        is_spatial=False,
    )


def shapes(delivery: Delivery) -> list[str | None]:
    """Return the geometries as WKT, after checking that each is little-endian ISO WKB."""
    assert delivery.geometry is not None
    assert delivery.geometry.type == pa.binary()
    wkb = delivery.geometry.to_pylist()
    read = [None if each is None else shapely.from_wkb(each) for each in wkb]
    assert [None if each is None else shapely.to_wkb(each, byte_order=1, flavor="iso") for each in read] == wkb
    return [None if each is None else shapely.to_wkt(each, rounding_precision=-1) for each in read]


def texts(delivery: Delivery) -> dict[str, list[object]]:
    """Return the columns as lists."""
    return {name: delivery.columns.column(name).to_pylist() for name in delivery.columns.column_names}


def cuts(data: bytes) -> Iterator[bytes]:
    """Give the file cut off at many lengths, each shorter than the whole."""
    lengths = {1, 4, 10, 100, *(len(data) * share // 40 for share in range(1, 40)), *range(len(data) - 40, len(data))}
    return (data[:length] for length in sorted(lengths) if 0 < length < len(data))


def refusal(raised: pytest.ExceptionInfo[GateError]) -> tuple[str, str]:
    """Return the gate and the place that a refusal names, without the source."""
    return raised.value.gate, raised.value.where.removeprefix(WHERE).removeprefix(", ")
