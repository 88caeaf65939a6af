"""Bytes that are declared to be text in some encoding, made UTF-8 once it is certain that they are.

Nothing is decoded by guessing or with replacement. What does not belong here: what the text says (delimited).
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.delivery import unreadable

_LINE_END = re.compile(r"\r\n|\n|\r")
_CONTEXT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    """A byte order mark: its bytes, the encoding that begins with it, and the spelling without one."""

    mark: bytes
    encoding: str
    unmarked: str


# UTF-32 before UTF-16: one mark begins with the other.
_MARKS = (
    _Mark(mark=codecs.BOM_UTF8, encoding="utf-8", unmarked="utf-8"),
    _Mark(mark=codecs.BOM_UTF32_LE, encoding="utf-32", unmarked="utf-32-le"),
    _Mark(mark=codecs.BOM_UTF32_BE, encoding="utf-32", unmarked="utf-32-be"),
    _Mark(mark=codecs.BOM_UTF16_LE, encoding="utf-16", unmarked="utf-16-le"),
    _Mark(mark=codecs.BOM_UTF16_BE, encoding="utf-16", unmarked="utf-16-be"),
)
_UNMARKED = {"utf-16": ("utf-16-le", "utf-16-be"), "utf-32": ("utf-32-le", "utf-32-be")}
_SIGNATURES = {
    b"PK\x03\x04": "a zip archive or a workbook",
    b"\xd0\xcf\x11\xe0": "an old or encrypted workbook",
    b"\x1f\x8b": "a gzip file",
    b"%PDF": "a PDF document",
    b"PAR1": "a Parquet file",
}


def as_utf8(data: bytes, encoding: str, *, where: str) -> bytes:
    """Return the text in UTF-8 without its byte order mark.

    Raises GateError (gate `source_readable`) for an encoding that is not known; for bytes that are not in it, naming
    offset and line; for a byte order mark of another encoding, and for UTF-16 or UTF-32 whose byte order nobody says;
    for NUL bytes; and for UTF-8 that is declared to be in an encoding of one byte per character, which would decode it
    to wrong text without an error.
    """
    name = _known(encoding, where)
    if not data:
        return data
    _refuse_other_kinds(data, encoding, where)
    mark = next((m for m in _MARKS if data.startswith(m.mark)), None)
    _refuse_other_mark(mark, name, encoding, where)
    if name.startswith(("utf-16", "utf-32")):
        _refuse_narrow(data, encoding, where)
    else:
        _refuse_nul(data, encoding, where)
        _refuse_disguised_utf8(data, name, encoding, where)
    if name == "utf-8" and _is_utf8(data):
        return data[len(mark.mark) :] if mark else data
    return _decoded(data, name, encoding, where).removeprefix("\ufeff").encode()


def line_of(text: str) -> int:
    """Return the number of the line, from 1, that comes behind the text."""
    return len(_LINE_END.findall(text)) + 1


def _known(encoding: str, where: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)  # a codec that is no text encoding is only found out in use
    except (LookupError, ValueError) as error:
        raise unreadable(
            where,
            expected="a text encoding such as utf-8, utf-16, cp1252 or latin-1",
            found=f"encoding = {encoding!r}",
            remedy="correct encoding under [source] in the project file",
        ) from error
    return "utf-8" if name == "utf-8-sig" else name


def _refuse_other_kinds(data: bytes, encoding: str, where: str) -> None:
    for signature, kind in _SIGNATURES.items():
        if data.startswith(signature):
            raise unreadable(where, expected=f"text in {encoding}", found=f"bytes that begin as {kind} does")


def _refuse_other_mark(mark: _Mark | None, name: str, encoding: str, where: str) -> None:
    if mark is not None and name not in (mark.encoding, mark.unmarked):
        label = mark.encoding.upper()
        raise _declare(
            where,
            mark.encoding,
            expected=f"text in {encoding}",
            found=f"the file starts with a {label} byte order mark ({mark.unmarked.upper()})",
        )
    if mark is None and name in _UNMARKED:
        little, big = _UNMARKED[name]
        raise unreadable(
            where,
            expected=f"a byte order mark, as {encoding} has",
            found="none, so that nobody says which byte comes first",
            remedy=f'set encoding = "{little}" or "{big}" under [source], after asking who made the file',
        )


def _refuse_narrow(data: bytes, encoding: str, where: str) -> None:
    """Refuse what has no NUL byte: in UTF-16 and UTF-32 every line end has one."""
    if 0 not in data:
        looks = "utf-8" if _is_utf8(data) else "cp1252"
        raise _declare(where, looks, expected=f"text in {encoding}", found="bytes of which none is NUL")


def _refuse_nul(data: bytes, encoding: str, where: str) -> None:
    offset = data.find(0)
    if offset < 0:
        return
    looks = {0: "utf-16-be", 1: "utf-16-le"}[offset % 2]
    is_wide = data.count(0) * 3 > len(data)
    found = f"a NUL byte at offset {offset}, line {_line_at(data, offset)}"
    if is_wide:
        raise _declare(where, looks, expected=f"text in {encoding}", found=f"{found}, and so many more as UTF-16 has")
    raise unreadable(where, expected=f"text in {encoding}", found=found)


def _refuse_disguised_utf8(data: bytes, name: str, encoding: str, where: str) -> None:
    if name == "utf-8" or data.isascii() or not _is_single_byte(name) or not _is_utf8(data):
        return
    offset = next(re.finditer(rb"[\x80-\xff]", data)).start()
    begin = max(0, offset - _CONTEXT)
    context = data[begin : offset + _CONTEXT]
    raise _declare(
        where,
        "utf-8",
        expected=f"text in {encoding}",
        found=f"declared {encoding}, but bytes are UTF-8: line {_line_at(data, offset)} would read "
        f"{_shown(context, name)} instead of {_shown(context, 'utf-8')}",
    )


def _is_single_byte(name: str) -> bool:
    """Tell whether the encoding gives one character for every byte, and so hardly ever fails."""
    return len(bytes(range(256)).decode(name, "replace")) == 256


def _is_utf8(data: bytes) -> bool:
    """Tell whether the bytes are UTF-8, without making a str of them: one emoji would make that four times as large."""
    ends = pa.py_buffer(np.array([0, len(data)], dtype=np.int64))
    text = pa.Array.from_buffers(pa.large_string(), 1, [None, ends, pa.py_buffer(data)])
    try:
        text.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _decoded(data: bytes, name: str, encoding: str, where: str) -> str:
    try:
        text = data.decode(name)
        text.encode()  # some codecs let lone surrogates pass
    except UnicodeDecodeError as error:
        raise _undecodable(data, name, encoding, where, error) from error
    except UnicodeError as error:
        raise unreadable(where, expected=f"text in {encoding}", found=str(error)) from error
    return text


def _undecodable(data: bytes, name: str, encoding: str, where: str, error: UnicodeDecodeError) -> GateError:
    line = line_of(data[: error.start].decode(name, "replace"))
    at = f"{where}, line {line}"
    if error.end >= len(data) and error.reason in ("unexpected end of data", "truncated data"):
        return unreadable(at, expected=f"text in {encoding}", found="a file that ends in the middle of a character")
    found = f"byte 0x{data[error.start]:02X} at offset {error.start}: {error.reason}"
    context = data[max(0, error.start - _CONTEXT) : error.start + _CONTEXT]
    if name == "utf-8" and not re.search(rb"[\x81\x8d\x8f\x90\x9d]", data):
        return _declare(
            at,
            "cp1252",
            expected=f"text in {encoding}",
            found=f"{found}; as cp1252 it reads {_shown(context, 'cp1252')}",
        )
    return unreadable(at, expected=f"text in {encoding}", found=f"{found}, in {context!r}")


def _shown(context: bytes, name: str) -> str:
    """Return what the bytes around a place read in an encoding; halves of characters at the edges are left out."""
    return repr(context.decode(name, "ignore"))


def _line_at(data: bytes, offset: int) -> int:
    return line_of(data[:offset].decode("latin-1"))


def _declare(where: str, encoding: str, *, expected: str, found: str) -> GateError:
    return unreadable(
        where,
        expected=expected,
        found=found,
        remedy=f'set encoding = "{encoding}" under [source], after asking who made the file',
    )
