"""Cells of a dBase table into Arrow values: one function per kind of field, each all or refused.

What does not belong here: where the cells lie (dbf).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.domain.errors import GateError
from mrv_assets.stages.delivery import unreadable

_INTEGER = r"^[+-]?[0-9]+$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_DATE = r"^([0-9]{4})([0-9]{2})([0-9]{2})$"
_ASCII = bytes(range(32, 127))
_BOOLEANS: Mapping[str, bool | None] = {**dict.fromkeys("TtYy", True), **dict.fromkeys("FfNn", False)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """The bytes of one field in many records, how they are decoded, and how a record is called in a message."""

    raw: pa.BinaryArray
    codec: str
    decimals: int
    at: Callable[[int], str]
    remedy: str

    def texts(self) -> pa.StringArray:
        """Return the cells as text without the blanks at their end, null for a blank one."""
        texts = self._in_bulk()
        texts = pc.utf8_rtrim(self._one_by_one() if texts is None else texts, " \0")
        return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)

    def trimmed(self, *nothing: str) -> pa.StringArray:
        """Return the cells without blanks around them, null for a blank one and for the patterns of `nothing`."""
        texts = pc.utf8_trim(self.texts(), " ")
        is_nothing = pc.match_substring_regex(texts, "|".join(("^$", *nothing)))
        return pc.if_else(is_nothing, pa.scalar(None, pa.string()), texts)

    def checked(self, texts: pa.StringArray, pattern: str, expected: str) -> pa.StringArray:
        """Return the texts. Raises GateError (gate `source_readable`) naming the first that is not as the pattern."""
        self.refuse(texts, pc.invert(pc.match_substring_regex(texts, pattern)), expected)
        return texts

    def refuse(self, texts: pa.StringArray, is_bad: pa.BooleanArray, expected: str) -> None:
        """Raise GateError (gate `source_readable`) naming the first text that is bad, if there is one."""
        index = pc.index(is_bad, pa.scalar(True)).as_py()
        if index >= 0:
            raise self._refusal(index, expected, repr(texts[index].as_py()))

    def _in_bulk(self) -> pa.StringArray | None:
        """Return the cells as text when the codec makes of their bytes what UTF-8 makes of them."""
        if _ASCII.decode(self.codec, "replace") != _ASCII.decode():
            return None
        try:
            texts = self.raw.cast(pa.string())
        except pa.ArrowInvalid:
            return None
        return texts if self.codec == "utf-8" or pc.all(pc.string_is_ascii(texts)).as_py() else None

    def _one_by_one(self) -> pa.StringArray:
        encoded = self.raw.dictionary_encode()
        values = encoded.dictionary.to_pylist()
        texts = pa.array([self._decoded(value) for value in values], pa.string())
        self._refuse_disguised_utf8([value for value in values if not value.isascii()])
        return texts.take(encoded.indices)

    def _decoded(self, value: bytes) -> str:
        try:
            return value.decode(self.codec)
        except UnicodeDecodeError as error:
            raise self._refusal(self._first(value), f"text in {self.codec}", str(error)) from error

    def _refuse_disguised_utf8(self, values: list[bytes]) -> None:
        """Refuse UTF-8 that is declared to have one byte per character, which would decode to wrong text unseen."""
        is_single_byte = len(bytes(range(256)).decode(self.codec, "replace")) == 256
        if values and is_single_byte and self.codec != "utf-8" and all(map(_is_utf8, values)):
            found = (
                f"bytes that are UTF-8: {values[0].decode(self.codec).rstrip()!r} for {values[0].decode().rstrip()!r}"
            )
            raise self._refusal(self._first(values[0]), f"text in {self.codec}", found)

    def _first(self, value: bytes) -> int:
        return int(pc.index(self.raw, pa.scalar(value, pa.binary())).as_py())

    def _refusal(self, index: int, expected: str, found: str) -> GateError:
        return unreadable(self.at(index), expected=expected, found=found, remedy=self.remedy)


def _is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _numbers(cells: Cells) -> pa.Array:
    if cells.decimals:
        return _floats(cells)
    texts = cells.checked(cells.trimmed(r"^\*+$"), _INTEGER, "a whole number, as the field declares")
    texts = pc.replace_substring_regex(texts, r"^\+?(-?)0*([0-9])", r"\1\2")
    try:
        return texts.cast(pa.int64())
    except pa.ArrowInvalid:  # one is beyond int64
        return texts


def _floats(cells: Cells) -> pa.Array:
    texts = cells.checked(cells.trimmed(r"^\*+$"), _NUMBER, "a number")
    return pc.utf8_ltrim(texts, "+").cast(pa.float64())


def _dates(cells: Cells) -> pa.Array:
    texts = cells.checked(cells.trimmed("^0{8}$"), _DATE, "a date as YYYYMMDD")
    iso = pc.replace_substring_regex(texts, _DATE, r"\1-\2-\3")
    try:
        return iso.cast(pa.date32())
    except pa.ArrowInvalid:
        cells.refuse(texts, pa.array([not _is_date(text) for text in iso]), "a day that there is")
        raise


def _is_date(text: pa.StringScalar) -> bool:
    try:
        text.cast(pa.date32())
    except pa.ArrowInvalid:
        return False
    return True


def _booleans(cells: Cells) -> pa.Array:
    texts = cells.checked(cells.trimmed(r"^\?$"), "^[TtYyFfNn]$", "T, Y, F, N or ?")
    return pa.array([None if text is None else _BOOLEANS[text] for text in texts.to_pylist()], pa.bool_())


CELLS: Mapping[str, Callable[[Cells], pa.Array]] = {
    "C": Cells.texts,
    "N": _numbers,
    "F": _floats,
    "D": _dates,
    "L": _booleans,
}
