from __future__ import annotations

import io
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyarrow as pa
import pytest
from hypothesis import given
from pyproj import CRS

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.delivery import Delivery
from mrv_assets.stages.formats.vector import read_shapefile
from mrv_assets_tests.unit.stages.formats.by_gdal import COLUMNS, HIGH, IDS, PLOT, WKTS, written
from mrv_assets_tests.unit.stages.formats.deliveries import (
    PNG,
    TEXT_IDS,
    WHERE,
    cuts,
    refusal,
    shapes,
    source_of,
    texts,
)


def zipped(members: Mapping[str, bytes]) -> bytes:
    """Return a zip archive."""
    target = io.BytesIO()
    with ZipFile(target, "w") as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    return target.getvalue()


def archive(folder: Path, *, without: str = "", inside: str = "", **changes: bytes | None) -> bytes:
    """Return the files of a folder as a zip archive, some left out or with other bytes."""
    files = {path.suffix[1:]: (path.name, path.read_bytes()) for path in sorted(folder.iterdir())}
    files |= {kind: (f"plots.{kind}", data) for kind, data in changes.items() if data is not None}
    return zipped({inside + name: data for kind, (name, data) in files.items() if kind != without})


def read(data: bytes, *wanted: str, layer: str | None = None, encoding: str | None = None) -> Delivery:
    """Read a zipped shapefile."""
    return read_shapefile(data, source_of("shapefile", *wanted, layer=layer, encoding=encoding), where=WHERE)


