"""Zip archives that nobody trusts: what is in them, judged before anything else opens them.

A header is a claim. Every member is inflated here, within a bound, before the archive counts as safe, so that a reader
that believes headers (GDAL, a workbook reader) meets only archives whose headers are true.
What does not belong here: what the members hold.
"""

from __future__ import annotations

import io
import re
import stat
import struct
import unicodedata
import zlib
from collections.abc import Iterator, Mapping
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from mrv_assets.domain.errors import GateError, listed
from mrv_assets.stages.delivery import unreadable

MAX_MEMBERS = 1000
"""Most members of one archive; a workbook has tens, a zipped shapefile five or so per layer."""

MAX_UNCOMPRESSED = 4 * 2**30
"""Most bytes, 4 GiB, that one member, or all members together, may be once inflated."""

MAX_RATIO = 200
"""Most bytes that one compressed byte may become; sheets and shapes stay below 50, and deflate cannot exceed 1032."""

RATIO_MATTERS_ABOVE = 2**20
"""Bytes, 1 MiB, up to which a member may be as well compressed as it likes."""

_PIECE = 2**20
_LOCAL_HEADER = struct.Struct("<4s2xHH16xHH")  # signature, flags, method, lengths of name and extra
_ENTRY_COUNT = struct.Struct("<10xH")  # of the record that ends an archive
_BEGINNINGS = (b"PK\x03\x04", b"PK\x05\x06")
_IS_ENCRYPTED = 0x1 | 0x40 | 0x2000
_LEADS_AWAY = re.compile(r"^/|^[A-Za-z]:|\\|(?:^|/)\.\.(?:/|$)|[\x00-\x1f\x7f]|^$")
_WHOLE = "a whole zip archive"


def members(data: bytes, *, where: str) -> Mapping[str, int]:
    """Return the size in bytes of every member, by name, folders left out, once all of them are known to be safe.

    Every member has been inflated: its size and its checksum are what its header says. Raises GateError (gate
    `source_readable`) for bytes that are no whole zip archive; for encrypted, overlapping or equally named members
    (also when only letter case differs), links and other special files; for a name that leads out of the archive; and
    for more than `MAX_MEMBERS`, `MAX_UNCOMPRESSED` or `MAX_RATIO`.
    """
    directory = _directory(data, where)
    for info in directory.values():
        for _ in _inflated(data, info, where):
            pass
    return {name: info.file_size for name, info in directory.items()}


def read_member(data: bytes, name: str, *, where: str) -> bytes:
    """Return the bytes of one member. Raises as `members`, but inflates only this one; and when there is none."""
    directory = _directory(data, where)
    if name not in directory:
        raise unreadable(where, expected=f"a member {name!r}", found=f"members {listed(sorted(directory))}")
    return b"".join(_inflated(data, directory[name], where))


def _directory(data: bytes, where: str) -> dict[str, ZipInfo]:
    """Return the members by name, folders left out, judged by all that headers say."""
    infos, end = _entries(data, where)
    if len(infos) > MAX_MEMBERS:
        raise unreadable(where, expected=f"at most {MAX_MEMBERS} members", found=f"{len(infos)} members")
    for info in infos:
        _refuse_unsafe(info, where)
    _refuse_same_names(infos, where)
    _refuse_bombs(infos, where)
    _refuse_overlaps(data, infos, end, where)
    return {info.filename: info for info in infos if not info.is_dir()}


def _entries(data: bytes, where: str) -> tuple[list[ZipInfo], int]:
    """Return what the central directory lists, and where that begins."""
    if not data.startswith(_BEGINNINGS):
        raise unreadable(where, expected=_WHOLE, found=f"bytes that begin with {data[:8]!r}")
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            infos, begin = archive.infolist(), archive.start_dir
        (promised,) = _ENTRY_COUNT.unpack_from(data, data.rindex(_BEGINNINGS[1]))
    except (BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error) as error:
        raise unreadable(where, expected=_WHOLE, found=f"a broken or truncated one: {error}") from error
    if promised != len(infos):  # zipfile reads on until the directory's bytes are used up, and never counts
        raise unreadable(where, expected=f"{promised} members, as the archive says", found=f"{len(infos)} members")
    return infos, begin


def _refuse_unsafe(info: ZipInfo, where: str) -> None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    fault = None
    if _LEADS_AWAY.search(info.orig_filename) or _LEADS_AWAY.search(info.filename):
        fault = "a name that leads out of the archive"
    elif info.flag_bits & _IS_ENCRYPTED:
        fault = "an encrypted member"
    elif kind == stat.S_IFLNK:
        fault = "a symbolic link"
    elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        fault = "a special file"
    elif info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        fault = f"compression method {info.compress_type}"
    if fault is not None:
        raise _refusal(info, where, expected="plain members, stored or deflated, under relative names", found=fault)


