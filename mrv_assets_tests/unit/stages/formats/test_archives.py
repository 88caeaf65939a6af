from __future__ import annotations

import io
import stat
import struct
import zlib
from collections.abc import Mapping
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.formats import archives
from mrv_assets.stages.formats.archives import MAX_MEMBERS, MAX_RATIO, members, read_member

WHERE = "anoka 2021, source plots.zip"
CONTENT: Mapping[str, bytes] = {"plots.shp": b"shapes " * 50, "plots.dbf": b"", "deep/er/plots.prj": b"GEOGCS"}


def zipped(content: Mapping[str, bytes] = CONTENT, *, method: int = ZIP_DEFLATED) -> bytes:
    """Return a zip archive of the members."""
    target = io.BytesIO()
    with ZipFile(target, "w", method) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return target.getvalue()


def zipped_one(info: ZipInfo, data: bytes = b"x") -> bytes:
    """Return a zip archive of one member whose header a test has changed."""
    target = io.BytesIO()
    with ZipFile(target, "w") as archive:
        archive.writestr(info, data)
    return target.getvalue()


def special(mode: int) -> bytes:
    """Return a zip archive whose member is a link or a device."""
    info = ZipInfo("plots.shp")
    info.external_attr = mode << 16
    return zipped_one(info, b"/etc/passwd")


def renamed(name: bytes) -> bytes:
    """Return a zip archive with a member name that no well-meaning writer would write."""
    return zipped({"n" * len(name): b"x"}).replace(b"n" * len(name), name)


def patched(data: bytes, *, at: int, value: bytes, everywhere: bool = True) -> bytes:
    """Return the archive with a field of the first directory entry changed, and in the local header as well."""
    local = {8: 6, 10: 8, 16: 14, 20: 18, 24: 22}
    directory = bytearray(data)
    entry = data.index(b"PK\x01\x02")
    directory[entry + at : entry + at + len(value)] = value
    if everywhere:
        directory[local[at] : local[at] + len(value)] = value
    return bytes(directory)


def listing(data: bytes, entries: list[bytes]) -> bytes:
    """Return the archive with another directory: the entries given, each as many times as it is given."""
    begin = data.index(b"PK\x01\x02")
    directory = b"".join(entries)
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, len(entries), len(entries), len(directory), begin, 0)
    return data[:begin] + directory + tail


def directory_of(data: bytes) -> bytes:
    """Return the entries of the directory of an archive."""
    return data[data.index(b"PK\x01\x02") : data.rindex(b"PK\x05\x06")]


def overlapping() -> bytes:
    """Return an archive whose second member lies inside of the first, as in D. Fifield's bombs."""
    inner = zipped({"b.shp": bytes(1000)})
    outer = zipped({"a.shp": inner[: inner.index(b"PK\x01\x02")]}, method=ZIP_STORED)
    shifted = bytearray(directory_of(inner))
    shifted[42:46] = struct.pack("<L", outer.index(b"PK\x03\x04", 1))
    return listing(outer, [directory_of(outer), bytes(shifted)])


def listed_often(copies: int = 20) -> bytes:
    """Return an archive that lists one member many times under other names."""
    data = zipped({"a0": bytes(10_000)})
    return listing(data, [directory_of(data).replace(b"a0", f"{chr(97 + n)}0".encode()) for n in range(copies)])


