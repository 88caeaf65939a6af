from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.source import Source
from mrv_assets.stages.delivery import Delivery
from mrv_assets.stages.formats.geojson import read_geojson
from mrv_assets.stages.formats.geoparquet import read_geoparquet
from mrv_assets.stages.formats.kml import read_kml
from mrv_assets.stages.formats.vector import read_geopackage, read_shapefile
from mrv_assets_tests.unit.stages.formats import test_geojson, test_geoparquet, test_kml, test_shapefile
from mrv_assets_tests.unit.stages.formats.by_gdal import COLUMNS, written
from mrv_assets_tests.unit.stages.formats.deliveries import WHERE, source_of

Damage = tuple[float, int, bytes]
"""Where, as a share of the file; how many bytes go; what comes in their place."""

damages = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.integers(0, 8),
        st.binary(max_size=8)
        | st.sampled_from([b"0", b"1", b"-", b",", b"]", b'"', b"<", b"\0\0\0\0", b"\xff\xff\xff\xff"]),
    ),
    min_size=1,
    max_size=8,
)


def damaged(data: bytes, damages: Sequence[Damage]) -> bytes:
    """Return the file with bytes lost, changed or put in."""
    for share, lost, new in damages:
        at = int(share * len(data))
        data = data[:at] + new + data[at + lost :]
    return data


def _geojson() -> bytes:
    return test_geojson.collection(test_geojson.feature(rid="a", n=1), test_geojson.feature(None, rid="b", n=2.5))


def _geoparquet() -> bytes:
    return test_geoparquet.geoparquet([test_geoparquet.PLOT_WKB, None] * 5, rid=["a", "b"] * 5)


def _kml() -> bytes:
    return test_kml.document(test_kml.placemark(rid="0042"), test_kml.placemark(rid="891e3"))


@cache
def _geopackage() -> bytes:
    with TemporaryDirectory() as folder:
        return written(Path(folder) / "plots.gpkg").read_bytes()


@cache
def _shapefile() -> dict[str, bytes]:
    with TemporaryDirectory() as folder:
        written(Path(folder) / "plots.shp", encoding="UTF-8")
        return {path.suffix[1:]: path.read_bytes() for path in sorted(Path(folder).iterdir())}


Reader = Callable[..., Delivery]


def _is_read_or_refused(read: Reader, data: bytes, source: Source) -> None:
    with contextlib.suppress(GateError):
        delivery = read(data, source, where=WHERE)
        assert delivery.geometry is not None
        assert delivery.columns.num_rows == len(delivery.geometry)


@pytest.mark.parametrize(
    ("read", "whole", "source"),
    [
        pytest.param(read_geojson, _geojson, source_of("geojson", "rid", "n"), id="geojson"),
        pytest.param(read_geoparquet, _geoparquet, source_of("geoparquet", "rid"), id="geoparquet"),
        pytest.param(read_kml, _kml, source_of("kml", "rid"), id="kml"),
        pytest.param(read_geopackage, _geopackage, source_of("geopackage", *COLUMNS), id="geopackage"),
    ],
)
@given(damages=damages)
def test_a_damaged_file_is_read_or_refused(
    read: Reader, whole: Callable[[], bytes], source: Source, damages: list[Damage]
) -> None:
    """Whatever bytes come in, the answer is a delivery of equal lengths or a refusal by name: never another error."""
    _is_read_or_refused(read, damaged(whole(), damages), source)


@given(kind=st.sampled_from(["shp", "shx", "dbf", "prj", "cpg"]), damages=damages)
def test_a_shapefile_with_a_damaged_part_is_read_or_refused(kind: str, damages: list[Damage]) -> None:
    """The archive is whole, and one file in it is not."""
    changes = _shapefile() | {kind: damaged(_shapefile()[kind], damages)}
    archive = test_shapefile.zipped({f"plots.{each}": data for each, data in changes.items()})
    _is_read_or_refused(read_shapefile, archive, source_of("shapefile", *COLUMNS))