def _refuse_same_names(infos: list[ZipInfo], where: str) -> None:
    seen: dict[str, str] = {}
    for info in infos:
        key = unicodedata.normalize("NFC", info.filename).casefold().rstrip("/")
        if key in seen:
            raise _refusal(
                info, where, expected="one member of a name, whatever its letter case", found=f"also {seen[key]!r}"
            )
        seen[key] = info.filename


def _refuse_bombs(infos: list[ZipInfo], where: str) -> None:
    total = sum(info.file_size for info in infos)
    if total > MAX_UNCOMPRESSED:
        raise unreadable(where, expected=f"at most {MAX_UNCOMPRESSED} bytes uncompressed", found=f"{total} bytes")
    for info in infos:
        if info.file_size > RATIO_MATTERS_ABOVE and info.file_size > MAX_RATIO * info.compress_size:
            raise _refusal(
                info,
                where,
                expected=f"at most {MAX_RATIO} bytes out of one compressed byte",
                found=f"{info.file_size} bytes out of {info.compress_size}",
            )


def _refuse_overlaps(data: bytes, infos: list[ZipInfo], end: int, where: str) -> None:
    """Refuse members that share bytes: a few kilobytes, listed often enough, become petabytes."""
    taken = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        begin = _begin(data, info, where)
        if info.header_offset < taken or begin + info.compress_size > end:
            raise _refusal(
                info, where, expected="members one after another", found="one that overlaps another or the directory"
            )
        taken = begin + info.compress_size


def _begin(data: bytes, info: ZipInfo, where: str) -> int:
    """Return where the member's own bytes begin, behind its local header, which must agree with the directory."""
    offset = info.header_offset
    if not 0 <= offset <= len(data) - _LOCAL_HEADER.size:
        raise _refusal(info, where, expected=_WHOLE, found="a member outside of the file")
    signature, flags, method, name, extra = _LOCAL_HEADER.unpack_from(data, offset)
    begin = offset + _LOCAL_HEADER.size
    spelled = data[begin : begin + name].decode("utf-8" if flags & 0x800 else "cp437", "replace")
    if (signature, method, spelled) != (_BEGINNINGS[0], info.compress_type, info.orig_filename):
        raise _refusal(info, where, expected="a header that says what the directory says", found=f"one of {spelled!r}")
    return int(begin + name + extra)


def _inflated(data: bytes, info: ZipInfo, where: str) -> Iterator[bytes]:
    """Give the member piece by piece, never more than it declares; size and checksum are judged at the end."""
    begin = _begin(data, info, where)
    packed = memoryview(data)[begin : begin + info.compress_size]
    size, checksum = 0, 0
    try:
        for piece in _stored(packed) if info.compress_type == ZIP_STORED else _deflated(packed):
            size += len(piece)
            checksum = zlib.crc32(piece, checksum)
            if size > info.file_size:
                break
            yield piece
    except zlib.error as error:
        raise _refusal(info, where, expected=_WHOLE, found=f"a member that cannot be inflated: {error}") from error
    if size != info.file_size:
        found = "more" if size > info.file_size else str(size)
        raise _refusal(info, where, expected=f"{info.file_size} bytes, as its header says", found=found)
    if checksum != info.CRC:
        raise _refusal(
            info, where, expected=f"CRC-32 {info.CRC:08x}, as its header says", found=f"CRC-32 {checksum:08x}"
        )


def _stored(packed: memoryview) -> Iterator[bytes]:
    return (bytes(packed[at : at + _PIECE]) for at in range(0, len(packed), _PIECE))


def _deflated(packed: memoryview) -> Iterator[bytes]:
    """Inflate in pieces. Raises zlib.error when the stream is broken, does not end, or ends before its bytes do."""
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    for at in range(0, len(packed), _PIECE):
        rest: bytes | memoryview = packed[at : at + _PIECE]
        while len(rest):
            yield stream.decompress(rest, _PIECE)
            rest = stream.unconsumed_tail
            if stream.unused_data:
                raise zlib.error("bytes follow its end")
    while tail := stream.decompress(b"", _PIECE):
        yield tail
    if not stream.eof:
        raise zlib.error("it does not end")


def _refusal(info: ZipInfo, where: str, *, expected: str, found: str) -> GateError:
    return unreadable(f"{where}, member {info.orig_filename!r}", expected=expected, found=found)