def huge() -> bytes:
    """Return an archive of two members that say they are nearly 4 GiB each."""
    data = zipped({"a": b"x", "b": b"x"})
    entries = directory_of(data).replace(struct.pack("<LL", 3, 1), struct.pack("<LL", 3, 2**32 - 2))
    return listing(data, [entries[: len(entries) // 2], entries[len(entries) // 2 :]])


BOMB = zipped({"plots.shp": bytes(20 * 2**20)})
SMALL_BOMB = zipped({"plots.shp": bytes(2**20)})


def understated(size: int = 100) -> bytes:
    """Return a bomb whose headers say that it is small, with the checksum of the small part."""
    stated = patched(BOMB, at=24, value=struct.pack("<L", size))
    return patched(stated, at=16, value=struct.pack("<L", zlib.crc32(bytes(size))))


@pytest.mark.parametrize("method", [ZIP_STORED, ZIP_DEFLATED], ids=["stored", "deflated"])
def test_members_are_listed_with_their_size_and_read_whole(method: int) -> None:
    """A sound archive gives what was put in, however it was packed."""
    data = zipped(method=method)
    assert members(data, where=WHERE) == {name: len(content) for name, content in CONTENT.items()}
    assert {name: read_member(data, name, where=WHERE) for name in CONTENT} == CONTENT


def test_folders_are_no_members() -> None:
    """An entry that only stands for a folder holds nothing and is left out."""
    assert members(zipped({"deep/": b"", "deep/a.shp": b"x"}), where=WHERE) == {"deep/a.shp": 1}


def test_well_compressed_small_member_is_no_bomb() -> None:
    """A member up to 1 MiB may be as well compressed as it likes: an empty sheet is."""
    assert members(SMALL_BOMB, where=WHERE) == {"plots.shp": 2**20}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", r"expected a whole zip archive; found bytes that begin with b''", id="empty"),
        pytest.param(b"<html>", r"begin with b'<html>'", id="no zip"),
        pytest.param(b"MZ" + zipped(), r"begin with b'MZPK", id="program before it"),
        pytest.param(zipped()[:-30], "broken or truncated", id="truncated"),
        pytest.param(zipped()[:60], "broken or truncated", id="truncated early"),
        pytest.param(
            zipped(method=ZIP_STORED).replace(b"shapes", b"shaped", 1),
            r"'plots.shp'.*expected CRC-32 \w+, as its header says; found CRC-32",
            id="checksum",
        ),
        pytest.param(
            patched(zipped(), at=8, value=b"\x01\x00"), "'plots.shp'.*found an encrypted member", id="encrypted"
        ),
        pytest.param(renamed(b"../../evil.shp"), "a name that leads out of the archive", id="parent folder"),
        pytest.param(renamed(b"a/../../b.shp"), "leads out of the archive", id="parent folder further in"),
        pytest.param(renamed(b"/etc/passwd"), "leads out of the archive", id="absolute"),
        pytest.param(renamed(b"C:evil.shp"), "leads out of the archive", id="drive letter"),
        pytest.param(renamed(b"a\\..\\evil.shp"), "leads out of the archive", id="backslash"),
        pytest.param(renamed(b"a.shp\x00.txt"), "leads out of the archive", id="NUL"),
        pytest.param(special(stat.S_IFLNK | 0o777), "found a symbolic link", id="symbolic link"),
        pytest.param(special(stat.S_IFIFO | 0o777), "found a special file", id="pipe"),
        pytest.param(zipped(method=ZIP_BZIP2), "found compression method 12", id="other compression"),
        pytest.param(
            zipped({"plots.shp": b"a", "Plots.SHP": b"b"}),
            "'Plots.SHP'.*one member of a name, whatever its letter case; found also 'plots.shp'",
            id="same name by case",
        ),
        pytest.param(
            zipped({"caf\u00e9": b"a", "cafe\u0301": b"b"}), "one member of a name", id="same name by composition"
        ),
        pytest.param(
            zipped({"aaa": b"1", "bbb": b"2"}).replace(b"bbb", b"aaa"), "found also 'aaa'", id="same name twice"
        ),
        pytest.param(
            zipped({str(n): b"" for n in range(MAX_MEMBERS + 1)}), "at most 1000 members; found 1001", id="too many"
        ),
        pytest.param(
            BOMB,
            rf"at most {MAX_RATIO} bytes out of one compressed byte; found 20971520 bytes out of 20",
            id="ratio",
        ),
        pytest.param(understated(), "expected 100 bytes, as its header says; found more", id="understated size"),
        pytest.param(
            patched(zipped(), at=24, value=struct.pack("<L", 351)),
            "expected 351 bytes, as its header says; found 350",
            id="overstated size",
        ),
        pytest.param(huge(), "at most 4294967296 bytes uncompressed; found 8589934588 bytes", id="too large together"),
        pytest.param(overlapping(), "'b.shp'.*expected members one after another", id="overlapping"),
        pytest.param(listed_often(), "a header that says what the directory says", id="listed often"),
        pytest.param(
            patched(zipped(), at=10, value=b"\x00\x00", everywhere=False),
            "expected a header that says what the directory says",
            id="headers disagree",
        ),
    ],
)
def test_unsafe_archive_is_refused_by_name(data: bytes, says: str) -> None:
    """Whatever could mislead or overwhelm the reader behind it turns `source_readable` red and says why."""
    with pytest.raises(GateError, match=says) as caught:
        members(data, where=WHERE)
    assert caught.value.gate == "source_readable"
    assert caught.value.where.startswith(WHERE)


def test_missing_member_is_refused_with_what_there_is() -> None:
    """A member that the archive does not have is named, beside those that it has."""
    with pytest.raises(
        GateError, match=r"expected a member 'plots.shx'; found members 'deep/er/plots.prj', 'plots.dbf'"
    ):
        read_member(zipped(), "plots.shx", where=WHERE)


def test_member_is_judged_also_when_it_is_read_alone() -> None:
    """Reading one member keeps the bound and the checksum; it does not lean on an earlier judgement."""
    with pytest.raises(GateError, match="expected 100 bytes, as its header says; found more"):
        read_member(understated(), "plots.shp", where=WHERE)


def test_bomb_is_not_inflated() -> None:
    """An understated member is given up one piece beyond what it declares, not when it ends."""
    given_up = archives._inflated(understated(), archives._directory(understated(), WHERE)["plots.shp"], WHERE)
    with pytest.raises(GateError, match="found more"):
        next(given_up)


def sizes_or_refusal(data: bytes) -> list[int] | str:
    """Return the sizes of the members, or the gate that refuses them."""
    try:
        return sorted(members(data, where=WHERE).values())
    except GateError as refusal:
        return refusal.gate


@given(at=st.integers(0, len(zipped()) - 1), value=st.integers(0, 255))
@example(at=181, value=118)  # a longer comment swallows the entries behind it
def test_any_changed_byte_is_refused_or_changes_nothing(at: int, value: int) -> None:
    """One byte of an archive flipped anywhere is a refusal by the gate, or the members are what they were."""
    flipped = bytearray(zipped())
    flipped[at] = value
    assert sizes_or_refusal(bytes(flipped)) in ("source_readable", [0, 6, 350])


@given(length=st.integers(0, len(zipped()) - 1))
def test_any_truncated_archive_is_refused(length: int) -> None:
    """An archive cut anywhere is never read as a smaller one."""
    with pytest.raises(GateError, match="expected a whole zip archive"):
        members(zipped()[:length], where=WHERE)