def refused(
    data: bytes, *wanted: str, match: str, layer: str | None = None, encoding: str | None = None
) -> tuple[str, str]:
    """Return the gate and the place of the refusal that the archive gets."""
    with pytest.raises(GateError, match=match) as raised:
        read(data, *wanted, layer=layer, encoding=encoding)
    return refusal(raised)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files of the shapefile `plots`."""
    return written(tmp_path / "plots.shp", encoding="UTF-8").parent


def table_with(folder: Path, old: bytes, new: bytes, *, count: int = 1) -> bytes:
    """Return the table with some of its bytes replaced by as many others."""
    data = (folder / "plots.dbf").read_bytes()
    assert len(old) == len(new)
    assert old in data
    return data.replace(old, new, count)


def test_records_are_read_in_the_types_of_the_table(folder: Path) -> None:
    """Text stays text, integers keep all digits, and shapes that are null stay null."""
    delivery = read(archive(folder), *COLUMNS)
    assert texts(delivery) == {name: pa.array(values).to_pylist() for name, values in COLUMNS.items()}
    types = {"rid": pa.string(), "n": pa.int64(), "q": pa.float64(), "ok": pa.bool_(), "d": pa.date32()}
    assert {field.name: field.type for field in delivery.columns.schema} == types
    assert shapes(delivery) == WKTS
    assert (delivery.crs, delivery.record, delivery.first) == ("EPSG:4326", "record", 1)
    assert delivery.facts == {
        "driver": "ESRI Shapefile",
        "container_member": "plots.shp",
        "crs_stated_by": ".prj",
        "deleted_records": "0",
    }


def test_height_does_not_change_the_crs(tmp_path: Path) -> None:
    """Z values are kept, and the tag is what the .prj says."""
    folder = written(tmp_path / "plots.shp", {"rid": ["a"]}, [HIGH], geometry_type="Polygon Z").parent
    delivery = read(archive(folder), "rid")
    assert (delivery.crs, shapes(delivery)) == ("EPSG:4326", [HIGH])


def test_measures_are_dropped_and_counted(tmp_path: Path) -> None:
    """M is no place on land."""
    folder = written(tmp_path / "plots.shp", {"rid": ["a"]}, ["POINT (0 0)"], geometry_type="Point").parent
    record = struct.pack("<iddd", 21, 1, 2, 3)
    shp = struct.pack(">7i", 9994, 0, 0, 0, 0, 0, 68) + struct.pack("<2i8d", 1000, 21, 1, 2, 1, 2, 0, 0, 3, 3)
    shx = shp[:24] + struct.pack(">i", 54) + shp[28:] + struct.pack(">2i", 50, 14)
    delivery = read(archive(folder, shp=shp + struct.pack(">2i", 1, 14) + record, shx=shx))
    assert (shapes(delivery), delivery.facts["measures_dropped"]) == (["POINT (1 2)"], "1")


@pytest.mark.parametrize("crs", ["EPSG:6933", "EPSG:26915", "EPSG:4267", "ESRI:102008"])
def test_a_prj_in_the_dialect_of_esri_is_recognised(folder: Path, crs: str) -> None:
    """It has no code; PROJ knows which one it is equal to."""
    prj = CRS(crs).to_wkt("WKT1_ESRI").encode()
    assert read(archive(folder, prj=prj), "rid").crs == crs


def test_a_prj_that_is_almost_a_known_crs_stays_a_definition(folder: Path) -> None:
    """A false easting of one metre more is another CRS."""
    prj = CRS("EPSG:26915").to_wkt("WKT1_ESRI").replace("500000.0", "500001.0").encode()
    crs = read(archive(folder, prj=prj), "rid").crs
    assert crs is not None
    assert "500001" in crs


def test_no_prj_is_no_crs(folder: Path) -> None:
    """A shapefile without one, or with an empty one, is untagged."""
    assert read(archive(folder, without="prj"), "rid").crs is None
    assert read(archive(folder, prj=b" \n"), "rid").crs is None


def test_a_prj_that_nobody_can_read_is_refused(folder: Path) -> None:
    """GDAL takes it for none; then a declared CRS would stand against an unread one."""
    assert refused(archive(folder, prj=b"NAD83, I think"), "rid", match="PROJ can read")[0] == "source_readable"


@pytest.mark.parametrize("part", ["shx", "dbf"])
def test_a_missing_part_is_named(folder: Path, part: str) -> None:
    """GDAL reads what is there: no columns without the table."""
    assert refused(archive(folder, without=part), "rid", match=f"found no .{part}")[0] == "source_readable"


def test_a_bare_shp_is_refused(folder: Path) -> None:
    """Shapes alone have no ids."""
    data = (folder / "plots.shp").read_bytes()
    assert refused(data, "rid", match="zip the .shp together with its .shx")[0] == "source_readable"


@pytest.mark.parametrize("data", [PNG, b"", b"PK\x05\x06" + bytes(18)], ids=["png", "nothing", "empty-archive"])
def test_other_bytes_are_refused(data: bytes) -> None:
    """An archive without a .shp is as good as none."""
    assert refused(data, match="zip archive|one .shp")[0] == "source_readable"


def test_names_may_be_in_capitals_and_in_a_folder(folder: Path) -> None:
    """What a Mac adds to an archive is no second shapefile."""
    for path in list(folder.iterdir()):
        path.rename(folder / path.name.upper())
    files = {f"2021/{path.name}": path.read_bytes() for path in sorted(folder.iterdir())}
    delivery = read(zipped(files | {"__MACOSX/2021/._PLOTS.SHP": b"litter"}), "rid")
    assert (texts(delivery), delivery.facts["container_member"]) == ({"rid": IDS}, "2021/PLOTS.SHP")


def test_one_of_several_must_be_named(folder: Path) -> None:
    """By its name in the archive, its file name or its stem."""
    written(folder / "old.shp", {"rid": ["x"]}, [PLOT])
    data = zipped({f"in/{path.name}": path.read_bytes() for path in sorted(folder.iterdir())})
    assert refused(data, "rid", match="found 'in/old.shp', 'in/plots.shp'")[0] == "source_readable"
    assert refused(data, "rid", match="named 'new'", layer="new")[0] == "source_readable"
    for layer in ("old", "old.shp", "in/old", "in/old.shp"):
        assert texts(read(data, "rid", layer=layer)) == {"rid": ["x"]}


@pytest.mark.parametrize("kind", ["shp", "shx", "dbf"])
def test_a_part_that_was_cut_off_is_refused_at_every_length(folder: Path, kind: str) -> None:
    """Each header says how long its file is; GDAL reads a shorter table as fewer records."""
    whole = (folder / f"plots.{kind}").read_bytes()
    spare = 1 if kind == "dbf" else 0  # the mark at the end of a table holds nothing
    for part in cuts(whole):
        if len(part) < len(whole) - spare:
            match = "as its header says|records, as the .shx has"
            changes: dict[str, Any] = {kind: part}
            assert refused(archive(folder, **changes), "rid", match=match)[0] == "source_readable"


def test_an_archive_that_was_cut_off_is_refused_at_every_length(folder: Path) -> None:
    """The directory of an archive is at its end."""
    for part in cuts(archive(folder)):
        assert refused(part, "rid", match="zip archive")[0] == "source_readable"


def test_a_name_that_leads_out_of_the_archive_is_refused(folder: Path) -> None:
    """Nothing is unpacked to a disk, and still nothing of it is read."""
    data = archive(folder, inside="../")
    assert refused(data, "rid", match="leads out of the archive")[0] == "source_readable"


def test_an_index_of_other_records_is_refused(folder: Path) -> None:
    """Shapes and rows belong together by their order alone."""
    shx = bytearray((folder / "plots.shx").read_bytes()[:-8])
    shx[24:28] = (len(shx) // 2).to_bytes(4, "big")
    assert refused(archive(folder, shx=bytes(shx)), "rid", match="2 records, as the .shx.*found 3")
    far = (folder / "plots.shx").read_bytes()[:-8] + struct.pack(">ii", 10**6, 10)
    assert refused(archive(folder, shx=far), "rid", match="inside of the .shp")[1].endswith("record 3")


@pytest.mark.parametrize(
    ("at", "value", "match"),
    [
        pytest.param(0, 77, "record 1.*shape of kind 5, as the header says", id="unknown-kind"),
        pytest.param(0, 1, "record 1.*shape of kind 5, as the header says", id="point-among-polygons"),
        pytest.param(36, 100, "record 1.*found 3 shapes, 2 of them null or damaged", id="hundred-rings"),
        pytest.param(40, 1000, "record 1.*found 3 shapes, 2 of them null or damaged", id="thousand-vertices"),
        pytest.param(48, 2**30, "GDAL reads without a complaint; found Non closed ring", id="moved-vertex"),
    ],
)
def test_a_damaged_shape_is_refused(folder: Path, at: int, value: int, match: str) -> None:
    """GDAL takes most of these for a record without a shape, and says nothing."""
    shp = bytearray((folder / "plots.shp").read_bytes())
    shp[108 + at : 112 + at] = value.to_bytes(4, "little")
    assert refused(archive(folder, shp=bytes(shp)), "rid", match=match)[0] == "source_readable"


def test_fields_wider_than_their_record_are_refused(folder: Path) -> None:
    """A descriptor that was damaged would move all columns behind it."""
    dbf = bytearray((folder / "plots.dbf").read_bytes())
    dbf[32 + 16] = 255
    assert refused(archive(folder, dbf=bytes(dbf)), "rid", match="reaches beyond them")[0] == "source_readable"
    short = bytes(dbf[:8]) + (70).to_bytes(2, "little") + bytes(dbf[10:])
    assert refused(archive(folder, dbf=short), "rid", match="reaches beyond them")[0] == "source_readable"


def test_a_multipatch_is_refused(folder: Path) -> None:
    """A surface in space has no outline that anybody stated."""
    shp = bytearray((folder / "plots.shp").read_bytes())
    shp[32:36] = (31).to_bytes(4, "little")
    assert refused(archive(folder, shp=bytes(shp)), "rid", match="multipatches")[0] == "source_readable"


def test_deleted_records_are_left_out_and_counted(folder: Path) -> None:
    """A dBase table deletes by a mark; shape and row go together."""
    dbf = table_with(folder, b" 891e3", b"*891e3")
    delivery = read(archive(folder, dbf=dbf), "rid")
    assert (texts(delivery), shapes(delivery)) == ({"rid": [IDS[0], IDS[2]]}, [PLOT, PLOT])
    assert delivery.facts["deleted_records"] == "1"


@pytest.mark.parametrize(
    ("column", "old", "new", "match"),
    [
        pytest.param("n", b"-3", b"3A", "record 3, field 'n'.*a whole number.*'3A'", id="letter-in-a-number"),
        pytest.param("n", b"-3", b".3", "record 3, field 'n'.*'.3'", id="fraction-in-a-whole-number"),
        pytest.param("q", b"1.5000", b"1,5000", "record 1, field 'q'.*a number", id="decimal-comma"),
        pytest.param("ok", b"T20210228", b"X20210228", "record 1, field 'ok'.*T, Y, F, N", id="no-boolean"),
        pytest.param("d", b"20210228", b"20210229", "record 1, field 'd'.*a day that there is", id="no-such-day"),
        pytest.param("d", b"20210228", b"2021-2-8", "record 1, field 'd'.*YYYYMMDD", id="dashes"),
        pytest.param("rid", b"0042", b"0\x0142", "record 1, column 'rid'", id="control-character"),
    ],
)
def test_a_cell_that_is_not_as_declared_is_named(folder: Path, column: str, old: bytes, new: bytes, match: str) -> None:
    """GDAL reads `12A` as 12 and a date that is none as 1970-01-01."""
    data = archive(folder, dbf=table_with(folder, old, new))
    assert refused(data, column, match=match)[0] == "source_readable"


def test_a_whole_number_beyond_int64_is_text_of_its_digits(folder: Path) -> None:
    """GDAL makes a float of it and rounds the last digits away."""
    dbf = bytearray(table_with(folder, b"                -3", b"999999999999999999"))
    descriptor = 32 + 32 * list(COLUMNS).index("q")
    assert (chr(dbf[descriptor + 11]), dbf[descriptor + 16]) == ("N", 24)
    dbf[descriptor + 17] = 0  # q becomes a whole number
    whole = bytes(dbf).replace(b"1.500000000000000", b" 9223372036854775", 1)
    whole = whole.replace(b"0.100000000000000", b"              +07", 1)
    cells = texts(read(archive(folder, dbf=whole), "q", "n"))
    assert cells == {"q": [9223372036854775, 7, None], "n": [2**53 + 1, None, 999999999999999999]}
    wide = whole.replace(b"       9223372036854775", b"00092233720368547758080", 1)
    assert texts(read(archive(folder, dbf=wide), "q")) == {"q": ["92233720368547758080", "7", None]}


@pytest.mark.parametrize(
    ("cpg", "encoding", "codec", "text"),
    [
        pytest.param(b"UTF-8", None, "utf-8", "Añoka", id="utf-8"),
        pytest.param(b"ISO-8859-1", None, "latin-1", "Añoka", id="latin-1-by-its-cpg"),
        pytest.param(b"1252\r\n", None, "cp1252", "Añoka€", id="number-of-windows"),
        pytest.param(b"ANSI 1251", None, "cp1251", "Анока", id="windows-cyrillic"),
        pytest.param(b"88591", None, "latin-1", "Añoka", id="esri-number-of-latin-1"),
        pytest.param(None, "cp1252", "cp1252", "Añoka€", id="declared"),
        pytest.param(None, "utf-8", "utf-8", "Añoka", id="declared as it would be by default"),
        pytest.param(b"UTF-8", "UTF8", "utf-8", "Añoka", id="both agree in other words"),
        pytest.param(b"windows-1252", "cp1252", "cp1252", "Añoka", id="both-agree"),
        pytest.param(b"Big5", None, "big5", "阿諾卡", id="two-bytes-per-character"),
    ],
)
def test_text_is_decoded_as_the_cpg_or_the_project_says(
    folder: Path, cpg: bytes | None, encoding: str | None, codec: str, text: str
) -> None:
    """Column names as well."""
    dbf = table_with(folder, b"0042".ljust(12), text.encode(codec).ljust(12))
    dbf = dbf.replace(b"rid".ljust(11, b"\0"), text[:5].encode(codec).ljust(11, b"\0"))
    data = archive(folder, without="cpg" if cpg is None else "", dbf=dbf, cpg=cpg)
    assert texts(read(data, text[:5], encoding=encoding)) == {text[:5]: [text, *IDS[1:]]}


@pytest.mark.parametrize(
    ("cpg", "encoding", "match"),
    [
        pytest.param(None, None, "text in ascii.*have the .cpg delivered", id="neither"),
        pytest.param(b"UTF-8", "cp1252", "declares, cp1252; found a .cpg that says utf-8", id="they-contradict"),
        pytest.param(b"1252", "utf-8", "declares, utf-8; found a .cpg that says cp1252", id="they-contradict-in-utf-8"),
        pytest.param(b"UTF-8", None, "record 1, field 'rid'.*text in utf-8", id="not-what-the-cpg-says"),
        pytest.param(b"LDID/99", None, "known, in the .cpg; found 'LDID/99'", id="unknown-cpg"),
        pytest.param(b"UTF\0-8", None, "known, in the .cpg", id="cpg-with-nul"),
        pytest.param(b"hex", None, "known, in the .cpg", id="cpg-that-is-no-text-encoding"),
        pytest.param(None, "klingon", "known, in the encoding under .source.", id="unknown-declared"),
    ],
)
def test_text_in_an_encoding_that_is_not_certain_is_refused(
    folder: Path, cpg: bytes | None, encoding: str | None, match: str
) -> None:
    """GDAL takes a table without a .cpg for Latin-1, and replaces what it cannot decode."""
    dbf = table_with(folder, b"0042 ", b"Anok\xe9")
    data = archive(folder, without="cpg" if cpg is None else "", dbf=dbf, cpg=cpg)
    assert refused(data, "rid", match=match, encoding=encoding)[0] == "source_readable"


def test_utf8_that_is_declared_otherwise_is_refused(folder: Path) -> None:
    """It would decode without an error, to text that nobody wrote."""
    dbf = table_with(folder, b"0042  ", "Anoké".encode())
    assert refused(archive(folder, dbf=dbf, cpg=b"1252"), "rid", match="bytes that are UTF-8: 'AnokÃ©'")


def test_blanks_before_text_are_kept_and_blank_cells_are_null(folder: Path) -> None:
    """GDAL drops the blanks in front, which are part of an id."""
    dbf = table_with(folder, b"0042  ", b"  0042")
    dbf = dbf.replace(b"891e3", b"     ", 1)
    assert texts(read(archive(folder, dbf=dbf), "rid")) == {"rid": ["  0042", None, IDS[2]]}


@pytest.mark.parametrize(
    ("old", "new", "wanted", "gate", "match"),
    [
        pytest.param(b"n\0", b"n\0", "Rid", "columns_present", "there is 'rid'", id="other-case"),
        pytest.param(b"ok\0", b"d\0\0", "d", "columns_present", "twice: d", id="twice"),
        pytest.param(b"rid\0\0\0\0\0\0\0\0C", b"rid\0\0\0\0\0\0\0\0M", "rid", "source_readable", "kind 'M'", id="memo"),
    ],
)
def test_a_column_that_is_not_there_once_is_refused(
    folder: Path, old: bytes, new: bytes, wanted: str, gate: str, match: str
) -> None:
    """Names are matched exactly; a memo lies in another file."""
    assert refused(archive(folder, dbf=table_with(folder, old, new)), wanted, match=match)[0] == gate


@given(ids=TEXT_IDS)
def test_text_ids_come_back_as_they_were_written(tmp_path_factory: pytest.TempPathFactory, ids: list[str]) -> None:
    """A round trip through GDAL changes no id but for the blanks at its end, which dBase pads with."""
    folder = tmp_path_factory.mktemp("shp")
    written(folder / "plots.shp", {"rid": ids}, [PLOT] * len(ids), encoding="UTF-8")
    assert texts(read(archive(folder), "rid")) == {"rid": [each.rstrip(" ") or None for each in ids]}
