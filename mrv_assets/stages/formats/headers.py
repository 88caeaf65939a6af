"""Where the wanted columns stand in a header row, and text that no cell may hold.

What does not belong here: finding the header row in a format.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.domain.errors import listed
from mrv_assets.stages.delivery import columns_missing, unreadable

# Controls other than tab and line ends, the byte order mark, and the sign for a character that somebody has lost.
_NO_TEXT = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ufffd]"
_SHOWN = 12


def places_in(header: Sequence[str], wanted: Sequence[str], *, where: str) -> Mapping[str, int]:
    """Return the position of every wanted column. Names are matched exactly; columns without a name are never read.

    Raises GateError (gate `columns_present`) when a name stands twice, also when only surrounding space or the Unicode
    form differ, when a wanted name is blank, or when a wanted column is missing.
    """
    _refuse_twice(header, where)
    missing = [name for name in wanted if not name.strip() or name not in header]
    if missing:
        raise columns_missing(
            where,
            expected=f"columns {', '.join(wanted)}",
            found=f"missing {', '.join(missing)}{_nearly(missing, header)}; the header is {_shown(header)}",
        )
    return {name: header.index(name) for name in wanted}


def refuse_no_text(columns: pa.Table, *, where: str, record: str, first: int) -> None:
    """Refuse text cells that hold control characters, a byte order mark or a replacement character.

    `record` and `first` number the records, as in a delivery. Raises GateError (gate `source_readable`) naming column
    and record.
    """
    for name in columns.column_names:
        cells = columns.column(name)
        if not pa.types.is_string(cells.type):
            continue
        index = pc.index(pc.match_substring_regex(cells, _NO_TEXT), True).as_py()
        if index >= 0:
            text = cells[index].as_py()
            raise unreadable(
                f"{where}, {record} {first + index}, column {name!r}",
                expected="text without control characters",
                found=f"{text[:80]!r}, which holds {_named(text)}",
            )


def _refuse_twice(header: Sequence[str], where: str) -> None:
    seen: dict[str, str] = {}
    twice: list[str] = []
    for name in header:
        key = _usual(name)
        if key and key in seen:
            twice.append(name if name == seen[key] else f"{name!r} beside {seen[key]!r}")
        seen[key] = name
    if twice:
        raise columns_missing(where, expected="every header name once", found=f"twice: {', '.join(sorted(set(twice)))}")


def _usual(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip()


def _nearly(missing: Sequence[str], header: Sequence[str]) -> str:
    """Say which names of the header differ from missing ones in space, letter case or Unicode form only."""
    keys = {unicodedata.normalize("NFKC", name).strip().casefold() for name in missing}
    near = [name for name in header if unicodedata.normalize("NFKC", name).strip().casefold() in keys - {""}]
    return f" (but there is {listed(near)}; names are matched exactly)" if near else ""


def _shown(header: Sequence[str]) -> str:
    if not any(header):
        return "empty"
    names = ", ".join(header[:_SHOWN])
    return names[:400] if len(header) <= _SHOWN else f"{names[:400]} and {len(header) - _SHOWN} more"


def _named(text: str) -> str:
    bad = re.findall(_NO_TEXT, text)[0]
    known = {
        "\ufeff": "a byte order mark, as where one file was appended to another",
        "\ufffd": "the replacement character U+FFFD: an earlier step lost what stood there",
    }
    if "\x80" <= bad <= "\x9f":
        return f"control character U+{ord(bad):04X}; the file may be in cp1252 rather than latin-1"
    return known.get(bad, f"control character U+{ord(bad):04X}")
